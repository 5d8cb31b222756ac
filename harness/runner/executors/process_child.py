"""A worker in a process of its own: requests on its standard input, answers on its output.

Each is a frame: a number and a length, four bytes each, then the content. The first frame is the
worker's setup; number 0 answers it. The worker ends when its standard input does, so a run that is
killed leaves none behind.
"""

import asyncio
import os
import signal
import struct
from datetime import UTC, datetime

import orjson

from harness.errors import HarnessError
from harness.runner.executors.protocol import WorkerSetup
from harness.runner.executors.worker import DONE, FAILED, TrialWorker

HEAD = struct.Struct(">II")
"""The number of a request, and the length of the content."""

SETUP = 0
"""The number of the first request."""


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes] | None:
    """The next frame, or None where there is none any more."""
    try:
        number, length = HEAD.unpack(await reader.readexactly(HEAD.size))
        return number, await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def frame(number: int, content: bytes) -> bytes:
    """Content as it is sent."""
    return HEAD.pack(number, len(content)) + content


def _write(stdout: int, content: bytes) -> None:
    while content:
        content = content[os.write(stdout, content) :]


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  (the one clock of the worker, handed on from here)


async def _serve(stdin: int, stdout: int) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    pipe = os.fdopen(stdin, "rb")
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    first = await read_frame(reader)
    if first is None:
        return
    try:
        worker = await TrialWorker.open(WorkerSetup.model_validate_json(first[1]), _now)
    except HarnessError as error:
        told = orjson.dumps({"message": error.message, "hint": error.hint})
        await asyncio.to_thread(_write, stdout, frame(SETUP, FAILED + told))
        return
    writing = asyncio.Lock()

    async def send(number: int, content: bytes) -> None:
        async with writing:
            await asyncio.to_thread(_write, stdout, frame(number, content))

    async def answer(number: int, request: bytes) -> None:
        await send(number, await worker.answer(request))

    tasks: set[asyncio.Task[None]] = set()
    try:
        await send(SETUP, DONE)
        while (request := await read_frame(reader)) is not None:
            task = asyncio.create_task(answer(*request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    finally:
        await worker.close()


def main() -> None:
    """Serve one run; what anything else prints goes to standard error."""
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run tells when it is stopped
    asyncio.run(_serve(stdin, stdout))
