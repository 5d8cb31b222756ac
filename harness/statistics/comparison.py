"""Two runs, case by case: what came, what went, what got worse, and whether chance explains it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, variance

from harness.model import (
    CaseComparison,
    Comparison,
    ComparisonVerdict,
    Discordant,
    Flag,
    Totals,
)
from harness.statistics.distributions import student_quantile
from harness.statistics.flags import (
    benjamini_hochberg,
    fisher_worse,
    least_p_value,
    mcnemar,
    stratified,
    tarone,
)
from harness.statistics.proportions import Interval, clopper_pearson
from harness.statistics.resampling import bootstrap_mean, sign_flip

Counts = tuple[int, int]
"""Passes and valid trials of one case."""


def difference_interval(
    pairs: Sequence[tuple[Counts, Counts]], *, confidence: float = 0.95, seed: int = 0
) -> Interval:
    """The interval of the mean of (rate after - rate before) over cases.

    Three intervals are made, and the outermost ends count, for each is too narrow somewhere: the
    bootstrap over cases where there are few of them, Student's t over cases where the differences
    are skewed, and both where hardly any case differs. There the third one holds: the trials that
    were lost and won, each with its exact (Clopper-Pearson) limits, joined by Newcombe's method
    for differences. Without any change in N trials a side it still reaches from -3.7/N to 3.7/N.

    Args:
        pairs: For each case its counts before and after, with at least one trial each.
        confidence: Of the interval, two-sided.
        seed: Of the bootstrap.

    Raises:
        ValueError: There are no cases.

    >>> low, high = difference_interval([((1, 1), (1, 1))] * 8)
    >>> round(low, 2), round(high, 2)
    (-0.37, 0.37)
    """
    deltas = [after[0] / after[1] - before[0] / before[1] for before, after in pairs]
    ends = [
        bootstrap_mean(deltas, confidence=confidence, seed=seed),
        _student(deltas, confidence),
        _lost_and_won(pairs, deltas, confidence),
    ]
    return Interval(
        max(-1.0, min(end.low for end in ends)), min(1.0, max(end.high for end in ends))
    )


def _student(deltas: Sequence[float], confidence: float) -> Interval:
    if len(deltas) < 2:
        return Interval(-1.0, 1.0)
    half = student_quantile(0.5 + confidence / 2, len(deltas) - 1)
    half *= sqrt(variance(deltas) / len(deltas))
    mean = fmean(deltas)
    return Interval(mean - half, mean + half)


def _lost_and_won(
    pairs: Sequence[tuple[Counts, Counts]], deltas: Sequence[float], confidence: float
) -> Interval:
    trials = [min(before[1], after[1]) for before, after in pairs]
    total = len(trials) ** 2 / sum(1 / count for count in trials)
    lost = fmean(max(0.0, -delta) for delta in deltas)
    won = fmean(max(0.0, delta) for delta in deltas)
    lost_limits = clopper_pearson(min(lost * total, total), total, confidence)
    won_limits = clopper_pearson(min(won * total, total), total, confidence)
    down = sqrt((lost_limits.high - lost) ** 2 + (won - won_limits.low) ** 2)
    up = sqrt((won_limits.high - won) ** 2 + (lost - lost_limits.low) ** 2)
    return Interval(won - lost - down, won - lost + up)


_FEWEST_FOR_BROKEN = 3
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What is compared of a run.

    Attributes:
        run: Its id.
        hashes: Case id to case hash, in run order.
        counts: Case id to passes and valid trials.
        deterministic: Cases that allow no difference at all.
        totals: The run, counted; None where that is not known.
        not_evaluated: Cases with trials in which nothing failed, and not everything could be
            evaluated.
        scores: Case id to the mean score of its valid trials, where they have scores.
    """

    run: str
    hashes: Mapping[str, str]
    counts: Mapping[str, tuple[int, int]]
    deterministic: Collection[str] = ()
    totals: Totals | None = None
    not_evaluated: Collection[str] = ()
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Terms:
    """How two runs are judged.

    Attributes:
        margin: How much worse is still not worse, as a share.
        alpha: The chance of any false alarm: half of it is for the suite, half for its cases.
        seed: Of the resampling.
        threshold: Name the cases whose rate fell by more than this; None names none.
        by_score: Name those whose mean score fell by more than the threshold, too.
        explore: Also name the cases that Benjamini and Hochberg would.
        allow_removed: Cases of the baseline may be missing.
    """

    margin: float = 0.05
    alpha: float = 0.05
    seed: int = 0
    threshold: float | None = None
    by_score: bool = False
    explore: bool = False
    allow_removed: bool = False


DEFAULT_TERMS = Terms()


