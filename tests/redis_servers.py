"""A Redis server for tests: the machine's own."""

import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port


class RedisServer:
    """A Redis of its own, which may be killed and started again.

    Attributes:
        url: Where it is.
        folder: Where its files are.
    """

    def __init__(self, program: str, folder: Path, *options: str) -> None:
        self.port, self.folder = free_port(), folder
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [
            program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder),
            "--save", "", "--appendonly", "yes", "--appendfsync", "no", *options,
        ]  # fmt: skip

    def start(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (for as long as it runs)
        self._process = subprocess.Popen(self._command, stdout=self._said, stderr=subprocess.STDOUT)
        wait_until(self._answers)

    def pause(self) -> None:
        """Let it stand still, with its connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait(timeout=PATIENCE_S)
        self._said.close()

    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            self._said.seek(0)
            raise AssertionError(f"redis-server has ended: {self._said.read()[-600:]!r}")
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                answer = connection.recv(64)
                return answer != b"" and not answer.startswith(b"-LOADING")
        except OSError:
            return False


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A Redis with nothing in it; a test without one is skipped."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server: install the package redis-server")
    pytest.importorskip("redis", reason="pip install 'understudy[redis]'")
    folder = Path(tempfile.mkdtemp(prefix="understudy-redis-"))
    server = RedisServer(program, folder, *options)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
