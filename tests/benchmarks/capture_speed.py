"""What the capturing proxy adds to a request, and what it keeps of those that it recorded."""

import json
import os
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from typing_extensions import override

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import free_port

BODY = json.dumps({
    "kind": "admin#directory#users",
    "users": [
        {
            "id": f"10{number:019d}",
            "primaryEmail": f"person{number}@quillbrook.io",
            "name": {"fullName": f"Person {number}", "givenName": "Person"},
            "suspended": False,
            "lastLoginIp": f"93.184.77.{number}",
            "orgUnitPath": "/Engineering/Platform",
        }
        for number in range(8)
    ],
}).encode()  # fmt: skip
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    + BODY
)
WARM, COUNT = 50, 400
FEW, MANY = 500, 4000
ADDED_MS, ADDED_AT_MOST_MS, GROWTH_MB = 3.0, 5.0, 8.0


class _Answering(socketserver.BaseRequestHandler):
    """Answers every request of a connection alike."""

    @override
    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := self.request.recv(65536):
            self.request.sendall(ANSWER * data.count(b"\r\n\r\n"))


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def _upstream() -> Iterator[int]:
    with _Server(("127.0.0.1", 0), _Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def _proxy(upstream: int, folder: str) -> Iterator[tuple[int, int]]:
    """A capturing proxy's port and process id."""
    port = free_port()
    command = [sys.executable, "-m", "mockserver", "capture", "proxy", f"--port={port}"]
    command += [f"--upstream=http://127.0.0.1:{upstream}", f"--cassette={folder}/bench.yaml"]
    environ = {**os.environ, "MOCKSERVER_REDACTION_KEY": "a key for benchmarks"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield port, process.pid
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)


def figures() -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory() as folder,
        _upstream() as upstream,
        _proxy(upstream, folder) as (port, pid),
    ):
        direct, through = _latencies(upstream), _latencies(port)
        added = (median(through) - median(direct)) * 1000
        yield Figure("capture proxy adds to a request", added, ADDED_MS, " ms")
        _latencies(port, FEW)
        before = _resident_mb(pid)
        late = quantiles(_latencies(port, MANY), n=100)[98] - quantiles(direct, n=100)[98]
        grown = _resident_mb(pid) - before
        title = f"capture proxy adds to 99 of 100 requests, of {MANY}"
        yield Figure(title, late * 1000, ADDED_AT_MOST_MS, " ms")
        yield Figure(f"capture proxy grows over {MANY} requests", grown, GROWTH_MB, " MB")


def _latencies(port: int, count: int = COUNT) -> list[float]:
    found = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(WARM + count):
            request = f"GET /users?n={number} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            started = time.perf_counter()
            connection.sendall(request)
            _read(connection)
            found.append(time.perf_counter() - started)
    return found[WARM:]


def _read(connection: socket.socket) -> None:
    content = b""
    while not content.endswith(BODY[-20:]):
        content += connection.recv(65536)


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024
