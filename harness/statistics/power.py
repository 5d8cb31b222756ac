"""How many trials it takes to see a drop, by simulating runs like the one that was seen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

SIMULATIONS = 400
_FLIPS = 999
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
    import numpy as np

    generator = np.random.default_rng(seed)
    before = np.asarray(rates, dtype=float)
    after = np.clip(before - drop, 0.0, 1.0)
    shape = (simulations, len(before))
    deltas = generator.binomial(trials, after, shape) - generator.binomial(trials, before, shape)
    signs = generator.integers(0, 2, (_FLIPS, len(before))) * 2 - 1
    found = _regressions(deltas / trials, signs, alpha)
    return Power(trials, drop, found / simulations)


def _regressions(deltas: "np.ndarray", signs: "np.ndarray", alpha: float) -> int:
    import numpy as np

    seen = deltas.sum(axis=1)
    flipped = np.abs(deltas @ signs.T)
    p_values = ((flipped >= np.abs(seen)[:, None] - 1e-9).sum(axis=1) + 1) / (len(signs) + 1)
    return int(np.count_nonzero((p_values < alpha) & (seen < 0)))


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
