"""Spans of Phoenix, and of OpenInference as Python's SDK prints spans."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.foreign.common import items, nanoseconds, record, text
from mockserver.traces.spans import Span, SpanEvent


def recognises(value: JsonObject) -> bool:
    """Whether a record is a span with its context apart, or with `context.trace_id` as a field."""
    context = value.get("context")
    inner = isinstance(context, dict) and "trace_id" in context
    return (inner or "context.trace_id" in value) and "name" in value


def read(value: JsonObject) -> Iterator[Span]:
    """The span of a record.

    Yields:
        One.
    """
    context = record(value.get("context"))
    trace = text(context.get("trace_id")) or text(value.get("context.trace_id"))
    id = text(context.get("span_id")) or text(value.get("context.span_id"))
    attributes = dict(_flat(record(value.get("attributes")), ""))
    attributes |= {
        name.removeprefix("attributes."): each
        for name, each in value.items()
        if name.startswith("attributes.") and each is not None
    }
    kind = value.get("span_kind")
    if isinstance(kind, str) and kind.lower() != "unknown":
        attributes.setdefault("openinference.span.kind", kind)
    status = record(value.get("status"))
    code = text(value.get("status_code")) or text(status.get("status_code"))
    message = text(value.get("status_message")) or text(status.get("description"))
    scores = [
        SpanEvent(
            "gen_ai.evaluation.result",
            {
                "gen_ai.evaluation.name": text(each.get("name")),
                **{f"gen_ai.evaluation.score.{ours}": told for ours, theirs in
                   (("value", "score"), ("label", "label"))
                   if (told := record(each.get("result")).get(theirs, each.get(theirs)))
                   is not None},
            },
        )
        for each in items(value.get("annotations"))
    ]  # fmt: skip
    yield Span(
        trace=trace.removeprefix("0x"),
        id=id.removeprefix("0x"),
        parent=text(value.get("parent_id")).removeprefix("0x"),
        name=text(value.get("name")),
        start_ns=nanoseconds(value.get("start_time")),
        end_ns=nanoseconds(value.get("end_time")),
        attributes=attributes,
        events=(
            *(SpanEvent(text(each.get("name")), record(each.get("attributes")))
              for each in items(value.get("events"))),
            *scores,
        ),
        is_error=code.upper() == "ERROR",
        message=message,
        resource=record(record(value.get("resource")).get("attributes")),
    )  # fmt: skip


def _flat(value: JsonObject, before: str) -> Iterator[tuple[str, object]]:
    """Attributes by their whole names; Phoenix nests them.

    Yields:
        Name and value.
    """
    for key, each in value.items():
        name = f"{before}{key}"
        if isinstance(each, dict) and each and "messages" not in key:
            yield from _flat(each, f"{name}.")
        elif isinstance(each, list) and key.endswith(("_messages", "tools")):
            yield (
                f"gen_ai.{'input' if 'input' in key else 'output'}.messages"
                if (key.endswith("_messages"))
                else name,
                each,
            )
        else:
            yield name, each
