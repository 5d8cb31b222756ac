"""The three ways to record an MCP server: before its endpoint, around its program, by its lists."""

import asyncio
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from typing_extensions import override

from mockserver.capture.mcp.live import McpTarget, connect
from mockserver.capture.mcp.recording import McpRecorder
from mockserver.capture.mcp.stdio import StdioRecorder
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import Report
from mockserver.capture.server import CaptureProxy, UpstreamOptions
from mockserver.capture.setup import reverse_listener
from mockserver.capture.upstream import ReverseRoute, Scope, parse_headers, parse_upstream
from mockserver.errors import MockServerError
from mockserver.messages import split_url, with_header
from mockserver.model import RecordedRequest

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
