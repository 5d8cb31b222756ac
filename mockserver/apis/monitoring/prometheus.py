"""The Prometheus HTTP API over stored time series, with the names that Prometheus uses."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, wraps
from itertools import accumulate
from math import inf

from mockserver.apis.monitoring.collections import DESCRIPTORS
from mockserver.apis.monitoring.parameters import now_micros, project_of
from mockserver.apis.monitoring.promql.engine import context_of, evaluate_instant, evaluate_range
from mockserver.apis.monitoring.promql.nodes import (
    Matcher,
    PromqlError,
    format_value,
    read_duration,
)
from mockserver.apis.monitoring.promql.parser import parse, parse_selector
from mockserver.apis.monitoring.promql.vectors import NAME, Labels, Matrix, Scalar, Track, matches
from mockserver.apis.monitoring.selection import project_test
from mockserver.apis.monitoring.series import (
    SECOND,
    Series,
    StoredSeries,
    Value,
    bounds_of,
    count_of,
    counts_of,
    mean_of,
    read_time,
)
from mockserver.googleapi import ApiError, Call, Handler
from mockserver.model import Json, JsonObject, shortened
from mockserver.state import epoch_micros

_OWN_PREFIX = "prometheus.googleapis.com/"
_OWN_RESOURCE = "prometheus_target"
_ODD_CHARACTER = re.compile(r"[^A-Za-z0-9_]")
_HISTOGRAM_SUFFIXES = ("_bucket", "_count", "_sum")

InProject = Callable[[Series], bool]


@lru_cache(maxsize=4096)
def prometheus_name(metric: str) -> str:
    """The name of a metric type in PromQL.

    >>> prometheus_name("kubernetes.io/container/cpu/core_usage_time")
    'kubernetes_io:container_cpu_core_usage_time'
    >>> prometheus_name("prometheus.googleapis.com/http_requests_total/counter")
    'http_requests_total'
    """
    if metric.startswith(_OWN_PREFIX):
        return metric.removeprefix(_OWN_PREFIX).rpartition("/")[0] or metric.removeprefix(
            _OWN_PREFIX
        )
    domain, slash, path = metric.partition("/")
    return f"{_ODD_CHARACTER.sub('_', domain)}{':' if slash else ''}{_ODD_CHARACTER.sub('_', path)}"


class StoredTracks:
    """The series of a session as tracks, up to a moment.

    Args:
        stored: The series.
        in_project: Which of them are of the project that is asked.
        until: The session's present, in stored time; later samples have not happened yet.
    """

    def __init__(self, stored: StoredSeries, in_project: InProject, until: int) -> None:
        self._stored = stored
        self._in_project = in_project
        self._until = until

    def select(self, matchers: Sequence[Matcher]) -> Sequence[Track]:
        """The tracks whose labels meet all matchers."""
        asked = tuple(_by_metric_type(matcher) for matcher in matchers)
        exact = {each.value for each in asked if each.label == NAME and each.operator == "="}
        return [
            track
            for metric in self._stored.types()
            if not exact or exact & _prometheus_names(metric)
            for track in self._tracks(metric)
            if matches(asked, track.labels)
        ]

    def _tracks(self, metric: str) -> Iterator[Track]:
        for series in self._stored.of_type(metric):
            if self._in_project(series):
                for track in tracks_of(series):
                    yield self._until_end(track)

    def _until_end(self, track: Track) -> Track:
        if not track.times or track.times[-1] <= self._until:
            return track
        places = [at for at, moment in enumerate(track.times) if moment <= self._until]
        return Track(track.labels, track.times[: len(places)], track.values[: len(places)])


def _by_metric_type(matcher: Matcher) -> Matcher:
    """A matcher that names a metric by its type (`{"run.googleapis.com/request_count"}`)."""
    if matcher.label == NAME and matcher.operator == "=" and "/" in matcher.value:
        return Matcher(NAME, "=", prometheus_name(matcher.value))
    return matcher


@lru_cache(maxsize=4096)
def _prometheus_names(metric: str) -> frozenset[str]:
    name = prometheus_name(metric)
    return frozenset({name, *(name + part for part in _HISTOGRAM_SUFFIXES)})


def tracks_of(series: Series) -> Sequence[Track]:
    """A time series as tracks; those of a distribution are several, those of texts none."""
    found: Sequence[Track] | None = series.memo.get("tracks")
    if found is None:
        found = series.memo["tracks"] = _make_tracks(series)
    return found


def _make_tracks(series: Series) -> Sequence[Track]:
    if series.value_type == "STRING":
        return ()
    labels = _labels(series)
    if series.value_type == "DISTRIBUTION":
        return _histogram(series, labels)
    return (_track(series, labels, "", float),)


def _labels(series: Series) -> dict[str, str]:
    labels = {
        _ODD_CHARACTER.sub("_", name): str(value) for name, value in series.resource_labels.items()
    }
    for name, value in series.metric_labels.items():
        label = _ODD_CHARACTER.sub("_", name)
        labels[f"metric_{label}" if label in labels else label] = str(value)
    if series.resource != _OWN_RESOURCE:
        labels["monitored_resource"] = series.resource
    return labels


def _track(
    series: Series, labels: dict[str, str], suffix: str, read: Callable[[Value], float]
) -> Track:
    named = {**labels, NAME: prometheus_name(series.metric) + suffix}
    values = [read(value) for value in series.values]
    times = series.ends
    if series.kind == "DELTA" and values:
        values = list(accumulate(values))
        if series.starts[0] < times[0]:
            times, values = [series.starts[0], *times], [0.0, *values]
    present = ((name, value) for name, value in named.items() if value)
    return Track(tuple(sorted(present)), times, values)


def _histogram(series: Series, labels: dict[str, str]) -> Sequence[Track]:
    tracks = [
        _track(series, labels, "_count", lambda value: float(count_of(value))),
        _track(series, labels, "_sum", lambda value: mean_of(value) * count_of(value)),
    ]
    bounds = [*bounds_of(series.values[0]), inf] if series.values else []
    for place, bound in enumerate(bounds):
        with_bound = {**labels, "le": format_value(bound)}
        tracks.append(_track(series, with_bound, "_bucket", _count_up_to(place)))
    return tracks


def _count_up_to(place: int) -> Callable[[Value], float]:
    return lambda value: float(sum(counts_of(value)[: place + 1]))


_MOST_POINTS = 11_000
_FARTHEST = 10_000_000_000 * SECOND
_METHOD = "monitoring.projects.location.prometheus.api.v1."
_TYPES = {"GAUGE": "gauge", "DELTA": "counter", "CUMULATIVE": "counter"}


def _query_parameter(call: Call, name: str) -> str:
    """A parameter, from the query or from the form or JSON that was posted."""
    value = call.params.get(name, call.body.get(name))
    return "" if value is None else str(value)


def _with_prometheus_errors(answer: Callable[[Call], Json]) -> Handler:
    """A handler that answers errors of a query in Prometheus's form."""

    @wraps(answer)
    def handler(call: Call) -> JsonObject:
        try:
            return {"status": "success", "data": answer(call)}
        except PromqlError as error:
            status = 400 if error.kind == "bad_data" else 422
            body = {"status": "error", "errorType": error.kind, "error": str(error)}
            raise ApiError(status, str(error), body=body) from error

    return handler


