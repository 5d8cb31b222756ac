from typing import Any

import pytest

from harness.agents import AgentFailedError
from harness.agents.reply_json import is_reply, read_args, read_reply, read_usage
from harness.model import Usage


def read(value: Any) -> Any:
    return read_reply(value, turn=1, prompt="Why?")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"text": "It is."}, id="text"),
        pytest.param({"content": [{"type": "text", "text": "It is."}]}, id="content parts"),
        pytest.param({"message": {"role": "assistant", "content": "It is."}}, id="message"),
        pytest.param({"responseText": "It is."}, id="responseText"),
        pytest.param({"message": {"parts": [{"text": "It is."}, 7, {"type": "file"}]}}, id="parts"),
    ],
)
def test_the_text_is_found_under_the_names_that_agents_use(value: Any) -> None:
    """CEP-13."""
    assert read(value).text == "It is."


def test_everything_an_agent_may_say_is_read() -> None:
    reply = read(
        {
            "text": "It is.",
            "metadata": {"diagnosis": "d"},
            "rounds": 3,
            "finishReason": "stop",
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.25},
            "toolCalls": [
                {"name": "a", "args": {"x": 1}, "status": "ok", "step": 2, "id": "i"},
                {"toolName": "b", "input": '{"y": 2}', "error": "no"},
                {"function": {"name": "c", "arguments": "not json"}, "id": 7},
                {"name": "d", "result": 1},
                {"name": "e", "state": "output-error"},
                "f",
            ],
        }
    )
    shown = [(call.name, call.args, call.status, call.step, call.id) for call in reply.tool_calls]
    assert shown == [
        ("a", {"x": 1}, "ok", 2, "i"),
        ("b", {"y": 2}, "error", 0, ""),
        ("c", "not json", "unknown", 0, "7"),
        ("d", {}, "ok", 0, ""),
        ("e", {}, "error", 0, ""),
        ("f", {}, "unknown", 0, ""),
    ]
    assert (reply.metadata, reply.rounds, reply.finish) == ({"diagnosis": "d"}, 3, "stop")
    assert reply.usage == Usage(input_tokens=9, output_tokens=4, cost_usd=0.25)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param([], "it is a list", id="no object"),
        pytest.param({}, "no fields", id="empty"),
        pytest.param({"foo": 1}, "an object with 'foo'", id="unknown fields"),
        pytest.param(
            {"toolCalls": [3]}, "a tool call of the reply is a int", id="call is no object"
        ),
        pytest.param({"toolCalls": [{"args": {}}]}, "has no name", id="nameless call"),
        pytest.param(
            {"toolCalls": [{"name": "f", "args": '{"a":' * 101 + "1" + "}" * 101}]},
            "more than 100 levels",
            id="deep arguments in text",
        ),
    ],
)
def test_a_reply_that_cannot_be_read_fails_the_agent(value: Any, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        read(value)


def test_what_makes_no_sense_says_nothing() -> None:
    reply = read({"metadata": "loose", "steps": True, "toolCalls": "none"})
    assert (reply.text, reply.metadata, reply.rounds, reply.tool_calls) == ("", None, None, ())
    assert read({"text": "x", "steps": [1, 2]}).rounds == 2
    assert read_usage("much") == Usage()
    assert read_args([1]) == "[1]"
    assert read({"text": "x", "rounds": 1e300}).rounds is None
    assert read_args("") == {}
    assert not is_reply({"answers": 1})


def test_a_cost_below_nothing_is_refused() -> None:
    with pytest.raises(AgentFailedError, match="less than nothing"):
        read_reply({"text": "a", "usage": {"cost": -0.5}}, turn=1, prompt="p")
