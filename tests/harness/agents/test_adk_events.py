import json
from typing import Any

import pytest

from harness.agents.adk_events import AdkEvents, read_events
from harness.agents.protocol import AgentFailedError


def event(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"author": "sre", "content": {"role": "model", "parts": list(parts)}} | more


CALL = {"functionCall": {"id": "a", "name": "look", "args": {"n": 1}}}
ANSWER = {"functionResponse": {"id": "a", "name": "look", "response": {"found": 2}}}


def test_calls_results_and_the_last_words_are_read() -> None:
    events = [
        event({"text": "Let me see."}, CALL, usageMetadata={"promptTokenCount": 5}),
        event(ANSWER),
        event({"text": "Part", "thought": True}, {"text": "All "}, {"text": "good."}, partial=True),
        event(
            {"text": "hm", "thought": True},
            {"text": "All "},
            {"text": "good."},
            finishReason="STOP",
            usageMetadata={"promptTokenCount": 7, "candidatesTokenCount": 3},
        ),
        {"author": "sre", "actions": {}},
    ]
    reply = read_events(events, turn=1, prompt="Why?")
    assert (reply.text, reply.rounds, reply.finish) == ("All good.", 2, "STOP")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (12, 3)
    (call,) = reply.tool_calls
    assert (call.name, call.args, call.status, call.result) == (
        "look",
        {"n": 1},
        "ok",
        {"found": 2},
    )


def test_snake_case_and_failed_calls_are_read_too() -> None:
    call = {"function_call": {"name": "look"}}
    failed = {"function_response": {"name": "look", "response": {"error": "denied"}}}
    reply = read_events([event(call), event(failed)], turn=2, prompt="Why?")
    assert [(each.name, each.args, each.status, each.turn) for each in reply.tool_calls] == [
        ("look", {}, "error", 2)
    ]


def test_a_result_of_no_call_is_nobody_s() -> None:
    (call,) = read_events([event(CALL), event(ANSWER), event(ANSWER)], turn=1, prompt="").tool_calls
    assert call.status == "ok"
    stray = {"functionResponse": {"id": "b", "name": "look"}}
    (call,) = read_events([event(CALL), event(stray)], turn=1, prompt="").tool_calls
    assert call.status == "unknown"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "without a single event"),
        ({"detail": "x"}, "no list of events"),
        ({"error": "the model is gone"}, "the model is gone"),
        ("text", "no list of events"),
        ([3], "an event of the reply is a int"),
        ([{"errorCode": "SAFETY"}], "SAFETY"),
        ([{"error_message": "blocked"}], "blocked"),
        ([event({"functionCall": {"args": {}}})], "no name"),
    ],
)
def test_what_is_no_turn_fails_the_agent(value: Any, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        read_events(value, turn=1, prompt="Why?")


def test_a_stream_is_read_event_by_event() -> None:
    events = AdkEvents()
    events.take(1, json.dumps(event({"text": "Hello."})))
    assert events.reply(turn=1, prompt="Hi").text == "Hello."
    with pytest.raises(AgentFailedError, match="line 3"):
        events.take(3, "{")
