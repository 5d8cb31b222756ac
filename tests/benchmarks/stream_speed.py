"""Streams of scripted models: 200 at once, and which of their chunks come late."""

import contextlib
import select
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import cpu_seconds, mock_server
from tests.benchmarks.suites import write_suite

STREAMS, EVENTS, GAP_MS = 200, 100, 20
LATE_MS = 10
SCRIPT = f"""
replies:
  - text: "{"word " * EVENTS}"
    stream: {{characters: 5, gap_ms: {GAP_MS}}}
"""
BODY = b'{"model": "gpt-5", "stream": true, "messages": [{"role": "user", "content": "%d"}]}'
HEAD = (
    b"POST /models/openai/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
)
_END = b"0\r\n\r\n"


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder), cases=0)
        (suite / "models").mkdir()
        (suite / "models" / "assistant.yaml").write_text(SCRIPT, encoding="utf-8")
        with mock_server(suite) as (port, pid):
            late_ms(port, 10)
            before, began = cpu_seconds(pid), perf_counter()
            late = late_ms(port, STREAMS)
            spent, took = cpu_seconds(pid) - before, perf_counter() - began
    assert len(late) > STREAMS * EVENTS
    title = f"{STREAMS} streams at once, chunks that come late"
    yield Figure(title, sum(each > LATE_MS for each in late) / len(late), 0.0)
    yield Figure("  99th percentile of delays", quantiles(late, n=100)[98], LATE_MS, " ms")
    yield Figure("  cores, of 100 chunks a stream in two seconds", spent / took, 0.6)


def late_ms(port: int, streams: int) -> list[float]:
    """How many milliseconds after it was due each event of some streams came.

    The first one of a stream is due when it comes: the others are reckoned from it.
    """
    found: list[float] = []
    with contextlib.ExitStack() as opened, select.epoll() as poll:
        sockets: dict[int, socket.socket] = {}
        for number in range(streams):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            poll.register(connection, select.EPOLLIN)
            sockets[connection.fileno()] = connection
            body = BODY % number
            connection.sendall(HEAD % (len(body), body))
        first: dict[int, float] = {}
        events = dict.fromkeys(sockets, 0)
        left = set(sockets)
        while left:
            for number, _ in poll.poll(1):
                data = sockets[number].recv(65_536)
                at = perf_counter()
                assert data, "the server left"
                for _ in range(data.count(b"\ndata: ")):
                    due = first.setdefault(number, at) + events[number] * GAP_MS / 1000
                    found.append((at - due) * 1000)
                    events[number] += 1
                if data.endswith(_END):
                    left.discard(number)
    return found
