"""A session with recordings of MCP servers: it lists and answers as they did."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.connection import allowed_log_levels
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    CreateMessageRequest,
    ElicitRequest,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    LoggingMessageNotification,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, ValidationError

from mockserver.apis.tools import call_tool, list_tools, unknown_tool
from mockserver.cassettes.files.body_files import BodyFileError, read_body
from mockserver.errors import plain_reason
from mockserver.fronts.mcp.scripts import ended_result, send_question
from mockserver.fronts.mcp.server import (
    LEVELS,
    SessionCalls,
    SessionServer,
    client_of,
    has_handshake,
    message_size,
    snapshot_server,
)
from mockserver.googleapi import ApiError
from mockserver.messages.mcp_calls import (
    MCP_MEDIA,
    MCP_SCHEME,
    TOOL_CALL,
    McpCall,
    mcp_body,
    mcp_call,
    mcp_path,
    plain_params,
)
from mockserver.model import Interaction, JsonObject
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sources.cassette import RpcRequest

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from mockserver.sessions.recordings import Replay
    from mockserver.sessions.session import Session
    from mockserver.sources.dispatch import Dispatcher

    Context = ServerRequestContext[Any, Any]

Result = TypeVar("Result", bound=BaseModel)

_CALL = TOOL_CALL
_HEADERS = (("content-type", MCP_MEDIA),)
_SHOWN = {_CALL: ("params", "arguments")}
"""What the journal shows of a request: of a tool's call its arguments, as without recordings."""

_CHANGES: Mapping[str, ServerEvent] = {
    "notifications/tools/list_changed": ToolsListChanged(),
    "notifications/resources/list_changed": ResourcesListChanged(),
    "notifications/prompts/list_changed": PromptsListChanged(),
}
_QUESTIONS: Mapping[str, type[ElicitRequest | CreateMessageRequest]] = {
    "elicitation/create": ElicitRequest,
    "sampling/createMessage": CreateMessageRequest,
}


def session_server(session: "Session", dispatcher: "Dispatcher") -> SessionServer:
    """The MCP server that a session is: as its recordings are, else as its snapshot says."""
    replay = session.replay
    if replay is not None and replay.mcp is not None:
        return recorded_server(session, dispatcher, replay)
    return snapshot_server(session, dispatcher)


def recorded_server(
    session: "Session", dispatcher: "Dispatcher", replay: "Replay"
) -> SessionServer:
    """The MCP server that recordings are of.

    Args:
        session: Where it is asked.
        dispatcher: What answers.
        replay: The session's recordings, which have some of MCP.
    """
    calls = RecordedCalls(session, dispatcher, replay)
    greeting = calls.servers.greeting
    info: JsonObject = greeting.get("serverInfo", {})
    server = SessionServer(
        str(info.get("name", "recorded")),
        version=str(info.get("version", "")),
        title=info.get("title"),
        description=info.get("description"),
        instructions=greeting.get("instructions"),
        website_url=info.get("websiteUrl"),
        get_tool_input_schema=calls.input_schema,
    )
    server.middleware.clear()  # spans of a mock are of no use
    has, add, clients = calls.servers.capabilities, server.add_request_handler, calls.clients
    add("tools/list", PaginatedRequestParams, calls.list_tools)
    add("tools/call", CallToolRequestParams, calls.call_tool)
    add("logging/setLevel", SetLevelRequestParams, clients.set_level)
    if "resources" in has:
        add("resources/list", PaginatedRequestParams, calls.method(ListResourcesResult))
        templates = calls.method(ListResourceTemplatesResult)
        add("resources/templates/list", PaginatedRequestParams, templates)
        add("resources/read", ReadResourceRequestParams, calls.method(ReadResourceResult))
        add("resources/subscribe", SubscribeRequestParams, clients.subscribe)
        add("resources/unsubscribe", UnsubscribeRequestParams, clients.unsubscribe)
    if "prompts" in has:
        add("prompts/list", PaginatedRequestParams, calls.method(ListPromptsResult))
        add("prompts/get", GetPromptRequestParams, calls.method(GetPromptResult))
    if "completions" in has:
        add("completion/complete", CompleteRequestParams, calls.method(CompleteResult))
    return server


