"""What of a trace is redacted: facts for its case, and the calls that are played again."""

from collections.abc import Sequence

import orjson

from harness.model import JsonObject
from mockserver.capture.learned import Learned, LearnedCall
from mockserver.messages.mcp_calls import reads_by_name, words_of_name
from mockserver.traces.agent_traces import AgentTrace, TracedCall
from mockserver.traces.spans import moment

_WRITING = frozenset({
    "add", "apply", "approve", "assign", "bash", "book", "buy", "cancel", "charge", "close",
    "create", "delete", "deploy", "drop", "edit", "email", "enroll", "execute", "grant", "insert",
    "invite", "issue", "merge", "modify", "move", "notify", "open", "order", "pay", "post",
    "process", "publish", "put", "refund", "register", "reject", "remove", "rename", "reset",
    "revoke", "run", "save", "schedule", "send", "set", "start", "stop", "submit", "transfer",
    "update", "upload", "write",
})  # fmt: skip
_SHOWN = 10
"""Ids of traces that are alike, of which a case tells."""

_OF_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array",
             dict: "object"}  # fmt: skip


def is_reading(name: str, definition: JsonObject | None = None) -> bool:
    """Whether a tool only reads: it says so, or its name begins like that of one that does.

    >>> is_reading("getOrder"), is_reading("order_pizza"), is_reading("mcp__shop__list_orders")
    (True, False, True)
    """
    told = _read_only_hint(definition)
    return reads_by_name(name) if told is None else told


def is_writing(name: str, definition: JsonObject | None = None) -> bool:
    """Whether a tool writes: it says so, or a word of its name says so and it does not read."""
    told = _read_only_hint(definition)
    if told is not None:
        return not told
    return not reads_by_name(name) and not _WRITING.isdisjoint(words_of_name(name))


def _read_only_hint(definition: JsonObject | None) -> bool | None:
    hints = (definition or {}).get("annotations")
    told = hints.get("readOnlyHint") if isinstance(hints, dict) else None
    return told if isinstance(told, bool) else None


def is_playable(call: TracedCall) -> bool:
    """Whether a call can be played again: what it was given and what came back is known."""
    is_told = call.has_result or call.error is not None
    return is_told and isinstance(call.arguments, dict) and bool(call.name) and "/" not in call.name


def why_not_kept(trace: AgentTrace) -> str:
    """Why no file can hold what a trace tells; empty where one can.

    Numbers of more than 64 bits and halves of characters are no JSON that others could read.
    """
    learned = learned_of(trace)
    try:
        orjson.dumps([learned.facts, learned.tools, *map(list, learned.requests)])
    except TypeError as error:
        return f"cannot be kept: {error}"
    return ""


def learned_of(trace: AgentTrace, alike: Sequence[str] = ()) -> Learned:
    """What of a trace is redacted and kept.

    Args:
        trace: The trace.
        alike: The ids of those that are like it.
    """
    calls = tuple(_learned_call(call, trace) for call in trace.calls if is_playable(call))
    facts: JsonObject = {
        "turns": [
            {
                "user": turn.user,
                "answer": turn.answer,
                "calls": [
                    {
                        "name": call.name,
                        "arguments": call.arguments,
                        "played": is_playable(call),
                        "result": call.result,
                        **({"error": call.error} if call.error is not None else {}),
                    }
                    for call in turn.calls
                ],
            }
            for turn in trace.turns
        ],
        "system": trace.system,
        "agent": trace.agent,
        "error": trace.error,
        "place": trace.place,
        "id": trace.id,
        "alike": list(alike[:_SHOWN]),
        "scores": [each._asdict() for each in trace.scores],
        "missing": list(trace.missing),
    }
    return Learned(facts, tuple(_definitions(trace)), calls, trace.requests)


def _learned_call(call: TracedCall, trace: AgentTrace) -> LearnedCall:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    result = call.error if call.error is not None else call.result
    return LearnedCall(
        call.name,
        arguments,
        result,
        failed=call.error is not None,
        reads=is_reading(call.name, trace.tools.get(call.name)),
        at=moment(call.start_ns),
        duration_ms=round(call.duration_ms, 3),
    )


def _definitions(trace: AgentTrace) -> list[JsonObject]:
    """The tools with their schemas as far as they can be told: as given, else of their calls."""
    found: dict[str, JsonObject] = {}
    for name, told in trace.tools.items():
        schema = told.get("inputSchema")
        is_object = isinstance(schema, dict) and schema.get("type", "object") == "object"
        found[name] = {**told, "inputSchema": schema if is_object else {"type": "object"}}
    for call in trace.calls:
        if call.name in trace.tools or not isinstance(call.arguments, dict):
            continue
        told = found.setdefault(
            call.name,
            {
                "name": call.name,
                "description": "Seen in a trace; its schema is that of the calls.",
                "inputSchema": {"type": "object", "properties": {}},
            },
        )
        for key, value in call.arguments.items():
            kind = _OF_TYPES.get(type(value))
            told["inputSchema"]["properties"].setdefault(key, {"type": kind} if kind else {})
    for name, told in found.items():
        if is_reading(name, told):
            told.setdefault("annotations", {})["readOnlyHint"] = True
    return list(found.values())
