import json
from typing import Any

import pytest

from harness.agents.langgraph_events import RunReader
from harness.agents.protocol import AgentFailedError
from harness.model import Reply

ASKED = {
    "type": "ai",
    "id": "m1",
    "content": "",
    "tool_calls": [{"name": "look", "args": {"city": "Oslo"}, "id": "1"}],
    "invalid_tool_calls": [{"name": "look", "args": "{", "id": "2"}],
    "usage_metadata": {"input_tokens": 3, "output_tokens": 2},
    "response_metadata": {"finish_reason": "tool_calls"},
}
LOOKED = {"type": "tool", "name": "look", "tool_call_id": "1", "content": '{"degrees": 12}'}
FAILED = {"type": "tool", "tool_call_id": "2", "content": [{"text": "no"}], "status": "error"}
SAID = {"type": "ai", "id": "m2", "content": [{"type": "text", "text": "12 degrees."}]}


def read(*events: tuple[str, Any]) -> Reply:
    reader = RunReader()
    for line, (name, value) in enumerate(events, start=1):
        reader.take(name, line, json.dumps(value))
    return reader.reply(turn=1, prompt="How warm?")


def test_messages_of_nodes_are_tool_calls_and_rounds() -> None:
    reply = read(
        ("metadata", {"run_id": "r"}),
        ("updates|tools:1", {"ask": {"messages": [ASKED]}}),
        ("updates", {"ask": {"messages": [ASKED]}}),
        ("updates", {"tools": [{"messages": [LOOKED]}, {"messages": [FAILED]}]}),
        ("updates", {"ask": {"messages": SAID}}),
        ("values|tools:1", {"messages": []}),
        ("values", {"messages": [ASKED, SAID], "structured_response": {"degrees": 12}}),
        ("custom", "working"),
    )
    calls = [(each.name, each.args, each.status, each.result) for each in reply.tool_calls]
    assert calls == [
        ("look", {"city": "Oslo"}, "ok", {"degrees": 12}),
        ("look", "{", "error", "no"),
    ]
    assert (reply.text, reply.rounds, reply.finish) == ("12 degrees.", 2, "")
    assert reply.metadata == {"degrees": 12}
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, 2)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        pytest.param([("values", {"question": "a", "answer": "b"})], "b", id="an answer"),
        pytest.param([("values", {"a": 1, "__interrupt__": []})], '{"a": 1}', id="a state"),
        pytest.param([("values", {})], "", id="an empty state"),
        pytest.param([("values", [1])], "", id="no object"),
        pytest.param([("updates", None), ("updates", {"a": None})], "", id="nothing"),
        pytest.param([("updates", {"a": {"m": {"type": "ai", "content": "b"}}})], "b", id="no id"),
        pytest.param(
            [("updates", {"a": {"m": SAID}}), ("values", {"a": 1})], "12 degrees.", id="no messages"
        ),
    ],
)
def test_the_text_is_the_last_word_or_the_answer_in_the_state(events: Any, text: str) -> None:
    assert read(*events).text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Who asks?", "Who asks?"),
        ({"question": "Who?", "id": 1}, "Who?"),
        ({"tool": "book"}, '{"tool": "book"}'),
    ],
)
def test_an_interrupt_is_a_question(value: Any, text: str) -> None:
    waiting = {"__interrupt__": [{"id": "i1", "value": value}]}
    reply = read(("updates|a", waiting), ("updates", waiting), ("values", waiting))
    assert (reply.text, reply.finish) == (text, "input-required")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("error", '{"error": "ValueError", "message": "no city"}', "ValueError: no city"),
        ("error", '"gone"', "gone"),
        ("values", "{", "line 7: "),
    ],
)
def test_a_run_that_fails_is_told(name: str, data: str, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        RunReader().take(name, 7, data)
