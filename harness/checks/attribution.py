"""Whose failure a trial is, by rules over facts; first rule that holds.

| Fact | Attribution |
|---|---|
| the agent or the mock server was not reached | infrastructure |
| a request had no recording, or a method is not emulated | fixture |
| a judge gave no opinion that could be counted | judge |
| a required check could not be evaluated for another reason, or the case requires nothing | case |
| anything else | agent |
"""

from harness.model import Attribution, TrialDecision, TrialRecord

_JUDGE = "judge"
_WORLD = frozenset({"not_emulated", "replay_miss"})


def attribute(decision: TrialDecision, record: TrialRecord) -> Attribution | None:
    """Whose failure it is; None for a trial that passed or was skipped."""
    if decision.status in {"pass", "skipped"}:
        return None
    if decision.status == "infra_error":
        return "infrastructure"
    if decision.status == "replay_miss" or _met_the_end_of_the_world(record):
        return "fixture"
    failed = any(check.required and check.status == "fail" for check in decision.checks)
    if decision.status == "fail" and not failed:
        return _of_what_was_not_evaluated(decision)
    return "agent"


def _met_the_end_of_the_world(record: TrialRecord) -> bool:
    """Whether a call that a live API would have answered was not answered here."""
    return any(
        entry.miss is not None and entry.miss.blame in _WORLD and not entry.after_close
        for entry in record.journal.entries
    )


def _of_what_was_not_evaluated(decision: TrialDecision) -> Attribution:
    open_ones = [
        check for check in decision.checks if check.required and check.status == "not_evaluated"
    ]
    judged = bool(open_ones) and all(check.kind == _JUDGE for check in open_ones)
    return "judge" if judged else "case"
