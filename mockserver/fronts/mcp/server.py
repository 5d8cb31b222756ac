"""One session as an MCP server: requests of the protocol become calls of the session."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from typing_extensions import override

from mockserver import __version__
from mockserver.apis.tools import call_tool, list_tools
from mockserver.googleapi import ApiError, Call, Handler
from mockserver.model import JsonObject
from mockserver.redaction.fields import redact_path
from mockserver.routing import Route
from mockserver.sessions.scheduling import LONG_BODY, WORKER, run_in_turn
from mockserver.sources.dispatch import DecodedCall, Outcome

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions

    from mockserver.sessions.session import Session
    from mockserver.sources.dispatch import Dispatcher

    Context = ServerRequestContext[Any, Any]

_ROUTES_KEPT = 4096
_LONGEST_NAME = 200


class SessionServer(Server[Any]):
    """A server of the SDK whose lists may change."""

    @override
    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> "InitializationOptions":
        changing = NotificationOptions(
            prompts_changed=True, resources_changed=True, tools_changed=True
        )
        return super().create_initialization_options(
            notification_options or changing, experimental_capabilities, extensions
        )


def session_server(session: "Session", dispatcher: "Dispatcher") -> SessionServer:
    """The MCP server that a session is."""
    calls = SessionCalls(session, dispatcher)
    server = SessionServer("understudy", version=__version__)
    server.get_tool_input_schema = calls.input_schema
    server.middleware.clear()  # spans of a mock are of no use
    server.add_request_handler("tools/list", PaginatedRequestParams, calls.list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, calls.call_tool)
    return server


class SessionCalls:
    """Answers the requests of MCP by calls of one session.

    Args:
        session: Where they are asked.
        dispatcher: What answers.
    """

    def __init__(self, session: "Session", dispatcher: "Dispatcher") -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._routes: dict[str, Route] = {}

    def input_schema(self, name: str) -> JsonObject | None:
        """The schema of a tool's arguments; None for an unknown one."""
        tools = list_tools(self._session.world)["tools"]
        return next((tool["inputSchema"] for tool in tools if tool["name"] == name), None)

    async def list_tools(self, ctx: "Context", params: PaginatedRequestParams) -> ListToolsResult:
        """`tools/list`."""
        _, listed = await self._call(ctx, self._route("tools.list", "GET", "/tools", _list), {})
        return ListToolsResult.model_validate(listed)

    async def call_tool(self, ctx: "Context", params: CallToolRequestParams) -> CallToolResult:
        """`tools/call`: the same call as `POST /tools/<name>`.

        Raises:
            MCPError: There is no such tool.
        """
        name = params.name
        route = self._route(f"tools.{name}", "POST", f"/tools/{name}", call_tool)
        outcome, answer = await self._call(ctx, route, params.arguments or {})
        if outcome.error is not None:
            if outcome.error.reason == "notFound" and outcome.miss == "agent_error":
                raise MCPError(INVALID_PARAMS, outcome.error.message)
            return _failed(outcome.error)
        return tool_result(answer.get("result"))

    def _route(self, method_id: str, verb: str, path: str, handler: Handler) -> Route:
        found = self._routes.get(method_id)
        if found is None:
            found = Route(
                verb,
                "",
                path,
                journal_path=redact_path(path),
                method_id=method_id,
                handler=handler,
                public=False,
            )
            if len(self._routes) < _ROUTES_KEPT:
                self._routes[method_id] = found
        return found

    async def _call(
        self, ctx: "Context", route: Route, arguments: JsonObject
    ) -> tuple[Outcome, JsonObject]:
        """One call of the session; its answer is empty where the outcome is an error."""
        size = _length(ctx)
        decoded = DecodedCall({}, arguments, self._token(ctx), _client(ctx), size)
        answers: list[JsonObject] = []

        def render(answer: JsonObject) -> tuple[str, ...]:
            answers.append(answer)
            return ()

        call = partial(self._dispatcher.answer_decoded_call, self._session, route, decoded, render)
        is_long = size >= LONG_BODY
        if self._session.queue is None and not is_long:
            outcome = call()
        else:

            async def answer() -> Outcome:
                return await WORKER.run(call) if is_long else call()

            outcome = await run_in_turn(self._session, answer)
        if outcome.delay_ms:
            await asyncio.sleep(outcome.delay_ms / 1000)
        if outcome.error is None and not answers:
            raise MCPError(INTERNAL_ERROR, f"{route.method_id} has no answer")
        return outcome, answers[0] if answers else {}

    def _token(self, ctx: "Context") -> str:
        """The token of the HTTP request; over stdio that of the session."""
        if ctx.request is None:
            return self._session.token
        return str(ctx.request.scope.get("mock.token", ""))


def _client(ctx: "Context") -> bytes:
    """What the client says it is, as the journal keeps it: `mcp <name>/<version>`."""
    params = ctx.session.client_params
    if params is None:
        return b"mcp"
    return f"mcp {params.client_info.name}/{params.client_info.version}"[:_LONGEST_NAME].encode()


def _length(ctx: "Context") -> int:
    """The size of the message as sent, in bytes; 0 where it is not known."""
    length = "" if ctx.request is None else ctx.request.headers.get("content-length", "")
    return int(length) if length.isdigit() else 0


def _list(call: Call) -> JsonObject:
    return list_tools(call.world)


def tool_result(result: Any) -> CallToolResult:
    """The result of a tool as MCP says it: a text, and an object as structured content as well.

    >>> tool_result("sunny").content[0].text
    'sunny'
    >>> tool_result({"a": 1}).structured_content
    {'a': 1}
    """
    text = result if isinstance(result, str) else orjson.dumps(result).decode()
    structured = result if isinstance(result, Mapping) else None
    return CallToolResult(content=[_text(text)], structured_content=structured)


def _failed(error: ApiError) -> CallToolResult:
    """An error of a tool, which the model of the client is to read."""
    return CallToolResult(content=[_text(error.message)], is_error=True)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
