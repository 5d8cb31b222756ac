"""Two processes behind one port against one, by processor time: cores of others do not matter."""

import contextlib
import os
import select
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.acceptance.shared_sessions import children
from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import mock_server, post
from tests.benchmarks.suites import write_suite

PATH = "/s/{}/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"
ROUNDS = 5
SESSIONS = 16
REQUESTS = 200
"""Of each session, over one kept connection, in each round."""

_TICKS = os.sysconf("SC_CLK_TCK")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", cases=1)
        with (
            mock_server(suite, "--no-proxy", "--quiet", "--http-protocol", "uvicorn") as plain,
            mock_server(suite, "--quiet", "--state-dir", f"{folder}/one") as one,
            mock_server(suite, "--quiet", "--workers", "2") as two,
        ):
            servers = (plain, one, two)
            paths = [_open(port) for port, _ in servers]
            spent: list[list[float]] = [[], [], []]
            for _ in range(ROUNDS):
                for (port, pid), asked, times in zip(servers, paths, spent, strict=True):
                    times.append(cpu_per_request(port, pid, asked))
    pairs = list(zip(*spent, strict=True))
    yield Figure(
        "two workers / one, requests for a processor second",
        median(2 * each[1] / each[2] for each in pairs), 1.8, at_least=True,
    )  # fmt: skip
    yield Figure(
        "one worker / one process without log, CPU a request",
        median(each[1] / each[0] for each in pairs), 2.5,
    )  # fmt: skip


def _open(port: int) -> list[str]:
    names = [post(port, "/_mock/sessions", {"id": f"s{n:03d}"})["id"] for n in range(SESSIONS)]
    return [PATH.format(name) for name in names]


def cpu_per_request(port: int, pid: int, paths: list[str]) -> float:
    """Microseconds of processor time that all processes of a server spend on a request."""
    before = _cpu_s(pid)
    with contextlib.ExitStack() as opened, select.epoll() as poll:
        waiting: dict[int, tuple[socket.socket, bytes]] = {}
        for path in paths:
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            data = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
            waiting[connection.fileno()] = connection, data
            poll.register(connection, select.EPOLLIN)
            connection.sendall(data)
        left = dict.fromkeys(waiting, REQUESTS)
        missing = dict.fromkeys(waiting, 0)
        while any(left.values()):
            for number, _ in poll.poll(1):
                connection, data = waiting[number]
                received = connection.recv(262_144)
                if not missing[number]:
                    head, _, _ = received.partition(b"\r\n\r\n")
                    start = head.lower().index(b"content-length:") + 15
                    missing[number] = len(head) + 4 + int(head[start:].split(b"\r\n", 1)[0])
                missing[number] -= len(received)
                if not missing[number]:
                    left[number] -= 1
                    if left[number]:
                        connection.sendall(data)
    return (_cpu_s(pid) - before) / (REQUESTS * len(paths)) * 1e6


def _cpu_s(pid: int) -> float:
    total = 0
    for each in (pid, *children(pid)):
        fields = Path(f"/proc/{each}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS
