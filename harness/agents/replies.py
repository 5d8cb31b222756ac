"""Replies that agents give as JSON objects, read whatever their fields are called.

Agents cut text in the middle of a character, write numbers that JSON does not have, and hand over
whatever their language holds. None of that may break the record of a trial.
"""

import json
import math
from typing import Literal

import orjson

from harness.agents.protocol import AgentFailedError, well_formed
from harness.model import Json, JsonObject, Reply, ToolCall, Usage

DEEPEST = 100
"""Levels of lists and objects within one value of a reply."""

TOO_DEEP = f"the reply is nested more than {DEEPEST} levels deep"

_INTEGER_BITS = 64
"""A larger integer is kept as what readers of JSON make of it anyway: a float."""


def decode_json(content: bytes | str) -> Json:
    r"""Decode JSON, also with characters cut in half, which agents that cut text do write.

    Raises:
        AgentFailedError: It is nested too deeply.
        ValueError: It is not JSON; the message says where.

    >>> decode_json('{"text": "cut \\ud83e"}')
    {'text': 'cut \ud83e'}
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if "depth" in error.msg:
            raise _too_deep() from None
        if "surrogate" not in error.msg:
            raise
    try:
        return json.loads(content)
    except RecursionError:
        raise _too_deep() from None


def plain(value: Json, depth: int = 0) -> Json:
    r"""A copy that is JSON and nothing else: halves of characters replaced, NaN as null.

    Raises:
        AgentFailedError: It is nested too deeply, or holds what JSON does not have.

    >>> plain({"a": ("cut \ud83e", float("nan"))})
    {'a': ['cut \ufffd', None]}
    """
    match value:
        case str():
            return well_formed(value)
        case None | bool():
            return value
        case int() | float():
            return _number(value)
        case dict() | list() | tuple() if depth >= DEEPEST:
            raise _too_deep()
        case dict():
            return {_key(name): plain(item, depth + 1) for name, item in value.items()}
        case list() | tuple():
            return [plain(item, depth + 1) for item in value]
        case _:
            kind = type(value).__name__
            raise AgentFailedError(f"the reply holds a {kind}, which JSON does not have")


def _number(value: float) -> float | None:
    if isinstance(value, int) and value.bit_length() < _INTEGER_BITS:
        return value
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _key(name: object) -> str:
    if isinstance(name, str):
        return well_formed(name)
    raise AgentFailedError(f"the reply holds an object with a key that is a {type(name).__name__}")


def _too_deep() -> AgentFailedError:
    return AgentFailedError(TOO_DEEP)


# For each fact the names that agents use for it; the first that is there counts.
TEXT = ("text", "content", "message", "reply", "response", "responseText", "answer", "output")
METADATA = ("metadata", "responseMetadata", "messageMetadata", "structured")
TOOL_CALLS = ("toolCalls", "tool_calls", "toolInvocations", "tools")
ROUNDS = ("rounds", "steps", "stepCount", "turns")
FINISH = ("finish", "finishReason", "finish_reason", "stopReason", "stop_reason")
USAGE = ("usage", "totalUsage", "total_usage")

CALL_NAME = ("name", "toolName", "tool_name", "tool")
CALL_ARGS = ("args", "arguments", "input", "parameters")
CALL_ID = ("id", "toolCallId", "tool_call_id", "callId")
CALL_RESULT = ("result", "output")

INPUT_TOKENS = ("input_tokens", "inputTokens", "prompt_tokens", "promptTokens")
OUTPUT_TOKENS = ("output_tokens", "outputTokens", "completion_tokens", "completionTokens")
COST = ("cost_usd", "costUsd", "cost")

_MOST = 2**53
"""A count from here on says nothing."""

_FAILED = {"error", "failed", "failure", "output-error", "denied"}
_DONE = {"ok", "success", "succeeded", "completed", "done", "result", "output-available"}


def is_reply(value: Json) -> bool:
    """Whether a JSON value is a reply: an object with a field that only replies have."""
    return isinstance(value, dict) and any(
        name in value for names in (TEXT, METADATA, TOOL_CALLS) for name in names
    )


def read_reply(value: Json, *, turn: int, prompt: str) -> Reply:
    """Make a reply of a JSON object.

    Raises:
        AgentFailedError: It is not an object, has none of the known fields, or cannot be written
            down as JSON.

    >>> read_reply({"content": "Fixed.", "steps": 2}, turn=1, prompt="Fix it").rounds
    2
    """
    if not is_reply(value):
        known = ", ".join((*TEXT, *METADATA[:1], *TOOL_CALLS[:1]))
        raise AgentFailedError(
            f"the reply is not a JSON object with one of the fields {known}; it is {_shape(value)}"
        )
    value = plain(value)
    metadata = _first(value, METADATA)
    return Reply(
        turn=turn,
        prompt=prompt,
        text=_text(_first(value, TEXT)),
        metadata=metadata if isinstance(metadata, dict) else None,
        tool_calls=_calls(_first(value, TOOL_CALLS), turn),
        reports_calls=any(name in value for name in TOOL_CALLS),
        rounds=_count(_first(value, ROUNDS)),
        finish=str(_first(value, FINISH) or ""),
        usage=read_usage(_first(value, USAGE)),
    )


def read_usage(value: Json) -> Usage:
    """Make usage of an object with token counts; anything else says nothing.

    >>> read_usage({"promptTokens": 10, "completionTokens": 2}).input_tokens
    10
    """
    if not isinstance(value, dict):
        return Usage()
    cost = _first(value, COST)
    return Usage(
        input_tokens=_count(_first(value, INPUT_TOKENS)),
        output_tokens=_count(_first(value, OUTPUT_TOKENS)),
        cost_usd=_cost(cost),
    )


def read_args(value: Json) -> JsonObject | str:
    """The arguments of a call: an object, decoded from JSON text where needed; else as text.

    Raises:
        AgentFailedError: They are nested too deeply.

    >>> read_args('{"limit": 3}'), read_args(None), read_args("[1")
    ({'limit': 3}, {}, '[1')
    """
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            args = plain(decode_json(value)) if value.strip() else {}
        except ValueError:
            return value
        return args if isinstance(args, dict) else value
    return value if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)


def _first(value: JsonObject, names: tuple[str, ...]) -> Json:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _text(value: Json) -> str:
    if isinstance(value, dict):  # a chat message around the text
        return _text(_first(value, ("content", "text", "parts")))
    if isinstance(value, list):
        parts = (part for part in value if isinstance(part, str | dict))
        return "\n\n".join(text for part in parts if (text := _text(part)))
    return "" if value is None else str(value)


def _calls(value: Json, turn: int) -> tuple[ToolCall, ...]:
    calls = value if isinstance(value, list) else []
    return tuple(_call(call, turn) for call in calls)


def _call(value: Json, turn: int) -> ToolCall:
    if isinstance(value, str):
        return ToolCall(name=value, turn=turn)
    if not isinstance(value, dict):
        raise AgentFailedError(f"a tool call of the reply is {_shape(value)}, not an object")
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    name = _first(inner, CALL_NAME)
    if not isinstance(name, str) or not name:
        raise AgentFailedError(f"a tool call of the reply has no name ({', '.join(CALL_NAME)})")
    return ToolCall(
        name=name,
        args=read_args(_first(inner, CALL_ARGS)),
        id=str(_first(value, CALL_ID) or ""),
        turn=turn,
        step=_count(value.get("step")) or 0,
        status=_status(value),
        result=_first(value, CALL_RESULT),
    )


def _status(call: JsonObject) -> Literal["ok", "error", "unknown"]:
    said = str(call.get("status") or call.get("state") or "").lower()
    if said in _FAILED or call.get("error") or call.get("isError"):
        return "error"
    if said in _DONE or _first(call, CALL_RESULT) is not None:
        return "ok"
    return "unknown"


def _count(value: Json) -> int | None:
    if isinstance(value, list):
        return len(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return None
    return int(value)


def _cost(value: Json) -> float | None:
    """US dollars.

    Raises:
        AgentFailedError: They are negative, which would make room in a budget.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value < 0:
        raise AgentFailedError(f"the reply says that it cost {value} US dollars: less than nothing")
    return float(value)


def _shape(value: Json) -> str:
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, list(value)[:8])) or 'no fields'}"
    return f"a {type(value).__name__}"
