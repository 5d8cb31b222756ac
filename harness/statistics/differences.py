"""The interval of the mean difference between two runs, case by case."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance

from harness.statistics.proportions import Interval, clopper_pearson
from harness.statistics.resampling import bootstrap_mean

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
    from scipy.stats import t

    if len(deltas) < 2:
        return Interval(-1.0, 1.0)
    half = float(t.ppf(0.5 + confidence / 2, len(deltas) - 1))
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
