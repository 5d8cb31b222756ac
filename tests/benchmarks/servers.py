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
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import Request, urlopen

COMMON = "Accept: */*\r\nAccept-Encoding: gzip, deflate\r\nUser-Agent: python-httpx/0.28.1\r\n"
"""What a client sends with each request."""

OWN = (
    b"traceparent: 00-%032x-%016x-01\r\nX-Request-Id: %020d\r\nIdempotency-Key: 0b9c1d2e-%012d\r\n"
)
"""What tracing and SDKs add to each request, by a number of its own, four times."""

PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def process(*command: str, port: int, path: str, seconds: float = 30) -> Iterator[int]:
    """Run a server until the block ends; yields its pid once `path` answers, in these seconds."""
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, path, seconds=seconds, server=running)
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
def reference_server(port: int, request: bytes) -> Iterator[tuple[int, int]]:
    """A constant raw ASGI answer, byte for byte ours to a request; yields (port, pid)."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        head, body = read_answer(connection)
    lines = (line.split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
    headers = [
        (name.decode(), value.decode())
        for name, value in lines
        if name not in {b"date", b"transfer-encoding"}
    ]
    if b"\r\ntransfer-encoding: chunked\r\n" in head:
        body = _joined_chunks(body)
    constant = {
        "status": int(head.split(b" ")[1]), "headers": headers, "body": body.decode("latin-1")
    }  # fmt: skip
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as file:
        json.dump(constant, file)
    try:
        app = "tests.benchmarks.reference:app"
        with uvicorn_server(app, "/", REFERENCE_ANSWER=file.name) as running:
            yield running
    finally:
        Path(file.name).unlink()


@contextlib.contextmanager
def uvicorn_server(app: str, path: str, **environment: str) -> Iterator[tuple[int, int]]:
    """An ASGI application under uvicorn as ours is; yields (port, pid)."""
    port = free_port()
    command = (
        sys.executable, "-m", "uvicorn", app, "--lifespan", "off", "--port", str(port),
        "--log-level", "error", "--no-access-log", "--no-server-header",
    )  # fmt: skip
    running = subprocess.Popen(command, env={**os.environ, **environment})
    try:
        wait_for(port, path, server=running)
        yield port, running.pid
    finally:
        running.terminate()
        running.wait(10)


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
) -> float:
    """How many requests a saturated server answers over kept-alive connections.

    Args:
        port: Where it answers.
        path: What it is asked; several are asked for in turn.
        content: The body of each request.
        count: How many requests.
        connections: On how many connections.
    """
    verb = "POST" if content else "GET"
    length = f"Content-Length: {len(content)}\r\n" if content else ""
    paths = [path] if isinstance(path, str) else path
    requests = [
        f"{verb} {each} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{COMMON}{length}\r\n".encode()
        + content
        for each in paths
    ]
    return load(port, cycle(requests), count=count, connections=connections).per_second


Connect = Callable[[], socket.socket]


class Load(NamedTuple):
    """What came of keeping a server busy.

    Attributes:
        per_second: Requests per second.
        cpu_us: The server's CPU of a request, in microseconds.
        took_s: How long each request took its client.
    """

    per_second: float
    cpu_us: float
    took_s: list[float]


def load(
    port: int,
    requests: Iterator[bytes],
    *,
    pid: int = 0,
    count: int = 6000,
    connections: int = 16,
    connect: Connect | None = None,
) -> Load:
    """Keep a server busy over kept-alive connections, one question a connection at a time.

    The client never sleeps: waking it up for each answer would cost the server more than answering.

    Args:
        port: Where it answers.
        requests: What it is asked; made before it is asked.
        pid: Whose CPU is counted.
        count: How many requests are measured, after a few that are not.
        connections: On how many connections.
        connect: Makes a connection; TCP to this machine by default.
    """
    with contextlib.ExitStack() as opened, select.epoll() as poll:
        sockets = {}
        for _ in range(connections):
            made = connect() if connect else socket.create_connection(("127.0.0.1", port))
            connection = opened.enter_context(made)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets[connection.fileno()] = connection
            poll.register(connection, select.EPOLLIN)
        _keep_busy(poll, sockets, list(islice(requests, 10 * connections)))
        asked = list(islice(requests, count))
        before = cpu_seconds(pid) if pid else 0.0
        started = time.perf_counter()
        took = _keep_busy(poll, sockets, asked)
        seconds = time.perf_counter() - started
        spent = cpu_seconds(pid) - before if pid else 0.0
        return Load(count / seconds, spent / count * 1e6, took)


def read_answer(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of one whole answer, which says its length or comes in chunks."""
    data = connection.recv(262_144)
    while (end := data.find(b"\r\n\r\n")) < 0:
        data += _more(connection, data)
    start = data.find(b"content-length: ")
    if start < 0:  # as others write it
        start = data[:end].lower().find(b"content-length: ")
    if start < 0:
        while not data.endswith(b"\r\n0\r\n\r\n"):
            data += _more(connection, data)
        return data[: end + 4], data[end + 4 :]
    size = end + 4 + int(data[start + 16 : data.index(b"\r\n", start)])
    while len(data) < size:
        data += _more(connection, data)
    return data[: end + 4], data[end + 4 :]


def _joined_chunks(body: bytes) -> bytes:
    found = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        found, body = found + rest[:length], rest[length + 2 :]
    return found


def _more(connection: socket.socket, data: bytes) -> bytes:
    found = connection.recv(262_144)
    if not found:
        raise ConnectionError(f"the server left after {data[:200]!r}")
    return found


def _keep_busy(
    poll: select.epoll, sockets: dict[int, socket.socket], requests: list[bytes]
) -> list[float]:
    """Ask everything; the seconds that each took. What is not answered with success is an error."""
    now, upcoming = time.perf_counter, iter(requests)
    took: list[float] = []
    since: dict[int, float] = {}
    for number, connection in sockets.items():
        since[number] = now()
        connection.sendall(next(upcoming))
    while len(took) < len(requests):
        for number, _ in poll.poll(0):
            connection = sockets[number]
            head, _ = read_answer(connection)
            if head[9:10] != b"2":
                raise ConnectionError(f"the server answered {head!r}")
            at = now()
            took.append(at - since[number])
            request = next(upcoming, None)
            if request is not None:
                since[number] = at
                connection.sendall(request)
    return took


def cpu_seconds(pid: int) -> float:
    """What all threads of a process have taken of processors so far, by the scheduler's clock."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    spent = ((each / "schedstat").read_text(encoding="ascii").split()[0] for each in threads)
    return sum(map(int, spent)) / 1e9


def resident_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * PAGE