def _project_tracks(call: Call) -> tuple[StoredTracks, int]:
    """The tracks of the call's project, and what their times lack to be session time."""
    stored = StoredSeries(call.world)
    belongs = project_test(call.world, project_of(call.params))
    return StoredTracks(stored, belongs, now_micros(call) - stored.shift), stored.shift


def _time_parameter(call: Call, name: str, default: int | None = None) -> int:
    text = _query_parameter(call, name)
    if not text and default is not None:
        return default
    try:
        found = round(float(text) * SECOND)
    except (ValueError, OverflowError):
        try:
            found = read_time(text)
        except (ValueError, OverflowError) as error:
            why = f'cannot parse "{text}" to a valid timestamp'
            raise PromqlError(f'invalid parameter "{name}": {why}') from error
    if not -_FARTHEST < found < _FARTHEST:
        raise PromqlError(f'invalid parameter "{name}": {text} is out of range')
    return found


def _query_text(call: Call) -> str:
    text = _query_parameter(call, "query")
    if not text.strip():
        raise PromqlError('invalid parameter "query": 1:1: parse error: no expression found')
    try:
        parse(text)
    except PromqlError as error:
        raise PromqlError(f'invalid parameter "query": {error}') from error
    return text


@_with_prometheus_errors
def query_instant(call: Call) -> JsonObject:
    """Answers an instant query: a scalar, a string, a vector or a matrix."""
    node = parse(_query_text(call))
    source, shift = _project_tracks(call)
    at = _time_parameter(call, "time", epoch_micros(call.world.clock.now()))
    value = evaluate_instant(node, context_of(source, [at - shift], shift=shift))
    stamp = _epoch_seconds(at)
    if isinstance(value, str):
        return {"resultType": "string", "result": [stamp, value]}
    if isinstance(value, Scalar):
        return {"resultType": "scalar", "result": [stamp, format_value(value.values[0])]}
    if isinstance(value, Matrix):
        return {
            "resultType": "matrix",
            "result": [_series_json(each, shift) for each in value.tracks],
        }
    vector = [
        {"metric": dict(line.labels), "value": [stamp, format_value(line.values[0])]}
        for line in value
        if line.values[0] is not None
    ]
    return {"resultType": "vector", "result": vector}


