"""Spans of Braintrust's logs, as its API fetches them, and trees of them."""

from collections.abc import Iterator, Mapping

from mockserver.model import Json, JsonObject
from mockserver.traces.foreign.common import Told, items, made_id, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_KINDS: Mapping[str, SpanKind] = {"llm": "model", "tool": "tool", "task": "agent"}


def recognises(value: JsonObject) -> bool:
    """Whether a record is a span of a log, or a tree of spans."""
    return "span_attributes" in value or "root_span_id" in value or (
        isinstance(value.get("span_tree"), list)
    )  # fmt: skip


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a record.

    Yields:
        One, or those of a tree.
    """
    if "span_tree" in value:
        for number, each in enumerate(items(value["span_tree"])):
            yield from _tree(each, str(number), "")
        return
    attributes, metadata = record(value.get("span_attributes")), record(value.get("metadata"))
    metrics = record(value.get("metrics"))
    parents = value.get("span_parents")
    id = text(value.get("span_id")) or text(value.get("id"))
    scores = record(value.get("scores"))
    yield span_of(
        Told(
            text(value.get("root_span_id")) or id,
            id,
            str(parents[0]) if isinstance(parents, list) and parents else "",
            text(attributes.get("name")),
            _KINDS.get(text(attributes.get("type")), "other"),
            metrics.get("start") or value.get("created"),
            metrics.get("end"),
            value.get("input"),
            value.get("output"),
            _error(value.get("error")),
            _facts(metadata, metrics),
            tuple((name, each, "") for name, each in scores.items() if each is not None),
        )
    )


def _tree(value: JsonObject, place: str, parent: str) -> Iterator[Span]:
    id = made_id("braintrust", place)
    root = place.partition(".")[0]
    kind = _KINDS.get(text(value.get("type")), "other")
    yield span_of(
        Told(
            made_id("braintrust", "trace", root),
            id,
            parent,
            text(value.get("name")),
            kind,
            input=value.get("input"),
            output=value.get("output"),
            error=_error(value.get("error")),
            facts=_facts(record(value.get("metadata")), {}),
        )
    )
    for number, child in enumerate(items(value.get("children"))):
        yield from _tree(child, f"{place}.{number}", id)


def _error(value: Json) -> str:
    return text(value) or (str(record(value).get("message") or "error") if value else "")


def _facts(metadata: JsonObject, metrics: JsonObject) -> JsonObject:
    return {
        "gen_ai.request.model": metadata.get("model"),
        "gen_ai.provider.name": metadata.get("provider"),
        "gen_ai.tool.definitions": metadata.get("tools"),
        "gen_ai.conversation.id": metadata.get("session_id"),
        "gen_ai.usage.input_tokens": metrics.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": metrics.get("completion_tokens"),
    }
