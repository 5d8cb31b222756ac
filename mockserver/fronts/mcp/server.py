"""One session as an MCP server: requests of the protocol become calls of the session."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import orjson
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
    event_to_notification,
)
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    LoggingLevel,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from typing_extensions import override

from mockserver.apis.mcp.methods import HANDLERS
from mockserver.apis.mcp.snapshot import ToolScript, settings_of, tool_script
from mockserver.apis.tools import call_tool, list_tools
from mockserver.fronts.mcp.scripts import CompleteAnswers, ask_client, play
from mockserver.googleapi import ApiError, Call, Handler
from mockserver.model import JsonObject, Miss
from mockserver.redaction.journal_redaction import redact_journal_path
from mockserver.routing import Route
from mockserver.sessions.scheduling import LONG_BODY, WORKER, run_in_turn
from mockserver.sources.dispatch import DecodedCall, Outcome

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions
    from mcp.server.session import ServerSession

    from mockserver.sessions.session import Session
    from mockserver.sources.dispatch import Dispatcher

    Context = ServerRequestContext[Any, Any]

_ROUTES_KEPT = 4096
_LONGEST_NAME = 200
_MOST_CLIENTS = 1000
_MOST_SUBSCRIPTIONS = 1000
_RESOURCE_NOT_FOUND = -32002
"""What versions with a handshake say; later ones say that a parameter is invalid."""

_SHOWN = {"title", "annotations", "output_schema", "icons"}
LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
"""Levels of logging, the least grave first."""


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


def snapshot_server(session: "Session", dispatcher: "Dispatcher") -> SessionServer:
    """The MCP server that a session is: what its snapshot has is what it says it can."""
    block = settings_of(session.world)
    calls = SessionCalls(session, dispatcher)
    server = SessionServer(
        block.name,
        version=block.version,
        title=block.title,
        description=block.description,
        instructions=block.instructions,
        website_url=block.website_url,
        get_tool_input_schema=calls.input_schema,
        on_subscriptions_listen=ListenHandler(calls.clients.bus),
    )
    server.middleware.clear()  # spans of a mock are of no use
    add = server.add_request_handler
    add("tools/list", PaginatedRequestParams, calls.list_tools)
    add("tools/call", CallToolRequestParams, calls.call_tool)
    add("logging/setLevel", SetLevelRequestParams, calls.clients.set_level)
    if block.resources or block.resource_templates:
        add("resources/list", PaginatedRequestParams, calls.list_resources)
        add("resources/templates/list", PaginatedRequestParams, calls.list_templates)
        add("resources/read", ReadResourceRequestParams, calls.read_resource)
        add("resources/subscribe", SubscribeRequestParams, calls.clients.subscribe)
        add("resources/unsubscribe", UnsubscribeRequestParams, calls.clients.unsubscribe)
    if block.prompts:
        add("prompts/list", PaginatedRequestParams, calls.list_prompts)
        add("prompts/get", GetPromptRequestParams, calls.get_prompt)
    if block.prompts or block.resource_templates:
        add("completion/complete", CompleteRequestParams, calls.complete)
    return server


class _Client:
    """What one connected client asked for.

    Attributes:
        session: The way to it.
        level: The least grave level that it wants to be told.
        uris: The resources of whose changes it wants to be told.
    """

    def __init__(self, session: "ServerSession") -> None:
        self.session = session
        self.level: LoggingLevel = "debug"
        self.uris: set[str] = set()


class Clients:
    """The clients of one session, and how they are told of changes.

    Attributes:
        bus: Tells those that listen without a handshake.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def of(self, ctx: "Context") -> _Client:
        """The client that asks; those who came first are forgotten when there are too many."""
        key = "" if ctx.request is None else ctx.request.headers.get("mcp-session-id", "")
        found = self._clients.get(key)
        if found is None:
            found = self._clients[key] = _Client(ctx.session)
            if len(self._clients) > _MOST_CLIENTS:
                self._clients.popitem(last=False)
        return found

    async def set_level(self, ctx: "Context", params: SetLevelRequestParams) -> EmptyResult:
        """`logging/setLevel`."""
        self.of(ctx).level = params.level
        return EmptyResult()

    async def subscribe(self, ctx: "Context", params: SubscribeRequestParams) -> EmptyResult:
        """`resources/subscribe`.

        Raises:
            MCPError: There are too many subscriptions.
        """
        uris = self.of(ctx).uris
        if len(uris) >= _MOST_SUBSCRIPTIONS:
            raise MCPError(INVALID_PARAMS, f"There are {_MOST_SUBSCRIPTIONS} subscriptions.")
        uris.add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(self, ctx: "Context", params: UnsubscribeRequestParams) -> EmptyResult:
        """`resources/unsubscribe`."""
        self.of(ctx).uris.discard(str(params.uri))
        return EmptyResult()

    async def tell(self, ctx: "Context", event: ServerEvent) -> None:
        """Tell every client of a change: the one that made it with its answer, others beside."""
        await self.bus.publish(event)
        caller = self.of(ctx) if has_handshake(ctx) else None
        for client in tuple(self._clients.values()):
            if isinstance(event, ResourceUpdated) and event.uri not in client.uris:
                continue
            session = ctx.session if client is caller else client.session
            related = ctx.request_id if client is caller else None
            await session.send_notification(event_to_notification(event, {}), related)


