"""Every format tells the same story, and recognises itself."""

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mockserver.model import Json
from mockserver.traces import Span, SpanError
from mockserver.traces.agent_traces import AgentTrace, agent_trace
from mockserver.traces.foreign import FORMATS, claude, format_of, records_in, weave
from mockserver.traces.foreign.common import nanoseconds
from tests import told_traces as told

GOLDEN = Path(__file__).with_name("stories.golden.json")


def traces_of(value: Json, name: str) -> list[AgentTrace]:
    spans: dict[str, list[Span]] = defaultdict(list)
    for record in records_in(value):
        assert format_of(record) == name
        for span in FORMATS[name].read(record):
            spans[span.trace].append(span)
    found = [agent_trace(each) for each in spans.values()]
    return [each for each in found if each is not None]


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_tells_the_story(name: str) -> None:
    (trace,) = traces_of(told.FORMATS[name], name)
    (turn,) = trace.turns
    assert (turn.user, turn.answer) == (told.ASKED, told.ANSWER)
    calls = [(call.name, call.arguments, call.result, call.error) for call in turn.calls]
    assert calls == [(name, given, result, None) for _, name, given, result in told.CALLS]
    assert trace.missing == ()


def stories() -> dict[str, Any]:
    """What each format tells in whole: its spans, and what they come to."""
    found: dict[str, Any] = {}
    for name in FORMATS:
        spans = [span for record in records_in(told.FORMATS[name])
                 for span in FORMATS[name].read(record)]  # fmt: skip
        (trace,) = traces_of(told.FORMATS[name], name)
        found[name] = {"spans": [each.as_json() for each in spans], "trace": asdict(trace)}
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def test_what_is_read_of_each_format_is_as_it_was() -> None:
    """To write it anew: python -m tests.mockserver.traces.foreign.test_formats"""
    found, golden = stories(), json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert found.keys() == golden.keys()
    for name, story in found.items():
        assert story == golden[name], name


@pytest.mark.parametrize(
    ("value", "is_line"),
    [
        ({"type": "user", "sessionId": "s"}, True),
        ({"type": "other", "sessionId": "s"}, False),
        ({"type": "assistant", "message": {}, "uuid": "1"}, True),
        ({"type": "assistant", "message": {}, "timestamp": "t"}, True),
        ({"type": "assistant", "message": {}}, False),
        ({"type": "assistant", "uuid": "1"}, False),
        ({"loglines": []}, True),
    ],
)
def test_a_line_of_a_transcript_is_known_by_what_is_in_it(
    value: dict[str, Any], is_line: bool
) -> None:
    assert claude.recognises(value) is is_line


CHAT: tuple[dict[str, Any], dict[str, Any]] = {"messages": []}, {"choices": []}


@pytest.mark.parametrize(
    ("name", "attributes", "inputs", "output", "parent", "kind"),
    [
        ("x", {"kind": "tool"}, {}, None, "", "tool"),
        ("x", {"weave": {"kind": "agent"}}, {}, None, "p", "agent"),
        ("x", {"kind": "llm"}, {}, None, "p", "model"),
        ("x", {}, *CHAT, "p", "model"),
        ("x", {}, CHAT[0], {}, "p", "other"),
        ("x", {}, {}, CHAT[1], "p", "other"),
        ("x", {}, CHAT[0], "choices", "p", "other"),
        ("run_tool", {}, {}, None, "p", "tool"),
        ("run_tool", {"kind": "x"}, {}, None, "p", "other"),
        ("run_tool", {}, {}, None, "", "agent"),
    ],
)
def test_what_a_call_of_weave_is(
    name: str, attributes: Any, inputs: Any, output: Any, parent: str, kind: str
) -> None:
    assert weave._kind(name, attributes, inputs, output, parent) == kind


TELL_TOOLS = set(FORMATS) - {"mastra", "adk", "claude", "phoenix"}


@pytest.mark.parametrize("name", sorted(TELL_TOOLS))
def test_what_the_agent_was_given_is_told_where_the_format_has_it(name: str) -> None:
    (trace,) = traces_of(told.FORMATS[name], name)
    assert {"get_order", "refund", "delete_order"} == set(trace.tools)
    assert trace.tools["refund"]["inputSchema"] == told.SCHEMA


def test_scores_of_people_are_told() -> None:
    (trace,) = traces_of(told.langfuse(), "langfuse")
    assert trace.scores == (("user-feedback", 0.0, "", "twice"),)


def test_spans_of_mastra_may_be_a_tree() -> None:
    listed = told.mastra()
    root, *below = listed["spans"]
    for each in below:
        each["parentId"] = each.pop("parentSpanId")
    tree = {"span": root, "children": [{"span": each} for each in below]}
    assert traces_of({"spans": [tree]}, "mastra") == traces_of(told.mastra(), "mastra")


