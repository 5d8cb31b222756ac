"""What spans tell of a conversation, where they tell it twice, in part, or out of order."""

from dataclasses import replace
from typing import Any

import pytest

from mockserver.traces import Span, SpanEvent, read_spans
from mockserver.traces.agent_traces import AgentTrace, agent_trace
from mockserver.traces.chat_messages import read_chat
from tests import told_traces as told

STORY = list(read_spans(told.otlp()))


def trace_of(spans: list[Span]) -> AgentTrace:
    found = agent_trace(spans)
    assert found is not None
    return found


def span(id: str, name: str, parent: str = "", **attributes: Any) -> Span:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return Span("t", id, parent, name, int(id) * 10, int(id) * 10 + 5, named)


def model(id: str, asked: Any, given: Any, parent: str = "") -> Span:
    messages = {"gen_ai__input__messages": asked, "gen_ai__output__messages": given}
    return span(id, "chat", parent, gen_ai__operation__name="chat", **messages)


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def test_order_and_repetition_of_spans_do_not_matter() -> None:
    trace = trace_of(STORY)
    assert trace_of([*STORY[::-1], *STORY]) == trace
    assert (trace.start_ns, trace.duration_ms) == (1_760_000_000_000_000_000, 5000)


def test_a_conversation_that_is_sent_again_and_again_is_told_once() -> None:
    hello, hi, more = said("user", "Hello"), said("assistant", "Hi"), said("user", "More")
    trace = trace_of(
        [model("1", [hello], [hi]), model("2", [hello, hi, more], [said("ai", "End")])]
    )
    assert [(turn.user, turn.answer) for turn in trace.turns] == [("Hello", "Hi"), ("More", "End")]


def test_calls_of_models_that_are_sent_only_what_is_new_add_up() -> None:
    first = model("1", [said("user", "Hello")], [said("assistant", "Hi")])
    trace = trace_of([first, model("2", [said("user", "More")], [said("assistant", "End")])])
    assert [turn.user for turn in trace.turns] == ["Hello", "More"]


def test_the_same_words_said_twice_are_two_turns() -> None:
    talk = [said("user", "Again"), said("assistant", "1"), said("user", "Again")]
    assert len(trace_of([model("1", talk, [said("assistant", "2")])]).turns) == 2


def test_a_retried_tool_is_two_calls_the_first_failed() -> None:
    tool = next(each for each in STORY if each.kind == "tool")
    failed = replace(tool, id="fe", start_ns=tool.start_ns - 5, is_error=True, message="timeout",
                     attributes={**tool.attributes, "gen_ai.tool.call.id": "c0"})  # fmt: skip
    calls = trace_of([*STORY, failed]).calls
    assert [(call.name, call.error) for call in calls][:2] == [
        ("get_order", "timeout"), ("get_order", None),
    ]  # fmt: skip


def test_an_error_is_told_in_the_words_of_its_exception() -> None:
    told_by = SpanEvent("exception", {"exception.message": "no such order"})
    broken = [replace(each, is_error=True, events=(told_by,)) if each.tool_name == "refund"
              and each.kind == "tool" else each for each in STORY]  # fmt: skip
    assert [call.error for call in trace_of(broken).calls] == [None, "no such order"]


def test_content_that_was_not_captured_says_which_setting_keeps_it() -> None:
    bare = [replace(each, attributes={key: value for key, value in each.attributes.items()
                                      if "messages" not in key and "call." not in key},
                    scope="pydantic-ai") for each in STORY]  # fmt: skip
    missing = "\n".join(trace_of(bare).missing)
    assert "what the user said was not captured" in missing
    assert "InstrumentationSettings(include_content=True)" in missing
    assert "what the tool refund gave was not captured" in missing


def test_of_two_agents_the_turns_are_those_of_the_first() -> None:
    agent = {"gen_ai__operation__name": "invoke_agent"}
    spans = [
        span("1", "outer", gen_ai__agent__name="outer", **agent),
        model("2", [said("user", "Plan a trip")], [said("assistant", "Done")], "1"),
        span("3", "inner", "1", gen_ai__agent__name="inner", **agent),
        model("4", [said("user", "Find hotels")], [said("assistant", "None")], "3"),
    ]
    trace = trace_of(spans)
    assert [turn.user for turn in trace.turns] == ["Plan a trip"]
    assert "several agents are in it (outer, inner)" in trace.missing[-1]


