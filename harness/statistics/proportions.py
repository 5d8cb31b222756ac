"""Rates of passes: what is known of one case from its trials."""

from math import comb, sqrt
from typing import NamedTuple

from harness.model import Classification
from harness.statistics.distributions import beta_quantile, normal_quantile


def check_counts(passes: float, trials: float) -> None:
    """Refuse counts that cannot be.

    Raises:
        ValueError: Fewer than no passes, or more of them than trials.
    """
    if not 0 <= passes <= trials:
        raise ValueError(f"{passes} of {trials} trials cannot have passed")


class Interval(NamedTuple):
    """Both ends of an interval, from 0 to 1 where it is one of rates."""

    low: float
    high: float


def wilson(passes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a rate; everything is possible where nothing was tried.

    It is for independent trials of one case, or for a suite with one trial a case.

    >>> [round(end, 4) for end in wilson(4, 5)]
    [0.3755, 0.9638]
    """
    check_counts(passes, trials)
    if not trials:
        return Interval(0.0, 1.0)
    z = normal_quantile(0.5 + confidence / 2)
    rate, weight = passes / trials, z * z / trials
    half = z * sqrt(rate * (1 - rate) / trials + weight / (4 * trials)) / (1 + weight)
    middle = (rate + weight / 2) / (1 + weight)
    low = max(0.0, middle - half) if passes else 0.0
    return Interval(low, min(1.0, middle + half) if passes < trials else 1.0)


def clopper_pearson(passes: float, trials: float, confidence: float = 0.95) -> Interval:
    """The exact interval of a rate: wider, with a coverage that is guaranteed.

    Counts need not be whole: a share of trials may stand for fewer independent ones.

    >>> [round(end, 3) for end in clopper_pearson(8, 8)]
    [0.631, 1.0]
    """
    check_counts(passes, trials)
    tail = (1 - confidence) / 2
    low = 0.0 if passes <= 0 else beta_quantile(tail, passes, trials - passes + 1)
    high = 1.0 if passes >= trials else beta_quantile(1 - tail, passes + 1, trials - passes)
    return Interval(low, high)


def pass_at_k(passes: int, trials: int, k: int) -> float | None:
    """The chance that at least one of k trials passes, without bias; None below k trials."""
    check_counts(passes, trials)
    if k < 1 or trials < k:
        return None
    return 1 - comb(trials - passes, k) / comb(trials, k)


def pass_hat_k(passes: int, trials: int, k: int) -> float | None:
    """The chance that all of k trials pass, without bias; None below k trials.

    >>> pass_hat_k(4, 5, 2), pass_hat_k(3, 3, 5)
    (0.6, None)
    """
    check_counts(passes, trials)
    if k < 1 or trials < k:
        return None
    return comb(passes, k) / comb(trials, k)


def classify(passes: int, trials: int) -> Classification:
    """What the trials of one run say of a case; one trial says nothing.

    >>> classify(3, 3), classify(0, 2), classify(1, 2), classify(1, 1)
    ('always_pass', 'always_fail', 'flaky', 'unknown')
    """
    check_counts(passes, trials)
    if trials < 2:
        return "unknown"
    if passes in {0, trials}:
        return "always_pass" if passes else "always_fail"
    return "flaky"
