"""What a model replied, read from an answer as sent: in any provider's form, whole or streamed.

The form is told by the members of the answer, so that a gateway of any address is understood. A
stream that breaks off says what it had said by then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from mockserver.model import JsonObject
from mockserver.models.messages import ModelReply, ToolCall, Usage, objects, parse_arguments
from mockserver.models.providers.provider import join_texts


@dataclass(slots=True)
class _Call:
    """A tool call whose arguments may come in pieces."""

    name: str = ""
    id: str = ""
    arguments: Any = None
    pieces: list[str] = field(default_factory=list)

    def finished(self) -> ToolCall:
        given = "".join(self.pieces) if self.pieces else self.arguments
        return ToolCall(self.name, parse_arguments(given), self.id)


@dataclass(slots=True)
class _Reading:
    """What was read so far."""

    texts: list[str] = field(default_factory=list)
    calls: dict[object, _Call] = field(default_factory=dict)
    input: int | None = None
    output: int | None = None

    def call(self, key: object) -> _Call:
        return self.calls.setdefault(key, _Call())

    def add_call(self, name: Any, arguments: Any, id: Any) -> None:
        self.calls[len(self.calls), "whole"] = _Call(str(name or ""), str(id or ""), arguments)

    def count(self, used: Any, input: str, output: str) -> None:
        if not isinstance(used, dict):
            return
        self.input = used[input] if isinstance(used.get(input), int) else self.input
        self.output = used[output] if isinstance(used.get(output), int) else self.output


def read_reply(content: str) -> ModelReply | None:
    """The reply of a model; None where an answer is none.

    Args:
        content: The answer as text: JSON, server-sent events, or a JSON object a line.

    >>> read_reply('{"content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}').calls
    (ToolCall(name='f', arguments={}, id='t'),)
    """
    reading, found = _Reading(), False
    for value in reply_values(content):
        for read in _FORMS.values():
            if read(value, reading):
                found = True
                break
    if not found:
        return None
    known = reading.input is not None and reading.output is not None
    return ModelReply(
        text="".join(reading.texts),
        calls=tuple(call.finished() for call in reading.calls.values() if call.name),
        usage=Usage(reading.input or 0, reading.output or 0) if known else None,
    )


def form_of(content: str) -> str | None:
    """The form of a reply: `chat completions`, `messages` and so on; None where it has none.

    >>> form_of('data: {"type": "message_start", "message": {}}')
    'messages'
    """
    for value in reply_values(content):
        for name, read in _FORMS.items():
            if read(value, _Reading()):
                return name
    return None


def reply_values(content: str) -> Iterator[JsonObject]:
    """The objects of an answer: one, those of a list, of the events of a stream, or of its lines.

    Yields:
        Each; what is no JSON is passed over.
    """
    try:
        whole = orjson.loads(content)
    except orjson.JSONDecodeError:
        whole = None
    if whole is not None:
        yield from objects(whole if isinstance(whole, list) else [whole])  # type: ignore[misc]
        return
    for line in content.split("\n"):
        data = line.removeprefix("data:").strip()
        if data[:1] == "{":
            try:
                yield orjson.loads(data)
            except orjson.JSONDecodeError:
                continue


def _read_chat(value: JsonObject, reading: _Reading) -> bool:
    """Chat completions of OpenAI, whole and as chunks."""
    choices = value.get("choices")
    if not isinstance(choices, list):
        return False
    reading.count(value.get("usage"), "prompt_tokens", "completion_tokens")
    for choice in objects(choices)[:1]:
        said = choice.get("message") or choice.get("delta")
        if not isinstance(said, dict):
            continue
        reading.texts.append(join_texts(said.get("content")))
        for place, each in enumerate(objects(said.get("tool_calls"))):
            call = reading.call(each.get("index", place))
            function = each.get("function")
            function = function if isinstance(function, dict) else {}
            call.name += str(function.get("name") or "")
            call.id = str(each.get("id") or call.id)
            call.pieces.append(str(function.get("arguments") or ""))
    return True


def _read_response(value: JsonObject, reading: _Reading) -> bool:
    """Responses of OpenAI, whole, and each item of a stream once it is done."""
    kind = value.get("type")
    if kind == "response.output_item.done":
        _read_items([value.get("item")], reading)
        return True
    if kind in {"response.completed", "response.incomplete"}:
        _read_usage(value.get("response"), reading)
        return True
    if not isinstance(value.get("output"), list):
        return isinstance(kind, str) and kind.startswith("response.")
    _read_items(value["output"], reading)
    _read_usage(value, reading)
    return True


def _read_usage(value: Any, reading: _Reading) -> None:
    if isinstance(value, dict):
        reading.count(value.get("usage"), "input_tokens", "output_tokens")


def _read_items(items: Any, reading: _Reading) -> None:
    for item in objects(items):
        if item.get("type") == "function_call":
            reading.add_call(item.get("name"), item.get("arguments"), item.get("call_id"))
        elif item.get("type") == "message":
            reading.texts.append(join_texts(item.get("content")))


def _read_messages(value: JsonObject, reading: _Reading) -> bool:
    """Messages of Anthropic, whole and as events."""
    match value.get("type"):
        case "message_start":
            _read_usage(value.get("message"), reading)
        case "content_block_start":
            block = value.get("content_block")
            if isinstance(block, dict) and block.get("type") == "tool_use":
                call = reading.call(value.get("index"))
                call.name, call.id = str(block.get("name") or ""), str(block.get("id") or "")
                call.arguments = block.get("input")
        case "content_block_delta":
            delta = value.get("delta")
            if isinstance(delta, dict) and delta.get("type") == "input_json_delta":
                piece = str(delta.get("partial_json") or "")
                reading.call(value.get("index")).pieces.append(piece)
            elif isinstance(delta, dict):
                reading.texts.append(str(delta.get("text") or ""))
        case "message_delta":
            _read_usage(value, reading)
        case _:
            return _read_blocks(value, reading)
    return True


def _read_blocks(value: JsonObject, reading: _Reading) -> bool:
    if not isinstance(value.get("content"), list):
        return False
    _read_usage(value, reading)
    for block in objects(value["content"]):
        if block.get("type") == "tool_use":
            reading.add_call(block.get("name"), block.get("input"), block.get("id"))
        else:
            reading.texts.append(str(block.get("text") or ""))
    return True


def _read_candidates(value: JsonObject, reading: _Reading) -> bool:
    """Generated content of Gemini, whole and in pieces."""
    if not isinstance(value.get("candidates"), list):
        return False
    used = value.get("usageMetadata")
    reading.count(used, "promptTokenCount", "candidatesTokenCount")
    for candidate in objects(value["candidates"])[:1]:
        content = candidate.get("content")
        for part in objects(content.get("parts") if isinstance(content, dict) else None):
            call = part.get("functionCall")
            if isinstance(call, dict):
                reading.add_call(call.get("name"), call.get("args"), call.get("id"))
            elif not part.get("thought"):
                reading.texts.append(str(part.get("text") or ""))
    return True


def _read_converse(value: JsonObject, reading: _Reading) -> bool:
    """Converse of Amazon Bedrock."""
    output = value.get("output")
    message = output.get("message") if isinstance(output, dict) else None
    if not isinstance(message, dict):
        return False
    reading.count(value.get("usage"), "inputTokens", "outputTokens")
    for block in objects(message.get("content")):
        call = block.get("toolUse")
        if isinstance(call, dict):
            reading.add_call(call.get("name"), call.get("input"), call.get("toolUseId"))
        else:
            reading.texts.append(str(block.get("text") or ""))
    return True


def _read_ollama(value: JsonObject, reading: _Reading) -> bool:
    """Chat and generate of Ollama, whole and in lines."""
    message = value.get("message")
    if not isinstance(message, dict) and not ("response" in value and "done" in value):
        return False
    reading.count(value, "prompt_eval_count", "eval_count")
    said: Mapping[str, Any] = message if isinstance(message, dict) else {}
    reading.texts.append(str(said.get("content") or value.get("response") or ""))
    for each in objects(said.get("tool_calls")):
        function = each.get("function")
        if isinstance(function, dict):
            reading.add_call(function.get("name"), function.get("arguments"), each.get("id"))
    return True


_FORMS = {
    "chat completions": _read_chat,
    "responses": _read_response,
    "messages": _read_messages,
    "generate content": _read_candidates,
    "converse": _read_converse,
    "ollama": _read_ollama,
}
