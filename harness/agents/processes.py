"""One process of an agent: its own process group, a bounded output, and no survivors.

Each process is started with a mark in its environment, which its children inherit wherever they go.
Where there is a `/proc`, processes that left the group are found by it, as daemons are; one that
clears its environment is not found.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from typing_extensions import override

from harness.agents.protocol import STDERR_TAIL, AgentFailedError, AgentUnreachableError
from harness.errors import reason_of

MARK = "HARNESS_PROCESS"
"""The variable that holds the mark."""

_PROC = Path("/proc")
_numbers = count(1)


def new_mark() -> str:
    """A mark that no other process of this machine has."""
    return f"{os.getpid()}-{next(_numbers)}-{perf_counter_ns()}"


def kill_marked(mark: str) -> int:
    """Kill every process that bears a mark, until none is left; how many there were."""
    found: set[int] = set()
    for _ in range(5):  # a process may start others while it is looked for
        alive = _marked_pids(mark)
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not alive:
            break
        found.update(alive)
    return len(found)


def kill_left_by(pid: int) -> int:
    """Kill the agents that a process of ours, which was killed itself, left; how many they were."""
    begins = f"{MARK}={pid}-".encode()
    left = [each for each in _pids() if any(one.startswith(begins) for one in _environment(each))]
    for each in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)
    return len(left)


def _marked_pids(mark: str) -> list[int]:
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _pids() if wanted in _environment(pid)]


def _pids() -> list[int]:
    try:
        names = [path.name for path in _PROC.iterdir()]
    except OSError:
        return []
    return [int(name) for name in names if name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []  # gone, or somebody else's


DRAIN_S = 0.5
"""How long nothing must come before output is taken for whole: the process has ended, but a child
keeps its pipes open."""

_MOST_DRAINS = 20
"""How often a child that goes on writing is listened to for another `DRAIN_S`."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2

REPLIES = "{replies}"
"""Stands for the descriptor that a process answers on."""


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
class ProcessEnd:
    """What is left of a process: its exit code (negative: the signal) and its output."""

    exit_code: int
    stdout: bytes
    stderr_tail: str


async def run_process(command: Command, limits: Limits) -> ProcessEnd:
    """Run a process to its end; when cancelled, its whole group is stopped before this returns.

    Children that left the group are stopped too (see `harness.agents.processes`).

    Raises:
        AgentUnreachableError: The program cannot be started.
        AgentFailedError: It wrote more than `stdout_bytes`.
    """
    watch, mark = _Watch(limits.stdout_bytes), new_mark()
    transport = await _start(command, watch, mark)
    try:
        _feed(transport, command.stdin)
        await watch.settled.wait()
        watch.refuse_flood()
        await _drain(watch)
        watch.refuse_flood()
    finally:
        await _stop_group(transport, watch, limits.grace_s)
        kill_marked(mark)
    return watch.describe_end(transport.get_returncode())


async def _start(
    command: Command, watch: "_Watch", mark: str, handed_on: Sequence[int] = ()
) -> asyncio.SubprocessTransport:
    talks = bool(command.stdin or handed_on)
    try:
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: watch,
            *command.argv,
            env={**command.env, MARK: mark},
            cwd=command.folder,
            stdin=asyncio.subprocess.PIPE if talks else asyncio.subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=handed_on,
        )
    except (OSError, ValueError) as error:
        raise AgentUnreachableError(
            f"cannot start {command.argv[0]!r}: {reason_of(error)}"
        ) from None
    return transport


class LineProcess:
    """A process that is asked and answers, line by line, over a pipe that is not its stdout."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, watch: "_Watch", answers: "_Answers"
    ) -> None:
        self._transport = transport
        self._watch = watch
        self._answers = answers

    async def ask(self, line: bytes) -> bytes | None:
        """Write a line and wait for one; None when the process ended without it.

        Raises:
            AgentFailedError: It answers more than it may.
        """
        self.tell(line)
        answered = asyncio.create_task(self._answers.line())
        ended = asyncio.create_task(self._watch.exited.wait())
        try:
            await asyncio.wait((answered, ended), return_when=asyncio.FIRST_COMPLETED)
            # what it wrote before it ended may still be on its way
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    if (answer := await answered) is not None:
                        return answer
                await asyncio.wait_for(self._watch.exited.wait(), DRAIN_S)
            return None
        finally:
            answered.cancel()
            ended.cancel()

    def tell(self, line: bytes) -> None:
        """Write a line that nothing answers."""
        pipe: Any = self._transport.get_pipe_transport(_STDIN)
        if pipe is not None:
            pipe.write(line)

    async def close_gently(self, patience_s: float) -> None:
        """Ask nothing more, and let it tidy up so long."""
        pipe: Any = self._transport.get_pipe_transport(_STDIN)
        if pipe is not None:
            pipe.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._watch.exited.wait(), patience_s)

    def describe_end(self) -> ProcessEnd:
        """What is known of it: its exit code (0 while it runs), the tail of its stderr."""
        return self._watch.describe_end(self._transport.get_returncode())


@contextlib.asynccontextmanager
async def start_line_process(command: Command, limits: Limits) -> AsyncIterator[LineProcess]:
    """Start a process that answers line by line; with the block, it and all of its children end.

    The number of the descriptor that it answers on stands for `{replies}` among its arguments.

    Yields:
        The process.

    Raises:
        AgentUnreachableError: The program cannot be started.
    """
    ours, theirs = os.pipe()
    watch, mark = _Watch(limits.stdout_bytes), new_mark()
    answers = _Answers(limits.stdout_bytes)
    argv = [part.replace(REPLIES, str(theirs)) for part in command.argv]
    loop = asyncio.get_running_loop()
    reading, _ = await loop.connect_read_pipe(lambda: answers, os.fdopen(ours, "rb", 0))
    try:
        try:
            transport = await _start(replace(command, argv=argv), watch, mark, (theirs,))
        finally:
            os.close(theirs)
        try:
            yield LineProcess(transport, watch, answers)
        finally:
            await _stop_group(transport, watch, limits.grace_s)
            kill_marked(mark)
    finally:
        reading.close()


class _Answers(asyncio.Protocol):
    """Collects the lines of a process, and tells when one is whole."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self._over = False

    @override
    def data_received(self, data: bytes) -> None:
        if len(self._buffer) <= self._limit:
            self._buffer += data
        self._news.set()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._over = True
        self._news.set()

    async def line(self) -> bytes | None:
        """The next line; None when none comes any more.

        Raises:
            AgentFailedError: It is longer than it may be.
        """
        while True:
            end = self._buffer.find(b"\n")
            if max(end, len(self._buffer) if end < 0 else 0) > self._limit:
                raise AgentFailedError(f"the reply is longer than {self._limit} bytes")
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()


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

    def describe_end(self, code: int | None) -> ProcessEnd:
        """What is left, with an exit code where there is one."""
        tail = self.stderr.decode("utf-8", "replace")
        return ProcessEnd(0 if code is None else code, bytes(self.stdout), tail)

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
        signal_group(transport.get_pid(), signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(watch.exited.wait(), grace_s)
    signal_group(transport.get_pid(), signal.SIGKILL)
    await watch.exited.wait()
    transport.close()


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a group of processes, if it is there still."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
