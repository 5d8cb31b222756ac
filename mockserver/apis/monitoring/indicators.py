"""What an objective's indicator counts: good and bad events, minute by minute.

Indicators of basic services, and those of windows other than a mean in a range, are not computed:
they have no events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mockserver.apis.monitoring.alignment import ALIGNERS, Window, align
from mockserver.apis.monitoring.distributions import bounds_of, counts_of
from mockserver.apis.monitoring.moments import MINUTE, read_duration
from mockserver.apis.monitoring.selection import read_query, select
from mockserver.apis.monitoring.series import Series, Stored
from mockserver.googleapi import ApiError
from mockserver.model import JsonMapping
from mockserver.state import World


@dataclass(frozen=True)
class Events:
    """Good and bad events, minute by minute.

    Attributes:
        ends: Ends of the minutes, ascending.
        good: Good events of each minute.
        bad: Bad events of each minute.
    """

    ends: Sequence[int]
    good: Sequence[float]
    bad: Sequence[float]


Counted = Mapping[int, float]
"""End of a minute to what was counted in it."""


def events_of(stored: Stored, world: World, name: str, objective: JsonMapping) -> Events:
    """The events of an objective, under a project; none where its metrics have no series."""
    indicator = objective.get("serviceLevelIndicator", {})
    request = indicator.get("requestBased", {})

    def counted(text: str) -> list[Series]:
        return _minutes(stored, world, name, text)

    if "goodTotalRatio" in request:
        return _of_ratio(request["goodTotalRatio"], counted)
    if "distributionCut" in request:
        return _of_cut(request["distributionCut"], counted)
    windows = indicator.get("windowsBased", {})
    if "metricMeanInRange" in windows:
        return _of_windows(stored, world, name, windows)
    return Events((), (), ())


def _minutes(stored: Stored, world: World, name: str, text: str) -> list[Series]:
    """What the series of a filter gained in each minute."""
    try:
        found = select(stored, world, name, read_query(text))
    except ApiError:
        return []  # the objective names what the session does not have
    aligner = ALIGNERS["ALIGN_DELTA"]
    return [
        align(each, aligner, _window(each, MINUTE))
        for each in found
        if each.ends and each.kind in aligner.kinds and each.value_type in aligner.types
    ]


def _window(series: Series, period: int) -> Window:
    first, last = series.ends[0] // period, -(-series.ends[-1] // period)
    return Window((first - 1) * period, last * period, period)


def _summed(several: Sequence[Series], read: Callable[[object], float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for series in several:
        for end, value in zip(series.ends, series.values, strict=True):
            found[end] = found.get(end, 0.0) + read(value)
    return found


def _of_ratio(ratio: JsonMapping, counted: Callable[[str], list[Series]]) -> Events:
    good, bad, total = (
        _summed(counted(ratio[key]), lambda value: float(str(value))) if key in ratio else None
        for key in ("goodServiceFilter", "badServiceFilter", "totalServiceFilter")
    )
    if total is None:
        total = _combined(good or {}, bad or {}, 1)
    if bad is None:
        bad = _combined(total, good or {}, -1)
    return _split(total, bad)


def _combined(one: Counted, other: Counted, sign: int) -> dict[int, float]:
    return {end: one.get(end, 0.0) + sign * other.get(end, 0.0) for end in sorted({*one, *other})}


def _of_cut(cut: JsonMapping, counted: Callable[[str], list[Series]]) -> Events:
    low, high = _range(cut)
    several = counted(cut.get("distributionFilter", ""))
    several = [each for each in several if each.value_type == "DISTRIBUTION"]
    inside = _summed(several, lambda value: _within(value, low, high))
    total = _summed(several, lambda value: float(sum(counts_of(_distribution(value)))))
    return _split(total, _combined(total, inside, -1))


def _range(owner: JsonMapping) -> tuple[float, float]:
    given = owner.get("range", {})
    return float(given.get("min", "-inf")), float(given.get("max", "inf"))


def _distribution(value: object) -> JsonMapping:
    return value if isinstance(value, dict) else {}


def _within(value: object, low: float, high: float) -> float:
    """How many values lie in a range; those of a bucket that is cut are spread evenly."""
    distribution = _distribution(value)
    bounds, found = bounds_of(distribution), 0.0
    for place, count in enumerate(counts_of(distribution)):
        start = bounds[place - 1] if place else 0.0
        end = bounds[place] if place < len(bounds) else float("inf")
        if end <= high and start >= low:
            found += count
        elif end != float("inf") and start < high and end > low:
            found += count * (min(end, high) - max(start, low)) / (end - start)
    return found


def _of_windows(stored: Stored, world: World, name: str, windows: JsonMapping) -> Events:
    """Windows whose mean is in a range are good; every series has windows of its own."""
    mean = windows["metricMeanInRange"]
    low, high = _range(mean)
    period = read_duration(windows.get("windowPeriod", "60s"))
    total: dict[int, float] = {}
    bad: dict[int, float] = {}
    for series in select(stored, world, name, read_query(mean.get("timeSeries", ""))):
        aligned = align(series, ALIGNERS["ALIGN_MEAN"], _window(series, period))
        for end, value in zip(aligned.ends, aligned.values, strict=True):
            total[end] = total.get(end, 0.0) + 1
            bad[end] = bad.get(end, 0.0) + (not low <= value <= high)
    return _split(total, bad)


def _split(total: Counted, bad: Counted) -> Events:
    ends = sorted(total)
    bads = [min(bad.get(end, 0.0), total[end]) for end in ends]
    goods = [total[end] - each for end, each in zip(ends, bads, strict=True)]
    return Events(ends, goods, bads)
