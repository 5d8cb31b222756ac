"""Runs of LangSmith, as its SDK lists them and its bulk export writes them."""

from collections.abc import Iterator, Mapping

from mockserver.model import Json, JsonObject
from mockserver.traces.chat_messages import unpacked
from mockserver.traces.foreign.common import Told, items, record, span_of, text
from mockserver.traces.spans import Span, SpanKind

_KINDS: Mapping[str, SpanKind] = {"llm": "model", "tool": "tool", "chain": "other"}


def recognises(value: JsonObject) -> bool:
    """Whether a record is a run, or a batch that the SDK posts."""
    posted = items(value.get("post"))
    return any("run_type" in each and ("inputs" in each or "id" in each)
               for each in (value, *posted[:1]))  # fmt: skip


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a run, and of the runs in it.

    Yields:
        One for each.
    """
    later = {text(each.get("id")): each for each in items(value.get("patch"))}
    for each in items(value.get("post")) or [value]:
        more = {key: told for key, told in later.get(text(each.get("id")), {}).items()
                if told is not None}  # fmt: skip
        run = {**each, **more}
        yield from _run(run, text(run.get("trace_id")) or text(run.get("id")), "")


def _run(value: JsonObject, trace: str, parent: str) -> Iterator[Span]:
    kind = _KINDS.get(text(value.get("run_type")), "other")
    parent = text(value.get("parent_run_id")) or parent
    if not parent and kind == "other":
        kind = "agent"
    inputs, outputs = record(unpacked(value.get("inputs"))), unpacked(value.get("outputs"))
    extra = record(unpacked(value.get("extra")))
    metadata = record(extra.get("metadata"))
    invocation = record(extra.get("invocation_params"))
    id = text(value.get("id"))
    asked: Json = inputs
    if kind == "tool":
        asked, outputs = _arguments(inputs), _result(outputs)
    feedback = record(value.get("feedback_stats"))
    scores = [(name, record(each).get("avg"), "") for name, each in feedback.items()]
    yield span_of(
        Told(
            trace,
            id,
            parent,
            text(value.get("name")),
            kind,
            value.get("start_time"),
            value.get("end_time"),
            asked,
            outputs,
            text(value.get("error")),
            {
                "gen_ai.request.model": metadata.get("ls_model_name") or invocation.get("model"),
                "gen_ai.provider.name": metadata.get("ls_provider"),
                "gen_ai.tool.definitions": invocation.get("tools") or inputs.get("tools"),
                "gen_ai.conversation.id": metadata.get("thread_id") or metadata.get("session_id"),
                "gen_ai.usage.input_tokens": value.get("prompt_tokens"),
                "gen_ai.usage.output_tokens": value.get("completion_tokens"),
            },
            tuple(each for each in scores if each[1] is not None),
        )
    )
    for child in items(value.get("child_runs")):
        yield from _run(child, trace, id)


def _arguments(inputs: JsonObject) -> Json:
    """The arguments of a tool: LangChain writes them as the text of a Python object."""
    held = unpacked(inputs.get("input"))
    return held if len(inputs) == 1 and held is not None else inputs


def _result(outputs: Json) -> Json:
    held = outputs.get("output") if isinstance(outputs, dict) and len(outputs) == 1 else outputs
    held = unpacked(held)
    if isinstance(held, dict) and "content" in held and "tool_call_id" in held:
        return unpacked(held["content"])
    return held
