"""Distributions that intervals and tests are made of, from the standard library alone.

Each is exact, or agrees with SciPy to 1e-9; the incomplete beta function is the continued fraction
of Numerical Recipes (3rd edition, 6.4), evaluated by Lentz's method.
"""

from collections.abc import Sequence
from math import comb, exp, floor, lgamma, log, log1p, sqrt
from random import Random  # noqa: TID251  (seeded by those who draw)
from statistics import NormalDist

_TINY = 1e-300
_CLOSE = 1e-16
_MOST_TERMS = 100_000
_HALVINGS = 1100
"""Halvings after which no two numbers lie between the ends, however near to 0 they are."""


def normal_quantile(share: float) -> float:
    """Where the standard normal distribution has a share of it below, from 0 to 1."""
    return NormalDist().inv_cdf(share)


def beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function: the share of Beta(a, b) that lies below x.

    >>> beta_share(1, 1, 0.25), round(beta_share(2, 3, 0.5), 4)
    (0.25, 0.6875)
    """
    if not 0 < x < 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    found, step = d, 0.0
    for m in range(1, _MOST_TERMS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 + factor * d, 1 + factor / c
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            step = d * c
            found *= step
        if abs(step - 1) < _CLOSE:
            break
    return found


def beta_quantile(share: float, a: float, b: float) -> float:
    """Where Beta(a, b) has a share of it below.

    >>> round(beta_quantile(0.5, 1, 1), 12)
    0.5
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if beta_share(a, b, middle) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def student_quantile(share: float, freedom: int) -> float:
    """Where Student's t with degrees of freedom has a share of it below.

    >>> round(student_quantile(0.975, 9), 4), student_quantile(0.5, 3)
    (2.2622, 0.0)
    """
    tail = min(share, 1 - share)
    if tail == 0.5:
        return 0.0
    # near its middle 1 - x would lose digits: the other half of the beta function is exact there
    rest = beta_quantile(1 - 2 * tail, 0.5, freedom / 2)
    found = sqrt(freedom * rest / (1 - rest))
    return found if share > 0.5 else -found


def hypergeometric_share(passes: int, of: int, passed: int, total: int) -> float:
    """The chance of as many passes or fewer in a part of some trials, knowing how many passed.

    Args:
        passes: Of the part.
        of: Trials of the part.
        passed: Of all trials.
        total: All trials.

    >>> round(hypergeometric_share(2, 5, 7, 10), 5)
    0.08333
    """
    fewest = max(0, of - (total - passed))
    ways = sum(
        comb(passed, count) * comb(total - passed, of - count)
        for count in range(fewest, passes + 1)
    )
    return ways / comb(total, of)


def quantile_between(ranked: Sequence[float], share: float) -> float:
    """A quantile of sorted values, interpolated between its neighbours.

    >>> quantile_between([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = share * (len(ranked) - 1)
    low = floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (ranked[high] - ranked[low]) * (place - low)


_BITS_OF_RATE = 60


def draw_passes(generator: Random, trials: int, rate: float) -> int:
    """Draw a binomial count: how many of some trials pass.

    The binary digits of each trial's number and of the rate are compared, all trials at once: a
    number is below the rate where the first digit that differs is a zero.
    """
    digits = round(rate * (1 << _BITS_OF_RATE))
    if digits >> _BITS_OF_RATE:
        return trials
    passes, place = 0, _BITS_OF_RATE - 1
    while trials and digits & ((2 << place) - 1):
        ones = generator.getrandbits(trials).bit_count()
        if digits >> place & 1:
            passes += trials - ones
            trials = ones
        else:
            trials -= ones
        place -= 1
    return passes
