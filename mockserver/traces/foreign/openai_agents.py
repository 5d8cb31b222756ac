"""Traces and spans of the OpenAI Agents SDK, as its processors export them."""

from collections.abc import Iterator, Mapping

from mockserver.model import Json, JsonObject
from mockserver.traces.foreign.common import Told, items, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_KINDS: Mapping[str, SpanKind] = {
    "agent": "agent", "generation": "model", "response": "model", "function": "tool",
}  # fmt: skip


def recognises(value: JsonObject) -> bool:
    """Whether a record is a trace, a span, or a batch of them."""
    told = value.get("object")
    data = items(value.get("data"))
    return told in {"trace", "trace.span"} or any(
        str(each.get("object")) in {"trace", "trace.span"} for each in data[:1]
    )


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a record.

    Yields:
        One for a trace and for each span.
    """
    for each in items(value.get("data")) or [value]:
        if each.get("object") == "trace":
            id = text(each.get("id"))
            facts = {"gen_ai.conversation.id": each.get("group_id")}
            name = text(each.get("workflow_name"))
            yield span_of(Told(id, id, "", name, "other", facts=facts))
        else:
            yield _span(each)


def _span(value: JsonObject) -> Span:
    data, failed = record(value.get("span_data")), record(value.get("error"))
    kind = _KINDS.get(text(data.get("type")), "other")
    name = text(data.get("name"))
    response = record(data.get("response"))
    asked: Json = data.get("input")
    given: Json = data.get("output") if "output" in data else response.get("output")
    usage = record(data.get("usage")) or record(response.get("usage"))
    return span_of(
        Told(
            text(value.get("trace_id")),
            text(value.get("id")),
            text(value.get("parent_id")) or text(value.get("trace_id")),
            name,
            kind,
            value.get("started_at"),
            value.get("ended_at"),
            asked,
            given,
            text(failed.get("message")) or ("error" if failed else ""),
            {
                "gen_ai.agent.name": name if kind == "agent" else None,
                "gen_ai.system_instructions": response.get("instructions"),
                "gen_ai.tool.definitions": response.get("tools"),
                "gen_ai.request.model": data.get("model") or response.get("model"),
                "gen_ai.usage.input_tokens": usage.get("input_tokens"),
                "gen_ai.usage.output_tokens": usage.get("output_tokens"),
            },
        )
    )
