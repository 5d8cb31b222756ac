"""Whose failure a trial is, by rules over facts; first rule that holds.

| Fact | Attribution |
|---|---|
| the agent tampered with the evidence | agent |
| the agent or the mock server was not reached | infrastructure |
| a request had no recording, a method is not emulated, or what chooses was ignored | fixture |
| a judge gave no opinion that could be counted | judge |
| a required check could not be evaluated for another reason, or the case requires nothing | case |
| anything else | agent |
"""

from harness.model import Attribution, TrialDecision, TrialRecord
from mockserver.model import JournalEntry

_JUDGE = "judge"
_WORLD = frozenset({"not_emulated", "replay_miss"})
_REFUSED = 400
_CHOOSING = frozenset({
    "customFilter", "endTime", "filter", "filters", "interval", "maxTime", "minTime", "orderBy",
    "orgUnitPath", "q", "query", "readMask", "sortBy", "sortOrder", "startTime", "updateMask",
    "view",
})  # fmt: skip
"""Parameters that choose what is answered; a live API would have chosen. Others, such as
unknown names and fields that only an answer has, a live API ignores, too."""


def attribute(decision: TrialDecision, record: TrialRecord) -> Attribution | None:
    """Whose failure it is; None for a trial that passed or was skipped."""
    if decision.status in {"pass", "skipped"}:
        return None
    if decision.status == "infra_error":
        return "infrastructure"
    if decision.status == "replay_miss" or _met_the_end_of_the_world(record):
        return "fixture"
    if decision.status == "not_evaluated":
        return _of_what_was_not_evaluated(decision)
    return "agent"


def _met_the_end_of_the_world(record: TrialRecord) -> bool:
    """Whether a call that a live API would have answered was not, or otherwise, answered here."""
    return any(_is_gap(entry) for entry in record.journal.entries if not entry.after_close)


def _is_gap(entry: JournalEntry) -> bool:
    if entry.miss is not None:
        return entry.miss.blame in _WORLD
    # a call that was refused went unanswered for another reason
    return entry.status < _REFUSED and any(
        name.partition(" ")[0] in _CHOOSING for name in entry.ignored
    )


def _of_what_was_not_evaluated(decision: TrialDecision) -> Attribution:
    open_ones = [
        check for check in decision.checks if check.required and check.status == "not_evaluated"
    ]
    judged = bool(open_ones) and all(check.kind == _JUDGE for check in open_ones)
    return "judge" if judged else "case"