def test_several_traces_in_a_file_stay_apart() -> None:
    value: Json = [told.otlp("aa01"), told.otlp("aa02")]
    assert [each.id for each in traces_of(value, "otlp")] == ["aa01", "aa02"]


@pytest.mark.parametrize(
    "value", [{}, [], [1, "a", None], {"a": {"b": [{}]}}, {"messages": "no"}, [[[]]],
              {"type": {}, "uuid": 1}, {"type": [], "traceId": ""}], ids=repr
)  # fmt: skip
def test_what_is_no_trace_is_in_no_format(value: Any) -> None:
    assert list(records_in(value)) == []


@pytest.mark.parametrize("figure", [10**400, float("inf")], ids=["integer", "infinite"])
def test_figures_that_no_number_holds_are_read_as_texts_or_refused(figure: Any) -> None:
    value: Any = told.langfuse()
    value["scores"] = [{"name": "n", "value": figure}]
    (trace,) = traces_of(value, "langfuse")
    assert trace.scores[-1][:3] == ("n", None, str(figure))
    spans = told.otlp("aa01")
    spans["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["startTimeUnixNano"] = figure
    with suppress(SpanError):
        traces_of(spans, "otlp")


@pytest.mark.parametrize(
    ("value", "second"),
    [(1_767_225_600, 0), (1_767_225_600_000, 0), (1_767_225_600_000_000, 0), (True, None),
     ("2026-01-01 00:00:00", 0), ("2026-01-01T01:00:00+01:00", 0), ("x", None), (-1, None),
     (None, None), (1e300, None)],
)  # fmt: skip
def test_moments_are_read_in_any_unit(value: Any, second: int | None) -> None:
    expected = 0 if second is None else 1_767_225_600_000_000_000
    assert nanoseconds(value) == expected


@pytest.mark.parametrize(
    ("name", "attributes", "inputs", "output", "parent", "kind"),
    [
        ("look", {"kind": "tool"}, {}, None, "", "tool"),
        ("look", {"kind": "agent"}, {}, None, "p", "agent"),
        ("look", {"weave": {"kind": "tool"}}, {}, None, "", "tool"),
        ("look", {"kind": "llm"}, {}, None, "", "model"),
        ("look", {}, {"messages": []}, {"choices": []}, "p", "model"),
        ("look", {}, {"messages": []}, {}, "p", "other"),
        ("look", {}, {"messages": []}, "choices", "p", "other"),
        ("look", {}, {}, {"choices": []}, "p", "other"),
        ("MyTool", {}, {}, None, "p", "tool"),
        ("MyTool", {}, {}, None, "", "agent"),
        ("MyTool", {"kind": "other"}, {}, None, "p", "other"),
        ("look", {}, {}, None, "", "agent"),
        ("look", {}, {}, None, "p", "other"),
    ],
)
def test_a_call_of_weave_is_of_a_kind(
    name: str, attributes: Any, inputs: Any, output: Any, parent: str, kind: str
) -> None:
    assert weave._kind(name, attributes, inputs, output, parent) == kind


def lines_of_claude(**line: Any) -> list[dict[str, Any]]:
    return [span.as_json() for span in claude.read({"sessionId": "s", **line})]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"result": "it broke", "is_error": True}, "it broke"),
        ({"subtype": "error_max_turns", "is_error": True}, "error_max_turns"),
        ({"result": "it broke", "is_error": False}, None),
        ({"result": "done"}, None),
        ({"is_error": True}, None),
    ],
)
def test_a_result_of_claude_that_is_an_error_is_one(line: Any, error: str | None) -> None:
    found = lines_of_claude(type="result", **line)
    assert [(each["trace"], each["message"], each["is_error"]) for each in found] == (
        [] if error is None else [("s", error, True)]
    )


def test_lines_of_claude_of_other_kinds_are_told_apart() -> None:
    message = {"role": "user", "content": "Hello"}
    (said,) = lines_of_claude(type="user", message=message)
    assert (said["trace"], said["name"]) == ("s", "message")
    (beside,) = lines_of_claude(type="assistant", message=message, isSidechain=True)
    assert (beside["trace"], beside["name"]) == ("s/sidechain", "chat")
    assert lines_of_claude(type="user", message=message, isMeta=True) == []
    assert lines_of_claude(type="user") == lines_of_claude(type="system", message=message) == []


def damaged(value: Json) -> Json:
    """The same with every leaf of another type."""
    if isinstance(value, dict):
        return {key: damaged(each) if key not in {"type", "object"} else each
                for key, each in value.items()}  # fmt: skip
    if isinstance(value, list):
        return [damaged(each) for each in value]
    return {"str": []} if isinstance(value, str) else "7"


@pytest.mark.parametrize("name", FORMATS)
def test_records_with_other_types_are_read_or_refused(name: str) -> None:
    for record in records_in(damaged(told.FORMATS[name])):
        with suppress(SpanError):
            for span in FORMATS[format_of(record)].read(record):
                agent_trace([span])


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(stories(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