@_with_prometheus_errors
def query_range(call: Call) -> JsonObject:
    """Answers a range query: a matrix."""
    node = parse(_query_text(call))
    start, end = _time_parameter(call, "start"), _time_parameter(call, "end")
    if end < start:
        raise PromqlError('invalid parameter "end": end timestamp must not be before start time')
    step = _step(call)
    if (end - start) // step > _MOST_POINTS:
        raise PromqlError(
            "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
            "resolution (?step=XX)"
        )
    source, shift = _project_tracks(call)
    times = range(start - shift, end - shift + 1, step)
    lines = evaluate_range(node, context_of(source, times, shift=shift))
    stamps = [_epoch_seconds(at + shift) for at in times]
    result = [
        {
            "metric": dict(line.labels),
            "values": [
                [stamp, format_value(value)]
                for stamp, value in zip(stamps, line.values, strict=True)
                if value is not None
            ],
        }
        for line in sorted(lines, key=lambda line: line.labels)
    ]
    return {"resultType": "matrix", "result": result}


def _step(call: Call) -> int:
    try:
        step = read_duration(_query_parameter(call, "step"))
    except PromqlError as error:
        raise PromqlError(f'invalid parameter "step": {error}') from error
    if step <= 0:
        why = "zero or negative query resolution step widths are not accepted. Try a positive "
        raise PromqlError(f'invalid parameter "step": {why}integer')
    return step


@_with_prometheus_errors
def list_series(call: Call) -> Json:
    """Answers `series`: the labels of the series that selectors choose."""
    selectors = _selector_texts(call)
    if not selectors:
        raise PromqlError("no match[] parameter provided")
    return [dict(labels) for labels in _matching_labels(call, selectors)]


@_with_prometheus_errors
def list_label_names(call: Call) -> Json:
    """Answers `labels`: the names of labels."""
    found = _matching_labels(call, _selector_texts(call) or [""])
    return sorted({name for labels in found for name, _ in labels})


@_with_prometheus_errors
def list_label_values(call: Call) -> Json:
    """Answers `label/{label}/values`."""
    label = str(call.params.get("label", ""))
    found = _matching_labels(call, _selector_texts(call) or [""])
    return sorted({value for labels in found for name, value in labels if name == label})


def _selector_texts(call: Call) -> list[str]:
    given = [call.params.get("match[]"), call.params.get("match"), call.body.get("match[]")]
    given.append(call.body.get("match"))
    flat: list[str] = []
    for each in given:
        flat += map(str, each) if isinstance(each, list) else [str(each)] if each else []
    return flat


def _matching_labels(call: Call, selectors: Iterable[str]) -> Sequence[Labels]:
    """Labels of the series that a selector chooses and that have samples in the asked span."""
    source, shift = _project_tracks(call)
    start = _time_parameter(call, "start", -_FARTHEST + 1) - shift
    end = _time_parameter(call, "end", _FARTHEST - 1) - shift
    found: dict[Labels, None] = {}
    for text in selectors:
        try:
            matchers = parse_selector(text) if text else ()
        except PromqlError as error:
            raise PromqlError(f'invalid parameter "match[]": {error}') from error
        for track in source.select(matchers):
            if track.times and track.times[0] <= end and track.times[-1] >= start:
                found[track.labels] = None
    return sorted(found)


@_with_prometheus_errors
def list_metadata(call: Call) -> Json:
    """Answers `metadata`: type, help and unit of metrics by name."""
    asked, text = _query_parameter(call, "metric"), _query_parameter(call, "limit")
    if text and not (text.isascii() and text.isdigit() and len(text) < 20):
        raise PromqlError(
            f'invalid parameter "limit": cannot parse "{shortened(text)}" to a number'
        )
    limit = int(text or 0)
    found: dict[str, Json] = {}
    for row in call.world.table(DESCRIPTORS).rows().values():
        name = prometheus_name(row["type"])
        kind = _TYPES.get(str(row.get("metricKind")), "unknown")
        kind = "histogram" if row.get("valueType") == "DISTRIBUTION" else kind
        about = {"type": kind, "help": row.get("description", ""), "unit": row.get("unit", "")}
        if not asked or asked == name:
            found[name] = [about]
    return dict(sorted(found.items())[: limit or None])


@_with_prometheus_errors
def list_exemplars(call: Call) -> Json:
    """Answers `query_exemplars`: none are stored."""
    _query_text(call)
    return []


def _series_json(track: Track, shift: int) -> JsonObject:
    values = [
        [_epoch_seconds(at + shift), format_value(value)]
        for at, value in zip(track.times, track.values, strict=True)
    ]
    return {"metric": dict(track.labels), "values": values}


def _epoch_seconds(moment: int) -> float:
    """A moment in seconds, to the millisecond."""
    seconds, rest = divmod(moment // 1000, 1000)
    return seconds + rest / 1000 if rest else seconds


_ANSWERS: Mapping[str, Handler] = {
    "query": query_instant,
    "query_range": query_range,
    "series": list_series,
    "labels": list_label_names,
}
PROMETHEUS_HANDLERS: Mapping[str, Handler] = {
    **{f"{_METHOD}{name}": handler for name, handler in _ANSWERS.items()},
    **{f"{_METHOD}{name}.get": handler for name, handler in _ANSWERS.items()},
    f"{_METHOD}label.values": list_label_values,
    f"{_METHOD}metadata.list": list_metadata,
    f"{_METHOD}query_exemplars": list_exemplars,
}
"""Discovery id to handler; the routes by GET have `.get` after the id of the POST."""
