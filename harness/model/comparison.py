"""Two runs beside each other."""

from typing import Literal

from harness.trials.values import Frozen

Flag = Literal["broken", "significant", "suspect", "changed_outcome", "improved", "same"]
ComparisonVerdict = Literal["regressed", "changed", "not_worse", "inconclusive"]


class Totals(Frozen):
    """What one of two runs comes to, counted over all its cases.

    Attributes:
        cases_passed: Cases that passed.
        cases: All cases.
        checks_passed: Required checks that passed, over valid trials.
        checks: All of them.
    """

    cases_passed: int
    cases: int
    checks_passed: int = 0
    checks: int = 0


class Discordant(Frozen):
    """Cases of one trial a side that came out differently: McNemar's test.

    Attributes:
        worse: Cases that passed before, and do not now.
        better: The reverse.
        p_value: Exact, two-sided.
    """

    worse: int
    better: int
    p_value: float


class CaseComparison(Frozen):
    """One case in both runs, over its valid trials.

    Attributes:
        case: The case's id.
        before: Passes and valid trials of the baseline.
        after: Those of the candidate.
        delta: Rate of the candidate minus that of the baseline; negative is worse.
        p_value: One-sided, that it got worse.
        flag: `significant` (worse, after correction over all cases), `broken` (all passed, now
            none, which chance alone may do somewhere in a suite), `suspect` (a lower rate, to be
            tried again), `changed_outcome` (declared deterministic, and no longer the same),
            `improved`, `same`.
        since: Only trials after this number count in `after`: the earlier ones made it suspect.
        scores: Mean scores of the baseline and of the candidate; None where one has none.
    """

    case: str
    before: tuple[int, int]
    after: tuple[int, int]
    delta: float
    p_value: float = 1.0
    flag: Flag = "same"
    since: int = 0
    scores: tuple[float, float] | None = None


class Comparison(Frozen):
    """What the candidate is against the baseline.

    Attributes:
        baseline: Its run id.
        candidate: Its run id.
        cases: The cases that both have, with the same hash and valid trials on both sides.
        added: Cases that only the candidate has.
        removed: Cases that only the baseline has.
        changed: Cases whose hash differs: another question was asked.
        invalid: Cases without a valid trial on one side.
        not_evaluated: Cases with trials that could not be evaluated on one side: a judge was off,
            or a fact is missing. What is left of such a case is a choice, and is not compared.
        effect: Mean difference of the case rates, candidate minus baseline; None without a case.
        low: Lower end of its interval over cases.
        high: Upper end.
        p_value: Of the paired test over cases, two-sided.
        margin: How much worse is still not worse, as a share.
        alpha: The chance of any false alarm, over the suite's test and all cases.
        seed: Of the resampling.
        verdict: `regressed` when the suite or a case is worse; `changed` when a rule was broken
            that allows no difference (deterministic cases, a threshold, cases that are gone);
            `inconclusive` never means that nothing regressed.
        trials_needed: Trials a case that would find a drop of the margin with a power of 80 %, or
            None where none up to the limit would, or where it was not asked for.
        threshold: The fall of one case's rate that was asked to be named, as a share, or None.
        by_score: Whether a fall of its mean score is named, too.
        over_threshold: The cases that fell by more.
        allow_removed: Whether cases of the baseline may be missing.
        explored: Cases that Benjamini and Hochberg would name, of which a share of alpha may be
            false; for exploring, no gate.
        discordant: McNemar's test, where each case has one valid trial on each side.
        looks: Trials a case at which the run was looked at, where it was topped up; alpha is that
            of one look.
        before: The baseline, counted; None where that is not known.
        after: The candidate.
        warnings: What to bear in mind when reading it.
    """

    baseline: str
    candidate: str
    cases: tuple[CaseComparison, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    not_evaluated: tuple[str, ...] = ()
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float = 1.0
    margin: float = 0.05
    alpha: float = 0.05
    seed: int = 0
    verdict: ComparisonVerdict = "inconclusive"
    trials_needed: int | None = None
    threshold: float | None = None
    by_score: bool = False
    over_threshold: tuple[str, ...] = ()
    allow_removed: bool = False
    explored: tuple[str, ...] = ()
    discordant: Discordant | None = None
    looks: tuple[int, ...] = ()
    before: Totals | None = None
    after: Totals | None = None
    warnings: tuple[str, ...] = ()

    def flagged(self, *flags: Flag) -> tuple[CaseComparison, ...]:
        """The cases with one of these flags."""
        return tuple(case for case in self.cases if case.flag in flags)
