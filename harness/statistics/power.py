"""How many trials it takes to see a drop, by simulating runs like the one that was seen."""

from collections.abc import Sequence
from math import exp, lgamma, log, log1p, sqrt
from random import Random  # noqa: TID251  (seeded)
from typing import NamedTuple

from harness.statistics.resampling import sign_flip

SIMULATIONS = 400
_FLIPS = 999
_MOST_COUNTED = 200
"""Cases up to which all choices of signs are counted."""

LOOKS = (3, 6, 12)
"""Trials a case at which a run that is topped up may be looked at."""


class Power(NamedTuple):
    """The chance to see a drop.

    Attributes:
        trials: Trials a case.
        drop: How much lower every rate is, as a share.
        power: The share of simulated comparisons that called it a regression.
    """

    trials: int
    drop: float
    power: float


def power(
    rates: Sequence[float],
    trials: int,
    drop: float,
    *,
    alpha: float = 0.05,
    simulations: int = SIMULATIONS,
    seed: int = 0,
) -> Power:
    """The chance that the paired test over cases sees a drop.

    Args:
        rates: The true rate of each case before.
        trials: Trials a case, in both runs.
        drop: How much lower each rate is after; a rate does not fall below 0.
        alpha: The chance of a false alarm that the test allows.
        simulations: How many pairs of runs are simulated.
        seed: Of the simulation.
    """
    generator = Random(seed)  # noqa: S311  (statistics, not secrets)
    before = [_draws(rate, trials, simulations, generator) for rate in rates]
    after = [_draws(max(0.0, rate - drop), trials, simulations, generator) for rate in rates]
    found = 0
    for number in range(simulations):
        deltas = [new[number] - old[number] for old, new in zip(before, after, strict=True)]
        found += sum(deltas) < 0 and _p_value(deltas, number) < alpha
    return Power(trials, drop, found / simulations)


def _draws(rate: float, trials: int, count: int, generator: Random) -> list[int]:
    """Draw the passes of a case in several runs.

    By logarithms: a float cannot hold the binomial coefficients of 1,030 trials.
    """
    if not 0 < rate < 1:
        return [round(rate) * trials] * count
    mean, reach = rate * trials, 10 * sqrt(trials * rate * (1 - rate)) + 10
    passes = range(max(0, int(mean - reach)), min(trials, int(mean + reach)) + 1)
    won, lost, whole = log(rate), log1p(-rate), lgamma(trials + 1)
    chances = [
        exp(whole - lgamma(k + 1) - lgamma(trials - k + 1) + k * won + (trials - k) * lost)
        for k in passes
    ]
    return generator.choices(passes, chances, k=count)


def _p_value(deltas: Sequence[int], seed: int) -> float:
    """The two-sided p-value of the sign-flip test; exact where there are few enough cases.

    The sums that all choices of signs give are the coefficients of a product of polynomials, one
    for each difference. They stand side by side in one whole number, as far as they count.
    """
    sizes = [abs(each) for each in deltas if each]
    if len(sizes) > _MOST_COUNTED:
        return sign_flip(deltas, draws=_FLIPS, seed=seed)
    width = len(sizes) + 1
    least = (sum(sizes) - abs(sum(deltas))) // 2
    inside = (1 << (least + 1) * width) - 1
    ways = 1
    for size in sizes:
        ways = (ways + (ways << size * width)) & inside
    tail = ways % ((1 << width) - 1)  # the sum of the digits to the base 2 ** width
    return min(1.0, 2 * tail / (1 << len(sizes)))


def trials_needed(
    rates: Sequence[float],
    drop: float,
    *,
    target: float = 0.8,
    most: int = 100,
    seed: int = 0,
) -> int | None:
    """The fewest trials a case with which a drop is seen as often as wanted; None above `most`.

    Raises:
        ValueError: There are no rates.
    """
    if not rates:
        raise ValueError("without a case there is nothing to plan")
    low, high = 1, 1
    while power(rates, high, drop, seed=seed).power < target:
        if high >= most:
            return None
        low, high = high + 1, min(most, high * 2)
    while low < high:
        middle = (low + high) // 2
        if power(rates, middle, drop, seed=seed).power >= target:
            high = middle
        else:
            low = middle + 1
    return high


def detectable_drop(
    rates: Sequence[float], trials: int, *, target: float = 0.8, seed: int = 0
) -> float | None:
    """The smallest drop, in steps of a hundredth, that so many trials see as often as wanted."""
    low, high = 1, 100
    if not rates or power(rates, trials, 1.0, seed=seed).power < target:
        return None
    while low < high:
        middle = (low + high) // 2
        if power(rates, trials, middle / 100, seed=seed).power >= target:
            high = middle
        else:
            low = middle + 1
    return high / 100


def corrected_alpha(alpha: float, looks: int) -> float:
    """What each of several looks may spend, so that all of them together hold alpha.

    >>> round(corrected_alpha(0.05, 3), 4)
    0.0167
    """
    return alpha / looks
