"""Export requests of OpenTelemetry as JSON, as a collector's file exporter writes them."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.otlp_json import read_spans
from mockserver.traces.spans import Span


def recognises(value: JsonObject) -> bool:
    """Whether a record is an export request."""
    return "resourceSpans" in value


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a request.

    Yields:
        Each, in order.

    Raises:
        SpanError: It is no OTLP.
    """
    yield from read_spans(value)
