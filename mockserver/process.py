"""A server in a process of its own: started, watched until it is ready, stopped with its group."""

import asyncio
import contextlib
import os
import re
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Self

from mockserver.errors import ServerUnavailableError

READY_WITHIN_S = 60.0
"""How long a server may take to come up."""

_STOP_WITHIN_S = 15.0
_TAIL_CHARACTERS = 2000
_LINE_CHARACTERS = 300
_LOG_BYTES = 1 << 20
_SET_DUMPABLE = 4
_READY = re.compile(r"ready at (\S+)")


class ServerProcess:
    """One server process, the leader of its own process group.

    Its standard input stays open as long as this process lives; the server stops when that ends, so
    a caller that is killed leaves no server behind.

    Attributes:
        log: Where its messages go.
    """

    def __init__(self, process: Process, log: Path, *, keeps_log: bool = True) -> None:
        self.log = log
        self._process = process
        self._keeps_log = keeps_log

    @classmethod
    async def spawn(
        cls, arguments: Sequence[str], log: Path | None = None, *, stdin: bytes = b""
    ) -> Self:
        """Start it.

        Args:
            arguments: The program and its arguments.
            log: Where its messages go; a temporary file when None.
            stdin: What it reads first from its standard input, where nobody else can.
        """
        keeps_log, log = log is not None, log or _temporary_log()
        with contextlib.closing(_open_log(log)) as messages:
            process = await asyncio.create_subprocess_exec(
                *arguments, stdin=PIPE, stdout=PIPE, stderr=messages, start_new_session=True
            )
        if stdin and process.stdin is not None:
            process.stdin.write(stdin)
        return cls(process, log, keeps_log=keeps_log)

    async def ready_url(self) -> str:
        """The URL that it announces once it answers.

        Raises:
            ServerUnavailableError: It ended, or said nothing within `READY_WITHIN_S`.
        """
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                found = _READY.search(await self._announcement())
                if found is None:
                    await self._process.wait()
        except TimeoutError as error:
            raise ServerUnavailableError(
                f"the mock server was not ready within {READY_WITHIN_S:g} s{self.tail()}"
            ) from error
        if found is None:
            raise ServerUnavailableError(
                f"the mock server ended with status {self._process.returncode}{self.tail()}"
            )
        return found[1]

    async def _announcement(self) -> str:
        output = self._process.stdout
        return "" if output is None else (await output.readline()).decode("utf-8", "replace")

    def tail(self) -> str:
        """The end of its log, to be put behind a message; empty when it said nothing."""
        text = self.log_text().strip()
        return f"; the end of its log:\n{text[-_TAIL_CHARACTERS:]}" if text else ""

    def last_line(self) -> str:
        """The last line of its log, to be put behind a message; empty when it said nothing."""
        line = self.log_text().strip().rpartition("\n")[2].strip()
        return f"; the last line of its log: {line[:_LINE_CHARACTERS]}" if line else ""

    def log_text(self) -> str:
        """What it wrote to its log, from the end as much as a person may read."""
        try:
            return self.log.read_bytes()[-_LOG_BYTES:].decode("utf-8", "replace")
        except OSError:
            return ""

    async def stop(self) -> None:
        """End it and its whole group: asked first, then killed. A temporary log goes with it."""
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_WITHIN_S)
        except TimeoutError:
            self._signal(signal.SIGKILL)
            await self._process.wait()
        self._let_go()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.killpg(self._process.pid, number)

    def _let_go(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()
        if not self._keeps_log:
            self.log.unlink(missing_ok=True)


def forbid_inspection() -> None:
    """Let no other process of the same user read this one's memory, environment and descriptors.

    What Linux can do about it (`PR_SET_DUMPABLE`); elsewhere nothing happens. Root still may.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def _temporary_log() -> Path:
    handle, name = tempfile.mkstemp(prefix="mockserver-", suffix=".log")
    os.close(handle)
    return Path(name)


def _open_log(log: Path) -> BinaryIO:
    return log.open("ab")
