"""The three ways to record an MCP server: before its endpoint, around its program, by its lists."""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import IO

from typing_extensions import override

from mockserver.capture.mcp.conversation import Conversation, parse_message
from mockserver.capture.mcp.live import McpTarget, connect
from mockserver.capture.mcp.recording import McpRecorder, now_ms
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import Report
from mockserver.capture.server import CaptureProxy, UpstreamOptions
from mockserver.capture.setup import reverse_listener
from mockserver.capture.upstream import ReverseRoute, Scope, parse_headers, parse_upstream
from mockserver.errors import CaptureError, MockServerError
from mockserver.messages import split_url, with_header
from mockserver.model import RecordedRequest

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


Announce = Callable[[str], None]
Clock = Callable[[], datetime]

_IDLE_S = 3600.0
"""How long a stream of a server may be silent: it waits for what the server has to say."""


def parse_target(url: str | None, command: str | None, headers: Iterable[str] = ()) -> McpTarget:
    """The server that a user names.

    Args:
        url: Its endpoint.
        command: The program that it is, with its arguments.
        headers: `Name: value`, sent to the endpoint.

    Raises:
        MockServerError: Neither or both are named, or one is written wrongly.
    """
    if (url is None) == (command is None):
        raise MockServerError("choose one: --url URL, or --command 'PROGRAM ARGUMENTS'")
    sent = parse_headers(headers)
    if url is not None:
        try:
            return McpTarget(url=parse_upstream(url), headers=sent)
        except MockServerError as error:
            text = error.message.replace("--upstream", "the URL of an MCP server")
            raise MockServerError(text, hint="such as http://127.0.0.1:3001/mcp") from error
    if sent:
        raise MockServerError("--header goes with --url: a program is sent no headers")
    try:
        words = shlex.split(command or "")
    except ValueError as error:
        raise MockServerError(f"--command cannot be read: {error}") from error
    if not words:
        raise MockServerError(
            "--command names no program", hint="such as --command 'python server.py'"
        )
    return McpTarget(command=tuple(words))


@dataclass(frozen=True)
class _McpRoute(ReverseRoute):
    """A proxy before one endpoint, which adds headers to what it hands on.

    Attributes:
        headers: Name to value; they take the place of the client's own.
    """

    headers: Mapping[str, str] = field(default_factory=dict)

    @override
    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        made = super().request(scope, body)
        headers = made.headers
        for name, value in self.headers.items():
            headers = with_header(headers, name, value)
        return replace(made, headers=headers)


def record_http(
    recorder: Recorder,
    target: McpTarget,
    *,
    host: str,
    port: int,
    report: Report,
    clock: Clock,
    announce: Announce,
) -> McpRecorder:
    """Record before an endpoint until a signal comes.

    Args:
        recorder: Where recordings go; finished by the caller.
        target: The live server.
        host: Where clients come in.
        port: The same; 0 for any free one.
        report: Told of each request.
        clock: Real time.
        announce: Told the URL that clients name once they are answered.
    """
    url = split_url(target.url)
    origin = f"{url.scheme}{url.host}{url.port}"
    queue_of = partial(McpRecorder, path=url.path, clock=clock)
    proxy = CaptureProxy(
        recorder, UpstreamOptions(_IDLE_S), clock=clock, report=report, queue_of=queue_of
    )
    route, listener = reverse_listener(
        host, port, origin, announce=lambda own: announce(own + url.path)
    )
    try:
        proxy.run(_McpRoute(route.upstream, route.own, headers=target.headers), listener)
    finally:
        proxy.queue.close()
    if not isinstance(proxy.queue, McpRecorder):
        raise TypeError("the proxy of MCP has another queue")
    return proxy.queue


def record_stdio(
    recorder: Recorder, target: McpTarget, *, report: Report, clock: Clock
) -> McpRecorder:
    """Record between the client that started this process and a server that it starts.

    Raises:
        CaptureError: The server cannot be started, or a message is too long.
    """

    async def run() -> McpRecorder:
        waiting: list[StdioRecorder] = []
        queue = McpRecorder(recorder, report, lambda: waiting[0].stop(), clock=clock)
        waiting.append(StdioRecorder(target.command, queue))
        try:
            await waiting[0].run()
        finally:
            queue.close()
        return queue

    return asyncio.run(run())


def record_lists(
    recorder: Recorder, target: McpTarget, *, report: Report, clock: Clock
) -> McpRecorder:
    """Record what a server says of itself and everything that it lists; nothing is called.

    Raises:
        CaptureError: The server cannot be asked.
    """

    async def run() -> McpRecorder:
        queue = McpRecorder(recorder, report, lambda: None, clock=clock)
        try:
            async with connect(target) as server:
                async for finished in server.list_everything():
                    await queue.record_call(finished)
        finally:
            queue.close()
        return queue

    return asyncio.run(run())