class SessionCalls:
    """Answers the requests of MCP by calls of one session.

    Attributes:
        clients: Who is connected.
    """

    def __init__(self, session: "Session", dispatcher: "Dispatcher") -> None:
        self.clients = Clients()
        self._session = session
        self._dispatcher = dispatcher
        self._routes: dict[str, Route] = {}
        self._called: set[str] = set()
        self._called_since = session.reset_at

    def input_schema(self, name: str) -> JsonObject | None:
        """The schema of a tool's arguments; None for an unknown one."""
        tools = list_tools(self._session.world)["tools"]
        return next((tool["inputSchema"] for tool in tools if tool["name"] == name), None)

    async def list_tools(self, ctx: "Context", params: PaginatedRequestParams) -> ListToolsResult:
        """`tools/list`."""
        block = settings_of(self._session.world)
        _, listed = await self._call(ctx, self.route("tools.list", "GET", "/tools", _list), {})
        tools = [
            {
                **tool,
                **tool_script(block, tool["name"]).model_dump(
                    by_alias=True, exclude_none=True, include=_SHOWN
                ),
            }
            for tool in listed["tools"]
        ]
        return ListToolsResult.model_validate(self._page("tools", "name", tools, params))

    async def call_tool(
        self, ctx: "Context", params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """`tools/call`: the same call as `POST /tools/<name>`, and the tool's script around it.

        Raises:
            MCPError: There is no such tool.
        """
        name, world = params.name, self._session.world
        script = tool_script(settings_of(world), name)
        arguments = params.arguments or {}
        hidden = name in self._hidden_names("tools")
        if not hidden and (script.elicit or script.sample):
            asked = await ask_client(ctx, world, script, arguments, params.input_responses)
            if not isinstance(asked, CompleteAnswers):
                return asked
            arguments = asked.arguments
        if script.log or script.progress or script.delay_ms:
            level = self.clients.of(ctx).level if has_handshake(ctx) else LEVELS[0]
            await play(ctx, script, LEVELS.index(level))
        route = self.route(f"tools.{name}", "POST", f"/tools/{name}", call_tool)
        outcome, answer = await self._call(
            ctx, route, arguments, _unlisted_error("tool", name) if hidden else None
        )
        if outcome.error is not None:
            if outcome.error.reason == "notFound" and outcome.miss == "agent_error":
                raise MCPError(INVALID_PARAMS, outcome.error.message)
            return _error_result(outcome.error)
        await self._tell(ctx, name, script)
        if script.content:
            result = CallToolResult.model_validate({"content": answer.get("result")})
        else:
            result = tool_result(answer.get("result"))
        if outcome.source == "synthesis":
            result.meta = {"x-mock-source": outcome.source}
        return result

    async def list_resources(
        self, ctx: "Context", params: PaginatedRequestParams
    ) -> ListResourcesResult:
        """`resources/list`."""
        page = await self._list(ctx, "mcp.resources.list", "resources", "uri", params)
        return ListResourcesResult.model_validate(page)

    async def list_templates(
        self, ctx: "Context", params: PaginatedRequestParams
    ) -> ListResourceTemplatesResult:
        """`resources/templates/list`."""
        asked = "mcp.resources.templates.list"
        page = await self._list(ctx, asked, "resourceTemplates", "uriTemplate", params)
        return ListResourceTemplatesResult.model_validate(page)

    async def read_resource(
        self, ctx: "Context", params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """`resources/read`."""
        uri = str(params.uri)
        problem = (
            _unlisted_error("resource", uri) if uri in self._hidden_names("resources") else None
        )
        found = await self._ask(ctx, "mcp.resources.read", {"uri": uri}, problem)
        return ReadResourceResult.model_validate(found)

    async def list_prompts(
        self, ctx: "Context", params: PaginatedRequestParams
    ) -> ListPromptsResult:
        """`prompts/list`."""
        page = await self._list(ctx, "mcp.prompts.list", "prompts", "name", params)
        return ListPromptsResult.model_validate(page)

    async def get_prompt(self, ctx: "Context", params: GetPromptRequestParams) -> GetPromptResult:
        """`prompts/get`."""
        problem = (
            _unlisted_error("prompt", params.name)
            if params.name in self._hidden_names("prompts")
            else None
        )
        asked: JsonObject = {"name": params.name, "arguments": params.arguments or {}}
        found = await self._ask(ctx, "mcp.prompts.get", asked, problem)
        return GetPromptResult.model_validate(found)

    async def complete(self, ctx: "Context", params: CompleteRequestParams) -> CompleteResult:
        """`completion/complete`."""
        asked = params.model_dump(by_alias=True, exclude_none=True, include={"ref", "argument"})
        found = await self._ask(ctx, "mcp.completion.complete", asked)
        return CompleteResult.model_validate(found)

    async def _tell(self, ctx: "Context", name: str, script: ToolScript) -> None:
        """Tell the clients what a call of a tool changed."""
        reveals, first = script.reveals, name not in self._names_called()
        self._called.add(name)
        events: list[ServerEvent] = [ResourceUpdated(uri=uri) for uri in script.updates]
        if first:
            events += [ToolsListChanged()] if reveals.tools else []
            events += [ResourcesListChanged()] if reveals.resources else []
            events += [PromptsListChanged()] if reveals.prompts else []
        for event in events:
            await self.clients.tell(ctx, event)

    def _names_called(self) -> set[str]:
        """The tools that were called since the session was opened or reset."""
        if self._called_since != self._session.reset_at:
            self._called, self._called_since = set(), self._session.reset_at
        return self._called

    def _hidden_names(self, kind: str) -> frozenset[str]:
        """The names of a kind that some tool reveals, and none of them was called yet."""
        scripts = settings_of(self._session.world).tools
        if not scripts:
            return frozenset()
        called = self._names_called()
        named = {name: getattr(script.reveals, kind, ()) for name, script in scripts.items()}
        shown = {each for name in called for each in named.get(name, ())}
        return frozenset(each for names in named.values() for each in names) - shown

    async def _list(
        self, ctx: "Context", method_id: str, kind: str, key: str, params: PaginatedRequestParams
    ) -> JsonObject:
        return self._page(kind, key, (await self._ask(ctx, method_id, {}))[kind], params)

    def _page(
        self, kind: str, key: str, rows: list[JsonObject], params: PaginatedRequestParams
    ) -> JsonObject:
        """One page of a list, without what is hidden.

        Raises:
            MCPError: The cursor is none that was given out.
        """
        hidden = self._hidden_names(kind)
        shown = [row for row in rows if row[key] not in hidden] if hidden else rows
        size = settings_of(self._session.world).page_size or len(shown) or 1
        begin = 0
        if params.cursor is not None:
            if not params.cursor.isdecimal() or not 0 < int(params.cursor) < len(shown):
                raise MCPError(INVALID_PARAMS, "The cursor is none that this server gave out.")
            begin = int(params.cursor)
        page: JsonObject = {kind: shown[begin : begin + size]}
        if begin + size < len(shown):
            page["nextCursor"] = str(begin + size)
        return page

    async def _ask(
        self, ctx: "Context", method_id: str, params: JsonObject, problem: ApiError | None = None
    ) -> JsonObject:
        """What a method of `mockserver/apis/mcp` answers.

        Raises:
            MCPError: It refuses.
        """
        route = self.route(method_id, "POST", "/mcp", HANDLERS[method_id])
        outcome, answer = await self._call(ctx, route, params, problem)
        error = outcome.error
        if error is None:
            return answer
        code = INTERNAL_ERROR if error.status >= 500 else INVALID_PARAMS
        if method_id == "mcp.resources.read" and error.reason == "notFound":
            code = _RESOURCE_NOT_FOUND if has_handshake(ctx) else INVALID_PARAMS
            raise MCPError(code, error.message, {"uri": params["uri"]})
        raise MCPError(code, error.message)

    def route(self, method_id: str, verb: str, path: str, handler: Handler) -> Route:
        """The route of a method; made once."""
        found = self._routes.get(method_id)
        if found is None:
            found = Route(
                verb,
                "",
                path,
                journal_path=redact_journal_path(path),
                method_id=method_id,
                handler=handler,
                public=False,
            )
            if len(self._routes) < _ROUTES_KEPT:
                self._routes[method_id] = found
        return found

    async def _call(
        self, ctx: "Context", route: Route, arguments: JsonObject, problem: ApiError | None = None
    ) -> tuple[Outcome, JsonObject]:
        """One call of the session; its answer is empty where the outcome is an error."""
        if has_handshake(ctx):
            self.clients.of(ctx)
        size = message_size(ctx)
        decoded = DecodedCall(
            {}, arguments, self.token_of(ctx), client_of(ctx), size, problem=problem
        )
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

    def token_of(self, ctx: "Context") -> str:
        """The token of the HTTP request; over stdio that of the session."""
        if ctx.request is None:
            return self._session.token
        return str(ctx.request.scope.get("mock.token", ""))


def has_handshake(ctx: "Context") -> bool:
    """Whether the client speaks a version in which connections begin with `initialize`."""
    return ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS


def client_of(ctx: "Context") -> bytes:
    """What the client says it is, as the journal keeps it: `mcp <name>/<version>`."""
    params = ctx.session.client_params
    if params is None:
        return b"mcp"
    return f"mcp {params.client_info.name}/{params.client_info.version}"[:_LONGEST_NAME].encode()


def message_size(ctx: "Context") -> int:
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


def _error_result(error: ApiError) -> CallToolResult:
    """An error of a tool, which the model of the client is to read."""
    return CallToolResult(content=[_text(error.message)], is_error=True)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _unlisted_error(kind: str, name: str) -> ApiError:
    """What is refused that no list has yet."""
    text = f"There is no {kind} {name!r} yet: a call of a tool will make it known."
    return ApiError(404, text, reason="notFound", miss=Miss(blame="agent_error", reason=text))
