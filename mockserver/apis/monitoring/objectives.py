"""Service level objectives: their time series, and the indicators that count good and bad events.

`select_slo_burn_rate("...", "3600s")` and its like select such a series. Indicators of basic
services, and those of windows other than a mean, are not emulated.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mockserver.apis.monitoring.aggregation import ALIGNERS, Window, align
from mockserver.apis.monitoring.collections import OBJECTIVES
from mockserver.apis.monitoring.filters import Selection, bad_filter
from mockserver.apis.monitoring.selection import Query, read_query, select_series
from mockserver.apis.monitoring.series import (
    MINUTE,
    Series,
    StoredSeries,
    bounds_of,
    counts_of,
    read_duration,
)
from mockserver.googleapi import ApiError, require_row
from mockserver.model import JsonMapping
from mockserver.state import World


@dataclass(frozen=True)
class EventCounts:
    """Good and bad events, minute by minute.

    Attributes:
        ends: Ends of the minutes, ascending.
        good: Good events of each minute.
        bad: Bad events of each minute.
    """

    ends: Sequence[int]
    good: Sequence[float]
    bad: Sequence[float]


CountsByMinute = Mapping[int, float]
"""End of a minute to what was counted in it."""


def events_of(stored: StoredSeries, world: World, name: str, objective: JsonMapping) -> EventCounts:
    """The events of an objective, under a project; none where its metrics have no series."""
    indicator = objective.get("serviceLevelIndicator", {})
    request = indicator.get("requestBased", {})

    def count_series(text: str) -> list[Series]:
        return _minutes(stored, world, name, text)

    if "goodTotalRatio" in request:
        return _ratio_events(request["goodTotalRatio"], count_series)
    if "distributionCut" in request:
        return _cut_events(request["distributionCut"], count_series)
    windows = indicator.get("windowsBased", {})
    if "metricMeanInRange" in windows:
        return _window_events(stored, world, name, windows)
    return EventCounts((), (), ())


def _minutes(stored: StoredSeries, world: World, name: str, text: str) -> list[Series]:
    """What the series of a filter gained in each minute."""
    try:
        found = select_series(stored, world, name, read_query(text))
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


def _sum_by_minute(several: Sequence[Series], read: Callable[[object], float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for series in several:
        for end, value in zip(series.ends, series.values, strict=True):
            found[end] = found.get(end, 0.0) + read(value)
    return found


def _ratio_events(ratio: JsonMapping, count_series: Callable[[str], list[Series]]) -> EventCounts:
    good, bad, total = (
        _sum_by_minute(count_series(ratio[key]), lambda value: float(str(value)))
        if key in ratio
        else None
        for key in ("goodServiceFilter", "badServiceFilter", "totalServiceFilter")
    )
    if total is None:
        total = _combine_counts(good or {}, bad or {}, 1)
    if bad is None:
        bad = _combine_counts(total, good or {}, -1)
    return _split_events(total, bad)


def _combine_counts(one: CountsByMinute, other: CountsByMinute, sign: int) -> dict[int, float]:
    return {end: one.get(end, 0.0) + sign * other.get(end, 0.0) for end in sorted({*one, *other})}


def _cut_events(cut: JsonMapping, count_series: Callable[[str], list[Series]]) -> EventCounts:
    low, high = _range(cut)
    several = count_series(cut.get("distributionFilter", ""))
    several = [each for each in several if each.value_type == "DISTRIBUTION"]
    inside = _sum_by_minute(several, lambda value: _count_within(value, low, high))
    total = _sum_by_minute(several, lambda value: float(sum(counts_of(_distribution(value)))))
    return _split_events(total, _combine_counts(total, inside, -1))


def _range(owner: JsonMapping) -> tuple[float, float]:
    given = owner.get("range", {})
    return float(given.get("min", "-inf")), float(given.get("max", "inf"))


def _distribution(value: object) -> JsonMapping:
    return value if isinstance(value, dict) else {}


def _count_within(value: object, low: float, high: float) -> float:
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


def _window_events(
    stored: StoredSeries, world: World, name: str, windows: JsonMapping
) -> EventCounts:
    """Windows whose mean is in a range are good; every series has windows of its own."""
    mean = windows["metricMeanInRange"]
    low, high = _range(mean)
    period = read_duration(windows.get("windowPeriod", "60s"))
    total: dict[int, float] = {}
    bad: dict[int, float] = {}
    for series in select_series(stored, world, name, read_query(mean.get("timeSeries", ""))):
        aligned = align(series, ALIGNERS["ALIGN_MEAN"], _window(series, period))
        for end, value in zip(aligned.ends, aligned.values, strict=True):
            total[end] = total.get(end, 0.0) + 1
            bad[end] = bad.get(end, 0.0) + (not low <= value <= high)
    return _split_events(total, bad)


def _split_events(total: CountsByMinute, bad: CountsByMinute) -> EventCounts:
    ends = sorted(total)
    bads = [min(bad.get(end, 0.0), total[end]) for end in ends]
    goods = [total[end] - each for end, each in zip(ends, bads, strict=True)]
    return EventCounts(ends, goods, bads)


_CALENDAR = {"DAY": 1, "WEEK": 7, "FORTNIGHT": 14, "MONTH": 30}
_DAY = 24 * 60 * MINUTE


@dataclass(frozen=True)
class ObjectiveQuery:
    """What a selector asks: an objective and how far to look back."""

    goal: float
    period: int
    lookback: int


def select_objective(stored: StoredSeries, world: World, name: str, query: Query) -> list[Series]:
    """The series that a selector of an objective gives; stored ones go before computed ones.

    Raises:
        ApiError: 404 for an unknown objective, 400 for an unknown selector or wrong arguments.
    """
    selection = query.selection
    if selection is None or stored.of_type(query.metric):
        return select_series(stored, world, name, query)
    make = _SELECTORS.get(selection.name)
    if make is None or len(selection.arguments) != 1 + (selection.name in _LOOKING_BACK):
        raise bad_filter(query.text, f"no such selector, or wrong arguments: {query.metric}")
    objective = require_row(world, OBJECTIVES, str(selection.arguments[0]))
    events = events_of(stored, world, name, objective)
    if not events.ends:
        return []
    return make(query.metric, events, _read_query(query.text, selection, objective))


def _read_query(text: str, selection: Selection, objective: JsonMapping) -> ObjectiveQuery:
    try:
        lookback = (
            read_duration(str(selection.arguments[-1])) if len(selection.arguments) > 1 else 0
        )
        period = read_duration(objective.get("rollingPeriod") or "0s")
    except ValueError as error:
        raise bad_filter(text, str(error)) from error
    days = _CALENDAR.get(str(objective.get("calendarPeriod")), 28)
    return ObjectiveQuery(float(objective.get("goal", 0)), period or days * _DAY, lookback)


def _sums_over(events: EventCounts, span: int) -> list[tuple[float, float]]:
    """Good and bad events of the span before the end of each minute."""
    goods, bads = [0.0, *accumulate(events.good)], [0.0, *accumulate(events.bad)]
    found = []
    for place, end in enumerate(events.ends):
        first = bisect_right(events.ends, end - span)
        found.append((goods[place + 1] - goods[first], bads[place + 1] - bads[first]))
    return found


def _gauge(metric: str, ends: Sequence[int], values: Sequence[float]) -> Series:
    moments = list(ends)
    return Series(metric, {}, "global", {}, starts=moments, ends=moments, values=list(values))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _selector_of(
    compute: Callable[[float, float, ObjectiveQuery], float], span: Callable[[ObjectiveQuery], int]
) -> Callable[[str, EventCounts, ObjectiveQuery], list[Series]]:
    def make(metric: str, events: EventCounts, query: ObjectiveQuery) -> list[Series]:
        values = [compute(good, bad, query) for good, bad in _sums_over(events, span(query))]
        return [_gauge(metric, events.ends, values)]

    return make


def _counts(metric: str, events: EventCounts, _: ObjectiveQuery) -> list[Series]:
    found = []
    for kind, values in (("good", events.good), ("bad", events.bad)):
        series = _gauge(metric, events.ends, values)
        series.metric_labels = {"event_type": kind}
        series.kind = "DELTA"
        series.starts = [end - MINUTE for end in events.ends]
        found.append(series)
    return found


def _whole_period(query: ObjectiveQuery) -> int:
    return query.period


_SELECTORS: Mapping[str, Callable[[str, EventCounts, ObjectiveQuery], list[Series]]] = {
    "select_slo_counts": _counts,
    "select_slo_health": _selector_of(
        lambda good, bad, _: _share(good, good + bad), lambda _: MINUTE
    ),
    "select_slo_compliance": _selector_of(
        lambda good, bad, _: _share(good, good + bad), _whole_period
    ),
    "select_slo_budget_total": _selector_of(
        lambda good, bad, asked: (good + bad) * (1 - asked.goal), _whole_period
    ),
    "select_slo_budget": _selector_of(
        lambda good, bad, asked: (good + bad) * (1 - asked.goal) - bad, _whole_period
    ),
    "select_slo_budget_fraction": _selector_of(
        lambda good, bad, asked: 1 - _share(bad, (good + bad) * (1 - asked.goal)), _whole_period
    ),
    "select_slo_burn_rate": _selector_of(
        lambda good, bad, asked: _share(_share(bad, good + bad), 1 - asked.goal),
        lambda asked: asked.lookback or 60 * MINUTE,
    ),
}
_LOOKING_BACK = frozenset({"select_slo_burn_rate"})
