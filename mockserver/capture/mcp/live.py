"""Asks a live MCP server: everything that it lists, and recorded requests once more."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.capture.mcp.conversation import FinishedCall, read_only_tools
from mockserver.capture.mcp.recording import now_ms
from mockserver.capture.setup import capture_redactor
from mockserver.errors import CaptureError, MockServerError
from mockserver.messages.mcp_calls import (
    GREETINGS,
    McpCall,
    is_mcp,
    mcp_call,
    mcp_interaction,
    mcp_verb,
    plain_params,
)
from mockserver.model import Interaction, JsonObject
from mockserver.redaction import InteractionSanitizer, generalise_pseudonyms

if TYPE_CHECKING:
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher


_PATIENCE_S = 60.0
_MOST_PAGES = 1000
_LISTS: Mapping[str, tuple[str, ...]] = {
    "tools": ("tools/list",),
    "resources": ("resources/list", "resources/templates/list"),
    "prompts": ("prompts/list",),
}
"""A server's capability to what it then lists."""


@dataclass(frozen=True)
class McpTarget:
    """A live server.

    Attributes:
        url: Its endpoint over HTTP; empty where it is a program.
        command: The program and its arguments.
        headers: What is sent to its endpoint with each request.
    """

    url: str = ""
    command: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


class LiveServer:
    """A live server to which a client is connected.

    Args:
        dispatcher: The SDK's side of the connection; its answers are as they came.
        greeting: What the server answered to `initialize`.
    """

    def __init__(self, dispatcher: "JSONRPCDispatcher[Any]", greeting: FinishedCall) -> None:
        self._dispatcher = dispatcher
        self._read_only: set[str] = set()
        self._tools: set[str] = set()
        version = (greeting.call.result or {}).get("protocolVersion", "")
        self._headers = {"mcp-protocol-version": str(version)}
        self.greeting = greeting

    @property
    def tools(self) -> frozenset[str]:
        """The tools that were listed."""
        return frozenset(self._tools)

    @property
    def read_only(self) -> frozenset[str]:
        """The tools that say of themselves that they only read, as far as they were listed."""
        return frozenset(self._read_only)

    async def ask(self, method: str, params: JsonObject) -> FinishedCall:
        """Ask one request.

        Raises:
            CaptureError: The server does not answer.
        """
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        began_ms = now_ms()
        result: JsonObject | None = None
        error: JsonObject | None = None
        try:
            result = await self._dispatcher.send_raw_request(
                method, params, {"timeout": _PATIENCE_S, "headers": self._headers}
            )
        except MCPError as refused:
            if refused.error.code in {CONNECTION_CLOSED, REQUEST_TIMEOUT}:
                raise CaptureError(
                    f"the MCP server does not answer {method}: {refused}"
                ) from refused
            error = refused.error.model_dump(by_alias=True, exclude_none=True)
        if method == "tools/list" and result is not None:
            self._read_only.update(read_only_tools(result))
            self._tools.update(str(tool.get("name")) for tool in result.get("tools", ()))
        reads = method != "tools/call" or params.get("name") in self._read_only
        call = McpCall(method, plain_params(method, params), result, error)
        return FinishedCall(call, reads, began_ms, now_ms())

    async def list_everything(self) -> AsyncIterator[FinishedCall]:
        """Everything that the server says it has: each page of its lists.

        Yields:
            What it said of itself, then the lists.
        """
        yield self.greeting
        has = (self.greeting.call.result or {}).get("capabilities") or {}
        for capability, methods in _LISTS.items():
            for method in methods if capability in has else ():
                params: JsonObject = {}
                for _ in range(_MOST_PAGES):
                    found = await self.ask(method, params)
                    yield found
                    cursor = (found.call.result or {}).get("nextCursor")
                    if not isinstance(cursor, str):
                        break
                    params = {"cursor": cursor}


@asynccontextmanager
async def connect(target: McpTarget) -> AsyncIterator[LiveServer]:
    """Connect to a live server.

    Yields:
        The server; the connection, and a program that was started, end with the block.

    Raises:
        CaptureError: It cannot be reached, or speaks no MCP.
    """
    from mcp.shared.exceptions import MCPError

    try:
        async with converse(_transport(target)) as server:
            yield server
    except (MCPError, OSError) as error:
        raise _unreachable(target, error) from error
    except BaseExceptionGroup as group:
        raise _cause(target, group) from group


