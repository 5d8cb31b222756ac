"""Distribution values: their buckets, sums and percentiles."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from mockserver.model import JsonMapping, JsonObject

Distribution = JsonObject


def count_of(value: JsonMapping) -> int:
    """How many values a distribution holds."""
    return int(value.get("count", 0))


def mean_of(value: JsonMapping) -> float:
    """The mean of a distribution's values; zero when there are none."""
    return float(value.get("mean", 0.0))


def bounds_of(value: JsonMapping) -> list[float]:
    """The bounds between buckets, ascending; the first bucket is below all of them.

    >>> bounds_of({"bucketOptions": {"linearBuckets": {"numFiniteBuckets": 2, "width": 5}}})
    [0.0, 5.0, 10.0]
    """
    options = value.get("bucketOptions", {})
    if "explicitBuckets" in options:
        return [float(bound) for bound in options["explicitBuckets"].get("bounds", ())]
    if "linearBuckets" in options:
        linear = options["linearBuckets"]
        offset, width = float(linear.get("offset", 0)), float(linear.get("width", 0))
        return [offset + width * at for at in range(int(linear.get("numFiniteBuckets", 0)) + 1)]
    exponential = options.get("exponentialBuckets", {})
    scale, growth = float(exponential.get("scale", 1)), float(exponential.get("growthFactor", 2))
    finite = int(exponential.get("numFiniteBuckets", -1))
    return [scale * growth**at for at in range(finite + 1)]


def counts_of(value: JsonMapping) -> list[int]:
    """The values in each bucket, the buckets that are left out included."""
    given = [int(count) for count in value.get("bucketCounts", ())]
    missing = len(bounds_of(value)) + 1 - len(given)
    return given + [0] * missing


def merged(values: Iterable[JsonMapping]) -> Distribution:
    """One distribution of all the values of several."""
    first, *others = values
    found = dict(first)
    for other in others:
        found = _added(found, other)
    return found


def without(later: JsonMapping, earlier: JsonMapping) -> Distribution:
    """What a cumulative distribution gained since an earlier point; all of it after a reset."""
    gained = count_of(later) - count_of(earlier)
    if gained < 0:
        return dict(later)
    total = mean_of(later) * count_of(later) - mean_of(earlier) * count_of(earlier)
    pairs = zip(counts_of(later), _counts_within(earlier, later), strict=True)
    return _distribution(
        later, gained, total / gained if gained else 0.0, [a - b for a, b in pairs]
    )


def percentile(value: JsonMapping, percent: float) -> float:
    """A percentile, interpolated within the bucket that holds it.

    The open buckets at both ends give their one bound. Not verified against the live API.
    """
    bounds, counts = bounds_of(value), counts_of(value)
    totals = list(accumulate(counts))
    if not totals or not totals[-1]:
        return mean_of(value)
    if not bounds:
        return mean_of(value)
    rank = totals[-1] * percent / 100
    at = next(place for place, total in enumerate(totals) if total >= rank and total)
    if at == 0 or at >= len(bounds):
        return bounds[0] if at == 0 else bounds[-1]
    before = totals[at - 1]
    share = (rank - before) / counts[at] if counts[at] else 1.0
    return bounds[at - 1] + (bounds[at] - bounds[at - 1]) * share


def _added(one: JsonMapping, other: JsonMapping) -> Distribution:
    count = count_of(one) + count_of(other)
    total = mean_of(one) * count_of(one) + mean_of(other) * count_of(other)
    counts = [a + b for a, b in zip(counts_of(one), _counts_within(other, one), strict=True)]
    mean = total / count if count else 0.0
    found = _distribution(one, count, mean, counts)
    squares = sum(
        float(each.get("sumOfSquaredDeviation", 0)) + count_of(each) * (mean_of(each) - mean) ** 2
        for each in (one, other)
    )
    return {**found, "sumOfSquaredDeviation": squares} if squares else found


def _distribution(
    like: JsonMapping, count: int, mean: float, counts: Sequence[int]
) -> Distribution:
    kept = list(counts)
    while kept and not kept[-1]:
        kept.pop()
    found: Distribution = {"count": str(count), "mean": mean}
    if "bucketOptions" in like:
        found["bucketOptions"] = like["bucketOptions"]
        found["bucketCounts"] = [str(each) for each in kept]
    return found


def _counts_within(value: JsonMapping, like: JsonMapping) -> list[int]:
    """The counts of a distribution in the buckets of another; by their middles when they differ."""
    counts = counts_of(value)
    if value.get("bucketOptions") == like.get("bucketOptions"):
        return counts
    bounds, mine = bounds_of(like), bounds_of(value)
    found = [0] * (len(bounds) + 1)
    for at, count in enumerate(counts):
        low, high = (
            mine[max(at - 1, 0)] if mine else 0.0,
            mine[min(at, len(mine) - 1)] if mine else 0.0,
        )
        found[bisect_right(bounds, (low + high) / 2)] += count
    return found
