"""AG-UI: the events by which an agent shows itself in the user interface that runs it.

Source: the AG-UI protocol 1.0 and the types of its Python package.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from typing_extensions import override

from mockserver.model import JsonObject
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
    Role,
    ToolCall,
    ToolResult,
    objects,
    parse_arguments,
    parse_text,
    with_names_of_tools,
)
from mockserver.models.providers.provider import (
    ChatFormat,
    Cut,
    Operation,
    Provider,
    Stamp,
    WrongFormatError,
    event,
    join_texts,
    kind_of,
    require_list,
    retry_headers,
)

_ROLES: Mapping[str, Role] = {
    "developer": "system",
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_NOT_SAID = frozenset({"activity", "reasoning"})
_AGENT = "agent"


class Run(ChatFormat):
    """`POST /<agent>`: one run, always a stream."""

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of a `RunAgentInput`."""
        for name in ("threadId", "runId"):
            if not isinstance(body.get(name), str):
                raise WrongFormatError(f"{name}: expected a text, got {kind_of(body.get(name))}")
        messages = [
            _message(each)
            for each in objects(require_list(body, "messages"))
            if each.get("role") not in _NOT_SAID
        ]
        tools = tuple(str(each["name"]) for each in objects(body.get("tools")) if each.get("name"))
        return ModelRequest(
            operation.model, with_names_of_tools(messages), tools, is_stream=True, body=body
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """All events of a run; no client asks for them in one piece."""
        events = [*_events(request, reply, stamp, lambda text: (text,) if text else ())]
        return orjson.dumps({"events": events})

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> Iterator[bytes]:
        """A reply as a stream.

        Yields:
            The events from `RUN_STARTED` to `RUN_FINISHED`.
        """
        for each in _events(request, reply, stamp, cut):
            yield event(each)


def _message(raw: Mapping[str, Any]) -> Message:
    role = _ROLES.get(str(raw.get("role")))
    if role is None:
        raise WrongFormatError(f"messages: unknown role {str(raw.get('role'))[:100]!r}")
    text = join_texts(raw.get("content"))
    if role == "tool":
        is_error = bool(raw.get("error"))
        result = ToolResult(parse_text(text), str(raw.get("toolCallId") or ""), is_error=is_error)
        return Message(role, results=(result,))
    calls = tuple(
        ToolCall(str(named.get("name", "")), parse_arguments(named.get("arguments")),
                 str(each.get("id", "")))
        for each in objects(raw.get("toolCalls"))
        if isinstance(named := each.get("function"), dict)
    )  # fmt: skip
    return Message(role, text, calls)


def _events(
    request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
) -> Iterator[JsonObject]:
    run: JsonObject = {"threadId": request.body["threadId"], "runId": request.body["runId"]}
    yield {"type": "RUN_STARTED", **run}
    yield from reply.events
    if reply.reasoning:
        place: JsonObject = {"messageId": stamp.ids.hex("reasoning", 24)}
        yield {"type": "REASONING_START", **place}
        yield {"type": "REASONING_MESSAGE_START", **place, "role": "reasoning"}
        for piece in cut(reply.reasoning):
            yield {"type": "REASONING_MESSAGE_CONTENT", **place, "delta": piece}
        yield {"type": "REASONING_MESSAGE_END", **place}
        yield {"type": "REASONING_END", **place}
    message = stamp.ids.hex("msg", 24)
    text = [*_text_events(reply.text or reply.refusal, message, cut)]
    calls = [each for call in reply.calls for each in _call_events(call, message, cut)]
    yield from reply.in_order(text, calls)
    yield {"type": "RUN_FINISHED", **run}


def _text_events(text: str, message: str, cut: Cut) -> Iterator[JsonObject]:
    if not text:
        return
    place: JsonObject = {"messageId": message}
    yield {"type": "TEXT_MESSAGE_START", **place, "role": "assistant"}
    for piece in cut(text):
        yield {"type": "TEXT_MESSAGE_CONTENT", **place, "delta": piece}
    yield {"type": "TEXT_MESSAGE_END", **place}


def _call_events(call: ToolCall, message: str, cut: Cut) -> Iterator[JsonObject]:
    place: JsonObject = {"toolCallId": call.id}
    yield {
        "type": "TOOL_CALL_START", **place, "toolCallName": call.name, "parentMessageId": message,
    }  # fmt: skip
    for piece in cut(call.json_text):
        yield {"type": "TOOL_CALL_ARGS", **place, "delta": piece}
    yield {"type": "TOOL_CALL_END", **place}


class AgUi(Provider):
    """Agents that speak AG-UI over server-sent events."""

    name = "agui"
    call_prefix = "call_"
    methods: tuple[str, ...] = ("agui.run",)

    def __init__(self) -> None:
        self._run = Run()

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """A run of the agent that the path names."""
        name = path[1:]
        if verb != "POST" or "/" in name:
            return None
        return Operation("agui.run", self, self._run, model=name or _AGENT)

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """The event `RUN_ERROR`, which is the body of an answer, or ends a stream."""
        body: JsonObject = {"type": "RUN_ERROR", "message": message, "code": kind}
        return retry_headers(retry_after_s), body
