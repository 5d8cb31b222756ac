"""Seeded resampling: the same input and seed give the same numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.statistics.proportions import Interval

if TYPE_CHECKING:
    import numpy as np

DRAWS = 10_000
SIGN_FLIPS = 20_000
_EXACT_UP_TO = 16
_NOTHING = 1e-12
_BATCH = 4_000_000
"""Numbers drawn at once; more are drawn in turns, so that memory stays small."""


def bootstrap_mean(
    values: Sequence[float], *, confidence: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The percentile interval of a mean, by resampling the values.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("there is nothing to resample")
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    generator = np.random.default_rng(seed)
    turn = max(1, _BATCH // len(numbers))
    means = np.concatenate(
        [
            numbers[
                generator.integers(0, len(numbers), (min(turn, draws - at), len(numbers)))
            ].mean(axis=1)
            for at in range(0, draws, turn)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def sign_flip(deltas: Sequence[float], *, draws: int = SIGN_FLIPS, seed: int = 0) -> float:
    """The two-sided p-value of paired differences, by flipping their signs.

    Exact up to 16 differences that are not zero, else drawn, with one added to hits and draws.

    >>> sign_flip([-0.2] * 6)
    0.03125
    """
    import numpy as np

    numbers = np.asarray([value for value in deltas if abs(value) > _NOTHING], dtype=float)
    if not len(numbers):
        return 1.0
    seen = abs(numbers.sum()) - 1e-9
    if len(numbers) <= _EXACT_UP_TO:
        codes = np.arange(1 << len(numbers))[:, None] >> np.arange(len(numbers)) & 1
        return float(np.mean(np.abs((codes * 2 - 1) @ numbers) >= seen))
    return (_hits(numbers, seen, draws, seed) + 1) / (draws + 1)


def _hits(numbers: "np.ndarray", seen: float, draws: int, seed: int) -> int:
    import numpy as np

    generator = np.random.default_rng(seed)
    hits, turn = 0, max(1, _BATCH // len(numbers))
    for at in range(0, draws, turn):
        signs = generator.integers(0, 2, (min(turn, draws - at), len(numbers))) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ numbers) >= seen))
    return hits
