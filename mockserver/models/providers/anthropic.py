"""Anthropic: messages, and how many tokens they are.

Source: Anthropic's API reference and the types of its Python client.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import orjson
from typing_extensions import override

from mockserver.model import ERROR_STATUS, JsonObject
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
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
    Served,
    Stamp,
    WrongFormatError,
    event,
    join_texts,
    require_list,
    retry_headers,
)
from mockserver.state import rfc3339

_STOP: Mapping[str, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}
_ERRORS: Mapping[str, str] = {
    "invalid_request": "invalid_request_error",
    "authentication": "authentication_error",
    "permission": "permission_error",
    "not_found": "not_found_error",
    "too_large": "request_too_large",
    "rate_limit": "rate_limit_error",
    "server_error": "api_error",
    "overloaded": "overloaded_error",
    "timeout": "timeout_error",
}
_OVERLOADED = 529
_LIMITS: Mapping[str, str] = {
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
}


class Messages(ChatFormat):
    """`POST /v1/messages`."""

    conversation = ("system", "messages")

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        messages: list[Message] = []
        if body.get("system"):
            messages.append(Message("system", join_texts(body["system"])))
        for raw in objects(require_list(body, "messages")):
            messages += _messages(raw)
        return ModelRequest(
            str(body.get("model", operation.model)),
            with_names_of_tools(messages),
            tuple(str(each["name"]) for each in objects(body.get("tools")) if each.get("name")),
            body.get("stream") is True,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """A `message`."""
        usage = reply.usage_for(request)
        counts = _usage(usage.input, usage.output)
        return orjson.dumps(_message(request, stamp, _blocks(reply), _STOP[reply.finish], counts))

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> list[bytes]:
        """The events from `message_start` to `message_stop`."""
        usage = reply.usage_for(request)
        begun = _message(request, stamp, [], None, _usage(usage.input, 1))
        rest = reply.parts.get((self, cut)) or tuple(self._rest(reply, cut, usage.output))
        reply.parts[self, cut] = rest
        return [_event("message_start", message=begun), *rest]

    def _rest(self, reply: ModelReply, cut: Cut, output_tokens: int) -> Iterator[bytes]:
        """The events after the first, which are the same for each request.

        Yields:
            Each event.
        """
        empty: JsonObject
        calls = iter(reply.calls)
        for index, block in enumerate(_blocks(reply)):
            match block["type"]:
                case "text":
                    empty, key, delta = {"type": "text", "text": ""}, "text", "text_delta"
                    text = block["text"]
                case "thinking":
                    empty = {"type": "thinking", "thinking": "", "signature": ""}
                    key, delta, text = "thinking", "thinking_delta", block["thinking"]
                case _:
                    empty = {**block, "input": {}}
                    key, delta = "partial_json", "input_json_delta"
                    text = next(calls).json_text
            yield _event("content_block_start", index=index, content_block=empty)
            if index == 0:
                yield _event("ping")
            for piece in cut(text):
                yield _event("content_block_delta", index=index, delta={"type": delta, key: piece})
            if delta == "thinking_delta":
                signature = {"type": "signature_delta", "signature": block["signature"]}
                yield _event("content_block_delta", index=index, delta=signature)
            yield _event("content_block_stop", index=index)
        ended: JsonObject = {"stop_reason": _STOP[reply.finish], "stop_sequence": None}
        yield _event("message_delta", delta=ended, usage={"output_tokens": output_tokens})
        yield _event("message_stop")

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """The event `error`."""
        return event(body, "error")


def _message(
    request: ModelRequest,
    stamp: Stamp,
    content: list[JsonObject],
    stop_reason: str | None,
    usage: JsonObject,
) -> JsonObject:
    return {
        "id": f"msg_01{stamp.ids.base36('msg', 22)}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields}, kind)


def _usage(input_tokens: int, output_tokens: int) -> JsonObject:
    return {
        "input_tokens": input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": output_tokens,
        "service_tier": "standard",
    }


def _messages(raw: Mapping[str, Any]) -> list[Message]:
    role, content = raw.get("role"), raw.get("content")
    if role not in {"user", "assistant", "system"}:
        raise WrongFormatError(f"messages: unknown role {str(role)[:100]!r}")
    blocks = objects(content)
    text = content if isinstance(content, str) else join_texts(
        [each for each in blocks if each.get("type") == "text"]
    )  # fmt: skip
    if role == "system":  # instructions in mid-conversation
        return [Message("system", text)]
    if role == "assistant":
        calls = tuple(
            ToolCall(str(each.get("name", "")), parse_arguments(each.get("input")),
                     str(each.get("id", "")))
            for each in blocks if each.get("type") == "tool_use"
        )  # fmt: skip
        return [Message("assistant", text, calls)]
    results = tuple(
        ToolResult(parse_text(join_texts(each.get("content"))), str(each.get("tool_use_id", "")),
                   is_error=each.get("is_error") is True)
        for each in blocks if each.get("type") == "tool_result"
    )  # fmt: skip
    found = [Message("tool", results=results)] if results else []
    return [*found, Message("user", text)] if text or not found else found


def _blocks(reply: ModelReply) -> list[JsonObject]:
    return reply.parts_of(
        lambda each: {"type": "thinking", "thinking": each, "signature": "c2lnbmVk"},
        lambda each: {"type": "text", "text": each},
        lambda call: {"type": "tool_use", "id": call.id, "name": call.name, "input": call.fields},
    )


class Anthropic(Provider):
    """Anthropic."""

    name = "anthropic"
    call_prefix = "toolu_01"
    methods: tuple[str, ...] = (
        "anthropic.messages.create",
        "anthropic.messages.countTokens",
        "anthropic.models.list",
    )
    statuses: Mapping[str, int] = {**ERROR_STATUS, "overloaded": _OVERLOADED}
    hosts: tuple[str, ...] = ("api.anthropic.com",)
    address = "https://api.anthropic.com"
    keys = ("ANTHROPIC_API_KEY",)
    variables: Mapping[str, str] = {"ANTHROPIC_BASE_URL": ""}

    def __init__(self) -> None:
        self._messages = Operation("anthropic.messages.create", self, Messages())
        self._count = Operation(
            "anthropic.messages.countTokens", self, conversation=Messages.conversation
        )
        self._models = Operation("anthropic.models.list", self)

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask."""
        if verb == "POST" and path.endswith("/v1/messages"):
            return self._messages
        if verb == "POST" and path.endswith("/v1/messages/count_tokens"):
            return self._count
        if verb == "GET" and path.endswith("/v1/models"):
            return self._models
        return None

    @override
    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """How many tokens messages are, or the models that are there."""
        if operation is self._count:
            return {"input_tokens": Messages().parse(body, operation).count_tokens()}
        models: list[JsonObject] = [
            {"type": "model", "id": each, "display_name": each, "created_at": rfc3339(stamp.now)}
            for each in served.names
        ]
        ends = {"first_id": served.names[0], "last_id": served.names[-1]} if served.names else {}
        return {"data": models, "has_more": False, "first_id": None, "last_id": None, **ends}

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """`{"type": "error", "error": {"type", "message"}, "request_id"}`."""
        request_id = f"req_01{stamp.ids.base36('req', 22)}"
        error: JsonObject = {"type": _ERRORS.get(kind, kind), "message": message}
        headers = {"request-id": request_id, **retry_headers(retry_after_s)}
        if kind == "rate_limit":
            headers |= _LIMITS
            if retry_after_s is not None:
                reset = stamp.now + timedelta(seconds=retry_after_s)
                headers["anthropic-ratelimit-requests-reset"] = rfc3339(reset)
        return headers, {"type": "error", "error": error, "request_id": request_id}
