"""Real server processes on loopback, and a client that keeps them busy."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count as numbers
from itertools import cycle
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

COMMON = "Accept: */*\r\nAccept-Encoding: gzip, deflate\r\nUser-Agent: python-httpx/0.28.1\r\n"
"""What a client sends with each request."""

PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def process(*command: str, port: int, path: str) -> Iterator[int]:
    """Run a server until the block ends; yields its pid once `path` answers."""
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, path, server=running)
        yield running.pid
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(10)


def wait_for(
    port: int, path: str, *, seconds: float = 30, server: "subprocess.Popen[bytes] | None" = None
) -> float:
    """Seconds until the server answers; one that has ended is not waited for."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        if server is not None and server.poll() is not None:
            raise RuntimeError(f"{server.args!r} ended with code {server.returncode}")
        with contextlib.suppress(OSError, URLError), urlopen(f"http://127.0.0.1:{port}{path}"):
            return time.perf_counter() - started
        time.sleep(0.005)
    raise TimeoutError(f"nothing answers at port {port}")


@contextlib.contextmanager
def mock_server(fixtures: Path, *options: str) -> Iterator[tuple[int, int]]:
    """Our server on a suite; yields (port, pid)."""
    port = free_port()
    command = (sys.executable, "-m", "mockserver", "serve", "--fixtures", str(fixtures))
    with process(*command, "--port", str(port), *options, port=port, path="/_mock/health") as pid:
        yield port, pid


@contextlib.contextmanager
def reference_server(port: int, path: str, content: bytes | None = None) -> Iterator[int]:
    """A constant raw ASGI answer, byte for byte ours, under the same uvicorn; yields its port."""
    asked = Request(f"http://127.0.0.1:{port}{path}", content, {"Content-Type": "application/json"})
    with urlopen(asked) as answer:
        ours = answer.headers.items()
        headers = [pair for pair in ours if pair[0].lower() not in ("date", "connection")]
        constant = json.dumps({"headers": headers, "body": answer.read().decode()})
    own = free_port()
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as file:
        file.write(constant)
    command = (
        sys.executable, "-m", "uvicorn", "tests.benchmarks.reference:app", "--lifespan", "off",
        "--port", str(own), "--log-level", "error", "--no-access-log", "--no-server-header",
    )  # fmt: skip
    running = subprocess.Popen(command, env={**os.environ, "REFERENCE_ANSWER": file.name})
    try:
        wait_for(own, "/")
        yield own
    finally:
        running.terminate()
        running.wait(10)
        Path(file.name).unlink()


def post(port: int, path: str, body: object) -> dict[str, object]:
    request = Request(
        f"http://127.0.0.1:{port}{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    with urlopen(request) as answer:
        result: dict[str, object] = json.load(answer)
        return result


def get(port: int, path: str) -> bytes:
    with urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        content: bytes = answer.read()
        return content


def requests_per_second(
    port: int,
    path: str | Sequence[str],
    content: bytes = b"",
    *,
    count: int = 6000,
    connections: int = 32,
    own_heads: bool = False,
) -> float:
    """How many requests a saturated server answers over kept-alive connections.

    Several paths are asked for in turn; their answers must have one size.

    The client never sleeps: waking it up for each answer would cost the server more than answering.

    Args:
        port: Where it answers.
        path: What it is asked.
        content: The body of each request.
        count: How many requests.
        connections: On how many connections.
        own_heads: Whether no two requests have the same head, as those of traced agents.
    """
    verb = "POST" if content else "GET"
    length = f"Content-Length: {len(content)}\r\n" if content else ""
    paths = [path] if isinstance(path, str) else path
    requests = [
        f"{verb} {each} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{COMMON}{length}".encode()
        for each in paths
    ]
    upcoming = _requests(requests, b"\r\n" + content, own_heads=own_heads)
    with contextlib.ExitStack() as opened, select.epoll() as poll:
        sockets = {}
        for _ in range(connections):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets[connection.fileno()] = connection
            poll.register(connection, select.EPOLLIN)
        size = _answer_size(next(iter(sockets.values())), next(upcoming))
        _keep_busy(poll, sockets, upcoming, size, 10 * connections)
        started = time.perf_counter()
        _keep_busy(poll, sockets, upcoming, size, count)
        return count / (time.perf_counter() - started)


def _requests(heads: Sequence[bytes], rest: bytes, *, own_heads: bool) -> Iterator[bytes]:
    """Requests without end; those with heads of their own bring what tracing and SDKs add."""
    if not own_heads:
        yield from cycle([head + rest for head in heads])
    for head, number in zip(cycle(heads), numbers(time.time_ns()), strict=False):
        own = b"traceparent: 00-%032x-%016x-01\r\nX-Request-Id: %020d\r\n"
        yield head + own % (number, number, number) + rest


def _answer_size(connection: socket.socket, request: bytes) -> int:
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head = data[: data.index(b"\r\n\r\n") + 4]
    start = head.lower().index(b"content-length:") + 15
    size = len(head) + int(head[start:].split(b"\r\n", 1)[0])
    while len(data) < size:
        data += connection.recv(65_536)
    return size


def _keep_busy(
    poll: select.epoll,
    sockets: dict[int, socket.socket],
    upcoming: Iterator[bytes],
    size: int,
    count: int,
) -> None:
    """Ask `count` times, one question a connection at a time; all answers have the same size."""
    missing = dict.fromkeys(sockets, size)
    for connection in sockets.values():
        connection.sendall(next(upcoming))
    asked, answered = len(sockets), 0
    while answered < asked:
        for number, _ in poll.poll(0):
            missing[number] -= len(sockets[number].recv(65_536))
            if missing[number] == 0:
                answered += 1
                if asked < count:
                    asked += 1
                    missing[number] = size
                    sockets[number].sendall(next(upcoming))


def cpu_seconds(pid: int) -> float:
    """What all threads of a process have taken of processors so far, by the scheduler's clock."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    spent = ((each / "schedstat").read_text(encoding="ascii").split()[0] for each in threads)
    return sum(map(int, spent)) / 1e9


def resident_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * PAGE
