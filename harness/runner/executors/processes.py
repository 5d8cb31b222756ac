"""Workers on this machine: `processes:N`, each a process of its own."""

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import tempfile
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import BinaryIO, Self

import orjson
from typing_extensions import override

from harness.agents import kill_left_by
from harness.errors import HarnessError, InfrastructureError
from harness.runner.executors.process_child import SETUP, frame, read_frame
from harness.runner.executors.protocol import Worker, WorkerLostError, WorkerPlace, WorkerSetup
from harness.runner.executors.worker import DONE
from mockserver.children import child_command

MOST_PROCESSES = 512

_STOP_WITHIN_S = 20.0
_TAIL_BYTES = 2000


class Processes(WorkerPlace):
    """So many processes of this machine.

    Args:
        count: How many.
        setup: What each is told first.
    """

    def __init__(self, count: int, setup: WorkerSetup) -> None:
        self.name = f"processes:{count}"
        self._count = count
        self._setup = setup
        self._logs = Path(tempfile.mkdtemp(prefix="harness-workers-"))
        self._numbers = itertools.count(1)

    @override
    async def open(self, trials: int) -> int:
        return min(self._count, max(trials, 1))

    @override
    async def start(self) -> Worker:
        worker = await ProcessWorker.spawn(self._logs / f"{next(self._numbers)}.log")
        try:
            answer = await worker.ask(self._setup.model_dump_json(by_alias=True).encode())
        except WorkerLostError as error:
            raise InfrastructureError(f"a worker did not start: {error}") from None
        except asyncio.CancelledError:
            await worker.stop()
            raise
        if answer[:1] != DONE:
            await worker.stop()
            told = orjson.loads(answer[1:])
            raise HarnessError(told["message"], hint=told["hint"])
        return worker

    @override
    async def close(self) -> None:
        shutil.rmtree(self._logs, ignore_errors=True)


class ProcessWorker(Worker):
    """One of them; the first thing that it is asked is its setup.

    Attributes:
        pid: Its process id.
    """

    def __init__(self, process: Process, log: Path) -> None:
        self.pid = process.pid
        self.name = f"worker process {process.pid}"
        self._process = process
        self._log = log
        self._numbers = itertools.count(SETUP)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._is_gone = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def spawn(cls, log: Path) -> Self:
        """Start a process whose messages go to a file."""
        command = child_command("harness.runner.executors.process_child:main")
        with contextlib.closing(_open_log(log)) as messages:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=messages,
                start_new_session=True,  # an interrupt of the terminal is the run's to handle
            )
        return cls(process, log)

    @override
    async def ask(self, request: bytes) -> bytes:
        stdin = self._process.stdin
        if self._is_gone or stdin is None:
            raise WorkerLostError(self._end())
        number = next(self._numbers)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            with contextlib.suppress(ConnectionError):  # reading tells it
                stdin.write(frame(number, request))
                await stdin.drain()
            return await answer
        finally:
            self._waiting.pop(number, None)

    @override
    async def stop(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_WITHIN_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            await self._process.wait()
        with contextlib.suppress(TimeoutError):  # what it started may hold its output open
            await asyncio.wait_for(self._reading, _STOP_WITHIN_S)

    async def _read(self) -> None:
        stdout = self._process.stdout
        while stdout is not None and (found := await read_frame(stdout)) is not None:
            waiting = self._waiting.get(found[0])
            if waiting is not None and not waiting.done():
                waiting.set_result(found[1])
        self._is_gone = True
        await self._process.wait()
        if self._process.returncode:
            await asyncio.to_thread(kill_left_by, self.pid)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(WorkerLostError(self._end()))

    def _end(self) -> str:
        """How it ended."""
        code = self._process.returncode
        if code is None:
            return f"{self.name} closed its output"
        try:
            how = f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            how = f"ended with exit code {code}"
        last = self._log.read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace").strip()
        return f"{self.name} {how}" + (f"; {last.splitlines()[-1]}" if last else "")


def _open_log(path: Path) -> BinaryIO:
    return path.open("ab")
