"""Reduction: several aligned time series become one for each group."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import pstdev

from mockserver.apis.monitoring.alignment import (
    ALL_TYPES,
    DISTRIBUTIONS,
    NUMBERS,
    count_false,
    count_true,
    fraction_true,
    mean,
    total,
)
from mockserver.apis.monitoring.distributions import merged, percentile
from mockserver.apis.monitoring.series import Series, Value

_BOOL = frozenset({"BOOL"})


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
    return [_reduced(group, reducer, groups) for group in members.values()]


def label_at(series: Series, path: tuple[str, ...]) -> str | None:
    """What a selector names in a time series; None when it has no such label.

    Raises:
        KeyError: No time series has such a thing.
    """
    found = _FIELDS[path](series) if path in _FIELDS else _labels(series, path).get(_name(path))
    return None if found is None else str(found)


def _labels(series: Series, path: tuple[str, ...]) -> Mapping[str, object]:
    owner = _LABELS.get((path[0], path[1] if len(path) > 2 else ""))
    if owner is None:
        raise KeyError(".".join(path))
    return owner(series)


def _name(path: tuple[str, ...]) -> str:
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


def _reduced(
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
        metric_labels=_kept(first.metric_labels, "metric", groups),
        resource_labels=_kept(first.resource_labels, "resource", groups),
        metadata=_kept_metadata(first, groups),
        value_type=reducer.value_type or first.value_type,
        starts=[starts[end] for end in ends],
        ends=ends,
        values=[reducer.make(values[end]) for end in ends],
        memo={},
    )


def _kept(
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
            kept.setdefault(kind, {})[_name(path)] = _labels(series, path)[_name(path)]
    return kept


def _percentile_of(percent: float) -> Callable[[Sequence[Value]], float]:
    def make(values: Sequence[Value]) -> float:
        if isinstance(values[0], dict):
            return percentile(merged(values), percent)
        ordered = sorted(values)
        rank = (len(ordered) - 1) * percent / 100
        low = int(rank)
        high = min(low + 1, len(ordered) - 1)
        return float(ordered[low] + (ordered[high] - ordered[low]) * (rank - low))

    return make


_MEASURED = NUMBERS | DISTRIBUTIONS
REDUCERS: Mapping[str, Reducer] = {
    "REDUCE_MEAN": Reducer(_MEASURED, mean, "DOUBLE"),
    "REDUCE_MIN": Reducer(NUMBERS, min),
    "REDUCE_MAX": Reducer(NUMBERS, max),
    "REDUCE_SUM": Reducer(_MEASURED, total),
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
