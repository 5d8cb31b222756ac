"""Gemini: generateContent, on the Gemini API and on Vertex AI.

Source: the Discovery documents of both APIs and the types of Google's Python client for them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from typing_extensions import override

from mockserver.model import Json, JsonObject
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
    objects,
    parse_arguments,
    tokens_of,
    with_names_of_tools,
)
from mockserver.models.providers.provider import (
    ChatFormat,
    Cut,
    EmbeddingFormat,
    Operation,
    Provider,
    Served,
    Stamp,
    WrongFormatError,
    event,
    join_texts,
    require_list,
)

_PATH = re.compile(
    r"/v1(?:beta\d*|alpha)?(?:/projects/[^/]+/locations/[^/]+)?"
    r"(?:/publishers/[^/]+)?/(?:models|tunedModels|endpoints)/([^/:]+):(\w+)"
)
_LIST = re.compile(r"/v1(?:beta\d*|alpha)?/models(?:/([^/:]+))?")
_COUNTED = ("contents", "generateContentRequest")
_BEGIN = b'{"candidates":['
_FINISH: Mapping[str, str] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "refusal": "SAFETY",
}
_QUOTA_FAILURE = "type.googleapis.com/google.rpc.QuotaFailure"
_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
_VIOLATION: JsonObject = {
    "quotaMetric": "generativelanguage.googleapis.com/generate_requests_per_model",
    "quotaId": "GenerateRequestsPerMinutePerProjectPerModel",
    "quotaValue": "60",
}


class GenerateContent(ChatFormat):
    """`POST models/{model}:generateContent` and `:streamGenerateContent`.

    Args:
        as_events: Whether a stream is one of events (`alt=sse`); a JSON array otherwise.
    """

    conversation = ("systemInstruction", "system_instruction", "contents")

    def __init__(self, *, as_events: bool = True) -> None:
        self._as_events = as_events
        self.stream_type = "text/event-stream" if as_events else "application/json; charset=UTF-8"

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        messages: list[Message] = []
        system = body.get("systemInstruction") or body.get("system_instruction")
        if isinstance(system, dict):
            messages.append(Message("system", join_texts(system.get("parts"))))
        for raw in objects(require_list(body, "contents")):
            messages += _contents(raw)
        declared = [
            each
            for tool in objects(body.get("tools"))
            for each in objects(tool.get("functionDeclarations", tool.get("function_declarations")))
        ]
        return ModelRequest(
            operation.model,
            with_names_of_tools(messages),
            tuple(str(each["name"]) for each in declared if each.get("name")),
            operation.is_stream,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """A `GenerateContentResponse`."""
        candidate = orjson.dumps(_candidate(_parts(reply), reply, ends=True))
        return _BEGIN + candidate + _end(_head(request, stamp), _counts(reply.usage_for(request)))

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> list[bytes]:
        """One `GenerateContentResponse` for each piece of text and each tool call."""
        head, usage = _head(request, stamp), reply.usage_for(request)
        candidates = reply.parts.get((GenerateContent, cut)) or tuple(_candidates(reply, cut))
        reply.parts[GenerateContent, cut] = candidates
        end = _end(head, {"promptTokenCount": usage.input, "totalTokenCount": usage.input})
        made = [_BEGIN + each + end for each in candidates[:-1]]
        made.append(_BEGIN + candidates[-1] + _end(head, _counts(usage)))
        if self._as_events:
            return [b"data: " + each + b"\r\n\r\n" for each in made]
        return [b"[" + made[0], *(b"," + each for each in made[1:]), b"]"]

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """The envelope in the place of a response."""
        if self._as_events:
            return event(body).replace(b"\n\n", b"\r\n\r\n")
        return (b"," if number else b"[") + orjson.dumps(body) + b"]"


def _contents(raw: Mapping[str, Any]) -> list[Message]:
    parts = objects(raw.get("parts"))
    text = join_texts([each for each in parts if not each.get("thought")])
    if raw.get("role") == "model":
        calls = tuple(
            ToolCall(str(call.get("name", "")), parse_arguments(call.get("args")),
                     str(call.get("id") or ""))
            for each in parts
            if isinstance(call := each.get("functionCall", each.get("function_call")), dict)
        )  # fmt: skip
        return [Message("assistant", text, calls)]
    results = tuple(
        ToolResult(_content(given.get("response")), str(given.get("id") or ""),
                   str(given.get("name", "")))
        for each in parts
        if isinstance(given := each.get("functionResponse", each.get("function_response")), dict)
    )  # fmt: skip
    found = [Message("tool", results=results)] if results else []
    return [*found, Message("user", text)] if text or not found else found


def _content(response: Any) -> Json:
    """What a tool gave back; clients put what is no object under `result` or `output`."""
    if isinstance(response, dict) and len(response) == 1:
        [(name, value)] = response.items()
        return value if name in {"result", "output"} else response
    return response if isinstance(response, dict | list | str) else None


def _head(request: ModelRequest, stamp: Stamp) -> JsonObject:
    return {"modelVersion": request.model, "responseId": stamp.ids.base36("response", 22)}


def _parts(reply: ModelReply) -> list[JsonObject]:
    def call_part(call: ToolCall) -> JsonObject:
        function: JsonObject = {"name": call.name, "args": call.fields}
        return {"functionCall": {"id": call.id, **function} if call.id else function}

    return reply.parts_of(
        lambda each: {"text": each, "thought": True}, lambda each: {"text": each}, call_part
    )


def _candidates(reply: ModelReply, cut: Cut) -> Iterator[bytes]:
    """The candidates of a stream, which are the same for each request.

    Yields:
        One for each piece of text and each tool call.
    """
    pieces: list[JsonObject] = []
    for part in _parts(reply):
        texts = cut(part["text"]) if "text" in part else ()
        pieces += [{**part, "text": each} for each in texts] or [part]
    for number, piece in enumerate(pieces, 1):
        yield orjson.dumps(_candidate([piece], reply, ends=number == len(pieces)))


def _candidate(parts: list[JsonObject], reply: ModelReply, *, ends: bool) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": parts}, "index": 0}
    if ends:
        # arguments are an object here: what is none never reaches the caller
        malformed = any(isinstance(each.arguments, str) for each in reply.calls)
        candidate["finishReason"] = "MALFORMED_FUNCTION_CALL" if malformed else (
            _FINISH[reply.finish]
        )  # fmt: skip
    return candidate


def _counts(usage: Usage) -> JsonObject:
    return {
        "promptTokenCount": usage.input,
        "totalTokenCount": usage.input + usage.output,
        "candidatesTokenCount": usage.output,
    }


def _end(head: JsonObject, counts: JsonObject) -> bytes:
    """What follows the candidates of a response."""
    return b"]," + orjson.dumps({"usageMetadata": counts, **head})[1:]


class EmbedContent(EmbeddingFormat):
    """`POST models/{model}:embedContent`, `:batchEmbedContents`, and `:predict` of Vertex AI."""

    conversation = ("content", "requests", "instances")

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        if "instances" in body:
            inputs = [str(each.get("content", "")) for each in objects(body["instances"])]
        elif "requests" in body:
            inputs = [_text_of(each.get("content")) for each in objects(body["requests"])]
        elif isinstance(body.get("content"), dict):
            inputs = [_text_of(body["content"])]
        else:
            raise WrongFormatError("content: expected an object")
        return ModelRequest(operation.model, inputs=tuple(inputs), body=body)

    @override
    def embed(self, request: ModelRequest, vectors: Sequence[Sequence[float]]) -> JsonObject:
        """The embeddings, each with its `values`."""
        found: list[JsonObject] = [{"values": list(each)} for each in vectors]
        if "instances" in request.body:
            return {
                "predictions": [
                    {"embeddings": {**each, "statistics": {"token_count": tokens_of(text),
                                                           "truncated": False}}}
                    for each, text in zip(found, request.inputs, strict=True)
                ]
            }  # fmt: skip
        return {"embeddings": found} if "requests" in request.body else {"embedding": found[0]}


def _text_of(content: Any) -> str:
    return join_texts(content.get("parts")) if isinstance(content, dict) else ""


class Gemini(Provider):
    """Google's Gemini API and Vertex AI."""

    name = "gemini"
    methods: tuple[str, ...] = (
        "gemini.models.generateContent",
        "gemini.models.streamGenerateContent",
        "gemini.models.embedContent",
        "gemini.models.batchEmbedContents",
        "gemini.models.predict",
        "gemini.models.countTokens",
        "gemini.models.get",
        "gemini.models.list",
    )
    hosts: tuple[str, ...] = ("generativelanguage.googleapis.com", "aiplatform.googleapis.com",
             "*-aiplatform.googleapis.com")  # fmt: skip
    address = "https://generativelanguage.googleapis.com"
    keys = ("GOOGLE_API_KEY",)
    variables: Mapping[str, str] = {
        "GOOGLE_GEMINI_BASE_URL": "",
        "GOOGLE_VERTEX_BASE_URL": "",
    }

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask."""
        if verb == "GET" and (listed := _LIST.fullmatch(path)):
            return Operation("gemini.models.get" if listed[1] else "gemini.models.list", self,
                             model=listed[1] or "")  # fmt: skip
        found = _PATH.fullmatch(path)
        if verb != "POST" or found is None:
            return None
        model, method = found[1], found[2]
        name = f"gemini.models.{method}"
        match method:
            case "generateContent":
                return Operation(name, self, GenerateContent(), model)
            case "streamGenerateContent":
                return Operation(name, self, GenerateContent(), model, is_stream=True)
            case "embedContent" | "batchEmbedContents" | "predict":
                return Operation(name, self, EmbedContent(), model)
            case "countTokens":
                return Operation(name, self, model=model, conversation=_COUNTED)
            case _:
                return None

    @override
    def for_query(self, operation: Operation, query: bytes) -> Operation:
        """A stream is a JSON array unless `alt=sse` is asked for."""
        if b"alt=sse" not in query.split(b"&"):
            return replace(operation, format=GenerateContent(as_events=False))
        return operation

    @override
    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """How many tokens contents are, or the models that are there."""
        if operation.id.endswith("countTokens"):
            inner = body.get("generateContentRequest")
            asked = inner if isinstance(inner, dict) else body
            return {"totalTokens": GenerateContent().parse(asked, operation).count_tokens()}
        if operation.model:
            return _model(operation.model)
        return {"models": [_model(each) for each in served.names]}

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """Google's envelope; a rate limit names the quota and when to try again."""
        from mockserver.googleapi import ApiError, envelope  # readers of replies need none of it

        details: list[JsonObject] = []
        if kind == "rate_limit":
            details.append({"@type": _QUOTA_FAILURE, "violations": [_VIOLATION]})
        if retry_after_s is not None:
            details.append({"@type": _RETRY_INFO, "retryDelay": f"{retry_after_s:g}s"})
        return {}, envelope(ApiError(status, message, details=details), "one_platform")


def _model(name: str) -> JsonObject:
    methods = ["generateContent", "countTokens"]
    return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": methods}
