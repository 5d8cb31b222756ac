"""Functions of a range vector: one number from the samples of a span.

A span is open at its start and closed at its end. `rate`, `increase` and `delta` extrapolate to the
edges of the span as Prometheus does. Where a span holds a single sample, the one before it (five
minutes before the span at most) joins in, so that a rate over a span as short as the sampling
period has an answer, as Cloud Monitoring gives one for its own metrics (not verified against the
live API).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import fsum, isnan, nan, sqrt
from statistics import median

from mockserver.apis.monitoring.promql.formats import SECOND
from mockserver.apis.monitoring.promql.tracks import Track

LOOKBACK = 300 * SECOND
Span = tuple[int, int]
"""Start and end, in microseconds."""

RangeFunction = Callable[[Track, int, int, Span], float | None]
"""Of a track: places of the first sample and after the last one, and the span."""


def _counted(track: Track) -> Sequence[float]:
    """A counter's values as if it had never been reset."""
    found: list[float] | None = track.memo.get("counted")
    if found is None:
        found, lost, last = [], 0.0, 0.0
        for value in track.values:
            if value < last:
                lost += last
            last = value
            found.append(value + lost)
        track.memo["counted"] = found
    return found


def _lengthened(track: Track, low: int, high: int, span: Span) -> tuple[int, Span]:
    """The first place and the span, with the sample before it where there is only one."""
    times = track.times
    if high - low != 1 or low == 0 or times[low - 1] <= span[0] - LOOKBACK:
        return low, span
    return low - 1, (times[low - 1], times[low])


def _increase(track: Track, low: int, high: int, span: Span, *, counter: bool) -> float | None:
    """What a track gained in a span, extrapolated to its edges."""
    asked = span
    low, span = _lengthened(track, low, high, span)
    if high - low < 2:
        return None
    values = _counted(track) if counter else track.values
    gained = values[high - 1] - values[low]
    first, last = track.times[low], track.times[high - 1]
    sampled = last - first
    if span is not asked:
        return gained * (asked[1] - asked[0]) / sampled
    before, after = float(first - span[0]), float(span[1] - last)
    average = sampled / (high - low - 1)
    if before >= average * 1.1:
        before = average / 2
    if counter and gained > 0 and track.values[low] >= 0:
        before = min(before, sampled * track.values[low] / gained)
    if after >= average * 1.1:
        after = average / 2
    return gained * (sampled + before + after) / sampled


def increase(track: Track, low: int, high: int, span: Span) -> float | None:
    """What a counter gained."""
    return _increase(track, low, high, span, counter=True)


def delta(track: Track, low: int, high: int, span: Span) -> float | None:
    """What a gauge gained."""
    return _increase(track, low, high, span, counter=False)


def rate(track: Track, low: int, high: int, span: Span) -> float | None:
    """What a counter gained for each second."""
    gained = increase(track, low, high, span)
    return None if gained is None else gained * SECOND / (span[1] - span[0])


def irate(track: Track, low: int, high: int, span: Span) -> float | None:
    """The rate between the last two samples of a counter."""
    low, _ = _lengthened(track, low, high, span)
    if high - low < 2:
        return None
    counted, times = _counted(track), track.times
    return (counted[high - 1] - counted[high - 2]) * SECOND / (times[high - 1] - times[high - 2])


def idelta(track: Track, low: int, high: int, span: Span) -> float | None:
    """The difference of the last two samples."""
    low, _ = _lengthened(track, low, high, span)
    return None if high - low < 2 else track.values[high - 1] - track.values[high - 2]


def deriv(track: Track, low: int, high: int, span: Span) -> float | None:
    """The slope of a line through the samples, for each second."""
    line = _regression(track, low, high, span[1])
    return None if line is None else line[0]


def predict_linear(track: Track, low: int, high: int, span: Span, ahead: float) -> float | None:
    """The value that the line through the samples has some seconds after the span."""
    line = _regression(track, low, high, span[1])
    return None if line is None else line[1] + line[0] * ahead


def _regression(track: Track, low: int, high: int, zero: int) -> tuple[float, float] | None:
    """Slope for each second, and the value at a moment, of the line of least squares."""
    if high - low < 2:
        return None
    xs = [(each - zero) / SECOND for each in track.times[low:high]]
    ys = track.values[low:high]
    count = len(xs)
    mean_x, mean_y = fsum(xs) / count, fsum(ys) / count
    spread = fsum((x - mean_x) ** 2 for x in xs)
    slope = fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    return slope, mean_y - slope * mean_x


def changes(values: Sequence[float]) -> float:
    """How often the value changed."""
    return float(sum(one != other for one, other in pairwise(values)))


def resets(values: Sequence[float]) -> float:
    """How often the value fell."""
    return float(sum(other < one for one, other in pairwise(values)))


def variance(values: Sequence[float]) -> float:
    """The population variance."""
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / len(values)


def quantile(share: float, values: Sequence[float]) -> float:
    """A quantile, interpolated between neighbours.

    >>> quantile(0.5, [1, 2, 3, 4])
    2.5
    """
    if not values or isnan(share):
        return nan
    if not 0 <= share <= 1:
        return float("-inf") if share < 0 else float("inf")
    ordered = sorted(values)
    rank = share * (len(ordered) - 1)
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (rank - low))


def _over(summarise: Callable[[Sequence[float]], float]) -> RangeFunction:
    def make(track: Track, low: int, high: int, _: Span) -> float | None:
        return float(summarise(track.values[low:high])) if high > low else None

    return make


def _mad(values: Sequence[float]) -> float:
    middle = median(values)
    return median(abs(value - middle) for value in values)


RANGE_FUNCTIONS: Mapping[str, RangeFunction] = {
    "rate": rate,
    "irate": irate,
    "increase": increase,
    "delta": delta,
    "idelta": idelta,
    "deriv": deriv,
    "changes": _over(changes),
    "resets": _over(resets),
    "avg_over_time": _over(lambda values: fsum(values) / len(values)),
    "min_over_time": _over(min),
    "max_over_time": _over(max),
    "sum_over_time": _over(fsum),
    "count_over_time": _over(len),
    "last_over_time": _over(lambda values: values[-1]),
    "stddev_over_time": _over(lambda values: sqrt(variance(values))),
    "stdvar_over_time": _over(variance),
    "mad_over_time": _over(_mad),
    "present_over_time": _over(lambda _: 1.0),
    "absent_over_time": _over(lambda _: 1.0),
}
KEEP_NAME = frozenset({"last_over_time"})
