"""PromQL: the query language of Prometheus, over any source of tracks."""

from mockserver.apis.monitoring.promql.engine import context_of, evaluate_instant, evaluate_range
from mockserver.apis.monitoring.promql.errors import PromqlError
from mockserver.apis.monitoring.promql.formats import format_value, read_duration
from mockserver.apis.monitoring.promql.nodes import Matcher
from mockserver.apis.monitoring.promql.parser import parse, parse_selector
from mockserver.apis.monitoring.promql.tracks import NAME, Labels, Source, Track, matches
from mockserver.apis.monitoring.promql.vectors import Matrix, Scalar

__all__ = [
    "NAME",
    "Labels",
    "Matcher",
    "Matrix",
    "PromqlError",
    "Scalar",
    "Source",
    "Track",
    "context_of",
    "evaluate_instant",
    "evaluate_range",
    "format_value",
    "matches",
    "parse",
    "parse_selector",
    "read_duration",
]
