"""What was decided about a trial, and about a case; failures that cases have in common.

A run may have more trials than memory has room for. So the decisions of a case may be read from
where they are stored (see `StoredTrials`); what all reports count is kept of each of them.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, overload

from pydantic import Field, WrapValidator
from typing_extensions import override

from harness.trials.values import Frozen, JsonObject

_Item = TypeVar("_Item", covariant=True)


class StoredSequence(Sequence[_Item]):
    """Items that are kept in another form than their own; equal to any sequence of equal items."""

    @abstractmethod
    def item_at(self, place: int) -> _Item:
        """Make one item; its place is from 0 to the length."""

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Item, ...]: ...

    @override
    def __getitem__(self, place: int | slice) -> _Item | tuple[_Item, ...]:
        places = range(len(self))[place]
        return self.item_at(places) if isinstance(places, int) else tuple(map(self.item_at, places))

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as of any sequence that grows

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)})"


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
            in the results of expectations that are not required, and `excess` (a sentence) where
            more was done than is allowed, which nothing mends that comes later.
        required: Whether the trial's verdict depends on it.
        note: What a reader must know of a pass: that answers bear it which the server made up.
            Mostly empty.
    """

    kind: str
    status: CheckStatus
    reason: str = ""
    turn: int | None = None
    numbers: JsonObject = {}
    required: bool = True
    note: str = ""

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


class CheckShape(NamedTuple):
    """What is counted of one check."""

    kind: str
    status: CheckStatus
    required: bool


class TrialShape(NamedTuple):
    """What is counted of one trial; thousands of trials have the same.

    Attributes:
        status: Its status.
        attribution: Whose failure it is, or None.
        checks: What is counted of its checks, in order.
        explained: Whether it has a reason.
    """

    status: TrialStatus
    attribution: Attribution | None
    checks: tuple[CheckShape, ...]
    explained: bool


def shape_of(trial: TrialDecision) -> TrialShape:
    """What is counted of a trial."""
    checks = tuple(CheckShape(each.kind, each.status, each.required) for each in trial.checks)
    return TrialShape(trial.status, trial.attribution, checks, bool(trial.reason))


class StoredTrials(StoredSequence[TrialDecision]):
    """Decisions about the trials of a case that are read when they are asked for."""

    @abstractmethod
    def shapes(self) -> Iterator[TrialShape]:
        """What is counted of each, in order, without reading it."""

    @abstractmethod
    def numbers(self) -> Sequence[int]:
        """Their numbers, in order, without reading them."""

    @abstractmethod
    def scores(self) -> Iterator[float | None]:
        """Their scores, in order, without reading them."""

    @abstractmethod
    def select(self, wanted: Callable[[TrialShape], bool]) -> Iterator[TrialDecision]:
        """Those of some shapes; no other one is read."""


def trial_shapes(trials: Sequence[TrialDecision]) -> Iterable[TrialShape]:
    """What is counted of each trial, in order."""
    return trials.shapes() if isinstance(trials, StoredTrials) else map(shape_of, trials)


def trial_numbers(trials: Sequence[TrialDecision]) -> Sequence[int]:
    """The number of each trial, in order."""
    if isinstance(trials, StoredTrials):
        return trials.numbers()
    return [trial.number for trial in trials]


def trial_scores(trials: Sequence[TrialDecision]) -> Iterable[float | None]:
    """The score of each trial, in order."""
    if isinstance(trials, StoredTrials):
        return trials.scores()
    return (trial.score for trial in trials)


def select_trials(
    trials: Sequence[TrialDecision], wanted: Callable[[TrialShape], bool]
) -> Iterator[TrialDecision]:
    """The trials of some shapes, in order; one at a time is in memory where they are stored."""
    if isinstance(trials, StoredTrials):
        return trials.select(wanted)
    return (trial for trial in trials if wanted(shape_of(trial)))


def find_trial(trials: Sequence[TrialDecision], number: int) -> TrialDecision | None:
    """The trial of a number, or None."""
    try:
        return trials[trial_numbers(trials).index(number)]
    except ValueError:
        return None


def _as_stored(value: Any, validate: Callable[[Any], Sequence[TrialDecision]]) -> Any:
    return value if isinstance(value, StoredTrials) else tuple(validate(value))


_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class CaseDecision(Frozen):
    """What was decided about one case.

    Attributes:
        case: The case's id.
        verdict: By the case's or the run's policy over its valid trials.
        trials: In order of their numbers; a tuple, or `StoredTrials`.
        valid: Trials with status `pass`, `fail` or `agent_error`.
        passed: Valid trials that passed.
        reason: The first reason of the first failure, or an empty string.
    """

    case: str
    verdict: CaseVerdict
    trials: Annotated[Sequence[TrialDecision], WrapValidator(_as_stored)]
    valid: _Count
    passed: _Count
    reason: str = ""
