"""A recorder between an MCP client and the program that is its server."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from typing import IO

from mockserver.capture.mcp.conversation import Conversation, parse_message
from mockserver.capture.mcp.recording import McpRecorder, now_ms
from mockserver.errors import CaptureError

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one message; a longer one ends the capture."""

_LEAVE_S = 2.0
"""How long the server has to end by itself, then how long it has to be ended."""


class StdioRecorder:
    """Starts a server, and passes lines on both ways while they are recorded.

    What the client is sent of an answer is in the recording before.

    Args:
        command: The server's program and arguments.
        recorder: Where its answers go.
        client_in: Where the client's lines come from.
        client_out: Where the server's lines go.
    """

    def __init__(
        self,
        command: Sequence[str],
        recorder: McpRecorder,
        *,
        client_in: IO[bytes] | None = None,
        client_out: IO[bytes] | None = None,
    ) -> None:
        self._command = tuple(command)
        self._recorder = recorder
        self._in = sys.stdin.buffer if client_in is None else client_in
        self._out = sys.stdout.buffer if client_out is None else client_out
        self._conversation: Conversation = recorder.new_conversation()
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """End the capture; the server is told that its client has left."""
        self._stop.set()

    async def run(self) -> None:
        """Pass lines on until the client leaves, the server ends, or a signal comes.

        Raises:
            CaptureError: The server cannot be started, or a message is too long.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        process = await _start(self._command)
        tasks = [
            asyncio.ensure_future(self._pass_client_on(process)),
            asyncio.ensure_future(self._pass_server_on(process)),
            asyncio.ensure_future(self._stop.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done():  # the client has left: the server may still finish its answers
                await asyncio.wait(tasks[1:], timeout=_LEAVE_S, return_when="FIRST_COMPLETED")
        finally:
            await _end(process)
            for task in tasks:
                task.cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            self._conversation.end("the capture ended before its answer")
            await self._recorder.tell_unanswered(self._conversation)
        for each in found:
            if isinstance(each, Exception):
                raise each

    async def _pass_client_on(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None:
            return
        async for line in _lines(await _reader(self._in), "the client"):
            self._conversation.hear_client(parse_message(line), now_ms())
            process.stdin.write(line)
            with contextlib.suppress(ConnectionError):
                await process.stdin.drain()
        process.stdin.close()

    async def _pass_server_on(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            return
        async for line in _lines(process.stdout, "the server"):
            for finished in tuple(self._conversation.hear_server(parse_message(line), now_ms())):
                await self._recorder.record_call(finished)
            await self._recorder.tell_unanswered(self._conversation)
            try:
                await asyncio.to_thread(_write_whole, self._out.fileno(), line)
            except BrokenPipeError:
                return


async def _start(command: Sequence[str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, limit=LONGEST_LINE, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CaptureError(
            f"cannot start {command[0]!r}: {why}",
            hint="--command takes a program and its arguments",
        ) from error


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a server as MCP says: its input ends, then it is asked to end, then it is ended."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LEAVE_S):
                await process.wait()
                return


async def _reader(pipe: IO[bytes]) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _lines(reader: asyncio.StreamReader, name: str) -> AsyncIterator[bytes]:
    while True:
        try:
            line = await reader.readline()
        except ValueError as error:
            raise CaptureError(
                f"{name} sent a message of more than {LONGEST_LINE >> 20} MiB",
                hint="what was recorded before is there",
            ) from error
        if not line:
            return
        yield line


def _write_whole(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
