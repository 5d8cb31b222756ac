"""Records of Logfire, as its query API exports them."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.chat_messages import unpacked
from mockserver.traces.foreign.common import items, nanoseconds, record, text
from mockserver.traces.spans import Span, SpanEvent


def recognises(value: JsonObject) -> bool:
    """Whether a record is a row of the table of records."""
    return "trace_id" in value and "span_id" in value and (
        "span_name" in value or "otel_scope_name" in value or "start_timestamp" in value
    )  # fmt: skip


def read(value: JsonObject) -> Iterator[Span]:
    """The span of a record.

    Yields:
        One.
    """
    attributes = record(unpacked(value.get("attributes")))
    status = text(value.get("otel_status_code")).upper()
    failed = status == "ERROR" or value.get("is_exception") is True
    message = text(value.get("otel_status_message")) or text(value.get("exception_message"))
    yield Span(
        trace=text(value.get("trace_id")),
        id=text(value.get("span_id")),
        parent=text(value.get("parent_span_id")),
        name=text(value.get("span_name")) or text(value.get("message")),
        start_ns=nanoseconds(value.get("start_timestamp")),
        end_ns=nanoseconds(value.get("end_timestamp")),
        attributes=attributes,
        events=tuple(
            SpanEvent(text(each.get("event_name") or each.get("name")),
                      record(each.get("attributes")))
            for each in items(unpacked(value.get("otel_events")))
        ),
        is_error=failed,
        message=message if failed else "",
        resource={"service.name": text(value.get("service_name"))},
        scope=text(value.get("otel_scope_name")),
    )  # fmt: skip
