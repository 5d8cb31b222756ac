"""Time series, their times and distributions: stored, searched and computed with."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from math import isnan
from typing import Any

from mockserver.apis.monitoring.collections import SERIES
from mockserver.collections import Index, Store
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import World, epoch_micros, parse_rfc3339

SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 86_400 * SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USUAL_LENGTHS = frozenset({20, 24, 27})
"""Of `2026-11-20T09:00:00Z`, and with milliseconds or microseconds: what the reader below takes."""


@lru_cache(maxsize=65_536)
def read_time(text: str) -> int:
    """An RFC 3339 timestamp in microseconds; digits beyond them are cut.

    Raises:
        ValueError: It is none.

    >>> read_time("1970-01-01T00:01:00.25Z")
    60250000
    """
    if len(text) in _USUAL_LENGTHS and text[10] == "T" and text[-1] == "Z":
        return epoch_micros(datetime.fromisoformat(text))
    return epoch_micros(parse_rfc3339(text))


@lru_cache(maxsize=65_536)
def write_time(moment: int) -> str:
    """A timestamp as Google writes it: without a fraction, or with three or six digits.

    >>> write_time(60_000_000), write_time(60_250_000)
    ('1970-01-01T00:01:00Z', '1970-01-01T00:01:00.250Z')
    """
    seconds, rest = divmod(moment, SECOND)
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3_600)
    text = f"{_day(days)}T{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}"
    if not rest:
        return f"{text}Z"
    return f"{text}.{rest:06d}Z" if rest % 1000 else f"{text}.{rest // 1000:03d}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).strftime("%Y-%m-%d")


def read_duration(text: str) -> int:
    """A protobuf duration (`60s`, `1.5s`) in microseconds.

    Raises:
        ValueError: It is none.

    >>> read_duration("90s")
    90000000
    """
    if not text.endswith("s"):
        raise ValueError(f"{text!r} is not a duration such as '60s'")
    return round(float(text[:-1]) * SECOND)


WRITTEN_SERIES = "writtenTimeSeries"
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
    """The identity of a time series: its metric and its resource, with all labels."""
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


_BY_TYPE = Index(lambda _, row: (row["metric"]["type"],))
DESCRIPTORS_BY_TYPE = Index(lambda _, row: (row["type"],))
"""Descriptors by metric type."""


def _series_of_type(table: Store, metric: str) -> Mapping[str, Series]:
    """The series of a metric type by key; points are read when they are first asked for."""
    keys = table.find(_BY_TYPE, metric).row_keys()
    return dict(zip(keys, table.views(_read_row, keys), strict=True))


def _read_row(_: str, row: JsonObject) -> Series:
    return read_series(row)


class StoredSeries:
    """The time series of a session, in stored time.

    Attributes:
        shift: What is added to stored times, in microseconds, to give session time.
    """

    def __init__(self, world: World) -> None:
        table, shift = world.stored_table(SERIES)
        self.shift = round(shift.total_seconds() * 1_000_000)
        self._given = table
        self._written = world.table(WRITTEN_SERIES)

    def types(self) -> Sequence[str]:
        """The metric types that have series."""
        both = (self._given, self._written)
        return tuple(
            dict.fromkeys(type_ for each in both for type_ in each.values_as_put(_BY_TYPE))
        )

    def of_type(self, metric: str) -> Sequence[Series]:
        """The series of a metric type, with the points that the session wrote."""
        found = _series_of_type(self._given, metric)
        written = _series_of_type(self._written, metric)
        if not written:
            return tuple(found.values())
        merged = dict(found)
        for key, series in written.items():
            merged[key] = _join_series(found.get(key), _shift_series(series, -self.shift))
        return tuple(merged.values())


def _shift_series(series: Series, by: int) -> Series:
    starts, ends = [at + by for at in series.starts], [at + by for at in series.ends]
    return replace(series, starts=starts, ends=ends, memo={})


def _join_series(old: Series | None, new: Series) -> Series:
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


def merge_distributions(values: Iterable[JsonMapping]) -> Distribution:
    """One distribution of all the values of several."""
    first, *others = values
    found = dict(first)
    for other in others:
        found = _add_distributions(found, other)
    return found


def subtract_distribution(later: JsonMapping, earlier: JsonMapping) -> Distribution:
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


def _add_distributions(one: JsonMapping, other: JsonMapping) -> Distribution:
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
    model: JsonMapping, count: int, mean: float, counts: Sequence[int]
) -> Distribution:
    kept = list(counts)
    while kept and not kept[-1]:
        kept.pop()
    found: Distribution = {"count": str(count), "mean": mean}
    if "bucketOptions" in model:
        found["bucketOptions"] = model["bucketOptions"]
        found["bucketCounts"] = [str(each) for each in kept]
    return found


def _counts_within(value: JsonMapping, model: JsonMapping) -> list[int]:
    """The counts of a distribution in the buckets of another; by their middles when they differ."""
    counts = counts_of(value)
    if value.get("bucketOptions") == model.get("bucketOptions"):
        return counts
    bounds, mine = bounds_of(model), bounds_of(value)
    found = [0] * (len(bounds) + 1)
    for at, count in enumerate(counts):
        low, high = (
            mine[max(at - 1, 0)] if mine else 0.0,
            mine[min(at, len(mine) - 1)] if mine else 0.0,
        )
        found[bisect_right(bounds, (low + high) / 2)] += count
    return found


def points_of(samples: JsonObject, kind: str, value_type: str) -> list[JsonObject]:
    """The points that samples stand for, oldest first.

    Raises:
        ValueError: What is missing or unreadable.
    """
    values = samples.get("values")
    if not isinstance(values, list) or not values:
        raise ValueError("'values' must be an array with at least one value")
    step = read_duration(str(samples.get("period", "60s")))
    if step <= 0:
        raise ValueError("'period' must be longer than nothing")
    end = read_time(str(samples.get("endTime", "")))
    first = end - step * (len(values) - 1)
    began = read_time(samples["startTime"]) if "startTime" in samples else first - step
    found, last = [], None
    for place, value in enumerate(values):
        if value is None:
            continue
        at = first + step * place
        if _has_fallen(value, last):
            began = at - step
        last = value
        start = {"CUMULATIVE": began, "DELTA": at - step}.get(kind, at)
        found.append(
            {
                "interval": {"startTime": write_time(start), "endTime": write_time(at)},
                "value": typed_value(_make_value(value, samples, value_type), value_type),
            }
        )
    return found


def _has_fallen(value: Json, last: Json) -> bool:
    """Whether a count is lower than the one before, so that counting began anew."""
    return not isinstance(value, list | dict) and last is not None and value < last


def _make_value(value: Json, samples: JsonObject, value_type: str) -> Json:
    if value_type != "DISTRIBUTION" or isinstance(value, dict):
        return value
    if not isinstance(value, list) or "bucketOptions" not in samples:
        raise ValueError("a distribution is a list of bucket counts, beside 'bucketOptions'")
    options: JsonObject = {"bucketOptions": samples["bucketOptions"]}
    bounds, count = bounds_of(options), sum(value)
    if len(value) > len(bounds) + 1:
        raise ValueError(f"{len(value)} counts for {len(bounds) + 1} buckets")
    middles = [
        (bounds[max(at - 1, 0)] + bounds[min(at, len(bounds) - 1)]) / 2 if bounds else 0.0
        for at in range(len(value))
    ]
    total = sum(middle * each for middle, each in zip(middles, value, strict=True))
    return {
        "count": str(count),
        "mean": total / count if count else 0.0,
        **options,
        "bucketCounts": [str(each) for each in value],
    }
