"""Ollama: chat, generate and embeddings.

Source: Ollama's API documentation and the types of its Python client.
"""

from collections.abc import Iterator, Mapping, Sequence

import orjson
from typing_extensions import override

from mockserver.model import JsonObject
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
from mockserver.models.providers.openai import ROLES, function_names
from mockserver.models.providers.provider import (
    ChatFormat,
    Cut,
    EmbeddingFormat,
    Operation,
    Provider,
    Served,
    Stamp,
    WrongFormatError,
    join_texts,
    kind_of,
    require_list,
    retry_headers,
)
from mockserver.state import rfc3339

_VERSION = "0.12.0"


class Chat(ChatFormat):
    """`POST /api/chat` and, for one prompt, `/api/generate`.

    Args:
        is_generate: Whether it is the second.
    """

    conversation = ("system", "prompt", "messages")

    stream_type = "application/x-ndjson"

    def __init__(self, *, is_generate: bool = False) -> None:
        self._is_generate = is_generate

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form; it is streamed unless it says otherwise."""
        messages: list[Message] = []
        if self._is_generate:
            if not isinstance(body.get("prompt", ""), str):
                raise WrongFormatError(f"prompt: expected a text, got {kind_of(body['prompt'])}")
            if body.get("system"):
                messages.append(Message("system", str(body["system"])))
            messages.append(Message("user", str(body.get("prompt", ""))))
        else:
            for raw in objects(require_list(body, "messages")):
                role = ROLES.get(str(raw.get("role")))
                if role is None:
                    raise WrongFormatError(f"messages: unknown role {str(raw.get('role'))[:100]!r}")
                text = join_texts(raw.get("content"))
                if role == "tool":
                    name = str(raw.get("tool_name") or raw.get("name") or "")
                    result = ToolResult(parse_text(text), str(raw.get("tool_call_id") or ""), name)
                    messages.append(Message(role, results=(result,)))
                    continue
                calls = tuple(
                    ToolCall(str(each.get("name", "")), parse_arguments(each.get("arguments")))
                    for each in objects([call.get("function")
                                         for call in objects(raw.get("tool_calls"))])
                )  # fmt: skip
                messages.append(Message(role, text, calls))
        return ModelRequest(
            str(body.get("model", "")),
            with_names_of_tools(_with_names_in_order(messages)),
            function_names(body.get("tools")),
            body.get("stream") is not False,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """The reply, with its counts."""
        said = self._part(reply.text or reply.refusal, reply.reasoning, reply.calls)
        return orjson.dumps({**_head(request, stamp), **said, **_end(request, reply)})

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> Iterator[bytes]:
        """A reply as a stream.

        Yields:
            A JSON object a line, the last one with the counts.
        """
        head = {**_head(request, stamp), "done": False}
        begun = orjson.dumps(head)[:-1] + b","
        ends = reply.parts.get((self, cut)) or tuple(self._line_ends(reply, cut))
        reply.parts[self, cut] = ends
        for each in ends:
            yield begun + each
        yield _line({**head, **self._part("", "", ()), **_end(request, reply)})

    def _line_ends(self, reply: ModelReply, cut: Cut) -> Iterator[bytes]:
        """What follows the head in each line but the last, which is the same for each request.

        Yields:
            Each end.
        """
        parts = [self._part("", piece, ()) for piece in cut(reply.reasoning)]
        parts += [self._part(piece, "", ()) for piece in cut(reply.text or reply.refusal)]
        parts += [self._part("", "", (call,)) for call in reply.calls]
        for each in parts:
            yield _line(each)[1:]

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """The error in a line."""
        return _line(body)

    def _part(self, text: str, thinking: str, calls: Sequence[ToolCall]) -> JsonObject:
        more: JsonObject = {"thinking": thinking} if thinking else {}
        if self._is_generate:
            return {"response": text, **more}
        message: JsonObject = {"role": "assistant", "content": text, **more}
        if calls:
            message["tool_calls"] = [
                {"function": {"name": call.name, "arguments": call.arguments}} for call in calls
            ]
        return {"message": message}


def _with_names_in_order(messages: list[Message]) -> list[Message]:
    """Messages whose results without a name have those of the last calls, in their order."""
    waiting: list[str] = []
    found: list[Message] = []
    for message in messages:
        if message.calls:
            waiting = [call.name for call in message.calls]
        results = tuple(
            each if each.name or each.id or not waiting
            else ToolResult(each.content, name=waiting.pop(0))
            for each in message.results
        )  # fmt: skip
        found.append(Message(message.role, message.text, message.calls, results))
    return found


def _head(request: ModelRequest, stamp: Stamp) -> JsonObject:
    return {"model": request.model, "created_at": rfc3339(stamp.now)}


def _end(request: ModelRequest, reply: ModelReply) -> JsonObject:
    usage = reply.usage_for(request)
    return {
        "done": True,
        "done_reason": "length" if reply.finish == "length" else "stop",
        "total_duration": 0,
        "load_duration": 0,
        "prompt_eval_count": usage.input,
        "prompt_eval_duration": 0,
        "eval_count": usage.output,
        "eval_duration": 0,
    }


def _line(value: JsonObject) -> bytes:
    return orjson.dumps(value) + b"\n"


class Embed(EmbeddingFormat):
    """`POST /api/embed`, and `/api/embeddings` for one prompt."""

    conversation = ("input", "prompt")

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        given = body.get("prompt", body.get("input"))
        if not isinstance(given, str | list):
            raise WrongFormatError(f"input: expected a text or texts, got {kind_of(given)}")
        inputs = (given,) if isinstance(given, str) else tuple(str(each) for each in given)
        return ModelRequest(str(body.get("model", "")), inputs=inputs, body=body)

    @override
    def embed(self, request: ModelRequest, vectors: Sequence[Sequence[float]]) -> JsonObject:
        """The vectors of the inputs, or the one of the prompt."""
        if "prompt" in request.body:
            return {"embedding": list(vectors[0])}
        return {
            "model": request.model,
            "embeddings": [list(each) for each in vectors],
            "total_duration": 0,
            "load_duration": 0,
            "prompt_eval_count": request.count_tokens(),
        }


class Ollama(Provider):
    """Ollama."""

    name = "ollama"
    methods: tuple[str, ...] = (
        "ollama.chat",
        "ollama.generate",
        "ollama.embed",
        "ollama.embeddings",
        "ollama.tags",
        "ollama.show",
        "ollama.version",
    )
    address = "http://127.0.0.1:11434"
    variables: Mapping[str, str] = {"OLLAMA_HOST": ""}

    def __init__(self) -> None:
        self._operations = {
            "POST /api/chat": Operation("ollama.chat", self, Chat()),
            "POST /api/generate": Operation("ollama.generate", self, Chat(is_generate=True)),
            "POST /api/embed": Operation("ollama.embed", self, Embed()),
            "POST /api/embeddings": Operation("ollama.embeddings", self, Embed()),
            "GET /api/tags": Operation("ollama.tags", self),
            "POST /api/show": Operation("ollama.show", self),
            "GET /api/version": Operation("ollama.version", self),
        }

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask."""
        return self._operations.get(f"{verb} {path}")

    @override
    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """The models that are there, one of them, or the version."""
        details: JsonObject = {"family": "scripted", "format": "gguf", "parameter_size": "0B"}
        if operation.id == "ollama.version":
            return {"version": _VERSION}
        if operation.id == "ollama.show":
            return {"details": details, "model_info": {}, "capabilities": ["completion", "tools"]}
        models: list[JsonObject] = [
            {"name": each, "model": each, "modified_at": rfc3339(stamp.now), "size": 0,
             "digest": "0" * 64, "details": details}
            for each in served.names
        ]  # fmt: skip
        return {"models": models}

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """`{"error"}`."""
        return retry_headers(retry_after_s), {"error": message}
