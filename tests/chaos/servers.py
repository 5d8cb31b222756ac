"""A mock server in a process of its own, always on the same port and with the same token."""

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.patience import wait_until
from tests.ports import free_port


class MockProcess:
    """`mockserver serve`.

    Attributes:
        url: Where it is.
        token: Its control token.

    Args:
        fixtures: What it serves.
        options: More options.
        ahead_s: By how many seconds its clock is ahead of that of this machine.
    """

    def __init__(self, fixtures: Path, *options: str, ahead_s: float = 0.0) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self.token = "a-control-token-for-chaos"
        program = ("tests.chaos.clock", str(ahead_s)) if ahead_s else ("mockserver",)
        self._command = [
            *(sys.executable, "-m", *program, "serve", "--fixtures", str(fixtures)),
            *("--port", str(self._port), *options),
        ]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        environment = {**os.environ, "MOCKSERVER_TOKEN": self.token}
        self.process = subprocess.Popen(
            self._command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )
        wait_until(self.answers, "a mock server that answers")

    def answers(self) -> bool:
        """Whether it answers."""
        assert self.process is not None
        assert self.process.poll() is None, "the mock server has ended"
        try:
            return httpx.get(f"{self.url}/_mock/health", trust_env=False).status_code < 500
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """`kill -9`, of all its processes."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    @contextmanager
    def without_descriptors(self) -> Iterator[None]:
        """Meanwhile it can open no file and take no connection."""
        assert self.process is not None
        pid = self.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        in_use = max(int(each.name) for each in Path(f"/proc/{pid}/fd").iterdir()) + 1
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (in_use, before[1]))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    def connection(self, sent: bytes) -> socket.socket:
        """A connection on which so much was sent, and nothing more comes."""
        connected = socket.create_connection(("127.0.0.1", self._port))
        connected.sendall(sent)
        return connected

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.kill()