def compare(baseline: Outcomes, candidate: Outcomes, terms: Terms = DEFAULT_TERMS) -> Comparison:
    """Hold a run against an earlier one."""
    both = [case for case in baseline.hashes if case in candidate.hashes]
    changed = tuple(case for case in both if baseline.hashes[case] != candidate.hashes[case])
    # a failure needs no judge, a pass does: the trials of a case that remain would be its worst
    open_ones = {*baseline.not_evaluated, *candidate.not_evaluated}
    same = [case for case in both if case not in changed]
    not_evaluated = tuple(case for case in same if case in open_ones)
    invalid = tuple(
        case for case in same if case not in open_ones and not _is_valid(case, baseline, candidate)
    )
    matched = [case for case in same if case not in {*not_evaluated, *invalid}]
    cases = _flag_cases(matched, baseline, candidate, terms)
    deltas = [case.delta for case in cases]
    effect = fmean(deltas) if deltas else None
    confidence = 1 - terms.alpha
    counts = [(case.before, case.after) for case in cases]
    interval = (
        difference_interval(counts, confidence=confidence, seed=terms.seed) if cases else None
    )
    can_decide = 0.5 ** (len(cases) - 1) < terms.alpha
    p_value = sign_flip(deltas, seed=terms.seed) if can_decide else stratified(counts)
    removed = tuple(case for case in baseline.hashes if case not in candidate.hashes)
    fallen = _fallen_cases(cases, terms)
    found = Comparison(
        baseline=baseline.run,
        candidate=candidate.run,
        cases=cases,
        added=tuple(case for case in candidate.hashes if case not in baseline.hashes),
        removed=removed,
        changed=changed,
        invalid=invalid,
        not_evaluated=not_evaluated,
        effect=effect,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p_value=p_value,
        margin=terms.margin,
        alpha=terms.alpha,
        seed=terms.seed,
        verdict="inconclusive",
        threshold=terms.threshold,
        by_score=terms.by_score,
        over_threshold=fallen,
        allow_removed=terms.allow_removed,
        explored=_explored_cases(cases, terms),
        discordant=_discordant(cases),
        before=baseline.totals,
        after=candidate.totals,
        warnings=_warnings(cases, terms),
    )
    return found.model_copy(update={"verdict": verdict_of(found)})


def verdict_of(found: Comparison) -> ComparisonVerdict:
    """What the figures of a comparison come to: the one rule, which exit codes hold to."""
    flags = {case.flag for case in found.cases}
    fell = found.effect is not None and found.effect < 0 and found.p_value < found.alpha
    if fell or "significant" in flags:
        return "regressed"
    gone = found.removed and not found.allow_removed
    if "changed_outcome" in flags or found.over_threshold or gone:
        return "changed"
    return "not_worse" if found.low is not None and found.low > -found.margin else "inconclusive"


def _is_valid(case: str, *runs: Outcomes) -> bool:
    return all(run.counts.get(case, (0, 0))[1] for run in runs)


def _flag_cases(
    matched: list[str], baseline: Outcomes, candidate: Outcomes, terms: Terms
) -> tuple[CaseComparison, ...]:
    p_values = {
        case: fisher_worse(baseline.counts[case], candidate.counts[case]) for case in matched
    }
    least = {case: least_p_value(baseline.counts[case], candidate.counts[case]) for case in matched}
    significant = tarone(p_values, least, terms.alpha / 2)
    return tuple(
        _compare_case(case, baseline, candidate, p_values[case], significant=case in significant)
        for case in matched
    )


def _compare_case(
    case: str, baseline: Outcomes, candidate: Outcomes, p_value: float, *, significant: bool
) -> CaseComparison:
    before, after = baseline.counts[case], candidate.counts[case]
    delta = after[0] / after[1] - before[0] / before[1]
    flag: Flag = "same"
    if case in candidate.deterministic and abs(delta) > _NOTHING:
        flag = "changed_outcome"
    elif delta < -_NOTHING:
        flag = _worse(before, after, significant=significant)
    elif delta > _NOTHING:
        flag = "improved"
    has_scores = case in baseline.scores and case in candidate.scores
    return CaseComparison(
        case=case,
        before=before,
        after=after,
        delta=delta,
        p_value=p_value,
        flag=flag,
        scores=(baseline.scores[case], candidate.scores[case]) if has_scores else None,
    )


def _worse(before: tuple[int, int], after: tuple[int, int], *, significant: bool) -> Flag:
    if significant:
        return "significant"
    was_whole = before[0] == before[1]
    if was_whole and not after[0] and min(before[1], after[1]) >= _FEWEST_FOR_BROKEN:
        return "broken"
    return "suspect"


def _warnings(cases: tuple[CaseComparison, ...], terms: Terms) -> tuple[str, ...]:
    found = []
    if any(case.before[1] != case.after[1] for case in cases):
        found.append(
            "the runs have different numbers of valid trials a case: the paired test is not exact"
        )
    if cases and all(case.before[1] == case.after[1] == 1 for case in cases):
        found.append("one trial a case: a change of one case cannot be told from chance")
    if terms.threshold is not None:
        found.append(
            f"a fall of one case by more than {terms.threshold:g} is an alarm that chance alone"
            " raises nearly always in a suite of 20 cases with few trials each"
        )
    return tuple(found)


def _explored_cases(cases: tuple[CaseComparison, ...], terms: Terms) -> tuple[str, ...]:
    if not terms.explore:
        return ()
    found = benjamini_hochberg({case.case: case.p_value for case in cases}, terms.alpha)
    return tuple(case.case for case in cases if case.case in found)


def _discordant(cases: tuple[CaseComparison, ...]) -> Discordant | None:
    """Only for one trial a side: repeats of a case hang together, pairing them lies."""
    if not cases or any((case.before[1], case.after[1]) != (1, 1) for case in cases):
        return None
    worse = sum(case.delta < 0 for case in cases)
    better = sum(case.delta > 0 for case in cases)
    return Discordant(worse=worse, better=better, p_value=mcnemar(worse, better))


def _fallen_cases(cases: tuple[CaseComparison, ...], terms: Terms) -> tuple[str, ...]:
    threshold = terms.threshold
    if threshold is None:
        return ()
    return tuple(case.case for case in cases if _fall(case, terms) > threshold + _NOTHING)


def _fall(case: CaseComparison, terms: Terms) -> float:
    """By how much a case fell: in its rate, or in its mean score where that is more."""
    if not terms.by_score or case.scores is None:
        return -case.delta
    return max(-case.delta, case.scores[0] - case.scores[1])