@asynccontextmanager
async def converse(transport: AbstractAsyncContextManager[Any]) -> AsyncIterator[LiveServer]:
    """Speak with a server over a transport, which gives two streams.

    Yields:
        The server; the connection ends with the block.
    """
    from mcp import ClientSession
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

    async with AsyncExitStack() as stack:
        read, write = await stack.enter_async_context(transport)
        dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(read, write)
        session = await stack.enter_async_context(
            ClientSession(dispatcher=dispatcher, read_timeout_seconds=_PATIENCE_S)
        )
        began_ms = now_ms()
        hello = await session.initialize()
        told: Any = hello.model_dump(by_alias=True, mode="json", exclude_none=True)
        greeting = FinishedCall(
            McpCall("initialize", {}, told), reads=True, began_ms=began_ms, ended_ms=now_ms()
        )
        yield LiveServer(dispatcher, greeting)


def _cause(target: McpTarget, group: "BaseExceptionGroup[BaseException]") -> BaseException:
    """The error that tasks of the SDK failed with, as ours."""
    found: Sequence[BaseException] = group.exceptions
    while len(found) == 1 and isinstance(found[0], BaseExceptionGroup):
        found = found[0].exceptions
    first = found[0]
    if isinstance(first, MockServerError | KeyboardInterrupt):
        return first
    return _unreachable(target, first)


def _unreachable(target: McpTarget, error: BaseException) -> CaptureError:
    place = target.url or target.command[0]
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return CaptureError(
        f"the MCP server {place!r} cannot be asked: {why}",
        hint="start it first, and name its endpoint as a client does"
        if target.url
        else "--command takes a program and its arguments",
    )


@asynccontextmanager
async def _transport(target: McpTarget) -> AsyncIterator[Any]:
    if target.command:
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        program, *arguments = target.command
        started = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with stdio_client(started) as streams:
            yield streams
        return
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(
            headers=dict(target.headers), timeout=_PATIENCE_S, trust_env=False
        ) as http,
        streamable_http_client(target.url, http_client=http) as streams,
    ):
        yield streams


_CALL = "tools/call"
_SERVER = "live"


@dataclass
class Repetition:
    """What was asked once more.

    Attributes:
        recorded: The recordings of it, and of all lists.
        answered: What the live server answers now, redacted.
        skipped: Calls that were not made, one line each.
    """

    recorded: list[Interaction] = field(default_factory=list)
    answered: list[Interaction] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


async def repeat_recorded(
    target: McpTarget, interactions: Iterable[Interaction], *, calls_tools: bool
) -> Repetition:
    """Ask a live server for its lists, and everything that is recorded and only reads.

    Nothing is written. Calls whose arguments hold pseudonyms are not made: they mean nothing to
    the live server.

    Args:
        target: The live server.
        interactions: Recordings.
        calls_tools: Whether tools are called, too, that may change something.

    Raises:
        CaptureError: The server cannot be asked.
    """
    made = Repetition()
    redact = InteractionSanitizer(capture_redactor(None)).sanitize
    async with connect(target) as server:
        known = tuple(filter(is_mcp, interactions))
        kinds = {each.method_id for each in known}
        async for finished in server.list_everything():
            live = redact(_interaction(finished.call))
            if live.method_id in kinds:
                made.answered.append(live)
        done: dict[bytes, Interaction] = {}
        for interaction in known:
            call = _call_of(interaction)
            if call is None:
                continue
            if call.method in GREETINGS or call.method.endswith("/list"):
                made.recorded.append(interaction)
                continue
            why = _reason_to_skip(server, interaction, call, calls_tools=calls_tools)
            if why:
                made.skipped.append(f"{_name(call)}: not asked: {why}")
                continue
            made.recorded.append(interaction)
            asked = orjson.dumps([call.method, call.params], option=orjson.OPT_SORT_KEYS)
            if asked not in done:
                finished = await server.ask(call.method, call.params)
                done[asked] = redact(_interaction(finished.call))
            made.answered.append(done[asked])
    made.skipped = list(dict.fromkeys(made.skipped))
    return made


def _reason_to_skip(
    server: LiveServer, interaction: Interaction, call: McpCall, *, calls_tools: bool
) -> str:
    """Why a call is not made once more; empty where it is."""
    text = orjson.dumps(call.params).decode()
    if generalise_pseudonyms(text, credentials_only=False) != text:
        return "its arguments hold pseudonyms"
    if call.method != _CALL:
        return ""
    name = call.params.get("name")
    if name not in server.tools:
        return "the live server does not list it"
    reads = interaction.request.method == mcp_verb(reads=True) or name in server.read_only
    return "" if reads or calls_tools else "it may change something (--call-tools)"


def _name(call: McpCall) -> str:
    name = call.params.get("name", call.params.get("uri", ""))
    return f"{call.method} {name}".strip()


def _call_of(interaction: Interaction) -> McpCall | None:
    try:
        return mcp_call(interaction)
    except ValueError:
        return None


def _interaction(call: McpCall) -> Interaction:
    return mcp_interaction(_SERVER, call, reads=True, recorded_at="", duration_ms=0.0)
