"""OpenAI: chat completions, responses and embeddings, which many other servers speak too.

Source: OpenAI's API reference and the types of its Python client.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from typing_extensions import override

from mockserver.model import JsonObject
from mockserver.models.conversations import Conversation, Exchange, StoredResponse, with_ids
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
    EmbeddingFormat,
    NotFoundError,
    Operation,
    Provider,
    Served,
    Stamp,
    WrongFormatError,
    event,
    float32_bytes,
    join_texts,
    kind_of,
    require_list,
    retry_headers,
)

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Roles of messages."""

_ERRORS: Mapping[str, tuple[str, str | None]] = {
    "invalid_request": ("invalid_request_error", None),
    "authentication": ("invalid_request_error", "invalid_api_key"),
    "permission": ("invalid_request_error", "insufficient_permissions"),
    "not_found": ("invalid_request_error", "model_not_found"),
    "too_large": ("invalid_request_error", "context_length_exceeded"),
    "rate_limit": ("requests", "rate_limit_exceeded"),
    "server_error": ("server_error", None),
    "overloaded": ("server_error", "overloaded"),
    "timeout": ("server_error", "timeout"),
    "previous_response_not_found": ("invalid_request_error", "previous_response_not_found"),
}
_PARAMS: Mapping[str, str] = {"previous_response_not_found": "previous_response_id"}
_LIMITS: Mapping[str, str] = {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "0",
}


_STORED = re.compile(r"/(responses|conversations)/([^/]+)(?:/(input_items|items))?$")
_STORED_METHODS: Mapping[tuple[str, str, str | None], str] = {
    ("GET", "responses", None): "responses.retrieve",
    ("DELETE", "responses", None): "responses.delete",
    ("GET", "responses", "input_items"): "responses.inputItems.list",
    ("GET", "conversations", None): "conversations.retrieve",
    ("DELETE", "conversations", None): "conversations.delete",
    ("GET", "conversations", "items"): "conversations.items.list",
}

_CHUNK = (
    b'data: {"id":"chatcmpl-%b","object":"chat.completion.chunk","created":%d,"model":%b,'
    b'"service_tier":"default","system_fingerprint":null,"choices":['
)
"""What each chunk of a stream begins with."""

_USAGE = (
    b'],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,'
    b'"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},'
    b'"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,'
    b'"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}'
)
"""What follows the choices."""

_COMPLETION = (
    b'{"id":"chatcmpl-%b","object":"chat.completion","created":%d,"model":%b,'
    b'"service_tier":"default","system_fingerprint":null,"choices":[%b' + _USAGE
)
_DONE = event("[DONE]")


def function_names(tools: Any) -> tuple[str, ...]:
    """The names of the functions that a request offers."""
    if not tools:
        return ()
    functions = [each.get("function", each) for each in objects(tools)]
    return tuple(str(each["name"]) for each in objects(functions) if each.get("name"))


