"""PromQL: the query language of Prometheus, over any source of tracks."""

from mockserver.apis.monitoring.promql.engine import context_of, evaluate_instant, evaluate_range
from mockserver.apis.monitoring.promql.nodes import (
    Matcher,
    PromqlError,
    format_value,
    read_duration,
)
from mockserver.apis.monitoring.promql.parser import parse, parse_selector
from mockserver.apis.monitoring.promql.vectors import (
    NAME,
    Labels,
    Matrix,
    Scalar,
    Source,
    Track,
    matches,
)

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
