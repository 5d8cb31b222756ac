"""Stored time series as Prometheus sees them: names, labels, counters.

Names: the first `/` of a metric type becomes `:`, everything else that a name cannot have `_`;
metrics that Prometheus itself wrote keep their name. Labels are those of metric and resource
together; a metric's label of a resource's name gets `metric_` before it. `DELTA` metrics are
counters. A distribution is a histogram: `_bucket`, `_count` and `_sum`. That `monitored_resource`
is among the labels is not verified against the live API.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf

from mockserver.apis.monitoring.distributions import bounds_of, count_of, counts_of, mean_of
from mockserver.apis.monitoring.promql import (
    NAME,
    Labels,
    Matcher,
    Track,
    format_value,
    matches,
)
from mockserver.apis.monitoring.series import Series, Stored, Value

_OWN = "prometheus.googleapis.com/"
_OWN_RESOURCE = "prometheus_target"
_ODD = re.compile(r"[^A-Za-z0-9_]")
_PARTS = ("_bucket", "_count", "_sum")

InProject = Callable[[Series], bool]


@lru_cache(maxsize=4096)
def prometheus_name(metric: str) -> str:
    """The name of a metric type in PromQL.

    >>> prometheus_name("kubernetes.io/container/cpu/core_usage_time")
    'kubernetes_io:container_cpu_core_usage_time'
    >>> prometheus_name("prometheus.googleapis.com/http_requests_total/counter")
    'http_requests_total'
    """
    if metric.startswith(_OWN):
        return metric.removeprefix(_OWN).rpartition("/")[0] or metric.removeprefix(_OWN)
    domain, slash, path = metric.partition("/")
    return f"{_ODD.sub('_', domain)}{':' if slash else ''}{_ODD.sub('_', path)}"


class StoredTracks:
    """The series of a session as tracks, up to a moment.

    Args:
        stored: The series.
        in_project: Which of them are of the project that is asked.
        until: The session's present, in stored time; later samples have not happened yet.
    """

    def __init__(self, stored: Stored, in_project: InProject, until: int) -> None:
        self._stored = stored
        self._in_project = in_project
        self._until = until

    def select(self, matchers: Sequence[Matcher]) -> Sequence[Track]:
        """The tracks whose labels meet all matchers."""
        asked = tuple(_renamed(matcher) for matcher in matchers)
        exact = {each.value for each in asked if each.label == NAME and each.operator == "="}
        return [
            track
            for metric in self._stored.types()
            if not exact or exact & _names(metric)
            for track in self._tracks(metric)
            if matches(asked, track.labels)
        ]

    def _tracks(self, metric: str) -> Iterator[Track]:
        for series in self._stored.of_type(metric):
            if self._in_project(series):
                for track in tracks_of(series):
                    yield self._past(track)

    def _past(self, track: Track) -> Track:
        if not track.times or track.times[-1] <= self._until:
            return track
        places = [at for at, moment in enumerate(track.times) if moment <= self._until]
        return Track(track.labels, track.times[: len(places)], track.values[: len(places)])


def _renamed(matcher: Matcher) -> Matcher:
    """A matcher that names a metric by its type (`{"run.googleapis.com/request_count"}`)."""
    if matcher.label == NAME and matcher.operator == "=" and "/" in matcher.value:
        return Matcher(NAME, "=", prometheus_name(matcher.value))
    return matcher


@lru_cache(maxsize=4096)
def _names(metric: str) -> frozenset[str]:
    name = prometheus_name(metric)
    return frozenset({name, *(name + part for part in _PARTS)})


def tracks_of(series: Series) -> Sequence[Track]:
    """A time series as tracks; those of a distribution are several, those of texts none."""
    found: Sequence[Track] | None = series.memo.get("tracks")
    if found is None:
        found = series.memo["tracks"] = _made(series)
    return found


def _made(series: Series) -> Sequence[Track]:
    if series.value_type == "STRING":
        return ()
    labels = _labels(series)
    if series.value_type == "DISTRIBUTION":
        return _histogram(series, labels)
    return (_track(series, labels, "", float),)


def _labels(series: Series) -> dict[str, str]:
    labels = {_ODD.sub("_", name): str(value) for name, value in series.resource_labels.items()}
    for name, value in series.metric_labels.items():
        label = _ODD.sub("_", name)
        labels[f"metric_{label}" if label in labels else label] = str(value)
    if series.resource != _OWN_RESOURCE:
        labels["monitored_resource"] = series.resource
    return labels


def _track(
    series: Series, labels: dict[str, str], suffix: str, read: Callable[[Value], float]
) -> Track:
    name = {NAME: prometheus_name(series.metric) + suffix}
    values = [read(value) for value in series.values]
    times = series.ends
    if series.kind == "DELTA" and values:
        values = list(accumulate(values))
        if series.starts[0] < times[0]:
            times, values = [series.starts[0], *times], [0.0, *values]
    return Track(_sorted({**labels, **name}), times, values)


def _sorted(labels: dict[str, str]) -> Labels:
    return tuple(sorted((name, value) for name, value in labels.items() if value))


def _histogram(series: Series, labels: dict[str, str]) -> Sequence[Track]:
    tracks = [
        _track(series, labels, "_count", lambda value: float(count_of(value))),
        _track(series, labels, "_sum", lambda value: mean_of(value) * count_of(value)),
    ]
    bounds = [*bounds_of(series.values[0]), inf] if series.values else []
    for place, bound in enumerate(bounds):
        with_bound = {**labels, "le": format_value(bound)}
        tracks.append(_track(series, with_bound, "_bucket", _up_to(place)))
    return tracks


def _up_to(place: int) -> Callable[[Value], float]:
    return lambda value: float(sum(counts_of(value)[: place + 1]))
