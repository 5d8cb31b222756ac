"""One trial on the page: messages, calls beside those expected, checks, requests, changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from harness.checks.tools import ToolCallNumbers
from harness.model import (
    Case,
    CheckResult,
    Json,
    JsonObject,
    ToolCall,
    ToolCalls,
    TrialDecision,
    TrialRecord,
)
from mockserver.model import JournalEntry

_HARMLESS = {"", "optional", "ignored"}


@dataclass(frozen=True, slots=True)
class AlignedCall:
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


def align_calls(check: CheckResult, record: TrialRecord | None) -> tuple[AlignedCall, ...]:
    """The alignment that a check of tool calls left, row by row; empty where it left none."""
    if check.kind != ToolCalls.kind_name():
        return ()
    rows = cast("ToolCallNumbers", check.numbers).get("alignment", [])
    calls = _calls(check, record)
    return tuple(_row(row, calls, failed=check.status == "fail") for row in rows)


def _calls(check: CheckResult, record: TrialRecord | None) -> Sequence[ToolCall]:
    """The calls that the rows number; those that only the server saw are told by name alone."""
    if record is None or cast("ToolCallNumbers", check.numbers).get("witness") != "reply":
        return ()
    replies = record.replies
    if check.turn is not None:
        replies = tuple(reply for reply in replies if reply.turn == check.turn)
    return [call for reply in replies for call in reply.tool_calls]


def _row(row: dict[str, Any], calls: Sequence[ToolCall], *, failed: bool) -> AlignedCall:
    at, reason = row.get("call"), row.get("reason", "")
    call = calls[at] if at is not None and at < len(calls) else None
    known = row.get("name", "")
    made = call.name if call else (known if at is not None else "")
    return AlignedCall(
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


MOST_ENTRIES = 60
"""So many entries of a journal are shown."""

_IN_PLAIN_SIGHT = {"alignment", "pairs"}


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check.

    Attributes:
        result: What it says.
        alignment: Expected and actual calls side by side; empty where it compares none.
        numbers: Its other figures.
    """

    result: CheckResult
    alignment: tuple[AlignedCall, ...]
    numbers: JsonObject


@dataclass(frozen=True, slots=True)
class Request:
    """One entry of the journal.

    Attributes:
        entry: The entry.
        answer: The body of the answer, or an empty string.
    """

    entry: JournalEntry
    answer: str


@dataclass(frozen=True, slots=True)
class Change:
    """One resource that the agent changed on the server.

    Attributes:
        collection: Where it is.
        what: `added`, `removed` or `changed`.
        key: Which.
        value: The resource, or what it was and is.
    """

    collection: str
    what: str
    key: str
    value: Json


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial for a page.

    Attributes:
        case: Its case.
        decision: What was decided.
        record: What happened, or None where the record is gone.
        checks: Its checks, those that did not pass first.
        requests: The first entries of the journal.
        more_requests: How many there are besides.
        changes: What the agent changed on the server.
    """

    case: Case
    decision: TrialDecision
    record: TrialRecord | None
    checks: tuple[CheckView, ...]
    requests: tuple[Request, ...]
    more_requests: int
    changes: tuple[Change, ...]


def trial_view(case: Case, decision: TrialDecision, record: TrialRecord | None) -> TrialView:
    """A trial as it is shown."""
    entries = record.journal.entries if record else ()
    return TrialView(
        case=case,
        decision=decision,
        record=record,
        checks=tuple(_checks(decision.checks, record)),
        requests=_requests(record) if record else (),
        more_requests=max(0, len(entries) - MOST_ENTRIES),
        changes=_changes(record.state_diff) if record else (),
    )


def _checks(checks: Sequence[CheckResult], record: TrialRecord | None) -> list[CheckView]:
    views = [
        CheckView(
            result=check,
            alignment=align_calls(check, record),
            numbers={
                name: value for name, value in check.numbers.items() if name not in _IN_PLAIN_SIGHT
            },
        )
        for check in checks
    ]
    return sorted(views, key=lambda view: view.result.status not in {"fail", "not_evaluated"})


def _requests(record: TrialRecord) -> tuple[Request, ...]:
    bodies = record.journal.bodies
    return tuple(
        Request(entry, bodies.get(entry.response_ref, ""))
        for entry in record.journal.entries[:MOST_ENTRIES]
    )


def _changes(diff: Mapping[str, JsonObject]) -> tuple[Change, ...]:
    return tuple(
        Change(collection, what, key, value)
        for collection, kinds in diff.items()
        for what, rows in kinds.items()
        for key, value in rows.items()
    )
