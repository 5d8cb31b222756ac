"""What was decided about a trial, and about a case; failures that cases have in common."""

from typing import Annotated, Literal

from pydantic import Field

from harness.trials.values import Frozen, JsonObject

Attribution = Literal["agent", "case", "fixture", "infrastructure", "judge"]


class Cluster(Frozen):
    """Failures of several cases that lack, or show, the same thing.

    Attributes:
        kind: The check's kind.
        what: What is missing or forbidden: a marker, a tool, a request.
        cases: The cases, in run order; at least two.
        trials: How many trials show it.
    """

    kind: str
    what: str
    cases: tuple[str, ...]
    trials: int


TrialStatus = Literal[
    "pass", "fail", "agent_error", "not_evaluated", "infra_error", "replay_miss", "skipped"
]
CheckStatus = Literal["pass", "fail", "not_evaluated", "informational"]
CaseVerdict = Literal["passed", "failed", "flaky", "inconclusive", "skipped"]


class CheckResult(Frozen):
    """What one check says of one trial.

    Attributes:
        kind: The expectation's kind.
        status: `not_evaluated` means that the facts to decide are missing; never a pass.
        reason: One sentence: what was expected, what was found. Empty on a pass.
        turn: The turn it speaks of, or None.
        numbers: Structured figures (`score`, `min_score`, `met`, `missing`, `rounds`, ...). Each
            check chooses its own keys and says in its docstring what they hold; the class
            attributes of its expectation name those that verdicts and reports read. `passed` stands
            in the results of expectations that are not required.
        required: Whether the trial's verdict depends on it.
    """

    kind: str
    status: CheckStatus
    reason: str = ""
    turn: int | None = None
    numbers: JsonObject = {}
    required: bool = True

    @property
    def is_met(self) -> bool:
        """Whether the trial shows what was expected, required or not."""
        return self.status == "pass" or self.numbers.get("passed") is True


class TrialDecision(Frozen):
    """What was decided about one trial.

    Attributes:
        case: The case's id.
        number: The trial's number.
        status: Exactly one; `not_evaluated` where nothing failed and something required could not
            be evaluated, so that it is outside of all rates.
        checks: Every check, in the order of the expectations.
        not_evaluated: True when a required check could not be evaluated.
        reason: Why it is no pass, one sentence; empty on a pass.
        score: The weighted share of what was required that the trial showed, 0 to 1; None where it
            says nothing about the agent.
        attribution: Whose failure it is; None on a pass, and where it was skipped.
    """

    case: str
    number: int
    status: TrialStatus
    checks: tuple[CheckResult, ...] = ()
    not_evaluated: bool = False
    reason: str = ""
    score: float | None = None
    attribution: Attribution | None = None


_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class CaseDecision(Frozen):
    """What was decided about one case.

    Attributes:
        case: The case's id.
        verdict: By the case's or the run's policy over its valid trials.
        trials: In order of their numbers.
        valid: Trials with status `pass`, `fail` or `agent_error`.
        passed: Valid trials that passed.
        reason: The first reason of the first failure, or an empty string.
    """

    case: str
    verdict: CaseVerdict
    trials: tuple[TrialDecision, ...]
    valid: _Count
    passed: _Count
    reason: str = ""
