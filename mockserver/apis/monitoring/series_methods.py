"""Methods that select and compute time series; loaded by the first call of one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from mockserver.apis.monitoring.aggregation import (
    ALIGNERS,
    REDUCERS,
    Window,
    align,
    label_at,
    reduce_series,
)
from mockserver.apis.monitoring.collections import DESCRIPTORS, RESOURCE_DESCRIPTORS
from mockserver.apis.monitoring.descriptors import (
    OWN_PREFIXES,
    create_metric,
    delete_metric,
    find_descriptor,
    list_metrics,
    list_resources,
)
from mockserver.apis.monitoring.filters import split_selector
from mockserver.apis.monitoring.objectives import select_objective
from mockserver.apis.monitoring.parameters import (
    alignment_period,
    bad_value,
    enum_parameter,
    now_micros,
    parameter_at,
    project_of,
    query_interval,
    repeated_parameter,
)
from mockserver.apis.monitoring.prometheus import PROMETHEUS_HANDLERS
from mockserver.apis.monitoring.selection import read_query
from mockserver.apis.monitoring.series import (
    DAY,
    DESCRIPTORS_BY_TYPE,
    MINUTE,
    SECOND,
    WRITTEN_SERIES,
    Series,
    StoredSeries,
    read_time,
    series_key,
    typed_value,
    write_time,
)
from mockserver.apis.monitoring.snapshot import VALUE_TYPES, implied_descriptor
from mockserver.googleapi import Call, Handler, PageRule, invalid, page, refuses
from mockserver.googleapi.profiles import SERIES_ORDER
from mockserver.model import JsonObject
from mockserver.state import find_project

_PAGES = PageRule(default=100_000, maximum=100_000)
_NO_AGGREGATION = {"", "ALIGN_NONE", "REDUCE_NONE"}
_UNITLESS = "{not_a_unit}"
_AGGREGATIONS = ("aggregation", "secondaryAggregation")

Span = tuple[Series, range]
"""A series, and the places of its points that are asked for, oldest first."""


def list_time_series(call: Call) -> JsonObject:
    """Answers `timeSeries.list`.

    Raises:
        ApiError: 400 for a filter, interval, aggregation, size or token that cannot be; 404 for an
            unknown metric.
    """
    query = read_query(str(parameter_at(call, "filter") or ""))
    start, end = query_interval(call)
    enum_parameter(call, "view")
    _check_order_by(call)
    stored = StoredSeries(call.world)
    start, end = start - stored.shift, min(end, now_micros(call)) - stored.shift
    series: Sequence[Series] = select_objective(stored, call.world, project_of(call.params), query)
    for prefix in _AGGREGATIONS:
        series = _aggregate(call, prefix, series, start, end)
    if all(
        enum_parameter(call, f"{prefix}.crossSeriesReducer") in _NO_AGGREGATION
        for prefix in _AGGREGATIONS
    ):
        series = [_without_metadata(each) for each in series]
    spans = [(each, each.between(start, end)) for each in series]
    found = [span for span in spans if span[1]]
    if enum_parameter(call, "view") == "HEADERS":
        return _header_answer(call, found)
    return _points_answer(call, found, stored.shift)


def _check_order_by(call: Call) -> None:
    if parameter_at(call, "orderBy"):
        if refuses(call, SERIES_ORDER):
            why = "This field is unsupported and must be left blank."
            raise bad_value("orderBy", str(parameter_at(call, "orderBy")), why)
        call.ignored.append("orderBy")


def _aggregate(
    call: Call, prefix: str, series: Sequence[Series], start: int, end: int
) -> Sequence[Series]:
    aligner = enum_parameter(call, f"{prefix}.perSeriesAligner")
    reducer = enum_parameter(call, f"{prefix}.crossSeriesReducer")
    if aligner in _NO_AGGREGATION:
        if reducer not in _NO_AGGREGATION:
            why = "A reducer needs an aligner other than ALIGN_NONE, and an alignment period."
            raise bad_value(f"{prefix}.crossSeriesReducer", reducer, why)
        return series
    window = Window(start, end, alignment_period(call, prefix))
    aligned = [_align_one(f"{prefix}.perSeriesAligner", aligner, each, window) for each in series]
    if reducer in _NO_AGGREGATION:
        return aligned
    groups = _group_fields(call, f"{prefix}.groupByFields")
    for each in aligned:
        if each.value_type not in REDUCERS[reducer].types:
            raise _cannot_apply(f"{prefix}.crossSeriesReducer", reducer, "reducer", each)
    return reduce_series(aligned, REDUCERS[reducer], groups)


def _align_one(path: str, name: str, series: Series, window: Window) -> Series:
    aligner = ALIGNERS[name]
    if series.kind not in aligner.kinds or series.value_type not in aligner.types:
        raise _cannot_apply(path, name, "aligner", series)
    return align(series, aligner, window)


def _cannot_apply(path: str, name: str, noun: str, series: Series) -> Exception:
    why = (
        f"The {noun} cannot be applied to metrics with kind {series.kind} and value type "
        f"{series.value_type}."
    )
    return bad_value(path, name, why)


def _group_fields(call: Call, path: str) -> list[tuple[str, ...]]:
    groups = [
        split_selector(each) for text in repeated_parameter(call, path) for each in text.split(",")
    ]
    probe = Series("", {}, "", {})
    for each in groups:
        try:
            label_at(probe, each)
        except KeyError as error:
            raise bad_value(path, ".".join(each), "It is not the name of a label.") from error
    return groups


def _header_answer(call: Call, spans: Sequence[Span]) -> JsonObject:
    wanted, token = page(call, spans, _PAGES)
    return _series_answer([header(series) for series, _ in wanted], token)


def _points_answer(call: Call, spans: Sequence[Span], shift: int) -> JsonObject:
    total = sum(len(places) for _, places in spans)
    wanted, token = page(call, range(total), _PAGES)
    return _series_answer(
        [_series_with_points(span, shift) for span in _cut_spans(spans, wanted)], token
    )


def _series_answer(shown: list[JsonObject], token: str) -> JsonObject:
    answer: JsonObject = {}
    if shown:
        answer["timeSeries"] = shown
        units = {each.get("unit", "") for each in shown}
        if units != {""}:
            answer["unit"] = units.pop() if len(units) == 1 else _UNITLESS
    if token:
        answer["nextPageToken"] = token
    return answer


def _cut_spans(spans: Sequence[Span], wanted: Sequence[int]) -> Iterator[Span]:
    """The parts of series that are on a page; points are counted newest first.

    Yields:
        A series with the places of its points.
    """
    if not wanted:
        return
    first, last = wanted[0], wanted[-1] + 1
    before = 0
    for series, places in spans:
        start, end = max(first - before, 0), min(last - before, len(places))
        if start < end:
            yield series, range(places.stop - end, places.stop - start)
        before += len(places)


def header(series: Series) -> JsonObject:
    """A time series without its points."""
    metric: JsonObject = {"type": series.metric}
    if series.metric_labels:
        metric["labels"] = dict(series.metric_labels)
    row: JsonObject = {
        "metric": metric,
        "resource": {"type": series.resource, "labels": dict(series.resource_labels)},
        "metricKind": series.kind,
        "valueType": series.value_type,
    }
    if series.metadata:
        row["metadata"] = series.metadata
    if series.unit:
        row["unit"] = series.unit
    return row


def _series_with_points(span: Span, shift: int) -> JsonObject:
    series, places = span
    starts, ends, values, kind = series.starts, series.ends, series.values, series.value_type
    points = [
        {
            "interval": {
                "startTime": write_time(starts[at] + shift),
                "endTime": write_time(ends[at] + shift),
            },
            "value": typed_value(values[at], kind),
        }
        for at in reversed(places)
    ]
    return {**header(series), "points": points}


def _without_metadata(series: Series) -> Series:
    """A series without metadata, which is answered only where a reduction names it."""
    return replace(series, metadata={}) if series.metadata else series


_MOST_WRITTEN = 200
_OLDEST = DAY + 3600 * SECOND
_AHEAD = 5 * MINUTE
_FAILED = "One or more TimeSeries could not be written: "


def create_time_series(call: Call) -> JsonObject:
    """Answers `timeSeries.create`; all series are written, or none.

    Raises:
        ApiError: 400: none or more than 200 series, not one point each, a metric that is not the
            user's, a time that is too old, in the future or not after the last point's.
    """
    given = call.body.get("timeSeries") or []
    if not 0 < len(given) <= _MOST_WRITTEN:
        raise invalid(f"Field timeSeries must hold between 1 and {_MOST_WRITTEN} time series.")
    rows = [_series_row(call, each, f"timeSeries[{place}]") for place, each in enumerate(given)]
    if len({series_key(row) for row in rows}) < len(rows):
        raise invalid(_FAILED + "Points of one time series must be written one at a time.")
    for row in rows:
        _put_series(call, row)
    return {}


def _series_row(call: Call, given: JsonObject, where: str) -> JsonObject:
    metric, resource = given.get("metric") or {}, given.get("resource") or {"type": "global"}
    kind = str(metric.get("type", ""))
    if not kind.startswith(OWN_PREFIXES):
        why = f"the metric type must start with one of {', '.join(OWN_PREFIXES)}"
        raise invalid(f'Field {where}.metric.type had an invalid value of "{kind}": {why}.')
    points = given.get("points") or []
    if len(points) != 1:
        raise invalid(f"Field {where}.points must hold exactly one point.")
    project = project_of(call.params).partition("/")[2]
    known = find_project(call.world, project)
    labels = {
        "project_id": (known or {}).get("projectId", project),
        **(resource.get("labels") or {}),
    }
    row = {
        "metric": metric,
        "resource": {"type": resource.get("type", "global"), "labels": labels},
        "metricKind": given.get("metricKind") or "GAUGE",
        "valueType": given.get("valueType") or _value_type(points[0], where),
        "points": [_read_point(call, points[0], where)],
    }
    _check_points_are_newer(call, row, where)
    return {**row, "unit": given["unit"]} if given.get("unit") else row


def _value_type(point: JsonObject, where: str) -> str:
    for name in point.get("value") or ():
        if name in VALUE_TYPES:
            return VALUE_TYPES[name]
    raise invalid(f"Field {where}.points[0].value must be set.")


def _read_point(call: Call, point: JsonObject, where: str) -> JsonObject:
    _value_type(point, where)
    text = str((point.get("interval") or {}).get("endTime", ""))
    try:
        end = read_time(text)
        start = read_time(str(point["interval"].get("startTime") or text))
    except (ValueError, OverflowError) as error:
        raise invalid(f"Field {where}.points[0].interval had an invalid value: {error}.") from error
    if not now_micros(call) - _OLDEST <= end <= now_micros(call) + _AHEAD or start > end:
        why = "Points must lie between 25 hours ago and 5 minutes from now."
        raise invalid(f"{_FAILED}{why}: {where}")
    interval = {"startTime": write_time(start), "endTime": write_time(end)}
    return {"interval": interval, "value": point["value"]}


def _check_points_are_newer(call: Call, row: JsonObject, where: str) -> None:
    before = call.world.table(WRITTEN_SERIES).get(series_key(row))
    if before is None:
        return
    last = before["points"][-1]["interval"]["endTime"]
    if read_time(last) >= read_time(row["points"][0]["interval"]["endTime"]):
        why = "Points must be written in order. One or more of the points specified had an older "
        raise invalid(f"{_FAILED}{why}end time than the most recent point.: {where}")


def _put_series(call: Call, row: JsonObject) -> None:
    key, world = series_key(row), call.world
    before = world.table(WRITTEN_SERIES).get(key)
    if before is not None:
        row = {**before, "points": [*before["points"], *row["points"]]}
    world.put(WRITTEN_SERIES, key, row)
    parent = project_of(call.params)
    if world.table(DESCRIPTORS).first(DESCRIPTORS_BY_TYPE, row["metric"]["type"]) is None:
        made = implied_descriptor(row, parent)
        world.put(DESCRIPTORS, made["name"], made)


COMPUTING_HANDLERS: Mapping[str, Handler] = {
    "monitoring.projects.timeSeries.list": list_time_series,
    "monitoring.folders.timeSeries.list": list_time_series,
    "monitoring.organizations.timeSeries.list": list_time_series,
    "monitoring.projects.timeSeries.create": create_time_series,
    "monitoring.projects.timeSeries.createService": create_time_series,
    "monitoring.projects.metricDescriptors.list": list_metrics,
    "monitoring.projects.metricDescriptors.get": partial(find_descriptor, DESCRIPTORS),
    "monitoring.projects.metricDescriptors.create": create_metric,
    "monitoring.projects.metricDescriptors.delete": delete_metric,
    "monitoring.projects.monitoredResourceDescriptors.list": list_resources,
    "monitoring.projects.monitoredResourceDescriptors.get": partial(
        find_descriptor, RESOURCE_DESCRIPTORS
    ),
    **PROMETHEUS_HANDLERS,
}