def test_spans_without_parents_clocks_that_disagree_and_no_times_are_read() -> None:
    lost = [replace(each, parent="ffff" + each.id, start_ns=0, end_ns=-1) for each in STORY]
    trace = trace_of(lost)
    assert (trace.turns[0].user, trace.start_ns, trace.duration_ms) == (told.ASKED, 0, 0)
    assert any("parents that are not in the trace" in each for each in trace.missing)


def test_messages_in_events_of_earlier_conventions_are_read() -> None:
    events = (
        SpanEvent("gen_ai.user.message", {"content": "Hello"}),
        SpanEvent("gen_ai.choice", {"message": '{"role": "assistant", "content": "Hi"}'}),
    )
    found = replace(span("1", "chat", gen_ai__operation__name="chat"), events=events)
    assert trace_of([found]).turns[0].answer == "Hi"


def test_of_what_was_asked_the_first_attribute_counts() -> None:
    found = span("1", "invoke_agent", gen_ai__operation__name="invoke_agent",
                 input__value="First", raw_input="Second", output__value="Answer")  # fmt: skip
    (turn,) = trace_of([found]).turns
    assert (turn.user, turn.answer) == ("First", "Answer")
    for name in ("query", "question", "prompt", "message", "task", "user", "text"):
        asked = {"other": "x", "text": "y", name: "Asked"}
        found = span("1", "invoke_agent", gen_ai__operation__name="invoke_agent",
                     input__value=asked, output__value="Answer")  # fmt: skip
        assert trace_of([found]).turns[0].user == "Asked", name


def test_the_agent_that_is_nearest_the_top_counts_however_deep_the_others_are() -> None:
    agent = {"gen_ai__operation__name": "invoke_agent"}
    spans = [
        span("1", "outer", gen_ai__agent__name="outer", **agent),
        span("2", "middle", "1", gen_ai__agent__name="middle", **agent),
        span("3", "inner", "2", gen_ai__agent__name="inner", **agent),
        model("4", [said("user", "Deep")], [said("assistant", "1")], "3"),
        model("5", [said("user", "Near")], [said("assistant", "2")], "2"),
    ]
    assert [turn.user for turn in trace_of(spans).turns] == ["Near"]
    late = [replace(each, start_ns=9) if each.id == "4" else each for each in spans]
    assert [turn.user for turn in trace_of(late).turns] == ["Near"]


def test_calls_of_another_agent_are_not_those_of_the_first() -> None:
    agent = {"gen_ai__operation__name": "invoke_agent"}

    def calls(id: str, name: str) -> list[dict[str, Any]]:
        return [{"role": "assistant", "tool_calls": [{"id": id, "function": {"name": name}}]}]

    spans = [
        span("1", "outer", gen_ai__agent__name="outer", **agent),
        model("2", [said("user", "Plan a trip")], calls("a", "ask"), "1"),
        span("3", "inner", "1", gen_ai__agent__name="inner", **agent),
        model("4", [said("user", "Find hotels")], calls("b", "look"), "3"),
    ]
    assert [call.name for call in trace_of(spans).calls] == ["ask"]


def test_what_was_asked_of_the_agent_counts_where_no_model_tells_it() -> None:
    def spans(asked: Any, prompt: Any) -> list[Span]:
        return [
            span("1", "a", gen_ai__operation__name="invoke_agent", input__value=asked),
            span("2", "chat", "1", gen_ai__operation__name="chat", input__value=prompt),
        ]

    for asked, prompt, user in (
        ("Question", "Prompt", "Question"),
        ({"messages": [said("user", "Question")]}, "Prompt", "Question"),
        ({"messages": [said("user", "Question")]}, [said("user", "Prompt")], "Prompt"),
    ):
        assert [turn.user for turn in trace_of(spans(asked, prompt)).turns] == [user]


def test_a_result_that_failed_is_the_error_of_its_call() -> None:
    def told(content: Any) -> list[dict[str, Any]]:
        call = {"id": "c", "function": {"name": "look", "arguments": '{"n": 1}'}}
        result = {"type": "tool_result", "tool_use_id": "c", "content": content, "is_error": True}
        return [
            said("user", "Hello"),
            {"role": "assistant", "tool_calls": [call]},
            {"role": "user", "content": [result]},
        ]

    for content, error in (("timeout", "timeout"), ('{"code": 5}', '{"code":5}')):
        [call] = trace_of([model("1", told(content), [])]).calls
        assert (call.name, call.arguments, call.error) == ("look", {"n": 1}, error)


