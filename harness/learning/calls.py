"""What of a trace is redacted: facts for its case, and the calls that are played again."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from harness.model import JsonObject
from mockserver.capture.learned import Learned, LearnedCall
from mockserver.traces.agent_traces import AgentTrace, TracedCall

_READING = frozenset({
    "browse", "calculate", "can", "check", "compute", "count", "describe", "estimate", "fetch",
    "find", "get", "glob", "grep", "has", "inspect", "is", "list", "load", "look", "lookup", "ls",
    "query", "read", "retrieve", "search", "show", "validate", "view", "webfetch", "websearch",
})  # fmt: skip
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

_WORDS = re.compile(r"([a-z0-9])([A-Z])")
_OF_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array",
             dict: "object"}  # fmt: skip


def is_reading(name: str, definition: JsonObject | None = None) -> bool:
    """Whether a tool only reads: it says so, or its name begins like that of one that does.

    >>> is_reading("getOrder"), is_reading("order_pizza"), is_reading("mcp__shop__list_orders")
    (True, False, True)
    """
    told = _read_only_hint(definition)
    return _words_of(name)[0] in _READING if told is None else told


def is_writing(name: str, definition: JsonObject | None = None) -> bool:
    """Whether a tool writes: it says so, or a word of its name says so and it does not read."""
    told = _read_only_hint(definition)
    if told is not None:
        return not told
    words = _words_of(name)
    return words[0] not in _READING and not _WRITING.isdisjoint(words)


def _read_only_hint(definition: JsonObject | None) -> bool | None:
    hints = (definition or {}).get("annotations")
    told = hints.get("readOnlyHint") if isinstance(hints, dict) else None
    return told if isinstance(told, bool) else None


def _words_of(name: str) -> list[str]:
    plain = _WORDS.sub(r"\1_\2", name.rpartition("__")[2]).lower()
    return re.split(r"[^a-z0-9]+", plain)


def is_playable(call: TracedCall) -> bool:
    """Whether a call can be played again: what it was given and what came back is known."""
    is_told = call.has_result or call.error is not None
    return is_told and isinstance(call.arguments, dict) and bool(call.name) and "/" not in call.name


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
    return Learned(facts, tuple(_definitions(trace)), calls)


def _learned_call(call: TracedCall, trace: AgentTrace) -> LearnedCall:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    result = call.error if call.error is not None else call.result
    return LearnedCall(
        call.name,
        arguments,
        result,
        failed=call.error is not None,
        reads=is_reading(call.name, trace.tools.get(call.name)),
        at=_moment(call.start_ns),
        duration_ms=round(call.duration_ms, 3),
    )


def _moment(nanoseconds: int) -> str:
    if not nanoseconds:
        return ""
    try:
        moment = datetime.fromtimestamp(nanoseconds / 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
