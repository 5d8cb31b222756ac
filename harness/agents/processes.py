"""One process of an agent: its own process group, a bounded output, and no survivors."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.agents.protocol import STDERR_TAIL, AgentFailedError, AgentUnreachableError

DRAIN_S = 0.5
"""How long output is still read after the process has ended but a child keeps its pipes open."""

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """What to run.

    Attributes:
        argv: The program and its arguments; no shell.
        stdin: What it reads.
        env: Its whole environment.
        folder: Its working folder.
    """

    argv: Sequence[str]
    stdin: bytes
    env: Mapping[str, str]
    folder: Path


@dataclass(frozen=True, slots=True)
class Limits:
    """How much it may write, and how long it may take to end after SIGTERM, in seconds."""

    stdout_bytes: int
    grace_s: float


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a process: its exit code (negative: the signal) and its output."""

    exit_code: int
    stdout: bytes
    stderr_tail: str


async def run_process(command: Command, limits: Limits) -> Ended:
    """Run a process to its end; when cancelled, its whole group is stopped before this returns.

    Raises:
        AgentUnreachableError: The program cannot be started.
        AgentFailedError: It wrote more than `stdout_bytes`.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(command.env),
            cwd=command.folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise AgentUnreachableError(f"cannot start {command.argv[0]!r}: {error}") from None
    try:
        return await _attended(process, command.stdin, limits.stdout_bytes)
    finally:
        await _stop_group(process, limits.grace_s)


async def _attended(process: asyncio.subprocess.Process, stdin: bytes, limit: int) -> Ended:
    feeding = asyncio.create_task(_feed(process, stdin))
    stdout, stderr = _Head(limit), _Tail()
    reading = [
        asyncio.create_task(stdout.read(_pipe(process.stdout))),
        asyncio.create_task(stderr.read(_pipe(process.stderr))),
    ]
    ending = asyncio.create_task(process.wait())
    try:
        await asyncio.wait([ending, reading[0]], return_when=asyncio.FIRST_COMPLETED)
        stdout.refuse_flood()
        await ending
        await asyncio.wait(reading, timeout=DRAIN_S)
        stdout.refuse_flood()
        return Ended(process.returncode or 0, bytes(stdout.data), stderr.text())
    finally:
        for task in (feeding, *reading, ending):
            task.cancel()
        await asyncio.gather(feeding, *reading, ending, return_exceptions=True)


class _Head:
    """The first bytes of a stream, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    async def read(self, pipe: asyncio.StreamReader) -> None:
        while len(self.data) <= self._limit and (chunk := await pipe.read(_CHUNK)):
            self.data += chunk

    def refuse_flood(self) -> None:
        if len(self.data) > self._limit:
            raise AgentFailedError(f"it wrote more than {self._limit} bytes to stdout")


class _Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._data = b""

    async def read(self, pipe: asyncio.StreamReader) -> None:
        while chunk := await pipe.read(_CHUNK):
            self._data = (self._data + chunk)[-STDERR_TAIL:]

    def text(self) -> str:
        return self._data.decode(errors="replace")


def _pipe(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if stream is None:
        raise AgentUnreachableError("the process has no pipe")
    return stream


async def _feed(process: asyncio.subprocess.Process, data: bytes) -> None:
    if process.stdin is None:
        return
    with contextlib.suppress(ConnectionError):  # a process need not read its stdin
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()
    with contextlib.suppress(ConnectionError):
        await process.stdin.wait_closed()


async def _stop_group(process: asyncio.subprocess.Process, grace_s: float) -> None:
    """End every process of the group: SIGTERM, a while to tidy up, SIGKILL."""
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), grace_s)
    _signal_group(process.pid, signal.SIGKILL)
    await process.wait()
    transport = getattr(process, "_transport", None)  # a grandchild may still hold the pipes
    if transport is not None:
        transport.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