def test_a_trace_fails_as_its_top_or_as_its_last_model() -> None:
    talk = [said("user", "Hello")], [said("assistant", "Hi")]
    first, last = model("1", *talk), model("2", *talk)
    broken = replace(last, is_error=True, message="overloaded")
    assert trace_of([broken]).error == "overloaded"
    assert trace_of([first, replace(broken, parent="1")]).error == "overloaded"
    assert trace_of([replace(first, parent="2", is_error=True), last]).error == ""
    assert trace_of([first, last, model("3", *talk), replace(broken, id="9")]).error == ""
    assert trace_of([first, model("3", *talk), replace(broken, start_ns=90)]).error == "overloaded"
    top = span("1", "a", gen_ai__operation__name="invoke_agent")
    assert trace_of([replace(top, is_error=True), replace(broken, parent="1")]).error == "error"


def test_calls_that_only_spans_tell_stand_in_the_turn_in_which_they_began() -> None:
    def tool(id: str, **facts: Any) -> Span:
        return span(id, "execute_tool look", gen_ai__operation__name="execute_tool",
                    gen_ai__tool__name="look", **facts)  # fmt: skip

    hello, hi, more = said("user", "Hello"), said("assistant", "Hi"), said("user", "More")
    spans = [
        tool("1", gen_ai__tool__call__arguments='{"n": 1}', gen_ai__tool__call__result="7"),
        model("2", [hello], [hi]),
        tool("3"),
        model("4", [hello, hi, more], [said("ai", "End")]),
    ]
    calls = [
        [(call.name, call.arguments, call.result, call.has_result) for call in turn.calls]
        for turn in trace_of(spans).turns
    ]
    assert [each for turn in calls for each in turn] == [
        ("look", {"n": 1}, "7", True), ("look", {}, None, False),
    ]  # fmt: skip
    assert "what the tool look gave was not captured" in "\n".join(trace_of(spans).missing)


def test_a_call_that_only_a_span_tells_stands_before_the_turns_that_began_later() -> None:
    def tool(id: str, name: str, call: str = "") -> Span:
        return span(id, name, gen_ai__operation__name="execute_tool", gen_ai__tool__name=name,
                    gen_ai__tool__call__id=call)  # fmt: skip

    def asks(id: str) -> dict[str, Any]:
        return {"role": "assistant", "tool_calls": [{"id": id, "function": {"name": id}}]}

    talk = [said("user", "One"), asks("a"), said("assistant", "1"), said("user", "Two"),
            asks("b"), said("assistant", "2"), said("user", "Three"), asks("c")]  # fmt: skip
    spans = [
        tool("1", "first"), tool("2", "a", "a"), tool("3", "early"), tool("4", "b", "b"),
        tool("5", "late"), tool("6", "c", "c"), tool("7", "last"), model("8", talk, []),
    ]  # fmt: skip
    names = [[call.name for call in turn.calls] for turn in trace_of(spans).turns]
    assert names == [["first", "a", "early"], ["b", "late"], ["c", "last"]]


def test_spans_without_an_agent_tell_of_none() -> None:
    assert agent_trace([span("1", "GET /")]) is None


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "parts": [{"text": "Hello"}]}],
        {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]},
        [{"message": {"role": "user", "content": "Hello"}}],
        [{"message.role": "user", "message.content": "Hello"}],
        {"messages": [{"type": "human", "content": "Hello"}]},
        {"messages": [{"type": "human", "data": {"content": "Hello"}}]},
        '[{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]',
        [[{"id": ["langchain", "HumanMessage"], "kwargs": {"content": "Hello"}}]],
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_a_user_said_is_found_in_every_shape(value: Any) -> None:
    assert [(each.role, each.text) for each in read_chat(value)] == [("user", "Hello")]


@pytest.mark.parametrize(
    "value", [None, 1, "text", "{", "[1", {"role": 1}, [[[[[[[]]]]]]]], ids=repr
)
def test_what_holds_no_messages_has_none(value: Any) -> None:
    assert read_chat(value) == []


def test_deep_nesting_ends() -> None:
    value: Any = {"role": "user", "content": "x"}
    for _ in range(500):
        value = {"messages": [value]}
    assert read_chat(value) == []
