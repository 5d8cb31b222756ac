"""Spans of OpenTelemetry as agents' frameworks write them, and the forms in which they come; pure.

spans          a span as plain values, and what it means of an agent
otlp_json      export requests as JSON
otlp_protobuf  the same in Protocol Buffers, and the answers to both
"""

from mockserver.traces.otlp_json import SpanError, read_spans
from mockserver.traces.otlp_protobuf import (
    SizedSpan,
    count_protobuf_spans,
    partial_success,
    read_protobuf_spans,
    status_message,
)
from mockserver.traces.spans import (
    SESSION,
    Span,
    SpanEvent,
    SpanKind,
    distinct_spans,
    finite,
)

__all__ = [
    "SESSION",
    "SizedSpan",
    "Span",
    "SpanError",
    "SpanEvent",
    "SpanKind",
    "count_protobuf_spans",
    "distinct_spans",
    "finite",
    "partial_success",
    "read_protobuf_spans",
    "read_spans",
    "status_message",
]
