"""Requests of the Model Context Protocol as recordings, written and read back; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import orjson

from mockserver.messages.headers import media_type
from mockserver.model import (
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)

MCP_MEDIA = "application/mcp+json"
"""What recorded bodies are declared to be."""

MCP_SCHEME = "mcp://"

AGENT_TOOLS = "tools"
"""What stands for the server of tools that run inside an agent."""

_WRAPPED = "fastmcp"
"""Under this key of `_meta` FastMCP says that a result was put into an object to be sent."""

_ERROR = "understudy/error"
"""Under this key of `_meta` stands the class of a tool's error."""

TOOL_CALL = "tools/call"
_INTERNAL_ERROR = -32603
_NAMED = frozenset({TOOL_CALL, "prompts/get"})
GREETINGS = frozenset({"initialize", "server/discover"})
"""How a connection begins, with a handshake and without one."""

RECORDED_METHODS = GREETINGS | {
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "tools/call",
    "tools/list",
}
"""The requests that are recorded; others change nothing that a client is told by an answer."""


@dataclass(frozen=True, slots=True)
class McpCall:
    """One request to an MCP server and what came of it, without ids of JSON-RPC.

    Attributes:
        method: `tools/call`, `resources/read` and so on.
        params: Its parameters, without `_meta`.
        result: What it was answered; None where it was refused.
        error: `{"code", "message", "data"}` of a refusal.
        events: What the server sent before it answered, in order: `{"method", "params", "atMs"}`
            with the milliseconds after the request, and `answer` where it asked the client.
    """

    method: str
    params: JsonObject
    result: JsonObject | None = None
    error: JsonObject | None = None
    events: tuple[JsonObject, ...] = ()


def plain_params(method: str, params: Json) -> JsonObject:
    """The parameters that tell a request from others: nothing of who asks, and how.

    >>> plain_params("tools/call", {"name": "add", "_meta": {"progressToken": 1}})
    {'name': 'add'}
    """
    if method in GREETINGS or not isinstance(params, Mapping):
        return {}
    return {name: value for name, value in params.items() if name != "_meta" and value is not None}


def mcp_path(method: str, params: JsonObject) -> str:
    """The path of a request in recordings; a tool or a prompt is a part of it.

    >>> mcp_path("tools/call", {"name": "add", "arguments": {}}), mcp_path("tools/list", {})
    ('/tools/call/add', '/tools/list')
    """
    name = params.get("name") if method in _NAMED else None
    return f"/{method}/{quote(name, safe='')}" if isinstance(name, str) else f"/{method}"


def mcp_verb(*, reads: bool) -> str:
    """What stands for the HTTP method: `QUERY` for what only reads, `POST` for the rest."""
    return "QUERY" if reads else "POST"


def mcp_body(method: str, params: JsonObject) -> bytes:
    """The body of a request in recordings."""
    return orjson.dumps({"method": method, "params": params})


def mcp_interaction(
    server: str, call: McpCall, *, reads: bool, recorded_at: str, duration_ms: float
) -> Interaction:
    """A call as a recording.

    Args:
        server: The name of its server, in place of a host.
        call: What was asked and answered.
        reads: Whether it changes nothing.
        recorded_at: RFC 3339.
        duration_ms: How long the answer took, in milliseconds.
    """
    url = f"{MCP_SCHEME}{server}{mcp_path(call.method, call.params)}"
    told: JsonObject = {"events": list(call.events)} if call.events else {}
    status = 200
    if call.error is not None:
        told["error"] = call.error
        status = 500 if call.error.get("code") == _INTERNAL_ERROR else 400
    else:
        told["result"] = call.result
    headers = (("content-type", MCP_MEDIA),)
    return Interaction(
        RecordedRequest(mcp_verb(reads=reads), url, headers, mcp_body(call.method, call.params)),
        RecordedResponse(status, "", headers, orjson.dumps(told)),
        recorded_at,
        duration_ms,
        "mcp." + call.method.replace("/", "."),
    )


def is_mcp(interaction: Interaction) -> bool:
    """Whether a recording is of an MCP server."""
    return interaction.request.url.startswith(MCP_SCHEME)


