"""What kind of failure it is, and what can be done about it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.checks import KINDS
from harness.errors import Exit
from harness.model import (
    Case,
    CaseDecision,
    ExitReason,
    RunResult,
    TrialDecision,
    TrialStatus,
)

CLASSES: Mapping[str, str] = {
    **{name: kind.failure for name, kind in KINDS.items()},
    "tampering": "tampering",
}
"""Kind of check to failure class."""

NOT_EVALUATED = "not evaluated"

_OF_STATUS: Mapping[TrialStatus, str] = {
    "agent_error": "agent error",
    "not_evaluated": NOT_EVALUATED,
    "infra_error": "infrastructure",
    "replay_miss": "replay miss",
    "skipped": "skipped",
}
REMEDIES: tuple[tuple[str, str], ...] = (
    ("Tighten the case", "require the terms that a right answer cannot do without"),
    ("Adjust the fixture", "hold exactly the data that the answer must name, and little else"),
    ("Adjust the prompt", "say in the case file what the user would have said anyway"),
    ("Improve the instructions", "mend the agent's system prompt where several cases fail alike"),
    ("Add or improve tools", "give the agent a way to the information that it lacks"),
    ("Use retrieval or web search", "let the agent look up the knowledge of the field it lacks"),
)
"""What can be done when a case fails, whatever its class."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that did not pass.

    Attributes:
        case: The case.
        decision: What was decided.
        classes: What kinds of failure its trials show, the most frequent first.
    """

    case: Case
    decision: CaseDecision
    classes: tuple[str, ...]


def failures(result: RunResult) -> list[Failure]:
    """The cases that failed, are flaky or inconclusive, in run order."""
    cases = {case.id: case for case in result.cases}
    return [
        Failure(cases[decision.case], decision, case_classes(decision))
        for decision in result.decisions
        if decision.verdict not in {"passed", "skipped"}
    ]


def case_classes(decision: CaseDecision) -> tuple[str, ...]:
    """The failure classes of a case over all its trials, the most frequent first."""
    counted = Counter(name for trial in decision.trials for name in trial_classes(trial))
    return tuple(name for name, _ in counted.most_common())


def trial_classes(trial: TrialDecision) -> tuple[str, ...]:
    """The failure classes of one trial, in the order of its checks; none when it passed."""
    if trial.status == "pass":
        return ()
    if trial.status in _OF_STATUS:
        return (_OF_STATUS[trial.status],)
    failed = [check for check in trial.checks if check.required and check.status == "fail"]
    return tuple(dict.fromkeys(CLASSES[check.kind] for check in failed))


def class_counts(result: RunResult) -> dict[str, int]:
    """How many cases show each failure class, the most frequent first."""
    counted = Counter(name for failure in failures(result) for name in failure.classes)
    return dict(counted.most_common())


def beside_cases(result: RunResult) -> list[ExitReason]:
    """What speaks against a run and is not seen at the cases that did not pass."""
    seen = bool(failures(result))
    return [each for each in result.exit_reasons if not seen or each.code == Exit.REGRESSION]


def are_curable(found: Sequence[Failure]) -> bool:
    """Whether a remedy is worth naming: a reply fell short, not only an agent or a server broke."""
    broken = set(_OF_STATUS.values())
    return any(set(failure.classes) - broken for failure in found)
