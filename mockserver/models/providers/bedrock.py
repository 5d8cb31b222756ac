"""Amazon Bedrock: converse and converse-stream.

Source: the service model that botocore ships; the encoding of event streams as AWS documents it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote
from zlib import crc32

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
    EmbeddingFormat,
    Operation,
    Provider,
    Stamp,
    WrongFormatError,
    join_texts,
    require_list,
    retry_headers,
)

_PATH = re.compile(r"/model/([^/]+)/(converse|converse-stream|invoke)")
_STOP: Mapping[str, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "content_filtered",
    "refusal": "guardrail_intervened",
}
_ERRORS: Mapping[str, tuple[str, int]] = {
    "invalid_request": ("ValidationException", 400),
    "authentication": ("UnrecognizedClientException", 403),
    "permission": ("AccessDeniedException", 403),
    "not_found": ("ResourceNotFoundException", 404),
    "too_large": ("ValidationException", 400),
    "rate_limit": ("ThrottlingException", 429),
    "server_error": ("InternalServerException", 500),
    "overloaded": ("ServiceUnavailableException", 503),
    "timeout": ("ModelTimeoutException", 408),
}
_STREAM_ERRORS: Mapping[str, str] = {
    "invalid_request": "validationException",
    "rate_limit": "throttlingException",
    "overloaded": "serviceUnavailableException",
    "timeout": "modelStreamErrorException",
}
_OF_STATUS: Mapping[int, str] = {status: kind for kind, status in ERROR_STATUS.items()}


class Converse(ChatFormat):
    """`POST /model/{modelId}/converse` and `/converse-stream`."""

    conversation = ("system", "messages")

    stream_type = "application/vnd.amazon.eventstream"

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        messages: list[Message] = []
        if body.get("system"):
            messages.append(Message("system", join_texts(body["system"])))
        for raw in objects(require_list(body, "messages")):
            messages += _messages(raw)
        config = body.get("toolConfig")
        tools = objects(config.get("tools")) if isinstance(config, dict) else []
        specs = [spec for each in tools if isinstance(spec := each.get("toolSpec"), dict)]
        return ModelRequest(
            operation.model,
            with_names_of_tools(messages),
            tuple(str(each["name"]) for each in specs if each.get("name")),
            operation.is_stream,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """The output with its message."""
        message: JsonObject = {"role": "assistant", "content": _blocks(reply)}
        return orjson.dumps({
            "output": {"message": message},
            "stopReason": _STOP[reply.finish],
            "usage": _usage(request, reply),
            "metrics": {"latencyMs": 0},
        })  # fmt: skip

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> list[bytes]:
        """The messages of an event stream, from `messageStart` to `metadata`."""
        said = reply.parts.get((Converse, cut)) or tuple(self._shared_messages(reply, cut))
        reply.parts[Converse, cut] = said
        metrics: JsonObject = {"usage": _usage(request, reply), "metrics": {"latencyMs": 0}}
        return [*said, _frame("metadata", metrics)]

    def _shared_messages(self, reply: ModelReply, cut: Cut) -> Iterator[bytes]:
        """The messages before the last, which are the same for each request.

        Yields:
            Each message.
        """
        yield _frame("messageStart", {"role": "assistant"})
        calls = iter(reply.calls)
        deltas: list[JsonObject]
        for index, block in enumerate(_blocks(reply)):
            place = {"contentBlockIndex": index}
            if "toolUse" in block:
                call = next(calls)
                start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
                yield _frame("contentBlockStart", {"start": start, **place})
                deltas = [{"toolUse": {"input": piece}} for piece in cut(call.json_text)]
            elif "reasoningContent" in block:
                deltas = [{"reasoningContent": {"text": piece}} for piece in cut(reply.reasoning)]
            else:
                deltas = [{"text": piece} for piece in cut(block["text"])]
            for delta in deltas:
                yield _frame("contentBlockDelta", {"delta": delta, **place})
            yield _frame("contentBlockStop", place)
        yield _frame("messageStop", {"stopReason": _STOP[reply.finish]})

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """A message that is an exception."""
        name = _STREAM_ERRORS.get(kind, "internalServerException")
        return _frame(name, body, is_exception=True)


def _messages(raw: Mapping[str, Any]) -> list[Message]:
    role, blocks = raw.get("role"), objects(raw.get("content"))
    if role not in {"user", "assistant"}:
        raise WrongFormatError(f"messages: unknown role {str(role)[:100]!r}")
    text = join_texts(blocks)
    if role == "assistant":
        calls = tuple(
            ToolCall(str(use.get("name", "")), parse_arguments(use.get("input")),
                     str(use.get("toolUseId", "")))
            for each in blocks if isinstance(use := each.get("toolUse"), dict)
        )  # fmt: skip
        return [Message("assistant", text, calls)]
    results = tuple(
        ToolResult(_content(given.get("content")), str(given.get("toolUseId", "")),
                   is_error=given.get("status") == "error")
        for each in blocks if isinstance(given := each.get("toolResult"), dict)
    )  # fmt: skip
    found = [Message("tool", results=results)] if results else []
    return [*found, Message("user", text)] if text or not found else found


def _content(parts: Any) -> Any:
    values = [each["json"] for each in objects(parts) if "json" in each]
    return values[0] if values else parse_text(join_texts(parts))


def _blocks(reply: ModelReply) -> list[JsonObject]:
    return reply.parts_of(
        lambda each: {"reasoningContent": {"reasoningText": {"text": each}}},
        lambda each: {"text": each},
        lambda call: {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.fields}},
    )


def _usage(request: ModelRequest, reply: ModelReply) -> JsonObject:
    usage = reply.usage_for(request)
    return {
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "totalTokens": usage.input + usage.output,
    }


def _frame(kind: str, payload: JsonObject, *, is_exception: bool = False) -> bytes:
    """A message of an AWS event stream: lengths, headers, payload, two checksums."""
    headers = b"".join(
        bytes([len(name)]) + name + b"\x07" + len(value).to_bytes(2, "big") + value
        for name, value in (
            (b":exception-type" if is_exception else b":event-type", kind.encode()),
            (b":content-type", b"application/json"),
            (b":message-type", b"exception" if is_exception else b"event"),
        )
    )
    body = orjson.dumps(payload)
    head = (16 + len(headers) + len(body)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    head += crc32(head).to_bytes(4, "big")
    frame = head + headers + body
    return frame + crc32(frame).to_bytes(4, "big")


class InvokeEmbedding(EmbeddingFormat):
    """`POST /model/{modelId}/invoke` of the embedding models of Amazon and Cohere."""

    conversation = ("system", "messages", "inputText", "texts")

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        texts = body.get("texts")
        if isinstance(texts, list) and texts:
            inputs = tuple(str(each) for each in texts)
        elif isinstance(body.get("inputText"), str):
            inputs = (str(body["inputText"]),)
        else:
            raise WrongFormatError("inputText: expected a text; only embedding models are invoked")
        return ModelRequest(operation.model, inputs=inputs, body=body)

    @override
    def embed(self, request: ModelRequest, vectors: Sequence[Sequence[float]]) -> JsonObject:
        """The vectors, as the model of Amazon or of Cohere gives them."""
        if "texts" in request.body:
            found = [list(each) for each in vectors]
            return {"embeddings": found, "texts": list(request.inputs),
                    "response_type": "embeddings_floats"}  # fmt: skip
        return {"embedding": list(vectors[0]), "inputTextTokenCount": request.count_tokens()}


class Bedrock(Provider):
    """Amazon Bedrock."""

    name = "bedrock"
    call_prefix = "tooluse_"
    methods: tuple[str, ...] = (
        "bedrock.converse",
        "bedrock.converseStream",
        "bedrock.invokeModel",
    )
    statuses: Mapping[str, int] = {kind: status for kind, (_, status) in _ERRORS.items()}
    hosts: tuple[str, ...] = ("bedrock-runtime.*.amazonaws.com",)
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    variables: Mapping[str, str] = {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": ""}

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask."""
        found = _PATH.fullmatch(path)
        if verb != "POST" or found is None:
            return None
        model = unquote(found[1])
        match found[2]:
            case "converse":
                return Operation("bedrock.converse", self, Converse(), model)
            case "converse-stream":
                return Operation("bedrock.converseStream", self, Converse(), model, is_stream=True)
            case _:
                return Operation("bedrock.invokeModel", self, InvokeEmbedding(), model)

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """`{"message"}`, and the kind in a header."""
        known = _ERRORS.get(kind) or _ERRORS.get(_OF_STATUS.get(status, ""))
        name = known[0] if known else kind
        request_id = stamp.ids.uuid("request")
        headers = {"x-amzn-errortype": name, "x-amzn-requestid": request_id}
        return headers | retry_headers(retry_after_s), {"message": message}
