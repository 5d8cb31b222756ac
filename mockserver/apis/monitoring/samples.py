"""Time series written short in a snapshot: values at even steps instead of points.

`"samples": {"endTime": "...", "period": "60s", "values": [1, 2, null, 4]}` is oldest first; null is
a missing point. A value of a distribution is the list of its bucket counts, with `bucketOptions`
beside the values; its mean is that of the buckets' middles. A `CUMULATIVE` series takes
`startTime`, when counting began; without it that is one period before the first value. A value that
is lower than the one before began anew.
"""

from mockserver.apis.monitoring.distributions import bounds_of
from mockserver.apis.monitoring.moments import read_duration, read_time, write_time
from mockserver.apis.monitoring.series import typed_value
from mockserver.model import Json, JsonObject


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
        if _fell(value, last):
            began = at - step
        last = value
        start = {"CUMULATIVE": began, "DELTA": at - step}.get(kind, at)
        found.append(
            {
                "interval": {"startTime": write_time(start), "endTime": write_time(at)},
                "value": typed_value(_value(value, samples, value_type), value_type),
            }
        )
    return found


def _fell(value: Json, last: Json) -> bool:
    """Whether a count is lower than the one before, so that counting began anew."""
    return not isinstance(value, list | dict) and last is not None and value < last


def _value(value: Json, samples: JsonObject, value_type: str) -> Json:
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
