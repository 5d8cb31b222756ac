"""Real server processes on loopback, and a client that keeps them busy."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

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
        wait_for(port, path)
        yield running.pid
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(10)


def wait_for(port: int, path: str, *, seconds: float = 30) -> float:
    """Seconds until the server answers."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
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
def reference_server(body: bytes) -> Iterator[int]:
    """A constant raw ASGI answer of the same size under the same uvicorn; yields its port."""
    port = free_port()
    environment = os.environ | {"REFERENCE_BYTES": str(len(body))}
    command = (
        sys.executable, "-m", "uvicorn", "tests.benchmarks.reference:app",
        "--port", str(port), "--log-level", "error", "--no-access-log",
    )  # fmt: skip
    running = subprocess.Popen(command, env=environment)
    try:
        wait_for(port, "/")
        yield port
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


def requests_per_second(port: int, path: str, *, count: int = 4000, at_once: int = 16) -> float:
    """How many requests a saturated server answers: pipelined over one kept-alive connection."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(200):
            _exchange(connection, request, 1)
        started = time.perf_counter()
        for _ in range(count // at_once):
            _exchange(connection, request * at_once, at_once)
        return count / (time.perf_counter() - started)


def _exchange(connection: socket.socket, requests: bytes, expected: int) -> None:
    connection.sendall(requests)
    data = b""
    while expected:
        data += connection.recv(262_144)
        while expected:
            head_end = data.find(b"\r\n\r\n")
            if head_end < 0:
                break
            head = data[:head_end].lower()
            start = head.index(b"content-length:") + 15
            size = int(head[start:].split(b"\r\n", 1)[0])
            end = head_end + 4 + size
            if len(data) < end:
                break
            data = data[end:]
            expected -= 1


def resident_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * PAGE