class ChatCompletions(ChatFormat):
    """`POST /v1/chat/completions`."""

    conversation = ("messages",)

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        given = require_list(body, "messages")
        messages = [_chat_message(each) for each in given if isinstance(each, dict)]
        return ModelRequest(
            str(body.get("model", operation.model)),
            with_names_of_tools(messages),
            function_names(body.get("tools")),
            body.get("stream") is True,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """A `chat.completion`."""
        usage = reply.usage_for(request)
        [choice] = reply.parts.get(self) or self._choice(reply)
        return _COMPLETION % (
            _chat_id(stamp), stamp.seconds, orjson.dumps(request.model), choice,
            usage.input, usage.output, usage.input + usage.output,
        )  # fmt: skip

    def _choice(self, reply: ModelReply) -> tuple[bytes]:
        message: JsonObject = {
            "role": "assistant",
            "content": reply.text or None,
            "refusal": reply.refusal or None,
            "annotations": [],
        }
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [_chat_call(each) for each in reply.calls]
        choice: JsonObject = {
            "index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply),
        }  # fmt: skip
        made = reply.parts[self] = (orjson.dumps(choice),)
        return made

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> list[bytes]:
        """The `chat.completion.chunk`s, and `[DONE]`."""
        head = _CHUNK % (_chat_id(stamp), stamp.seconds, orjson.dumps(request.model))
        options = request.body.get("stream_options")
        counts = isinstance(options, dict) and options.get("include_usage") is True
        end = b'],"usage":null}\n\n' if counts else b"]}\n\n"
        ends = reply.parts.get((self, cut, end)) or self._chunk_ends(reply, cut, end)
        events = [head + each for each in ends]
        if counts:
            usage = reply.usage_for(request)
            counted = _USAGE % (usage.input, usage.output, usage.input + usage.output)
            events.append(head + counted + b"\n\n")
        events.append(_DONE)
        return events

    def _chunk_ends(self, reply: ModelReply, cut: Cut, end: bytes) -> tuple[bytes, ...]:
        """What follows the head in each chunk, which is the same for each request."""
        choices: list[JsonObject] = [
            {"index": 0, "delta": each, "logprobs": None, "finish_reason": None}
            for each in _deltas(reply, cut)
        ]
        choices[-1]["finish_reason"] = _finish(reply)
        found = tuple(orjson.dumps(each) + end for each in choices)
        reply.parts[self, cut, end] = found
        return found


def _deltas(reply: ModelReply, cut: Cut) -> Iterator[JsonObject]:
    yield {"role": "assistant", "content": "" if reply.text else None, "refusal": None}
    for field, text in (("reasoning_content", reply.reasoning), ("content", reply.text),
                        ("refusal", reply.refusal)):  # fmt: skip
        for piece in cut(text):
            yield {field: piece}
    for index, call in enumerate(reply.calls):
        first = _chat_call(call)
        first["function"] = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, **first}]}
        for piece in cut(call.json_text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
    yield {}


def _chat_message(raw: Mapping[str, Any]) -> Message:
    role = ROLES.get(str(raw.get("role")))
    if role is None:
        raise WrongFormatError(f"messages: unknown role {str(raw.get('role'))[:100]!r}")
    content = raw.get("content")
    text = content if isinstance(content, str) else join_texts(content)
    if role == "tool":
        result = ToolResult(parse_text(text), str(raw.get("tool_call_id") or ""),
                            str(raw.get("name") or ""))  # fmt: skip
        return Message(role, results=(result,))
    asked = raw.get("tool_calls")
    if not asked:
        return Message(role, text)
    calls = tuple(
        ToolCall(str(named.get("name", "")), parse_arguments(named.get("arguments")),
                 str(each.get("id", "")))
        for each in objects(asked)
        if isinstance(named := each.get("function") or each.get("custom"), dict)
    )  # fmt: skip
    return Message(role, text, calls)


def _chat_id(stamp: Stamp) -> bytes:
    return stamp.ids.hex("chatcmpl", 29).encode()


def _chat_call(call: ToolCall) -> JsonObject:
    function: JsonObject = {"name": call.name, "arguments": call.json_text}
    return {"id": call.id, "type": "function", "function": function}


def _finish(reply: ModelReply) -> str:
    return "stop" if reply.finish == "refusal" else reply.finish


class Responses(ChatFormat):
    """`POST /v1/responses`."""

    conversation = ("instructions", "input")

    @override
    def with_history(self, body: JsonObject, stamp: Stamp) -> JsonObject:
        """The request with the items of the response, or the conversation, that it goes on from."""
        previous, conversation = body.get("previous_response_id"), _conversation_id(body)
        if previous and conversation:
            raise WrongFormatError("one of previous_response_id and conversation")
        if previous:
            response = stamp.conversations.responses.find(str(previous))
            if response is None:
                text = f"Previous response with id '{str(previous)[:100]}' not found."
                raise NotFoundError(text, kind="previous_response_not_found", status=400)
            before = response.said.history()
        elif conversation:
            before = _require_conversation(conversation, stamp).items()
        else:
            return body
        return {**body, "input": [*before, *_input_items(body)]}

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form."""
        given = body.get("input", "")
        if not isinstance(given, str | list):
            raise WrongFormatError(f"input: expected a text or a list, got {kind_of(given)}")
        messages: list[Message] = []
        if isinstance(body.get("instructions"), str):
            messages.append(Message("system", str(body["instructions"])))
        if isinstance(given, str):
            messages.append(Message("user", given))
        else:
            messages += _one_turn_each(
                [item for each in objects(given) if (item := _response_item(each)) is not None]
            )
        return ModelRequest(
            str(body.get("model", operation.model)),
            with_names_of_tools(messages),
            function_names(body.get("tools")),
            body.get("stream") is True,
            body,
        )

    @override
    def render(self, request: ModelRequest, reply: ModelReply, stamp: Stamp) -> bytes:
        """A `response`."""
        return orjson.dumps(_stored_response(request, reply, stamp))

    @override
    def stream(
        self, request: ModelRequest, reply: ModelReply, stamp: Stamp, cut: Cut
    ) -> Iterator[bytes]:
        """A reply as a stream.

        Yields:
            The events from `response.created` to `response.completed`.
        """
        done = _stored_response(request, reply, stamp)
        items = done["output"]
        begun = {**done, "status": "in_progress", "output": [], "usage": None,
                 "completed_at": None, "incomplete_details": None}  # fmt: skip
        number = -1

        def send(kind: str, **fields: Any) -> bytes:
            nonlocal number
            number += 1
            return event({"type": kind, "sequence_number": number, **fields}, kind)

        yield send("response.created", response=begun)
        yield send("response.in_progress", response=begun)
        for index, item in enumerate(items):
            place = {"item_id": item["id"], "output_index": index}
            empty = {**item, "status": "in_progress"}
            if item["type"] == "function_call":
                call = {**empty, "arguments": ""}
                yield send("response.output_item.added", output_index=index, item=call)
                name = "response.function_call_arguments"
                for piece in cut(item["arguments"]):
                    yield send(f"{name}.delta", **place, delta=piece)
                yield send(f"{name}.done", **place, name=item["name"], arguments=item["arguments"])
            elif item["type"] == "reasoning":
                yield send("response.output_item.added", output_index=index,
                           item={**item, "summary": []})  # fmt: skip
                [part] = item["summary"]
                part_place = {**place, "summary_index": 0}
                name = "response.reasoning_summary"
                yield send(f"{name}_part.added", **part_place, part={**part, "text": ""})
                for piece in cut(part["text"]):
                    yield send(f"{name}_text.delta", **part_place, delta=piece)
                yield send(f"{name}_text.done", **part_place, text=part["text"])
                yield send(f"{name}_part.done", **part_place, part=part)
            else:
                yield send("response.output_item.added", output_index=index,
                           item={**empty, "content": []})  # fmt: skip
                [part] = item["content"]
                key = "refusal" if part["type"] == "refusal" else "text"
                name = "response.refusal" if key == "refusal" else "response.output_text"
                part_place = {**place, "content_index": 0}
                yield send("response.content_part.added", **part_place, part={**part, key: ""})
                more: JsonObject = {} if key == "refusal" else {"logprobs": []}
                for piece in cut(part[key]):
                    yield send(f"{name}.delta", **part_place, delta=piece, **more)
                yield send(f"{name}.done", **part_place, **{key: part[key]}, **more)
                yield send("response.content_part.done", **part_place, part=part)
            yield send("response.output_item.done", output_index=index, item=item)
        name = "response.completed" if done["status"] == "completed" else "response.incomplete"
        yield send(name, response=done)

    @override
    def error_event(self, kind: str, body: JsonObject, number: int) -> bytes:
        """The event `error`."""
        error = body["error"]
        return event(
            {
                "type": "error", "code": error["code"] or error["type"],
                "message": error["message"], "param": None, "sequence_number": number,
            },
            "error",
        )  # fmt: skip


def _response_item(raw: Mapping[str, Any]) -> Message | None:
    match raw.get("type", "message"):
        case "message":
            role = ROLES.get(str(raw.get("role")))
            if role is None:
                raise WrongFormatError(f"input: unknown role {str(raw.get('role'))[:100]!r}")
            return Message(role, join_texts(raw.get("content")))
        case "function_call" | "custom_tool_call":
            arguments = parse_arguments(raw.get("arguments", raw.get("input")))
            call = ToolCall(str(raw.get("name", "")), arguments, str(raw.get("call_id", "")))
            return Message("assistant", calls=(call,))
        case "function_call_output" | "custom_tool_call_output":
            content = parse_text(join_texts(raw.get("output")))
            return Message("tool", results=(ToolResult(content, str(raw.get("call_id", ""))),))
        case _:
            return None


def _one_turn_each(messages: list[Message]) -> list[Message]:
    """Messages in which the items of one turn of the model are one message."""
    found: list[Message] = []
    for message in messages:
        last = found[-1] if found else None
        if message.role == "assistant" and last is not None and last.role == "assistant":
            text = "\n".join(filter(None, (last.text, message.text)))
            found[-1] = Message("assistant", text, last.calls + message.calls)
        else:
            found.append(message)
    return found


def _input_items(body: JsonObject) -> list[JsonObject]:
    given = body.get("input", "")
    if isinstance(given, list):
        return [{"type": "message", **each} for each in objects(given)]
    part: JsonObject = {"type": "input_text", "text": str(given)}
    return [{"type": "message", "role": "user", "content": [part]}]


def _conversation_id(body: JsonObject) -> str:
    named = body.get("conversation")
    return str((named.get("id") if isinstance(named, dict) else named) or "")


def _require_conversation(id: str, stamp: Stamp) -> Conversation:
    found = stamp.conversations.begun.find(id)
    if found is None:
        raise NotFoundError(f"Conversation with id '{id[:100]}' not found.", kind="invalid_request")
    return found


def _stored_response(request: ModelRequest, reply: ModelReply, stamp: Stamp) -> JsonObject:
    """A `response`, remembered unless the request says otherwise."""
    made = _response(request, reply, stamp, _output_items(reply, stamp))
    body, conversations = request.body, stamp.conversations
    new = tuple(_input_items(body))
    said = (*new, *made["output"])
    previous = conversations.responses.find(str(body.get("previous_response_id") or ""))
    if conversation := _conversation_id(body):
        made["conversation"] = {"id": conversation}
        whole = conversations.say(conversation, said)
    else:
        whole = Exchange.after(previous.said if previous else None, said)
    if made["store"] is not False:
        conversations.keep_response(made["id"], StoredResponse(made, new, whole))
    return made


def _output_items(reply: ModelReply, stamp: Stamp) -> list[JsonObject]:
    def thought_item(text: str) -> JsonObject:
        summary: JsonObject = {"type": "summary_text", "text": text}
        return {"id": f"rs_{stamp.ids.hex('rs', 48)}", "type": "reasoning", "summary": [summary]}

    def text_item(text: str) -> JsonObject:
        part: JsonObject = {"type": "refusal", "refusal": reply.refusal}
        if not reply.refusal:
            part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        return {
            "id": f"msg_{stamp.ids.hex('msg', 48)}", "type": "message", "status": "completed",
            "role": "assistant", "content": [part],
        }  # fmt: skip

    def call_item(call: ToolCall) -> JsonObject:
        return {
            "id": f"fc_{stamp.ids.hex('fc', 48)}", "type": "function_call", "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": call.json_text,
        }  # fmt: skip

    return reply.parts_of(thought_item, text_item, call_item)


def _response(
    request: ModelRequest, reply: ModelReply, stamp: Stamp, items: list[JsonObject]
) -> JsonObject:
    usage, body = reply.usage_for(request), request.body
    cut_off = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(reply.finish)
    return {
        "id": f"resp_{stamp.ids.hex('resp', 48)}",
        "object": "response",
        "created_at": stamp.seconds,
        "completed_at": stamp.seconds,
        "status": "incomplete" if cut_off else "completed",
        "error": None,
        "incomplete_details": {"reason": cut_off} if cut_off else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "model": request.model,
        "output": items,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": {"effort": None, "summary": None},
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "top_p": body.get("top_p", 1.0),
        "truncation": "disabled",
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        },
        "user": body.get("user"),
        "metadata": body.get("metadata") or {},
    }


class Embeddings(EmbeddingFormat):
    """`POST /v1/embeddings`."""

    conversation = ("input",)

    @override
    def parse(self, body: JsonObject, operation: Operation) -> ModelRequest:
        """The request of its JSON form; tokens are taken for texts."""
        given = body.get("input")
        if isinstance(given, str):
            inputs = [given]
        elif isinstance(given, list) and given and all(isinstance(each, int) for each in given):
            inputs = [str(given)]
        elif isinstance(given, list) and given:
            inputs = [each if isinstance(each, str) else str(each) for each in given]
        else:
            raise WrongFormatError(f"input: expected a text or texts, got {kind_of(given)}")
        return ModelRequest(str(body.get("model", "")), inputs=tuple(inputs), body=body)

    @override
    def embed(self, request: ModelRequest, vectors: Sequence[Sequence[float]]) -> JsonObject:
        """A list of `embedding`s, as numbers or in base64 as was asked."""
        coded = request.body.get("encoding_format") == "base64"
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": b64encode(float32_bytes(each)).decode() if coded else list(each),
            }
            for index, each in enumerate(vectors)
        ]
        tokens = request.count_tokens()
        return {
            "object": "list",
            "data": data,
            "model": request.model,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }


class OpenAi(Provider):
    """OpenAI, and servers that speak as it does."""

    name = "openai"
    call_prefix = "call_"
    methods: tuple[str, ...] = (
        "openai.chat.completions.create",
        "openai.responses.create",
        "openai.responses.retrieve",
        "openai.responses.delete",
        "openai.responses.inputItems.list",
        "openai.conversations.create",
        "openai.conversations.retrieve",
        "openai.conversations.delete",
        "openai.conversations.items.list",
        "openai.embeddings.create",
        "openai.models.list",
        "openai.models.retrieve",
    )
    hosts: tuple[str, ...] = (
        "api.openai.com", "*.openai.azure.com", "api.groq.com", "api.mistral.ai",
        "api.together.xyz", "openrouter.ai", "api.deepseek.com", "api.x.ai",
    )  # fmt: skip
    address = "https://api.openai.com"
    keys = ("OPENAI_API_KEY",)
    variables: Mapping[str, str] = {"OPENAI_BASE_URL": "/v1", "OPENAI_API_BASE": "/v1"}

    def __init__(self) -> None:
        self._operations = {
            "/chat/completions": Operation(
                "openai.chat.completions.create", self, ChatCompletions()
            ),
            "/responses": Operation("openai.responses.create", self, Responses()),
            "/embeddings": Operation("openai.embeddings.create", self, Embeddings()),
        }
        self._models = Operation("openai.models.list", self)
        self._model = "openai.models.retrieve"
        self._begin = Operation("openai.conversations.create", self)

    @override
    def find(self, verb: str, path: str) -> Operation | None:
        """What a verb and a path ask, whatever stands before the path."""
        if verb == "POST":
            ends = (end for end in self._operations if path.endswith(end))
            end = next(ends, None)
            if end is None and path.endswith("/conversations"):
                return self._begin
            return self._operations[end] if end else None
        if stored := _STORED.search(path):
            name = _STORED_METHODS.get((verb, stored[1], stored[3]))
            return Operation(f"openai.{name}", self, resource=stored[2]) if name else None
        if verb == "GET" and path.endswith("/models"):
            return self._models
        before, _, model = path.rpartition("/models/")
        if verb == "GET" and before and model:
            return Operation(self._model, self, model=model)
        return None

    @override
    def answer(
        self, operation: Operation, served: Served, body: JsonObject, stamp: Stamp
    ) -> JsonObject:
        """The models that are there, or one of them; what is stored of conversations."""
        _, group, method = operation.id.split(".", 2)
        if group == "responses":
            return _answer_of_response(operation.resource, method, stamp)
        if group == "conversations":
            return _answer_of_conversation(operation.resource, method, body, stamp)
        if operation.model:
            return _model(operation.model, stamp)
        return {"object": "list", "data": [_model(each, stamp) for each in served.names]}

    @override
    def error(
        self, status: int, kind: str, message: str, stamp: Stamp, retry_after_s: float | None = None
    ) -> tuple[Mapping[str, str], JsonObject]:
        """`{"error": {"message", "type", "param", "code"}}`."""
        name, code = _ERRORS.get(kind, (kind, None))
        headers = {"x-request-id": f"req_{stamp.ids.hex('req', 32)}"}
        if kind == "rate_limit":
            headers |= _LIMITS
        if retry_after_s is not None:
            milliseconds = f"{retry_after_s * 1000:.0f}"
            headers |= retry_headers(retry_after_s) | {"retry-after-ms": milliseconds}
            if kind == "rate_limit":
                headers["x-ratelimit-reset-requests"] = f"{milliseconds}ms"
        param = _PARAMS.get(kind)
        return headers, {"error": {"message": message, "type": name, "param": param, "code": code}}


def _model(name: str, stamp: Stamp) -> JsonObject:
    return {"id": name, "object": "model", "created": stamp.seconds, "owned_by": "system"}


def _answer_of_response(id: str, method: str, stamp: Stamp) -> JsonObject:
    """A response that is stored, its input, or that it is forgotten."""
    found = stamp.conversations.responses.find(id)
    if found is None:
        raise NotFoundError(f"Response with id '{id[:100]}' not found.", kind="invalid_request")
    match method:
        case "delete":
            stamp.conversations.responses.forget(id)
            return {"id": id, "object": "response", "deleted": True}
        case "inputItems.list":
            return _item_list([*with_ids(found.input, id)][::-1])
        case _:
            return found.body


def _answer_of_conversation(id: str, method: str, body: JsonObject, stamp: Stamp) -> JsonObject:
    """A conversation that is stored, its items, or that it is begun or forgotten."""
    if method == "create":
        id = f"conv_{stamp.ids.hex('conv', 48)}"
        made: JsonObject = {
            "id": id, "object": "conversation", "created_at": stamp.seconds,
            "metadata": body.get("metadata") or {},
        }  # fmt: skip
        given = tuple(_input_items({"input": body.get("items") or []}))
        said = Exchange.after(None, given) if given else None
        stamp.conversations.keep_conversation(id, Conversation(made, said))
        return made
    found = _require_conversation(id, stamp)
    match method:
        case "delete":
            stamp.conversations.begun.forget(id)
            return {"id": id, "object": "conversation.deleted", "deleted": True}
        case "items.list":
            return _item_list([*with_ids(tuple(found.items()), id)][::-1])
        case _:
            return found.body


def _item_list(items: Sequence[JsonObject]) -> JsonObject:
    ends = {"first_id": items[0]["id"], "last_id": items[-1]["id"]} if items else {}
    return {"object": "list", "data": items, "has_more": False, "first_id": None,
            "last_id": None, **ends}  # fmt: skip
