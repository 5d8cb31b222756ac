"""Spans of Mastra, as its storage and its exporters have them: in a list, or as a tree."""

from collections.abc import Iterator, Mapping

from mockserver.model import Json, JsonObject
from mockserver.traces.foreign.common import Told, items, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_KINDS: Mapping[str, SpanKind] = {
    "agent_run": "agent", "workflow_run": "agent", "model_generation": "model",
    "llm_generation": "model", "tool_call": "tool", "mcp_tool_call": "tool",
}  # fmt: skip


def recognises(value: JsonObject) -> bool:
    """Whether a record is a span, a trace of spans, or an event of an exporter around one."""
    inner = record(value.get("exportedSpan"))
    spans = items(value.get("spans"))[:1]
    inside = (record(each.get("span")) for each in spans)
    return any("traceId" in each and _type(each) for each in (value, inner, *spans, *inside))


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a record.

    Yields:
        Each.
    """
    inner = record(value.get("exportedSpan"))
    for each in [inner] if inner else items(value.get("spans")) or [value]:
        yield from map(_span, _all_of(each))


def _all_of(value: JsonObject) -> Iterator[JsonObject]:
    """A span, and those below it where they are told as a tree.

    Yields:
        Each above those below it.
    """
    open_ones = [value]
    while open_ones:
        each = open_ones.pop()
        inner = record(each.get("span"))
        yield inner or each
        if inner:
            open_ones.extend(reversed(items(each.get("children"))))


def _type(value: JsonObject) -> str:
    told = text(value.get("spanType")) or text(value.get("type"))
    return told if told in _KINDS or told.startswith(("model_", "workflow_", "processor_")) else ""


def _span(value: JsonObject) -> Span:
    attributes, metadata = record(value.get("attributes")), record(value.get("metadata"))
    kind = _KINDS.get(_type(value), "other")
    id = text(value.get("spanId")) or text(value.get("id"))
    name = text(value.get("entityName")) or text(value.get("entityId"))
    name = name or text(attributes.get("toolId")) or _quoted(text(value.get("name")))
    failed = record(value.get("error") or value.get("errorInfo"))
    usage = record(attributes.get("usage"))
    given: Json = value.get("output")
    return span_of(
        Told(
            text(value.get("traceId")),
            id,
            text(value.get("parentSpanId")) or text(value.get("parentId")),
            name,
            kind,
            value.get("startedAt") or value.get("startTime"),
            value.get("endedAt") or value.get("endTime"),
            value.get("input"),
            _output(given) if kind == "model" else given,
            text(failed.get("message")) or ("error" if failed else ""),
            {
                "gen_ai.agent.name": name if kind == "agent" else None,
                "gen_ai.system_instructions": attributes.get("instructions"),
                "gen_ai.request.model": attributes.get("model"),
                "gen_ai.provider.name": attributes.get("provider"),
                "gen_ai.usage.input_tokens": usage.get("inputTokens"),
                "gen_ai.usage.output_tokens": usage.get("outputTokens"),
                "gen_ai.conversation.id": metadata.get("threadId") or metadata.get("sessionId"),
            },
        )
    )


def _quoted(name: str) -> str:
    """The name in quotes, of `tool: 'look_up'`."""
    inner = name.partition("'")[2].rpartition("'")[0]
    return inner or name


def _output(value: Json) -> Json:
    """What a model gave, as a message."""
    held = record(value)
    if not held:
        return value
    calls = held.get("toolCalls") or held.get("tool_calls") or []
    calls = [record(each.get("payload")) or each for each in items(calls)]
    return [{"role": "assistant", "content": text(held.get("text")), "tool_calls": calls}]
