"""What is known of a suite, whose trials hang together case by case."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from harness.statistics.distributions import normal_quantile, student_quantile
from harness.statistics.proportions import Interval
from harness.statistics.resampling import bootstrap_mean

FEWEST_CASES = 10
"""Below this many cases an interval of the suite says nothing; look at the cases."""


class SuiteRate(NamedTuple):
    """The mean over the rates of the cases; each case counts once.

    Attributes:
        mean: From 0 to 1, or None without a case.
        cases: Cases with a valid trial.
        sample: The interval when the cases stand for others like them; None below 10 cases.
        fixed: The interval when the suite is what it is, and only its trials vary; None where a
            case has fewer than two trials.
        bootstrap: The first by resampling cases; None below 10 cases.
    """

    mean: float | None
    cases: int
    sample: Interval | None = None
    fixed: Interval | None = None
    bootstrap: Interval | None = None


def suite_rate(
    counts: Sequence[tuple[int, int]], *, confidence: float = 0.95, seed: int = 0
) -> SuiteRate:
    """The rate of a suite.

    Args:
        counts: For each case its passes and its valid trials; cases without one are left out.
        confidence: Of the intervals.
        seed: Of the resampling.
    """
    known = [(passes, trials) for passes, trials in counts if trials]
    if not known:
        return SuiteRate(None, 0)
    rates = [passes / trials for passes, trials in known]
    enough = len(rates) >= FEWEST_CASES
    return SuiteRate(
        mean=fmean(rates),
        cases=len(rates),
        sample=_of_sample(rates, confidence) if enough else None,
        fixed=_of_trials(known, confidence),
        bootstrap=bootstrap_mean(rates, confidence=confidence, seed=seed) if enough else None,
    )


def _of_sample(rates: Sequence[float], confidence: float) -> Interval:
    """Student's t over the case means; what varies within a case is in their spread."""
    half = student_quantile(0.5 + confidence / 2, len(rates) - 1)
    return _within(fmean(rates), half * sqrt(variance(rates) / len(rates)))


def _of_trials(counts: Sequence[tuple[int, int]], confidence: float) -> Interval | None:
    if any(trials < 2 for _, trials in counts):
        return None
    rates = [passes / trials for passes, trials in counts]
    spread = fmean(
        rate * (1 - rate) / (trials - 1) for rate, (_, trials) in zip(rates, counts, strict=True)
    )
    half = normal_quantile(0.5 + confidence / 2) * sqrt(spread / len(rates))
    return _within(fmean(rates), half)


def _within(mean: float, half: float) -> Interval:
    return Interval(max(0.0, mean - half), min(1.0, mean + half))


def suite_at_k(values: Sequence[float | None]) -> tuple[float | None, int]:
    """The mean of the cases' pass@k or pass^k, and for how many cases it is undefined.

    >>> suite_at_k([1.0, 0.5, None])
    (0.75, 1)
    """
    known = [value for value in values if value is not None]
    return (fmean(known) if known else None), len(values) - len(known)
