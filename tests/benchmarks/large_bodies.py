"""What a body of 100 MB costs a capturing proxy, and those who ask beside it.

Both ways in are measured. Memory is that of the proxy and of the process that redacts, above what
the proxy had before; the time of the others is held against theirs before the body.
"""

import contextlib
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import free_port

SIZE = 100_000_000
EACH_S = 0.02
"""50 others a second."""
LARGEST_MB, P99_MS, CPU_S = 150.0, 100.0, 5.0
"""Of the acceptance: memory above idle, the 99th percentile of others, 20 MB a CPU second."""

_PIECE = random.Random(1).randbytes(1 << 20)
_SMALL = b'{"name": "first"}'
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
_ASKED = b"GET /%b HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"
_PATIENCE_S = 60.0
_TICKS = os.sysconf("SC_CLK_TCK")
Connect = Callable[[], socket.socket]


@dataclass
class Cost:
    """What a body cost.

    Attributes:
        above_mb: Memory at its peak, above what it was before, in megabytes.
        p99_ms: The time that others waited, in milliseconds, at the 99th percentile.
        before_ms: The same before the body came.
        cpu_s: CPU seconds of the process that redacts.
        took_s: How long the client waited.
    """

    above_mb: float
    p99_ms: float
    before_ms: float
    cpu_s: float
    took_s: float


def _answer(connection: socket.socket) -> None:
    asked = b""
    with contextlib.suppress(OSError), connection:
        while data := connection.recv(65536):
            asked += data
            while b"\r\n\r\n" in asked:
                head, _, asked = asked.partition(b"\r\n\r\n")
                if b" /large " not in head:
                    connection.sendall(_OK % (b"application/json", len(_SMALL)) + _SMALL)
                    continue
                connection.sendall(_OK % (b"application/octet-stream", SIZE))
                for start in range(0, SIZE, len(_PIECE)):
                    connection.sendall(_PIECE[: min(len(_PIECE), SIZE - start)])


@contextlib.contextmanager
def upstream(context: ssl.SSLContext | None = None) -> Iterator[int]:
    """An API that answers /large with `SIZE` bytes, on a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(
                        target=_begin, args=(listener.accept()[0], context), daemon=True
                    ).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def _begin(connection: socket.socket, context: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError):
        _answer(connection if context is None else context.wrap_socket(connection, True))


@contextlib.contextmanager
def proxy(folder: str, *options: str) -> Iterator[tuple[int, int]]:
    """A capturing proxy's port and process id."""
    port = free_port()
    command = [sys.executable, "-m", "mockserver", "capture", "proxy", f"--port={port}"]
    command += [f"--cassette={folder}/bench.yaml", *options]
    environ = {
        **os.environ,
        "MOCKSERVER_REDACTION_KEY": "a key for benchmarks",
        "UNDERSTUDY_HOME": folder,
    }
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ
    )
    assert process.stdout is not None
    while b"ready at" not in process.stdout.readline():
        pass
    yield port, process.pid
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)


def tree(pid: int) -> list[int]:
    """A process and those that it started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            found += tree(int(child))
    return found


def memory_mb(pid: int) -> float:
    """What a process and those that it started have of memory; what they share counts once."""
    found = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            told = Path(f"/proc/{each}/smaps_rollup").read_text(encoding="ascii")
            found += int(told.partition("\nPss:")[2].split()[0])
    return found / 1024


def cpu_s(pid: int) -> float:
    """CPU seconds of the processes that a process started."""
    found = 0
    for each in tree(pid)[1:]:
        told = Path(f"/proc/{each}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        found += int(told[11]) + int(told[12])
    return found / _TICKS


class Others:
    """Those who ask beside: 50 small requests a second, on one connection.

    Attributes:
        waited: How long each waited, in seconds.
    """

    def __init__(self, connect: Connect, api: int) -> None:
        self._api = api
        self.waited: list[float] = []
        self._connection = connect()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        due = time.perf_counter()
        with self._connection as connection:
            while not self._over.is_set():
                began = time.perf_counter()
                connection.sendall(_ASKED % (b"small", self._api))
                content = b""
                while not content.endswith(_SMALL):
                    content += connection.recv(65536)
                self.waited.append(time.perf_counter() - began)
                due += EACH_S
                self._over.wait(max(0.0, due - time.perf_counter()))

    def __enter__(self) -> "Others":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def p99_ms(self) -> float:
        """The 99th percentile, in milliseconds."""
        return sorted(self.waited)[int(len(self.waited) * 0.99)] * 1000


def cost(connect: Connect, pid: int, api: int) -> Cost:
    """Ask for the large body, with others beside it."""
    with Others(connect, api) as before:
        time.sleep(3)
    idle = peak = memory_mb(pid)
    over = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(0.1):
            peak = max(peak, memory_mb(pid))

    watching = threading.Thread(target=watch)
    with Others(connect, api) as beside:
        watching.start()
        began = time.perf_counter()
        with connect() as connection:
            connection.sendall(_ASKED % (b"large", api))
            left = SIZE
            while left > 0:
                left -= len(connection.recv(1 << 20))
        took = time.perf_counter() - began
    over.set()
    watching.join()
    return Cost(peak - idle, beside.p99_ms(), before.p99_ms(), cpu_s(pid), took)


def reverse_cost() -> Cost:
    """What it costs a proxy that stands before an API."""
    with (
        tempfile.TemporaryDirectory() as folder,
        upstream() as api,
        proxy(folder, f"--upstream=http://127.0.0.1:{api}") as (port, pid),
    ):
        return cost(lambda: _connected(port), pid, api)


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S)


def forward_cost() -> Cost:
    """What it costs a proxy that clients were told of, with TLS on both sides."""
    issuer = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    issuer.issue_cert("localhost").configure_cert(context)
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    with tempfile.TemporaryDirectory() as folder, upstream(context) as api:
        issuer.cert_pem.write_to_path(f"{folder}/upstream.pem")
        with proxy(folder, "--forward", f"--upstream-ca={folder}/upstream.pem") as (port, pid):

            def connect() -> socket.socket:
                plain = _connected(port)
                plain.sendall(b"CONNECT localhost:%d HTTP/1.1\r\n\r\n" % api)
                assert b" 200 " in plain.recv(65536)
                return trusting.wrap_socket(plain, server_hostname="localhost")

            return cost(connect, pid, api)


def figures() -> Iterator[Figure]:
    for way, found in (("reverse", reverse_cost()), ("forward, TLS", forward_cost())):
        what = f"100 MB by {way}:"
        yield Figure(f"{what} memory above idle", found.above_mb, LARGEST_MB, " MB")
        yield Figure(f"{what} p99 of 50 others a second", found.p99_ms, P99_MS, " ms")
        yield Figure(f"{what} CPU seconds to redact it", found.cpu_s, CPU_S, " s")
