"""What the readers of several formats share: spans by the conventions for generative AI."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from mockserver.model import Json, JsonObject
from mockserver.traces.spans import Span, SpanEvent, SpanKind, finite

_OPERATIONS: Mapping[SpanKind, str] = {
    "agent": "invoke_agent", "model": "chat", "tool": "execute_tool",
}  # fmt: skip
_LATEST = 253_402_300_800


class Told(NamedTuple):
    """What a record tells of one step of an agent.

    Attributes:
        trace: The trace's id.
        id: Its own.
        parent: Its parent's, or an empty string.
        name: Its name; of a tool, the tool's.
        kind: What it is.
        start: RFC 3339, seconds since 1970, or anything else where it is not told.
        end: The same, of its end.
        input: Messages or arguments.
        output: Messages or a result.
        error: What it failed with; empty where it did not.
        facts: Further attributes by the conventions; None is left out.
        scores: Name, figure or label, and reason.
    """

    trace: str
    id: str
    parent: str
    name: str
    kind: SpanKind
    start: Json = None
    end: Json = None
    input: Json = None
    output: Json = None
    error: str = ""
    facts: Mapping[str, Json] = {}
    scores: tuple[tuple[str, Json, str], ...] = ()


def span_of(told: Told) -> Span:
    """A step as a span."""
    attributes: JsonObject = {"gen_ai.operation.name": _OPERATIONS.get(told.kind)}
    if told.kind == "tool":
        attributes["gen_ai.tool.name"] = told.name
        attributes["gen_ai.tool.call.arguments"] = told.input
        attributes["gen_ai.tool.call.result"] = told.output
    elif told.kind == "model":
        attributes["gen_ai.input.messages"] = told.input
        attributes["gen_ai.output.messages"] = told.output
    else:
        attributes["input.value"] = told.input
        attributes["output.value"] = told.output
    attributes |= told.facts
    return Span(
        trace=told.trace,
        id=told.id,
        parent=told.parent,
        name=told.name,
        start_ns=nanoseconds(told.start),
        end_ns=nanoseconds(told.end),
        attributes={name: value for name, value in attributes.items() if value is not None},
        events=tuple(_score_events(told.scores)),
        is_error=bool(told.error),
        message=told.error,
    )


def _score_events(scores: Iterable[tuple[str, Json, str]]) -> Iterable[SpanEvent]:
    for name, value, reason in scores:
        figure = float(value) if isinstance(value, bool) else finite(value)
        kind = "label" if figure is None else "value"
        yield SpanEvent(
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": name,
                f"gen_ai.evaluation.score.{kind}": str(value or "") if figure is None else figure,
                "gen_ai.evaluation.explanation": reason,
            },
        )


def nanoseconds(value: Json) -> int:
    """A moment as nanoseconds since 1970; 0 where the value tells none.

    >>> nanoseconds("2026-01-01T00:00:00Z"), nanoseconds(1767225600), nanoseconds("soon")
    (1767225600000000000, 1767225600000000000, 0)
    """
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, int | float):
        if not 0 < value < _LATEST * 1e9:
            return 0
        for unit in (1, 1e3, 1e6):  # seconds, milliseconds, microseconds
            if value < _LATEST * unit:
                return round(value / unit * 1e9) if unit > 1 else round(value * 1e9)
        return int(value)
    if not isinstance(value, str):
        return 0
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return round(moment.timestamp() * 1e6) * 1000
    except (OverflowError, ValueError, OSError):
        return 0


def text(value: Json) -> str:
    """A text; an empty one in the place of all else."""
    return value if isinstance(value, str) else ""


def record(value: Json) -> JsonObject:
    """An object; an empty one in the place of all else."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> list[JsonObject]:
    """The objects of a list; none in the place of all else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def made_id(*parts: str) -> str:
    """An id for what has none, the same each time."""
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
