"""Messages of a conversation with a model, in any of the shapes that they are written in; pure.

Chat completions and responses of OpenAI, messages of Anthropic, contents of Gemini and ADK, the
parts of OpenTelemetry's conventions, OpenInference, LangChain and the Vercel AI SDK all say who
spoke, which tools were asked for, and what they gave.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from pydantic_core import from_json, to_json

from mockserver.model import Json, JsonMapping, JsonObject

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: Mapping[str, Role] = {
    "system": "system", "developer": "system", "systemmessage": "system",
    "user": "user", "human": "user", "humanmessage": "user", "humanmessagechunk": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "aimessage": "assistant",
    "aimessagechunk": "assistant", "agent": "assistant",
    "tool": "tool", "function": "tool", "toolmessage": "tool", "tool-response": "tool",
}  # fmt: skip
_CALLS = frozenset({
    "tool_call", "tool_use", "tool-call", "function_call", "functionCall", "server_tool_use",
    "mcp_call", "tool_call_request",
})  # fmt: skip
_RESULTS = frozenset({
    "tool_call_response", "tool_result", "tool-result", "function_call_output", "functionResponse",
    "function_response", "tool_response", "tool-error",
})  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})
_THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking", "summary_text", "thought"})
_DEEPEST = 12
_MOST = 20_000


class MessageCall(NamedTuple):
    """A tool call that a model asks for; its arguments are a text where they are no object."""

    name: str
    arguments: JsonObject | str
    id: str = ""


class MessageResult(NamedTuple):
    """What a tool gave, as the model was told.

    Attributes:
        id: The call's; empty where it is not told.
        name: The tool's; empty where it is not told.
        value: What it gave; a text that is JSON is its value.
        failed: Whether the message says that it failed.
    """

    id: str
    name: str
    value: Json
    failed: bool = False


class ChatMessage(NamedTuple):
    """One message: who speaks, what is said, which tools are asked for, what tools gave."""

    role: Role
    text: str = ""
    calls: tuple[MessageCall, ...] = ()
    results: tuple[MessageResult, ...] = ()


def read_chat(value: Json) -> list[ChatMessage]:
    """The messages that a value holds; none where it holds none.

    >>> read_chat([{"role": "user", "content": "Hello"}])
    [ChatMessage(role='user', text='Hello', calls=(), results=())]
    """
    return list(_messages(unpacked(value), 0))


def unpacked(value: Json) -> Json:
    """A text that is JSON as its value, anything else as it is."""
    for _ in range(2):  # some exporters write texts of texts
        if not isinstance(value, str):
            return value
        begun = value.lstrip()[:1]
        if begun not in {"{", "[", '"'}:
            return value
        try:
            value = from_json(value)
        except ValueError:
            return value
    return value


def _messages(value: Json, depth: int) -> Iterator[ChatMessage]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value[:_MOST]:
            yield from _messages(unpacked(each) if isinstance(each, str) else each, depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(value, depth)


_HOLDERS = (
    "messages", "input_messages", "output_messages", "prompt", "contents", "content", "choices",
    "generations", "candidates", "input", "output", "kwargs", "message", "response",
    "new_message", "newMessage",
)  # fmt: skip


def _of_object(value: JsonObject, depth: int) -> Iterator[ChatMessage]:
    flat = _openinference(value)
    if flat is not None:
        value = flat
    role = _role_of(value)
    if role is not None:
        found = _message(value, role)
        if found is not None:
            yield found
        return
    is_call = "toolCallId" in value or isinstance(value.get("function"), dict)
    if is_call and "type" not in value:  # a list of calls alone
        value = {**value, "type": "tool_call"}
    if str(value.get("type")) in _CALLS | _RESULTS:
        found = _message({"content": [value]}, "assistant")
        if found is not None:
            yield found
        return
    if isinstance(value.get("role"), str) and isinstance(value.get("content"), str):
        # some exporters have the name of a tool there
        result = MessageResult("", str(value["role"]), unpacked(value["content"]))
        yield ChatMessage("tool", "", (), (result,))
        return
    yield from _of_holder(value, depth)


def _of_holder(value: JsonObject, depth: int) -> Iterator[ChatMessage]:
    """The messages of an object that holds some, with what it says of the system beside them.

    Yields:
        Each, in order.
    """
    system = value.get("system") or value.get("instructions") or value.get("system_instruction")
    if system and any(name in value for name in _HOLDERS):
        text = content_text(system)
        if text:
            yield ChatMessage("system", text)
    for name in _HOLDERS:
        held = unpacked(value.get(name))
        if isinstance(held, list | dict) and held:
            inner = list(_messages(held, depth + 1))
            if inner:
                yield from inner
                return


def _role_of(value: JsonObject) -> Role | None:
    for name in ("role", "type", "_type", "message_type"):
        told = value.get(name)
        role = _ROLES.get(told.lower()) if isinstance(told, str) else None
        if role is not None and (name == "role" or _has_content(value)):
            return role
    return None


def _has_content(value: JsonObject) -> bool:
    return any(name in value for name in ("content", "data", "kwargs", "tool_calls", "parts"))


def _openinference(value: JsonObject) -> JsonObject | None:
    """A message of OpenInference, whose fields are called `message.role`; and of LangChain."""
    held = value.get("message")
    if isinstance(held, dict) and ("role" in held or "content" in held):
        return {"role": "assistant", **held}  # of choices, where a log left the role out
    if "message.role" in value:
        return {name.removeprefix("message."): each for name, each in value.items()}
    kind, kwargs = value.get("id"), value.get("kwargs")
    if isinstance(kind, list) and kind and isinstance(kwargs, dict):
        return {"role": str(kind[-1]), **{k: v for k, v in kwargs.items() if k != "type"}}
    data = value.get("data")
    if isinstance(data, dict) and "content" in data and "type" in value:
        return {**data, "role": value["type"]}
    return None


def _message(value: JsonObject, role: Role) -> ChatMessage | None:
    parts = value.get("parts")
    if not isinstance(parts, list | str):
        parts = value.get("content", value.get("contents", value.get("text")))
    parts = unpacked(parts) if role != "user" or _is_parts(parts) else parts
    calls: list[MessageCall] = []
    results: list[MessageResult] = []
    texts: list[str] = []
    if role == "tool" and not _is_parts(parts):
        identity = str(value.get("tool_call_id") or value.get("id") or "")
        name = str(value.get("name") or value.get("tool_name") or "")
        failed = value.get("status") == "error" or value.get("is_error") is True
        results.append(MessageResult(identity, name, unpacked(parts), failed))
        return ChatMessage("tool", "", (), tuple(results))
    for part in parts if isinstance(parts, list) else [parts]:
        _add_part(part, role, texts, calls, results)
    if role == "tool" and texts and not results:
        identity = str(value.get("tool_call_id") or "")
        value_of = unpacked("\n".join(texts))
        results.append(MessageResult(identity, str(value.get("name") or ""), value_of))
        texts.clear()
    told = value.get("tool_calls") or value.get("toolCalls")
    calls += [each for each in map(_call, told if isinstance(told, list) else []) if each]
    if isinstance(old := value.get("function_call"), dict) and (each := _call(old)):
        calls.append(each)
    known: set[tuple[str, str]] = set()
    distinct = []
    for each in calls:  # LangChain has them in the content, and beside it
        key = (each.id, each.name)
        if not each.id or key not in known:
            distinct.append(each)
        known.add(key)
    text = "\n".join(each for each in texts if each)
    if results and not text and not distinct:
        role = "tool"
    if not (text or distinct or results):
        return None
    return ChatMessage(role, text, tuple(distinct), tuple(results))


def _is_parts(value: Json) -> bool:
    """Whether a content is a list of parts, as against a list that a tool gave."""
    value = unpacked(value)
    return isinstance(value, list) and bool(value) and all(map(_is_part, value))


_PART_NAMES = ("functionCall", "function_call", "functionResponse", "function_response")


def _is_part(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    known = _TEXTS | _THOUGHTS | _CALLS | _RESULTS | {"image", "image_url", "file", "audio"}
    named = any(name in value for name in _PART_NAMES)
    return kind in known or named or ("text" in value and len(value) <= 4)


def _add_part(
    part: Json,
    role: Role,
    texts: list[str],
    calls: list[MessageCall],
    results: list[MessageResult],
) -> None:
    if isinstance(part, str):
        texts.append(part)
        return
    if not isinstance(part, dict):
        if part is not None:
            texts.append(to_json(part, inf_nan_mode="constants").decode())
        return
    kind = str(part.get("type") or "")
    inner = next((name for name in _PART_NAMES if isinstance(part.get(name), dict)), "")
    if inner:
        part, kind = part[inner], inner
    if kind in _THOUGHTS or part.get("thought") is True:
        return
    if kind in _CALLS:
        found = _call(part)
        if found is not None:
            calls.append(found)
    elif kind in _RESULTS:
        results.append(_result(part, failed=kind == "tool-error"))
    elif kind in _TEXTS or not kind:
        told = part.get("text", part.get("content"))
        texts.append(content_text(told))
    elif role == "user":
        texts.append(f"[{kind}]")


def _call(value: Json) -> MessageCall | None:
    if not isinstance(value, dict):
        return None
    value = value.get("tool_call") if isinstance(value.get("tool_call"), dict) else value
    inner = value.get("function")
    holder = inner if isinstance(inner, dict) else value
    name = next(
        (holder[key] for key in ("name", "toolName", "tool_name", "function.name",
                                 "tool_call.function.name") if holder.get(key)), ""
    )  # fmt: skip
    if not name:
        return None
    return MessageCall(str(name), call_arguments(holder), identity_of(value))


_ARGUMENT_NAMES = (
    "arguments", "args", "input", "parameters", "function.arguments",
    "tool_call.function.arguments",
)  # fmt: skip


def call_arguments(value: JsonMapping) -> JsonObject | str:
    """The arguments that a call holds; an empty object where it has none."""
    for name in _ARGUMENT_NAMES:
        if name in value:
            held = unpacked(value[name])
            if isinstance(held, dict):
                return held
            return {} if held in (None, "") else str(held)
    return {}


def identity_of(value: JsonMapping) -> str:
    """What the model calls a call."""
    names = ("id", "call_id", "toolCallId", "tool_call_id", "tool_use_id", "tool_call.id")
    preferred = ("call_id", *names) if str(value.get("type")) in {"function_call"} else names
    return str(next((value[name] for name in preferred if value.get(name)), ""))


def _result(part: JsonObject, *, failed: bool) -> MessageResult:
    names = ("tool_use_id", "call_id", "toolCallId", "tool_call_id", "id")
    identity = str(next((part[name] for name in names if part.get(name)), ""))
    name = str(part.get("name") or part.get("toolName") or "")
    told = next(
        (part[key] for key in ("result", "response", "output", "content", "error") if key in part),
        None,
    )
    value = unpacked(told)
    if isinstance(value, dict) and set(value) == {"type", "value"}:  # of the AI SDK
        failed = failed or str(value["type"]).startswith("error")
        value = unpacked(value["value"])
    if isinstance(value, list) and _is_parts(value):
        value = unpacked(content_text(value))
    failed = failed or part.get("is_error") is True or part.get("isError") is True
    return MessageResult(identity, name, value, failed)


def content_text(value: Json) -> str:
    r"""The text of a content: a text, or the texts of its parts.

    >>> content_text([{"type": "text", "text": "a"}, "b"])
    'a\nb'
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(content_text, value[:_MOST])))
    if isinstance(value, dict):
        for name in ("text", "content", "parts", "value"):
            if name in value:
                return content_text(value[name])
        return ""
    return str(value)
