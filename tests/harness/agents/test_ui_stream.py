from typing import Any

import orjson
import pytest

from harness.agents import AgentFailedError
from harness.agents.ui_stream import UiStream
from harness.model import Reply

DEEP: Any = orjson.loads("[" * 200 + "]" * 200)
FINISH = {"type": "finish", "finishReason": "stop"}


def reply_of(*parts: dict[str, Any] | str) -> Reply:
    stream = UiStream()
    for line, part in enumerate(parts, start=1):
        stream.take(line, part if isinstance(part, str) else orjson.dumps(part).decode())
    return stream.reply(turn=2, prompt="Why?")


def test_text_parts_add_up_in_their_blocks() -> None:
    """CEPR-22."""
    reply = reply_of(
        {"type": "start", "messageMetadata": {"model": "m"}},
        {"type": "text-start", "id": "a"},
        {"type": "text-delta", "id": "a", "delta": "Diag"},
        {"type": "reasoning-delta", "id": "r", "delta": "hidden"},
        {"type": "text-delta", "id": "a", "delta": "nosis"},
        {"type": "text-end", "id": "a"},
        {"type": "text-delta", "id": "a", "delta": "Next"},
        "[DONE]",
    )
    assert reply.text == "Diagnosis\n\nNext"
    assert (reply.turn, reply.prompt, reply.rounds, reply.metadata) == (
        2,
        "Why?",
        None,
        {"model": "m"},
    )


def test_a_character_cut_between_two_deltas_is_whole() -> None:
    reply = reply_of(
        '{"type": "text-delta", "id": "a", "delta": "\\ud83e"}',
        '{"type": "text-delta", "id": "a", "delta": "\\uddff \\ud83e"}',
        '{"type": "data-x", "data": "\\ud83e"}',
        "[DONE]",
    )
    assert (reply.text, reply.metadata) == ("\U0001f9ff \ufffd", {"x": "\ufffd"})


@pytest.mark.parametrize(
    "part",
    [
        {"type": "data-x", "data": DEEP},
        {"type": "tool-call", "toolCallId": "1", "toolName": "f", "args": {"x": DEEP}},
    ],
    ids=["metadata", "arguments"],
)
def test_parts_nested_too_deeply_fail_the_agent(part: dict[str, Any]) -> None:
    with pytest.raises(AgentFailedError, match="levels deep"):
        reply_of(part, "[DONE]")


def test_tool_calls_keep_order_repetition_step_and_outcome() -> None:
    """CEPR-22, CEPR-01."""
    reply = reply_of(
        {"type": "start-step"},
        {"type": "tool-input-start", "toolCallId": "1", "toolName": "listOrgUnits"},
        {"type": "tool-input-delta", "toolCallId": "1", "inputTextDelta": '{"max'},
        {"type": "tool-input-delta", "toolCallId": "1", "inputTextDelta": '":3}'},
        {
            "type": "tool-output-available",
            "toolCallId": "1",
            "output": {"n": 0},
            "preliminary": True,
        },
        {"type": "tool-output-available", "toolCallId": "1", "output": {"n": 3}},
        {"type": "finish-step"},
        {"type": "start-step"},
        {
            "type": "tool-input-available",
            "toolCallId": "2",
            "toolName": "debugAuth",
            "input": {"a": 1},
        },
        {"type": "tool-output-error", "toolCallId": "2", "errorText": "expired"},
        {"type": "tool-call", "toolCallId": "3", "toolName": "debugAuth", "args": {}},
        {
            "type": "tool-input-error",
            "toolCallId": "4",
            "toolName": "x",
            "input": "{",
            "errorText": "bad",
        },
        FINISH,
    )
    shown = [
        (call.name, call.args, call.step, call.status, call.result) for call in reply.tool_calls
    ]
    assert shown == [
        ("listOrgUnits", {"max": 3}, 0, "ok", {"n": 3}),
        ("debugAuth", {"a": 1}, 1, "error", "expired"),
        ("debugAuth", {}, 1, "unknown", None),
        ("x", "{", 1, "error", "bad"),
    ]
    assert (reply.rounds, reply.finish) == (2, "stop")
    assert {call.turn for call in reply.tool_calls} == {2}


def _input(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool-input-available", "toolCallId": "1", "toolName": name, "input": arguments}


def _output(value: Any) -> dict[str, Any]:
    return {"type": "tool-output-available", "toolCallId": "1", "output": value}


START = {"type": "tool-input-start", "toolCallId": "1", "toolName": "b"}


@pytest.mark.parametrize(
    ("parts", "calls"),
    [
        ([_input("a"), _output(1), _input("b"), _output(2)], [("a", {}, 1), ("b", {}, 2)]),
        ([_input("a"), _output(1), _input("a"), _output(2)], [("a", {}, 1), ("a", {}, 2)]),
        ([_input("a"), START, _input("b"), _output(1), _output(2)], [("a", {}, 1), ("b", {}, 2)]),
        ([_input("a", x=1), _input("a", x=2), _output(1)],
         [("a", {"x": 1}, 1), ("a", {"x": 2}, None)]),
        ([_input("a"), _input("a"), _output(1), _output(2)], [("a", {}, 2)]),
    ],
)  # fmt: skip
def test_two_calls_of_one_id_are_two_calls(parts: list[Any], calls: list[Any]) -> None:
    reply = reply_of(*parts, FINISH)
    assert [(call.name, call.args, call.result) for call in reply.tool_calls] == calls


def test_metadata_comes_from_data_parts_and_from_the_message() -> None:
    reply = reply_of(
        {"type": "data-hypotheses", "data": ["a"]},
        {"type": "data-metadata", "data": {"diagnosis": "d"}},
        {"type": "message-metadata", "messageMetadata": {"evidence": ["e"]}},
        {**FINISH, "messageMetadata": {"usage": {"inputTokens": 5, "outputTokens": 2}}},
    )
    assert reply.metadata is not None
    assert reply.metadata.keys() == {"hypotheses", "diagnosis", "evidence", "usage"}
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (5, 2)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        pytest.param(["{"], "line 1: unexpected end", id="broken JSON"),
        pytest.param(["[]"], "line 1: a part without a type", id="no object"),
        pytest.param(
            [{"type": "text-delta", "id": "a"}],
            "line 1: 'text-delta' has no 'delta'",
            id="no delta",
        ),
        pytest.param(
            [{"type": "error", "errorText": "quota"}], "reports an error: quota", id="error part"
        ),
        pytest.param([{"type": "abort"}], "aborted", id="abort part"),
        pytest.param([{"type": "start"}], "without a finish part", id="cut off"),
        pytest.param(
            [{"type": "tool-output-available", "toolCallId": "9", "output": 1}, FINISH],
            "'9' was never named",
            id="nameless call",
        ),
    ],
)
def test_a_malformed_stream_fails_the_agent(parts: list[Any], said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        reply_of(*parts)