class RecordedCalls:
    """Answers the requests of MCP from recordings; tools that a snapshot prepares come first.

    Args:
        session: Where they are asked.
        dispatcher: What answers.
        replay: The session's recordings.

    Attributes:
        servers: What is recorded of the servers.
        clients: Who is connected.
    """

    def __init__(self, session: "Session", dispatcher: "Dispatcher", replay: "Replay") -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._replay = replay
        self._prepared = SessionCalls(session, dispatcher)
        self.clients = self._prepared.clients
        servers = replay.mcp
        if servers is None:
            raise ValueError("the session has no recordings of MCP")
        self.servers = servers

    def input_schema(self, name: str) -> JsonObject | None:
        """The schema of a tool's arguments; None for an unknown one."""
        if name in self._own:
            return self._prepared.input_schema(name)
        schema = self.servers.tools.get(name, {}).get("inputSchema")
        return schema if isinstance(schema, dict) else None

    @property
    def _own(self) -> Mapping[str, Any]:
        """The tools that the snapshot prepares."""
        return self._session.base.tools

    async def list_tools(self, ctx: "Context", params: PaginatedRequestParams) -> ListToolsResult:
        """`tools/list` as it was recorded, with the prepared tools on its last page."""
        if self._own and not self.servers.has_lists:
            return await self._prepared.list_tools(ctx, params)
        found = dict(await self._result(ctx))
        if self._own:
            listed = [tool for tool in found.get("tools", ()) if tool.get("name") not in self._own]
            if not isinstance(found.get("nextCursor"), str):
                own = list_tools(self._session.world)["tools"]
                listed += [tool for tool in own if tool["name"] in self._own]
            found["tools"] = listed
        return _parse_result(ListToolsResult, found)

    async def call_tool(
        self, ctx: "Context", params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """`tools/call`: the recording of the same call, with what was said before its answer.

        Raises:
            MCPError: The server refused it so, or nothing is known of such a tool.
        """
        if params.name in self._own:
            return await self._prepared.call_tool(ctx, params)
        problem = self._unknown_tool(params.name)
        call = await self._answer(ctx, problem)
        if isinstance(call, ApiError):
            if call is problem:
                raise MCPError(INVALID_PARAMS, call.message)
            return ended_result(_reason_of(call))
        ended = await self._play_events(ctx, call)
        if ended is not None:
            return ended
        result = _result_of(call)
        if "inputRequests" in result:
            return _parse_result(InputRequiredResult, result)
        return _parse_result(CallToolResult, result)

    def method(self, model: type[Result]) -> Any:
        """What answers a method whose results are of a model."""

        async def answer(ctx: "Context", params: Any) -> Result:
            return _parse_result(model, await self._result(ctx))

        return answer

    async def _result(self, ctx: "Context") -> JsonObject:
        """The recorded result of a request.

        Raises:
            MCPError: It was refused, or no recording answers.
        """
        call = await self._answer(ctx)
        if isinstance(call, ApiError):
            raise MCPError(INTERNAL_ERROR, _reason_of(call))
        return _result_of(call)

    async def _answer(self, ctx: "Context", problem: ApiError | None = None) -> McpCall | ApiError:
        """The recording that answers a request, or why there is none; journalled either way."""
        method, params = ctx.method, plain_params(ctx.method, _raw(ctx))
        if has_handshake(ctx):
            self.clients.of(ctx)
        path = mcp_path(method, params)
        if method == _CALL:
            name = str(params.get("name"))
            params.setdefault("arguments", {})
            route = self._prepared.route(f"tools.{name}", "POST", f"/tools/{name}", call_tool)
        else:
            method_id = "tools.list" if method == "tools/list" else f"mcp.{method}"
            method_id = method_id.replace("/", ".")
            route = self._prepared.route(method_id, "POST", "/mcp", call_tool)
        sent = RpcRequest(
            path,
            mcp_body(method, params),
            _HEADERS,
            self._prepared.token_of(ctx),
            client_of(ctx),
            MCP_SCHEME,
            self.servers.verbs(method, params),
            self.servers.names,
            _SHOWN.get(method, ("params",)),
            problem,
        )
        ask = partial(
            self._dispatcher.answer_recorded_call, self._session, self._replay, route, sent
        )
        found = await WORKER.run(ask) if message_size(ctx) >= LONG_BODY else ask()
        if found.outcome.delay_ms:
            await asyncio.sleep(found.outcome.delay_ms / 1000)
        if found.outcome.error is not None or found.interaction is None:
            return found.outcome.error or ApiError(500, "no recording, and no reason")
        return _recorded_call(found.interaction, found.label)

    def _unknown_tool(self, name: str) -> ApiError | None:
        """What a tool is refused with that was neither listed nor called."""
        known = {**self.servers.tools, **self._own}
        is_called = self._replay.hosts_of(mcp_path(_CALL, {"name": name}))
        if name in known or is_called or not self.servers.has_lists:
            return None
        return unknown_tool(name, list(known))

    async def _play_events(self, ctx: "Context", call: McpCall) -> CallToolResult | None:
        """Say what the server said before its answer; the result, where the call ends with that."""
        level = self.clients.of(ctx).level if has_handshake(ctx) else LEVELS[0]
        loud = allowed_log_levels(ctx.protocol_version, ctx.meta)
        loud = loud.intersection(LEVELS[LEVELS.index(level) :])
        last_ms = 0.0
        for event in call.events:
            at_ms = event.get("atMs", last_ms)
            await asyncio.sleep(max(0.0, at_ms - last_ms) * self._replay.pace / 1000)
            last_ms = at_ms
            if event["method"] in _QUESTIONS:
                ended = await self._ask(ctx, event)
                if ended is not None:
                    return ended
            else:
                await self._notify(ctx, event, loud)
        return None

    async def _notify(self, ctx: "Context", event: JsonObject, loud: frozenset[Any]) -> None:
        params = event.get("params", {})
        match event["method"]:
            case "notifications/progress":
                told = params.get("progress", 0), params.get("total"), params.get("message")
                await ctx.session.report_progress(*told)
            case "notifications/message" if params.get("level") in loud:
                note = _parse_result(LoggingMessageNotification, event)
                await ctx.session.send_notification(note, ctx.request_id)
            case "notifications/resources/updated":
                await self.clients.tell(ctx, ResourceUpdated(uri=str(params.get("uri", ""))))
            case name:
                if name in _CHANGES:
                    await self.clients.tell(ctx, _CHANGES[name])

    async def _ask(self, ctx: "Context", event: JsonObject) -> CallToolResult | None:
        """Ask the client what the server asked; without a handshake the recorded answer stands."""
        if not has_handshake(ctx):
            return None
        question = _parse_result(_QUESTIONS[event["method"]], event)
        try:
            answer = await send_question(ctx, question)
        except (MCPError, NoBackChannelError) as error:
            return ended_result(f"The client did not answer: {error}")
        told = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        recorded = event.get("answer", {}).get("result", {})
        redacted = self._replay.redactor.redact_json(told)
        if not isinstance(redacted, dict) or not isinstance(recorded, dict):
            return None
        apart = [name for name in ("action", "content") if redacted.get(name) != recorded.get(name)]
        if not apart:
            return None
        text = f"Replay miss: {event['method']} was answered otherwise than when it was recorded"
        return ended_result(f"{text}; differs in {', '.join(apart)}.")


def _reason_of(error: ApiError) -> str:
    """Why no recording answers, with the names that a client of MCP knows."""
    return error.message.replace("body.params.", "")


def _raw(ctx: "Context") -> JsonObject:
    return dict(ctx.params or {})


def _recorded_call(interaction: Interaction, label: str) -> McpCall | ApiError:
    """The call of a recording, its answer read from its file where it has one."""
    file = interaction.response.file
    try:
        return mcp_call(interaction, None if file is None else read_body(file))
    except BodyFileError as error:
        return ApiError(424, error.message)
    except ValueError as error:
        return ApiError(500, f"The recording {label} cannot be played: {error}")


def _result_of(call: McpCall) -> JsonObject:
    """The result of a call.

    Raises:
        MCPError: The server refused it.
    """
    if call.result is not None:
        return call.result
    error = call.error or {}
    code = error.get("code")
    raise MCPError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        str(error.get("message", "")),
        error.get("data"),
    )


def _parse_result(model: type[Result], value: JsonObject) -> Result:
    """A recorded value as the SDK sends it.

    Raises:
        MCPError: It is none that the protocol has.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "/".join(map(str, first["loc"]))
        text = f"what was recorded is no {model.__name__}: {place}: {plain_reason(first['msg'])}"
        raise MCPError(INTERNAL_ERROR, text) from error
