"""Quantiles of histograms given as cumulative buckets (`le`)."""

from collections.abc import Iterable, Sequence
from math import inf, isnan, nan

from mockserver.apis.monitoring.promql.tracks import NAME, Labels, without
from mockserver.apis.monitoring.promql.vectors import Line, Sample, Vector

BOUND = "le"
Buckets = Sequence[tuple[float, float]]
"""Upper bounds, ascending, with the count of everything up to them."""


def histogram_quantiles(shares: Sequence[float], lines: Iterable[Line]) -> Vector:
    """The quantile of each histogram at every step; lines without a bound are dropped."""
    groups: dict[Labels, list[tuple[float, Line]]] = {}
    for line in lines:
        bound = _bound(dict(line.labels).get(BOUND, ""))
        if bound is not None:
            groups.setdefault(without(line.labels, NAME, BOUND), []).append((bound, line))
    return [
        Line(labels, _quantiles(shares, sorted(members, key=lambda each: each[0])))
        for labels, members in groups.items()
    ]


def _bound(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _quantiles(shares: Sequence[float], members: Sequence[tuple[float, Line]]) -> list[Sample]:
    found: list[Sample] = []
    for step, share in enumerate(shares):
        buckets = []
        for bound, line in members:
            count = line.values[step]
            if count is not None:
                buckets.append((bound, count))
        found.append(bucket_quantile(share, buckets) if buckets else None)
    return found


def bucket_quantile(share: float, buckets: Buckets) -> float:
    """A quantile of one histogram, interpolated within its bucket.

    NaN without samples or without the bucket of everything; the highest finite bound when the
    quantile is above it.

    >>> bucket_quantile(0.5, [(1.0, 5.0), (2.0, 10.0), (inf, 10.0)])
    1.0
    """
    buckets = _rising(buckets)
    total = buckets[-1][1]
    if isnan(share) or buckets[-1][0] != inf or len(buckets) < 2 or not total > 0:
        return nan
    if not 0 <= share <= 1:
        return -inf if share < 0 else inf
    rank = share * total
    at = next(place for place, (_, count) in enumerate(buckets) if count >= rank)
    upper, count = buckets[at]
    if upper == inf:
        return buckets[at - 1][0]
    if at == 0 and upper <= 0:
        return upper
    lower, below = buckets[at - 1] if at else (0.0, 0.0)
    held = count - below
    return lower + (upper - lower) * ((rank - below) / held if held else 1.0)


def _rising(buckets: Buckets) -> list[tuple[float, float]]:
    """Buckets whose counts never fall; equal bounds are added up."""
    found: list[tuple[float, float]] = []
    for bound, count in buckets:
        if found and found[-1][0] == bound:
            found[-1] = (bound, found[-1][1] + count)
        else:
            found.append((bound, count))
    highest = 0.0
    for place, (bound, count) in enumerate(found):
        highest = max(highest, count)
        found[place] = (bound, highest)
    return found
