"""Scores that another tool gave a trial: what runs are held against that were imported."""

from typing import ClassVar, Literal

from harness.checks.expectation import AnyExpectation, Needle, not_evaluated, verdict
from harness.checks.sections import section_of
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord

VERDICT = "verdict"
"""The score that is a verdict on the whole trial."""


class ExpectedScore(AnyExpectation):
    """A score of another tool is a pass, or a figure that is high enough.

    Attributes:
        name: The score's name.
        min: The least figure that passes; None takes the tool's own verdict.
    """

    kind: Literal["score"] = "score"
    failure: ClassVar[str] = "score of another tool"
    of_other_tools: ClassVar[bool] = True
    name: Needle
    min: float | None = None


def check_score(record: TrialRecord, expectation: ExpectedScore) -> CheckResult:
    """Whether a score of the trial passes.

    The numbers are its `name`, its `value`, and the `min` that it was held against.
    """
    found = next((each for each in record.scores if each.name == expectation.name), None)
    if found is None:
        return not_evaluated(expectation, f"no tool gave the trial a score {expectation.name!r}")
    numbers = {"name": found.name, "value": found.value, "min": expectation.min}
    prefix = "" if found.name == VERDICT else f"{found.name}: "
    passes, said = found.passed, found.reason
    if expectation.min is not None and isinstance(found.value, int | float):
        passes = found.value >= expectation.min
        said = "" if passes else f"{found.value:g} is below {expectation.min:g}"
    if passes is None:
        why = said or f"{found.value!r} is neither a pass nor a failure"
        return not_evaluated(expectation, f"{prefix}{why}", **numbers)
    reason = "" if passes else f"{prefix}{said or found.value or 'failed'}"
    return verdict(expectation, reason, **numbers)


SCORE = section_of(
    ExpectedScore, "Scores that another tool gave the trial.", many=True, of_turns=False
)
