"""Seeded resampling: the same input and seed give the same numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum
from random import Random  # noqa: TID251  (seeded)

from harness.statistics.distributions import draw_passes, quantile_between
from harness.statistics.proportions import Interval

DRAWS = 10_000
SIGN_FLIPS = 20_000
_EXACT_UP_TO = 16
_NOTHING = 1e-12
_ROUNDING = 1e-9
_FEW_KINDS = 20
"""Values of each kind, on average, from which on it is quicker to draw how many there are of it."""


def bootstrap_mean(
    values: Sequence[float], *, confidence: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The percentile interval of a mean, by resampling the values.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("there is nothing to resample")
    numbers = [float(value) for value in values]
    generator = Random(seed)  # noqa: S311  (statistics, not secrets)
    kinds = Counter(numbers)
    if len(kinds) * _FEW_KINDS <= len(numbers):
        sums = sorted(
            fsum(count * value for count, value in zip(counts, kinds, strict=True))
            for counts in draw_counts(list(kinds.values()), draws, generator)
        )
    else:
        sums = sorted(fsum(generator.choices(numbers, k=len(numbers))) for _ in range(draws))
    tail = (1 - confidence) / 2
    low, high = (quantile_between(sums, share) for share in (tail, 1 - tail))
    return Interval(low / len(numbers), high / len(numbers))


def draw_counts(counts: Sequence[int], draws: int, generator: Random) -> Iterator[list[int]]:
    """Draw as many items as there are, with replacement: how many of each kind come.

    Yields:
        The counts of a draw, in the order of the kinds.
    """
    total = sum(counts)
    shares, left = [], total
    for count in counts:
        shares.append(count / left if left else 0.0)
        left -= count
    for _ in range(draws):
        drawn, left = [], total
        for share in shares:
            drawn.append(draw_passes(generator, left, share))
            left -= drawn[-1]
        yield drawn


def sign_flip(deltas: Sequence[float], *, draws: int = SIGN_FLIPS, seed: int = 0) -> float:
    """The two-sided p-value of paired differences, by flipping their signs.

    Exact up to 16 differences that are not zero, else drawn, with one added to hits and draws.

    >>> sign_flip([-0.2] * 6)
    0.03125
    """
    numbers = [float(value) for value in deltas if abs(value) > _NOTHING]
    if not numbers:
        return 1.0
    seen = abs(fsum(numbers)) - _ROUNDING
    if len(numbers) <= _EXACT_UP_TO:
        sums = [0.0]
        for number in numbers:
            sums = [each + number for each in sums] + [each - number for each in sums]
        return sum(abs(each) >= seen for each in sums) / len(sums)
    return (_hits(numbers, seen, draws, Random(seed)) + 1) / (draws + 1)  # noqa: S311


def _hits(numbers: Sequence[float], seen: float, draws: int, generator: Random) -> int:
    """How often signs that are drawn give a sum as far from zero; equal sizes are drawn at once."""
    sizes = Counter(map(abs, numbers)).items()
    hits = 0
    for _ in range(draws):
        total = sum(
            size * (2 * generator.getrandbits(count).bit_count() - count) for size, count in sizes
        )
        hits += abs(total) >= seen
    return hits
