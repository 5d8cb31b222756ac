"""The Logging query language: read, and compiled to a test of log entries."""

from mockserver.apis.logging.query.compiler import (
    EARLIEST,
    LATEST,
    Entry,
    EntryFilter,
    compile_query,
    encode_log_name,
)
from mockserver.apis.logging.query.language import parse_query
from mockserver.apis.logging.query.values import SEVERITIES, duration_ns, plain_ns, time_ns

__all__ = [
    "EARLIEST",
    "LATEST",
    "SEVERITIES",
    "Entry",
    "EntryFilter",
    "compile_query",
    "duration_ns",
    "encode_log_name",
    "parse_query",
    "plain_ns",
    "time_ns",
]
