"""Traces of Langfuse, as its API and its pages export them; observations may come alone."""

from collections.abc import Iterator, Mapping

from mockserver.model import Json, JsonObject
from mockserver.traces.chat_messages import unpacked
from mockserver.traces.foreign.common import Told, items, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_KINDS: Mapping[str, SpanKind] = {
    "GENERATION": "model", "TOOL": "tool", "AGENT": "agent", "CHAIN": "other", "SPAN": "other",
    "EVENT": "other", "RETRIEVER": "other", "EMBEDDING": "other", "GUARDRAIL": "other",
    "EVALUATOR": "other",
}  # fmt: skip


def recognises(value: JsonObject) -> bool:
    """Whether a record is a trace with observations, or an observation."""
    return isinstance(value.get("observations"), list) or (
        text(value.get("type")) in _KINDS and ("traceId" in value or "parentObservationId" in value)
    )


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a trace.

    Yields:
        One for the trace, and one for each observation.
    """
    observations = items(value.get("observations"))
    if not observations:
        yield _observation(value, text(value.get("traceId")))
        return
    inner = record(value.get("trace"))
    trace = inner or value
    id = text(trace.get("id")) or text(observations[0].get("traceId"))
    scores = items(trace.get("scores")) or items(value.get("scores"))
    yield span_of(
        Told(
            id,
            f"trace-{id}",
            "",
            text(trace.get("name")),
            "agent",
            trace.get("timestamp"),
            input=unpacked(trace.get("input")),
            output=unpacked(trace.get("output")),
            facts={
                "gen_ai.conversation.id": trace.get("sessionId"),
                "gen_ai.tool.definitions": _tools(observations),
            },
            scores=tuple(
                (text(each.get("name")), each.get("value", each.get("stringValue")),
                 text(each.get("comment")))
                for each in scores
            ),
        )
    )  # fmt: skip
    for each in observations:
        yield _observation(each, id)


def _observation(value: JsonObject, trace: str) -> Span:
    metadata = record(unpacked(value.get("metadata")))
    attributes = record(unpacked(metadata.get("attributes")))
    kind = _KINDS.get(text(value.get("type")), "other")
    name = text(value.get("name"))
    told_kind = Span("", "", "", name, attributes=attributes).kind
    kind = told_kind if kind == "other" and told_kind != "other" else kind
    failed = text(value.get("statusMessage")) or "error"
    tool = Span("", "", "", name, attributes=attributes).tool_name
    facts: JsonObject = {**attributes} if kind != "other" else {}
    usage = record(value.get("usageDetails")) or record(value.get("usage"))
    facts |= {
        "gen_ai.request.model": value.get("model") or attributes.get("gen_ai.request.model"),
        "gen_ai.usage.input_tokens": usage.get("input"),
        "gen_ai.usage.output_tokens": usage.get("output"),
    }
    held = unpacked(value.get("input"))
    given = unpacked(value.get("output"))
    for key in ("gen_ai.input.messages", "gen_ai.output.messages", "input.value", "output.value",
                "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"):  # fmt: skip
        side = held if "input" in key or "arguments" in key else given
        if side is not None:
            facts.pop(key, None)
    parent = text(value.get("parentObservationId")) or f"trace-{trace}"
    return span_of(
        Told(
            trace,
            text(value.get("id")),
            parent,
            tool if kind == "tool" else name,
            kind,
            value.get("startTime"),
            value.get("endTime"),
            held,
            given,
            failed if value.get("level") == "ERROR" else "",
            facts,
        )
    )


def _tools(observations: list[JsonObject]) -> Json:
    """The tools that models were told of, where observations have them apart."""
    found: list[Json] = []
    for each in observations:
        told = unpacked(each.get("toolDefinitions"))
        if isinstance(told, dict):
            for name, definition in told.items():
                inner = record(unpacked(definition))
                found.append({**inner, "name": name})
    return found or None
