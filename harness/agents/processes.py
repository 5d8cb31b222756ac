"""One process of an agent: its own process group, a bounded output, and no survivors."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from harness.agents.escapes import MARK, kill_marked, new_mark
from harness.agents.protocol import STDERR_TAIL, AgentFailedError, AgentUnreachableError
from harness.errors import reason_of

DRAIN_S = 0.5
"""How long nothing must come before output is taken for whole: the process has ended, but a child
keeps its pipes open."""

_MOST_DRAINS = 20
"""How often a child that goes on writing is listened to for another `DRAIN_S`."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2


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

    Children that left the group are stopped too (see `harness.agents.escapes`).

    Raises:
        AgentUnreachableError: The program cannot be started.
        AgentFailedError: It wrote more than `stdout_bytes`.
    """
    watch, mark = _Watch(limits.stdout_bytes), new_mark()
    try:
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: watch,
            *command.argv,
            env={**command.env, MARK: mark},
            cwd=command.folder,
            stdin=asyncio.subprocess.PIPE if command.stdin else asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise AgentUnreachableError(
            f"cannot start {command.argv[0]!r}: {reason_of(error)}"
        ) from None
    try:
        _feed(transport, command.stdin)
        await watch.settled.wait()
        watch.refuse_flood()
        await _drain(watch)
        watch.refuse_flood()
    finally:
        await _stop_group(transport, watch, limits.grace_s)
        kill_marked(mark)
    code = transport.get_returncode()
    return Ended(
        0 if code is None else code, bytes(watch.stdout), watch.stderr.decode("utf-8", "replace")
    )


class _Watch(asyncio.SubprocessProtocol):
    """Collects the head of stdout and the tail of stderr, and tells when the process has ended.

    The end is told apart from the end of the pipes, which a child may hold open.
    """

    def __init__(self, limit: int) -> None:
        self.stdout = bytearray()
        self.stderr = b""
        self.settled = asyncio.Event()
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self.pieces = 0
        self._limit = limit
        self._open = {_STDOUT, _STDERR}

    @override
    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self.pieces += 1
        chunk = data.encode() if isinstance(data, str) else data
        if fd == _STDERR:
            self.stderr = (self.stderr + chunk)[-STDERR_TAIL:]
        elif len(self.stdout) <= self._limit:
            self.stdout += chunk
            if len(self.stdout) > self._limit:
                self.settled.set()

    @override
    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    @override
    def process_exited(self) -> None:
        self.exited.set()
        self.settled.set()

    def refuse_flood(self) -> None:
        """Fail the agent when it wrote too much."""
        if len(self.stdout) > self._limit:
            raise AgentFailedError(f"it wrote more than {self._limit} bytes to stdout")


async def _drain(watch: _Watch) -> None:
    """Read what a process that has ended left in its pipes, however slow this machine is."""
    for _ in range(_MOST_DRAINS):
        pieces = watch.pieces
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(watch.drained.wait(), DRAIN_S)
        if watch.drained.is_set() or watch.pieces == pieces:
            return


def _feed(transport: asyncio.SubprocessTransport, data: bytes) -> None:
    # not asked for its class: the transports of other event loops are none of asyncio's
    pipe: Any = transport.get_pipe_transport(_STDIN)
    if pipe is not None:
        pipe.write(data)
        pipe.close()


async def _stop_group(
    transport: asyncio.SubprocessTransport, watch: _Watch, grace_s: float
) -> None:
    """End every process of the group: SIGTERM, a while to tidy up, SIGKILL."""
    if not watch.exited.is_set():
        _signal_group(transport.get_pid(), signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(watch.exited.wait(), grace_s)
    _signal_group(transport.get_pid(), signal.SIGKILL)
    await watch.exited.wait()
    transport.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
