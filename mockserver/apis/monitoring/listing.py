"""Answers `timeSeries.list`: selected, aligned, reduced, paged; points newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mockserver.apis.monitoring.alignment import ALIGNERS, Window, align
from mockserver.apis.monitoring.filters import path_of
from mockserver.apis.monitoring.moments import write_time
from mockserver.apis.monitoring.objectives import select_objective
from mockserver.apis.monitoring.parameters import (
    bad_value,
    given,
    interval,
    now,
    period,
    project_of,
    texts,
    word,
)
from mockserver.apis.monitoring.reduction import REDUCERS, label_at, reduce_series
from mockserver.apis.monitoring.selection import read_query
from mockserver.apis.monitoring.series import Series, Stored, typed_value
from mockserver.googleapi import (
    Call,
    PageRule,
    page,
    refuses,
)
from mockserver.googleapi.profiles import SERIES_ORDER
from mockserver.model import JsonObject

_PAGES = PageRule(default=100_000, maximum=100_000)
_NONE = {"", "ALIGN_NONE", "REDUCE_NONE"}
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
    query = read_query(str(given(call, "filter") or ""))
    start, end = interval(call)
    word(call, "view")
    _check_order(call)
    stored = Stored(call.world)
    start, end = start - stored.shift, min(end, now(call)) - stored.shift
    series: Sequence[Series] = select_objective(stored, call.world, project_of(call.params), query)
    for prefix in _AGGREGATIONS:
        series = _aggregated(call, prefix, series, (start, end))
    if all(word(call, f"{prefix}.crossSeriesReducer") in _NONE for prefix in _AGGREGATIONS):
        series = [_headless(each) for each in series]
    spans = [(each, each.between(start, end)) for each in series]
    found = [span for span in spans if span[1]]
    if word(call, "view") == "HEADERS":
        return _headers(call, found)
    return _points(call, found, stored.shift)


def _check_order(call: Call) -> None:
    if given(call, "orderBy"):
        if refuses(call, SERIES_ORDER):
            why = "This field is unsupported and must be left blank."
            raise bad_value("orderBy", str(given(call, "orderBy")), why)
        call.ignored.append("orderBy")


def _aggregated(
    call: Call, prefix: str, series: Sequence[Series], span: tuple[int, int]
) -> Sequence[Series]:
    aligner = word(call, f"{prefix}.perSeriesAligner")
    reducer = word(call, f"{prefix}.crossSeriesReducer")
    if aligner in _NONE:
        if reducer not in _NONE:
            why = "A reducer needs an aligner other than ALIGN_NONE, and an alignment period."
            raise bad_value(f"{prefix}.crossSeriesReducer", reducer, why)
        return series
    window = Window(*span, period(call, prefix))
    aligned = [_aligned(f"{prefix}.perSeriesAligner", aligner, each, window) for each in series]
    if reducer in _NONE:
        return aligned
    groups = _groups(call, f"{prefix}.groupByFields")
    for each in aligned:
        if each.value_type not in REDUCERS[reducer].types:
            raise _cannot(f"{prefix}.crossSeriesReducer", reducer, "reducer", each)
    return reduce_series(aligned, REDUCERS[reducer], groups)


def _aligned(path: str, name: str, series: Series, window: Window) -> Series:
    aligner = ALIGNERS[name]
    if series.kind not in aligner.kinds or series.value_type not in aligner.types:
        raise _cannot(path, name, "aligner", series)
    return align(series, aligner, window)


def _cannot(path: str, name: str, what: str, series: Series) -> Exception:
    why = (
        f"The {what} cannot be applied to metrics with kind {series.kind} and value type "
        f"{series.value_type}."
    )
    return bad_value(path, name, why)


def _groups(call: Call, path: str) -> list[tuple[str, ...]]:
    groups = [path_of(each) for text in texts(call, path) for each in text.split(",")]
    probe = Series("", {}, "", {})
    for each in groups:
        try:
            label_at(probe, each)
        except KeyError as error:
            raise bad_value(path, ".".join(each), "It is not the name of a label.") from error
    return groups


def _headers(call: Call, spans: Sequence[Span]) -> JsonObject:
    wanted, token = page(call, spans, _PAGES)
    return _answer([header(series) for series, _ in wanted], token)


def _points(call: Call, spans: Sequence[Span], shift: int) -> JsonObject:
    total = sum(len(places) for _, places in spans)
    wanted, token = page(call, range(total), _PAGES)
    return _answer([_full(span, shift) for span in _cut(spans, wanted)], token)


def _answer(shown: list[JsonObject], token: str) -> JsonObject:
    answer: JsonObject = {}
    if shown:
        answer["timeSeries"] = shown
        units = {each.get("unit", "") for each in shown}
        if units != {""}:
            answer["unit"] = units.pop() if len(units) == 1 else _UNITLESS
    if token:
        answer["nextPageToken"] = token
    return answer


def _cut(spans: Sequence[Span], wanted: Sequence[int]) -> Iterator[Span]:
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


def _full(span: Span, shift: int) -> JsonObject:
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


def _headless(series: Series) -> Series:
    """A series without metadata, which is answered only where a reduction names it."""
    return replace(series, metadata={}) if series.metadata else series
