"""Time series as they are stored, searched and computed with.

Series are indexed by metric type once for all sessions, in stored time; `Stored` gives them to a
session together with what it wrote, and says what their times lack to be session time.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

from mockserver.apis.monitoring.moments import read_time
from mockserver.model import Json, JsonObject
from mockserver.state import Table, World

SERIES = "timeSeries"
WRITTEN = "writtenTimeSeries"
"""Points that a session wrote, apart from the snapshot's, which can be many."""

Value = Any
"""Of a point: int, float, bool, text, or a distribution as JSON."""


@dataclass(slots=True, eq=False)
class Series:
    """One time series with its points, oldest first; times in microseconds.

    Attributes:
        metric: Metric type.
        metric_labels: Labels of the metric.
        resource: Monitored resource type.
        resource_labels: Labels of the resource.
        metadata: Metadata labels of the resource, as JSON.
        kind: `GAUGE`, `DELTA` or `CUMULATIVE`.
        value_type: `BOOL`, `INT64`, `DOUBLE`, `STRING` or `DISTRIBUTION`.
        unit: UCUM unit, or an empty string.
        starts: Start times of the points' intervals.
        ends: End times, ascending.
        values: Values.
        memo: What others computed of the points.
    """

    metric: str
    metric_labels: Mapping[str, str]
    resource: str
    resource_labels: Mapping[str, str]
    metadata: JsonObject = field(default_factory=dict)
    kind: str = "GAUGE"
    value_type: str = "DOUBLE"
    unit: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    memo: dict[Any, Any] = field(default_factory=dict)

    def between(self, start: int, end: int) -> range:
        """Places of the points in `(start, end]`, or exactly at `end` when both are the same."""
        first = bisect_right(self.ends, start - (start == end))
        return range(first, bisect_right(self.ends, end))


def series_key(row: JsonObject) -> str:
    """What tells a time series from others: its metric and its resource, with all labels."""
    metric, resource = row["metric"], row["resource"]
    return "|".join(
        f"{each['type']}{{{','.join(f'{k}={v}' for k, v in sorted(labels.items()))}}}"
        for each, labels in ((metric, metric.get("labels", {})), (resource, resource["labels"]))
    )


def point_value(value: JsonObject) -> Value:
    """The value of a point.

    >>> point_value({"int64Value": "7"}), point_value({"doubleValue": "NaN"})
    (7, nan)
    """
    for name, found in value.items():
        if name == "int64Value":
            return int(found)
        if name == "doubleValue":
            return float(found)
        return found
    return 0.0


def typed_value(value: Value, value_type: str) -> JsonObject:
    """A value as the API answers it.

    >>> typed_value(7, "INT64"), typed_value(0.5, "DOUBLE")
    ({'int64Value': '7'}, {'doubleValue': 0.5})
    """
    if value_type == "INT64":
        return {"int64Value": str(round(value))}
    if value_type == "DOUBLE":
        return {"doubleValue": _double(float(value))}
    return {_NAMES[value_type]: value}


_NAMES = {"BOOL": "boolValue", "STRING": "stringValue", "DISTRIBUTION": "distributionValue"}


def _double(value: float) -> Json:
    if isnan(value):
        return "NaN"
    if value in {float("inf"), float("-inf")}:
        return "Infinity" if value > 0 else "-Infinity"
    return value


def read_series(row: JsonObject) -> Series:
    """A stored time series, its points sorted."""
    metric, resource = row["metric"], row["resource"]
    points = [
        (
            read_time(point["interval"]["endTime"]),
            read_time(point["interval"].get("startTime") or point["interval"]["endTime"]),
            point_value(point["value"]),
        )
        for point in row.get("points", ())
    ]
    points.sort(key=lambda point: point[0])
    return Series(
        metric["type"],
        metric.get("labels", {}),
        resource["type"],
        resource["labels"],
        row.get("metadata", {}),
        row["metricKind"],
        row["valueType"],
        row.get("unit", ""),
        starts=[start for _, start, _ in points],
        ends=[end for end, _, _ in points],
        values=[value for _, _, value in points],
    )


class Index:
    """The series of one table by metric type; points are read when a type is first asked for."""

    def __init__(self, table: Table) -> None:
        self.rows: dict[str, dict[str, JsonObject]] = {}
        for key, row in table.rows().items():
            self.rows.setdefault(row["metric"]["type"], {})[key] = row
        self._read: dict[str, dict[str, Series]] = {}

    def of_type(self, metric: str) -> Mapping[str, Series]:
        """The series of a metric type by key."""
        found = self._read.get(metric)
        if found is None:
            rows = self.rows.get(metric, {})
            found = self._read[metric] = {key: read_series(row) for key, row in rows.items()}
        return found


class Stored:
    """The time series of a session, in stored time.

    Attributes:
        shift: What is added to stored times, in microseconds, to give session time.
    """

    def __init__(self, world: World) -> None:
        table, shift = world.unshifted(SERIES)
        self.shift = round(shift.total_seconds() * 1_000_000)
        self._index = table.derived(Index)
        self._written = world.table(WRITTEN).derived(Index)

    def types(self) -> Sequence[str]:
        """The metric types that have series."""
        return tuple(dict.fromkeys([*self._index.rows, *self._written.rows]))

    def of_type(self, metric: str) -> Sequence[Series]:
        """The series of a metric type, with the points that the session wrote."""
        found = self._index.of_type(metric)
        written = self._written.of_type(metric)
        if not written:
            return tuple(found.values())
        merged = dict(found)
        for key, series in written.items():
            merged[key] = _joined(found.get(key), _moved(series, -self.shift))
        return tuple(merged.values())


def _moved(series: Series, by: int) -> Series:
    starts, ends = [at + by for at in series.starts], [at + by for at in series.ends]
    return replace(series, starts=starts, ends=ends, memo={})


def _joined(old: Series | None, new: Series) -> Series:
    if old is None:
        return new
    points: Iterable[tuple[int, int, Value]] = [
        *zip(old.ends, old.starts, old.values, strict=True),
        *zip(new.ends, new.starts, new.values, strict=True),
    ]
    by_end = {point[0]: point for point in points}
    ordered = [by_end[end] for end in sorted(by_end)]
    return replace(
        old,
        ends=[end for end, _, _ in ordered],
        starts=[start for _, start, _ in ordered],
        values=[value for _, _, value in ordered],
        memo={},
    )
