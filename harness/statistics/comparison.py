"""Two runs, case by case: what came, what went, what got worse, and whether chance explains it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb, sqrt
from statistics import fmean, variance

from harness.model import (
    CaseComparison,
    Comparison,
    ComparisonVerdict,
    Discordant,
    Flag,
    Totals,
)
from harness.statistics.distributions import hypergeometric_share, student_quantile
from harness.statistics.proportions import Interval, clopper_pearson
from harness.statistics.resampling import bootstrap_mean, sign_flip


@lru_cache(maxsize=4096)
def fisher_worse(before: tuple[int, int], after: tuple[int, int]) -> float:
    """The one-sided p-value that a case got worse.

    Args:
        before: Passes and valid trials of the earlier run.
        after: Those of the later one.

    >>> round(fisher_worse((5, 5), (2, 5)), 5)
    0.08333
    """
    (old, of_old), (new, of_new) = before, after
    if not of_old or not of_new:
        return 1.0
    return hypergeometric_share(new, of_new, old + new, of_old + of_new)


def stratified(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> float:
    """The two-sided p-value that the trials of several cases together came out differently.

    Fisher's exact test, case by case, joined: given how many trials of each case passed in both
    runs, the passes of the later run are a sum of independent hypergeometric counts. It sees what
    happens in few cases with several trials, where a test over cases cannot see anything.

    Args:
        pairs: For each case passes and valid trials, before and after.

    >>> round(stratified([((3, 3), (0, 3)), ((3, 3), (0, 3))]), 3)
    0.005
    """
    chances = [1.0]
    seen = 0
    for (old, of_old), (new, of_new) in pairs:
        passed, total = old + new, of_old + of_new
        ways = comb(total, of_new)
        own = [
            comb(passed, count) * comb(total - passed, of_new - count) / ways
            for count in range(of_new + 1)
        ]
        joined = [0.0] * (len(chances) + of_new)
        for place, chance in enumerate(chances):
            for count, share in enumerate(own):
                joined[place + count] += chance * share
        chances, seen = joined, seen + new
    return min(1.0, 2 * min(sum(chances[: seen + 1]), sum(chances[seen:])))


def least_p_value(before: tuple[int, int], after: tuple[int, int]) -> float:
    """The smallest p-value that `fisher_worse` could give, knowing only how many passed in all.

    A case that passed in every trial of both runs, or in none, can never be significant.

    >>> least_p_value((3, 3), (3, 3)), round(least_p_value((3, 3), (1, 3)), 3)
    (1.0, 0.2)
    """
    (old, of_old), (new, of_new) = before, after
    fewest = max(0, old + new - of_old)
    return fisher_worse((old + new - fewest, of_old), (fewest, of_new))


def tarone(
    p_values: Mapping[str, float], least: Mapping[str, float], alpha: float
) -> frozenset[str]:
    """The keys that stay significant when the chance of any false one is held at alpha.

    Tarone's correction (Biometrics 46, 1990): a test that could not reach significance whatever
    its outcome can raise no false alarm either, so only the others are counted.

    Args:
        p_values: Of exact tests.
        least: For each key the smallest p-value that its test could have given.
        alpha: The chance of any false alarm.
    """
    for tests, _ in enumerate(p_values, 1):
        able = [key for key in p_values if least[key] <= alpha / tests]
        if len(able) <= tests:
            return frozenset(key for key in able if p_values[key] <= alpha / tests)
    return frozenset()


def benjamini_hochberg(p_values: Mapping[str, float], alpha: float = 0.05) -> frozenset[str]:
    """The keys of which at most a share of alpha is expected to be false; for exploring."""
    ranked = sorted(p_values.items(), key=lambda item: item[1])
    last = max(
        (rank for rank, (_, p) in enumerate(ranked, 1) if p <= alpha * rank / len(ranked)),
        default=0,
    )
    return frozenset(key for key, _ in ranked[:last])


def mcnemar(worse: int, better: int) -> float:
    """The p-value of discordant pairs; for one trial a case on each side, never for more.

    >>> mcnemar(5, 0)
    0.0625
    """
    total = worse + better
    if not total:
        return 1.0
    least, pairs = min(worse, better), 1 << total
    tail = 2 * sum(comb(total, count) for count in range(least + 1))
    return min(1.0, tail / pairs)


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
