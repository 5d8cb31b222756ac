"""Aggregation of time series: alignment to periods, and reduction to groups."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev

from mockserver.apis.monitoring.series import (
    MINUTE,
    SECOND,
    Series,
    Value,
    mean_of,
    merge_distributions,
    percentile,
    subtract_distribution,
)

NUMBERS = frozenset({"INT64", "DOUBLE"})
NUMBERS_OR_BOOL = NUMBERS | {"BOOL"}
DISTRIBUTIONS = frozenset({"DISTRIBUTION"})
ALL_TYPES = NUMBERS_OR_BOOL | {"STRING", "DISTRIBUTION"}
_GAUGE = frozenset({"GAUGE"})
_CHANGES = frozenset({"DELTA", "CUMULATIVE"})
_GAUGE_OR_DELTA = frozenset({"GAUGE", "DELTA"})
_SMOOTHED = 10 * MINUTE
_MOST_PERIODS = 200_000
"""Where points lie further apart than this many periods, nothing is interpolated between them."""


@dataclass(frozen=True)
class Window:
    """Where periods lie, in microseconds.

    Attributes:
        start: Start of the interval.
        end: End of the interval, and of the last period.
        period: Length of a period.
    """

    start: int
    end: int
    period: int

    def end_of(self, moment: int) -> int:
        """The end of the period that holds a moment."""
        return self.end - (self.end - moment) // self.period * self.period


Ends = Sequence[int]
AlignedPoints = tuple[Sequence[int], Sequence[Value]]
"""Ends of periods, ascending, with their values."""


@dataclass(frozen=True)
class Aligner:
    """One aligner.

    Attributes:
        kinds: Metric kinds it takes.
        types: Value types it takes.
        make: What it makes of a series.
        kind: Metric kind of the result.
        value_type: Value type of the result; empty for that of the series.
    """

    kinds: frozenset[str]
    types: frozenset[str]
    make: Callable[[Series, Window], AlignedPoints]
    kind: str = "GAUGE"
    value_type: str = ""


def align(series: Series, aligner: Aligner, window: Window) -> Series:
    """A time series with one point for each period that has one."""
    ends, values = aligner.make(series, window)
    is_delta = aligner.kind == "DELTA"
    return replace(
        series,
        kind=aligner.kind,
        value_type=aligner.value_type or series.value_type,
        starts=[end - window.period for end in ends] if is_delta else list(ends),
        ends=list(ends),
        values=list(values),
        memo={},
    )


def _by_period(series: Series, window: Window) -> dict[int, list[Value]]:
    found: dict[int, list[Value]] = {}
    ends, values = series.ends, series.values
    for place in series.between(window.start, window.end):
        found.setdefault(window.end_of(ends[place]), []).append(values[place])
    return found


def _of_each_period(
    summarise: Callable[[list[Value]], Value],
) -> Callable[[Series, Window], AlignedPoints]:
    def make(series: Series, window: Window) -> AlignedPoints:
        found = _by_period(series, window)
        return tuple(found), [summarise(values) for values in found.values()]

    return make


def _known_totals(series: Series) -> tuple[list[int], list[float]]:
    """The total that a changing series has counted, at every moment where that is known."""
    found = series.memo.get("knots")
    if found is None:
        found = series.memo["knots"] = _running_totals(series)
    times, totals = found
    return times, totals


def _running_totals(series: Series) -> tuple[list[int], list[float]]:
    times: list[int] = []
    totals: list[float] = []
    total = last = 0.0
    began = None
    for start, end, value in zip(series.starts, series.ends, series.values, strict=True):
        if series.kind == "DELTA" or start != began or value < last:
            if not times or start > times[-1]:
                times.append(start)
                totals.append(total)
            last, began = 0.0, start
        total += value - last
        last = value
        if times[-1] == end:
            totals[-1] = total
        else:
            times.append(end)
            totals.append(total)
    return times, totals


def _total_at(times: Sequence[int], totals: Sequence[float], moment: int) -> float:
    after = bisect_left(times, moment)
    if after == 0:
        return totals[0]
    if after == len(times):
        return totals[-1]
    low, high = times[after - 1], times[after]
    return totals[after - 1] + (totals[after] - totals[after - 1]) * (moment - low) / (high - low)


def _period_ends(series: Series, window: Window) -> Ends:
    """Ends of the periods from the first point to the last, whether they hold points or not."""
    inside = series.between(window.start, window.end)
    if not inside:
        return ()
    first = window.end_of(series.ends[inside[0]])
    found = range(first, window.end_of(series.ends[inside[-1]]) + 1, window.period)
    if len(found) <= _MOST_PERIODS:
        return found
    return sorted({window.end_of(series.ends[place]) for place in inside})


def _delta(series: Series, window: Window) -> AlignedPoints:
    if series.value_type == "DISTRIBUTION":
        return _distribution_delta(series, window)
    ends = _period_ends(series, window)
    times, totals = _known_totals(series)
    at = {
        edge: _total_at(times, totals, edge) for end in ends for edge in (end - window.period, end)
    }
    changes = [at[end] - at[end - window.period] for end in ends]
    return ends, [round(each) for each in changes] if series.value_type == "INT64" else changes


def _rate(series: Series, window: Window) -> AlignedPoints:
    ends, changes = _delta(replace(series, value_type="DOUBLE", memo={}), window)
    return ends, [change * SECOND / window.period for change in changes]


def _distribution_delta(series: Series, window: Window) -> AlignedPoints:
    found = _by_period(series, window)
    if series.kind == "DELTA":
        return tuple(found), [merge_distributions(values) for values in found.values()]
    gained = []
    for end, values in found.items():
        before = bisect_right(series.ends, end - window.period) - 1
        gained.append(
            subtract_distribution(values[-1], series.values[before]) if before >= 0 else values[-1]
        )
    return tuple(found), gained


def _interpolate(series: Series, window: Window) -> AlignedPoints:
    ends = _period_ends(series, window)
    known = [float(value) for value in series.values]
    values = [_total_at(series.ends, known, end) for end in ends]
    return ends, [round(each) for each in values] if series.value_type == "INT64" else values


def _percent_change(series: Series, window: Window) -> AlignedPoints:
    ends, changes = [], []
    for end in _period_ends(series, window):
        now = _smoothed_value(series, end)
        before = _smoothed_value(series, end - window.period)
        if now is not None and before is not None:
            ends.append(end)
            changes.append((now - before) / before * 100 if before else 100.0 * (now > 0))
    return ends, changes


def _smoothed_value(series: Series, end: int) -> float | None:
    places = series.between(end - _SMOOTHED, end)
    return fmean(series.values[places.start : places.stop]) if places else None


def sum_values(values: Sequence[Value]) -> Value:
    """The sum of numbers, or one distribution of all."""
    return merge_distributions(values) if isinstance(values[0], dict) else sum(values)


def mean_value(values: Sequence[Value]) -> float:
    """The mean of numbers, or of the values of distributions."""
    return mean_of(merge_distributions(values)) if isinstance(values[0], dict) else fmean(values)


def fraction_true(values: Sequence[Value]) -> float:
    """The share of true values."""
    return sum(map(bool, values)) / len(values)


def count_false(values: Sequence[Value]) -> int:
    """How many values are false."""
    return len(values) - sum(map(bool, values))


def count_true(values: Sequence[Value]) -> int:
    """How many values are true."""
    return sum(map(bool, values))


def _aligned_percentile(percent: float) -> Aligner:
    make = _of_each_period(lambda values: percentile(merge_distributions(values), percent))
    return Aligner(_GAUGE_OR_DELTA, DISTRIBUTIONS, make, value_type="DOUBLE")


def _gauge_aligner(
    types: frozenset[str], summarise: Callable[[list[Value]], Value], value_type: str = ""
) -> Aligner:
    return Aligner(_GAUGE_OR_DELTA, types, _of_each_period(summarise), value_type=value_type)


_BOOL = frozenset({"BOOL"})
ALIGNERS: Mapping[str, Aligner] = {
    "ALIGN_DELTA": Aligner(_CHANGES, NUMBERS | DISTRIBUTIONS, _delta, kind="DELTA"),
    "ALIGN_RATE": Aligner(_CHANGES, NUMBERS, _rate, value_type="DOUBLE"),
    "ALIGN_INTERPOLATE": Aligner(_GAUGE, NUMBERS, _interpolate),
    "ALIGN_NEXT_OLDER": Aligner(_GAUGE, ALL_TYPES, _of_each_period(lambda values: values[-1])),
    "ALIGN_MIN": _gauge_aligner(NUMBERS, min),
    "ALIGN_MAX": _gauge_aligner(NUMBERS, max),
    "ALIGN_MEAN": _gauge_aligner(NUMBERS | DISTRIBUTIONS, mean_value, "DOUBLE"),
    "ALIGN_COUNT": _gauge_aligner(NUMBERS_OR_BOOL | DISTRIBUTIONS, len, "INT64"),
    "ALIGN_SUM": _gauge_aligner(NUMBERS | DISTRIBUTIONS, sum_values),
    "ALIGN_STDDEV": _gauge_aligner(NUMBERS, pstdev, "DOUBLE"),
    "ALIGN_COUNT_TRUE": _gauge_aligner(_BOOL, count_true, "INT64"),
    "ALIGN_COUNT_FALSE": _gauge_aligner(_BOOL, count_false, "INT64"),
    "ALIGN_FRACTION_TRUE": _gauge_aligner(_BOOL, fraction_true, "DOUBLE"),
    "ALIGN_PERCENTILE_99": _aligned_percentile(99),
    "ALIGN_PERCENTILE_95": _aligned_percentile(95),
    "ALIGN_PERCENTILE_50": _aligned_percentile(50),
    "ALIGN_PERCENTILE_05": _aligned_percentile(5),
    "ALIGN_PERCENT_CHANGE": Aligner(_GAUGE_OR_DELTA, NUMBERS, _percent_change, value_type="DOUBLE"),
}


@dataclass(frozen=True)
class Reducer:
    """One reducer.

    Attributes:
        types: Value types it takes.
        make: What it makes of the values of one moment.
        value_type: Value type of the result; empty for that of the series.
    """

    types: frozenset[str]
    make: Callable[[Sequence[Value]], Value]
    value_type: str = ""


def reduce_series(
    series: Sequence[Series], reducer: Reducer, groups: Sequence[tuple[str, ...]]
) -> list[Series]:
    """One time series for each group, in the order of their first members.

    Args:
        series: Aligned series of one metric.
        reducer: How values of one moment become one.
        groups: Selectors of the labels to group by (`("resource", "labels", "zone")`). The resource
            type is always kept apart, and its project.
    """
    members: dict[tuple[str, ...], list[Series]] = {}
    for each in series:
        key = tuple(str(label_at(each, path) or "") for path in groups)
        members.setdefault((each.resource, *key), []).append(each)
    return [_reduce_group(group, reducer, groups) for group in members.values()]


def label_at(series: Series, path: tuple[str, ...]) -> str | None:
    """What a selector names in a time series; None when it has no such label.

    Raises:
        KeyError: No time series has such a thing.
    """
    found = (
        _FIELDS[path](series)
        if path in _FIELDS
        else _labels_of_owner(series, path).get(_label_name(path))
    )
    return None if found is None else str(found)


def _labels_of_owner(series: Series, path: tuple[str, ...]) -> Mapping[str, object]:
    owner = _LABELS.get((path[0], path[1] if len(path) > 2 else ""))
    if owner is None:
        raise KeyError(".".join(path))
    return owner(series)


def _label_name(path: tuple[str, ...]) -> str:
    return ".".join(path[2:])


_FIELDS: Mapping[tuple[str, ...], Callable[[Series], str | None]] = {
    ("metric", "type"): lambda series: series.metric,
    ("resource", "type"): lambda series: series.resource,
    ("project",): lambda series: series.resource_labels.get("project_id"),
}
_LABELS: Mapping[tuple[str, str], Callable[[Series], Mapping[str, object]]] = {
    ("metric", "label"): lambda series: series.metric_labels,
    ("metric", "labels"): lambda series: series.metric_labels,
    ("resource", "label"): lambda series: series.resource_labels,
    ("resource", "labels"): lambda series: series.resource_labels,
    ("metadata", "system_labels"): lambda series: series.metadata.get("systemLabels", {}),
    ("metadata", "user_labels"): lambda series: series.metadata.get("userLabels", {}),
}


def _reduce_group(
    group: Sequence[Series], reducer: Reducer, groups: Sequence[tuple[str, ...]]
) -> Series:
    first = group[0]
    values: dict[int, list[Value]] = {}
    starts: dict[int, int] = {}
    for each in group:
        for start, end, value in zip(each.starts, each.ends, each.values, strict=True):
            values.setdefault(end, []).append(value)
            starts[end] = start
    ends = sorted(values)
    return replace(
        first,
        metric_labels=_kept_labels(first.metric_labels, "metric", groups),
        resource_labels=_kept_labels(first.resource_labels, "resource", groups),
        metadata=_kept_metadata(first, groups),
        value_type=reducer.value_type or first.value_type,
        starts=[starts[end] for end in ends],
        ends=ends,
        values=[reducer.make(values[end]) for end in ends],
        memo={},
    )


def _kept_labels(
    labels: Mapping[str, str], owner: str, groups: Sequence[tuple[str, ...]]
) -> dict[str, str]:
    asked = {".".join(path[2:]) for path in groups if path[:1] == (owner,) and len(path) > 2}
    if owner == "resource":
        asked.add("project_id")
    return {name: value for name, value in labels.items() if name in asked}


def _kept_metadata(
    series: Series, groups: Sequence[tuple[str, ...]]
) -> dict[str, dict[str, object]]:
    kept: dict[str, dict[str, object]] = {}
    for path in groups:
        if path[0] == "metadata" and label_at(series, path) is not None:
            kind = {"system_labels": "systemLabels", "user_labels": "userLabels"}[path[1]]
            kept.setdefault(kind, {})[_label_name(path)] = _labels_of_owner(series, path)[
                _label_name(path)
            ]
    return kept


def _percentile_of(percent: float) -> Callable[[Sequence[Value]], float]:
    def make(values: Sequence[Value]) -> float:
        if isinstance(values[0], dict):
            return percentile(merge_distributions(values), percent)
        ordered = sorted(values)
        rank = (len(ordered) - 1) * percent / 100
        low = int(rank)
        high = min(low + 1, len(ordered) - 1)
        return float(ordered[low] + (ordered[high] - ordered[low]) * (rank - low))

    return make


_MEASURED = NUMBERS | DISTRIBUTIONS
REDUCERS: Mapping[str, Reducer] = {
    "REDUCE_MEAN": Reducer(_MEASURED, mean_value, "DOUBLE"),
    "REDUCE_MIN": Reducer(NUMBERS, min),
    "REDUCE_MAX": Reducer(NUMBERS, max),
    "REDUCE_SUM": Reducer(_MEASURED, sum_values),
    "REDUCE_STDDEV": Reducer(NUMBERS, pstdev, "DOUBLE"),
    "REDUCE_COUNT": Reducer(ALL_TYPES, len, "INT64"),
    "REDUCE_COUNT_TRUE": Reducer(_BOOL, count_true, "INT64"),
    "REDUCE_COUNT_FALSE": Reducer(_BOOL, count_false, "INT64"),
    "REDUCE_FRACTION_TRUE": Reducer(_BOOL, fraction_true, "DOUBLE"),
    "REDUCE_PERCENTILE_99": Reducer(_MEASURED, _percentile_of(99), "DOUBLE"),
    "REDUCE_PERCENTILE_95": Reducer(_MEASURED, _percentile_of(95), "DOUBLE"),
    "REDUCE_PERCENTILE_50": Reducer(_MEASURED, _percentile_of(50), "DOUBLE"),
    "REDUCE_PERCENTILE_05": Reducer(_MEASURED, _percentile_of(5), "DOUBLE"),
}
