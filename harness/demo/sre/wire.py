"""A reply as others read it: events of ADK, chat completions, one JSON object."""

from collections.abc import Iterator
from typing import Any

from harness.demo.sre.agent import Reply
from harness.demo.sre.toolbox import Use

JsonObject = dict[str, Any]

_AUTHOR = "sre"
_MODEL = "sre-rules"


def adk_events(reply: Reply) -> list[JsonObject]:
    """The events of a turn: each tool that is called and what it gives, then the answer."""
    events = []
    for number, use in enumerate(reply.uses, start=1):
        call = {"id": f"call-{number}", "name": use.name}
        response = use.result if isinstance(use.result, dict) else {"result": use.result}
        events.append(_event("model", {"functionCall": call | {"args": use.args}}))
        events.append(_event("user", {"functionResponse": call | {"response": response}}))
    return [*events, _event("model", {"text": reply.text}) | {"turnComplete": True}]


def _event(role: str, part: JsonObject) -> JsonObject:
    return {"author": _AUTHOR, "content": {"role": role, "parts": [part]}, "partial": False}


def chat_completion(reply: Reply) -> JsonObject:
    """The answer of `/v1/chat/completions`."""
    message: JsonObject = {"role": "assistant", "content": reply.text}
    calls = [_tool_call(use, number) for number, use in enumerate(reply.uses)]
    message |= {"tool_calls": calls} if calls else {}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"object": "chat.completion", "model": _MODEL, "choices": [choice]}


def chat_chunks(reply: Reply) -> Iterator[JsonObject]:
    """The same in pieces.

    Yields:
        The calls, the answer word by word, the end.
    """
    for number, use in enumerate(reply.uses):
        yield _chunk({"tool_calls": [{"index": number} | _tool_call(use, number)]})
    for word in reply.text.split(" "):
        yield _chunk({"content": f"{word} "})
    yield _chunk({}, finish="stop")


def _chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": _MODEL, "choices": [choice]}


def _tool_call(use: Use, number: int) -> JsonObject:
    import json

    function = {"name": use.name, "arguments": json.dumps(use.args)}
    return {"id": f"call-{number}", "type": "function", "function": function}


def as_json(reply: Reply) -> JsonObject:
    """The answer of the command."""
    return {
        "text": reply.text,
        "toolCalls": [
            {"name": use.name, "args": use.args, "status": use.status, "step": step}
            for step, use in enumerate(reply.uses)
        ],
        "rounds": len(reply.uses) + 1,
    }
