"""One trial in full: what was said, called, checked, seen and changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.model import (
    Case,
    CheckResult,
    Json,
    JsonObject,
    TrialDecision,
    TrialRecord,
)
from harness.reports.html.alignments import Aligned, aligned
from mockserver.model import JournalEntry

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
    alignment: tuple[Aligned, ...]
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
            alignment=aligned(check, record),
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
