"""Calls of W&B Weave, as its API streams them."""

from collections.abc import Iterator

from mockserver.model import Json, JsonObject
from mockserver.traces.foreign.common import Told, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_MODELS = (
    "chat.completions.create", "messages.create", "responses.create", "completion",
    "generate_content",     "converse", "chat.complete",
)  # fmt: skip


def recognises(value: JsonObject) -> bool:
    """Whether a record is a call."""
    return "op_name" in value and "trace_id" in value


def read(value: JsonObject) -> Iterator[Span]:
    """The span of a call.

    Yields:
        One.
    """
    name = op_name(text(value.get("op_name")))
    attributes, summary = record(value.get("attributes")), record(value.get("summary"))
    inputs = record(value.get("inputs"))
    parent = text(value.get("parent_id"))
    kind = _kind(name, attributes, inputs, value.get("output"), parent)
    asked: Json = inputs
    if kind == "tool":
        asked = {key: each for key, each in inputs.items() if key != "self"}
    yield span_of(
        Told(
            text(value.get("trace_id")),
            text(value.get("id")),
            parent,
            text(value.get("display_name")) if kind == "agent" else name,
            kind,
            value.get("started_at"),
            value.get("ended_at"),
            asked,
            value.get("output"),
            text(value.get("exception")) or text(summary.get("error")),
            {
                "gen_ai.request.model": inputs.get("model"),
                "gen_ai.tool.definitions": inputs.get("tools"),
                "gen_ai.conversation.id": value.get("thread_id"),
            },
        )
    )


def op_name(uri: str) -> str:
    """The name of an operation, without its project and its version.

    >>> op_name("weave:///team/project/op/look_up:a1b2"), op_name("openai.chat.completions.create")
    ('look_up', 'openai.chat.completions.create')
    """
    return uri.rpartition("/op/")[2].partition(":")[0] if "/op/" in uri else uri


def _kind(
    name: str, attributes: JsonObject, inputs: JsonObject, output: Json, parent: str
) -> SpanKind:
    told = text(attributes.get("kind")) or text(record(attributes.get("weave")).get("kind"))
    if told in {"tool", "agent"}:
        return "tool" if told == "tool" else "agent"
    if told == "llm" or name.endswith(_MODELS):
        return "model"
    if "messages" in inputs and isinstance(output, dict) and "choices" in output:
        return "model"
    return "tool" if parent and told == "" and "tool" in name.lower() else (
        "agent" if not parent else "other"
    )  # fmt: skip
