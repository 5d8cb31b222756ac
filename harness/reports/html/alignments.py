"""Expected and actual tool calls side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.model import CheckResult, Json, ToolCall, TrialRecord

_HARMLESS = {"", "optional", "ignored"}


@dataclass(frozen=True, slots=True)
class Aligned:
    """One row.

    Attributes:
        expected: The name of the expected call, or an empty string.
        actual: The name of the call that was made, or an empty string.
        args: The arguments of that call, or None where they are not known.
        place: `turn 1, step 0` of that call, or an empty string.
        reason: Why the two are no pair, short; empty for a pair.
        sentence: The same for reading.
        tone: `good`, `bad` or `soft`.
    """

    expected: str
    actual: str
    args: Json
    place: str
    reason: str
    sentence: str
    tone: str


def aligned(check: CheckResult, record: TrialRecord | None) -> tuple[Aligned, ...]:
    """The alignment that a check of tool calls left, row by row; empty where it left none."""
    rows = check.numbers.get("alignment") or ()
    calls = _calls(check, record)
    return tuple(_row(row, calls, failed=check.status == "fail") for row in rows)


def _calls(check: CheckResult, record: TrialRecord | None) -> Sequence[ToolCall]:
    """The calls that the rows number; those that only the server saw are told by name alone."""
    if record is None or check.numbers.get("witness") != "reply":
        return ()
    replies = record.replies
    if check.turn is not None:
        replies = tuple(reply for reply in replies if reply.turn == check.turn)
    return [call for reply in replies for call in reply.tool_calls]


def _row(row: dict[str, Any], calls: Sequence[ToolCall], *, failed: bool) -> Aligned:
    at, reason = row.get("call"), row.get("reason", "")
    call = calls[at] if at is not None and at < len(calls) else None
    known = row.get("name", "")
    made = call.name if call else (known if at is not None else "")
    return Aligned(
        expected=known if row.get("expected") is not None else "",
        actual=made,
        args=call.args if call else None,
        place="" if at is None or row.get("turn") is None else f"turn {row['turn']}",
        reason=reason,
        sentence=row.get("sentence", ""),
        tone=_tone(reason, failed=failed),
    )


def _tone(reason: str, *, failed: bool) -> str:
    if not reason:
        return "good"
    return "bad" if failed and reason not in _HARMLESS else "soft"