def mcp_call(interaction: Interaction, answer: bytes | None = None) -> McpCall:
    """The call that a recording is of.

    Args:
        interaction: A recording of an MCP server.
        answer: Its response body, where that is in a file.

    Raises:
        ValueError: It is written otherwise than `mcp_interaction` writes.
    """
    body = interaction.response.body if answer is None else answer
    asked, told = orjson.loads(interaction.request.body), orjson.loads(body)
    kind = media_type(interaction.response.headers)
    if kind != MCP_MEDIA or not isinstance(asked, dict) or not isinstance(told, dict):
        raise ValueError(f"{interaction.request.url} is no recording of MCP")
    method, params = asked.get("method"), asked.get("params", {})
    result, error, events = told.get("result"), told.get("error"), told.get("events", [])
    if isinstance(result, dict) == isinstance(error, dict) or not isinstance(method, str):
        raise ValueError(f"{interaction.request.url} has no method, or neither result nor error")
    shapes = isinstance(params, dict), isinstance(events, list)
    if not all(shapes):
        raise ValueError(f"{interaction.request.url} has params or events of another type")
    return McpCall(method, params, result, error, tuple(events))


def called_tool(interaction: Interaction) -> str:
    """The tool that a recording is of; empty for any other request."""
    call = mcp_call(interaction) if is_mcp(interaction) else None
    name = call.params.get("name") if call is not None and call.method == TOOL_CALL else None
    return name if isinstance(name, str) else ""


_READING = frozenset({
    "browse", "calculate", "can", "check", "compute", "count", "describe", "estimate", "fetch",
    "find", "get", "glob", "grep", "has", "inspect", "is", "list", "load", "look", "lookup", "ls",
    "query", "read", "retrieve", "search", "show", "validate", "view", "webfetch", "websearch",
})  # fmt: skip
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def words_of_name(tool: str) -> list[str]:
    """The words of a tool's name, in lower case, without that of its server.

    >>> words_of_name("mcp__shop__listOrders"), words_of_name("__")
    (['list', 'orders'], [])
    """
    return [word.lower() for word in _PARTS.findall(tool.rpartition("__")[2])]


def reads_by_name(tool: str) -> bool:
    """Whether a tool's name begins like that of one that only reads.

    >>> reads_by_name("look_up_order"), reads_by_name("getOrder"), reads_by_name("refund")
    (True, True, False)
    """
    words = words_of_name(tool)
    return bool(words) and words[0] in _READING


def tool_result(value: Json, *, failed: bool = False, kind: str = "") -> JsonObject:
    """The result of a call of MCP that stands for what a tool returned.

    Args:
        value: What it returned, or the text of its error.
        failed: Whether it is that text.
        kind: The class of the error, `ValueError`, where it is known.

    >>> tool_result({"id": 1})
    {'content': [], 'structuredContent': {'id': 1}}
    """
    if failed or isinstance(value, str):
        told: JsonObject = {"content": [{"type": "text", "text": str(value)}]}
        if not failed:
            return told
        return {**told, "isError": True, **({"_meta": {_ERROR: kind}} if kind else {})}
    if isinstance(value, dict):
        return {"content": [], "structuredContent": value}
    meta = {_WRAPPED: {"wrap_result": True}}
    return {"content": [], "structuredContent": {"result": value}, "_meta": meta}


def error_text(result: JsonObject) -> str:
    """The error of a tool as it is told, `ValueError: no such order`.

    >>> error_text(tool_result("no such order", failed=True, kind="ValueError"))
    'ValueError: no such order'
    """
    value, meta = plain_result(result), result.get("_meta")
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    kind = meta.get(_ERROR) if isinstance(meta, dict) else None
    return f"{kind}: {text}" if isinstance(kind, str) and kind else text


def plain_result(result: JsonObject) -> Json:
    """What a tool returned, of the result of a call of MCP; content that is no text as it stands.

    >>> plain_result(tool_result([1, 2])), plain_result(tool_result("done"))
    ([1, 2], 'done')
    """
    held, meta = result.get("structuredContent"), result.get("_meta")
    if held is not None:
        wrap = meta.get(_WRAPPED) if isinstance(meta, dict) else None
        is_wrapped = isinstance(wrap, dict) and wrap.get("wrap_result") is True
        return held.get("result") if is_wrapped and isinstance(held, dict) else held
    content = result.get("content")
    parts = content if isinstance(content, list) else []
    if all(isinstance(each, dict) and each.get("type") == "text" for each in parts):
        return "\n".join(str(each.get("text", "")) for each in parts)
    return parts
