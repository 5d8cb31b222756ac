import json
from typing import Any

import pytest

from harness.agents.chat_completions import ChatChunks, read_completion
from harness.agents.protocol import AgentFailedError
from harness.model import Reply

CALL = {"id": "c1", "function": {"name": "look", "arguments": '{"n": 1}'}, "type": "function"}


def chunk(finish: str | None = None, **delta: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def streamed(*events: str) -> Reply:
    chunks = ChatChunks()
    for line, data in enumerate(events, start=1):
        chunks.take(line, data)
    return chunks.reply(turn=1, prompt="Why?")


def test_a_completion_is_read_with_its_calls_and_tokens() -> None:
    message = {"role": "assistant", "content": "Done.", "tool_calls": [CALL]}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    value = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    reply = read_completion(value, turn=1, prompt="Why?")
    assert (reply.text, reply.finish, reply.usage.output_tokens) == ("Done.", "stop", 3)
    assert [(call.name, call.args, call.id) for call in reply.tool_calls] == [
        ("look", {"n": 1}, "c1")
    ]


def test_a_completion_may_say_nothing_but_calls() -> None:
    value = {"choices": [{"message": {"content": None, "tool_calls": [CALL]}}]}
    reply = read_completion(value, turn=1, prompt="Why?")
    assert (reply.text, len(reply.tool_calls)) == ("", 1)


def test_chunks_add_up_calls_in_pieces_and_side_by_side() -> None:
    function = {"name": "look", "arguments": '{"n"'}
    other = {"index": 1, "id": "c2", "function": {"name": "ask", "arguments": "{}"}}
    reply = streamed(
        chunk(role="assistant", content=""),
        chunk(tool_calls=[{"index": 0, "id": "c1", "function": function}, other, "junk"]),
        chunk(tool_calls=[{"index": 0, "id": "c9", "function": {"arguments": ": 1}"}}]),
        chunk(content="Do"),
        chunk(content="ne."),
        chunk("stop"),
        json.dumps({"choices": [], "usage": {"prompt_tokens": 5}}),
        "[DONE]",
    )
    assert (reply.text, reply.finish, reply.usage.input_tokens) == ("Done.", "stop", 5)
    assert [(call.name, call.args, call.id) for call in reply.tool_calls] == [
        ("look", {"n": 1}, "c1"),
        ("ask", {}, "c2"),
    ]


def test_a_call_without_an_index_is_told_by_its_place() -> None:
    reply = streamed(chunk("stop", tool_calls=[{"id": "c1", "function": {"name": "look"}}, {}][:1]))
    assert reply.tool_calls[0].name == "look"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([chunk(content="Do")], "ended without a finish_reason"),
        (["{"], "line 1"),
        (["[]"], "a chunk is no object"),
        (['{"error": {"message": "no quota"}}'], "no quota"),
        (['{"error": "broken"}'], "broken"),
        ([chunk("stop", tool_calls=[{"id": "c1"}])], "no name"),
    ],
)
def test_a_stream_that_is_none_fails_the_agent(events: list[str], said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        streamed(*events)


@pytest.mark.parametrize("value", [[], {}, {"choices": []}, {"choices": [{"text": "old"}]}])
def test_what_is_no_completion_fails_the_agent(value: Any) -> None:
    with pytest.raises(AgentFailedError, match="no chat completion"):
        read_completion(value, turn=1, prompt="Why?")


def test_chunks_without_anything_in_them_are_passed_over() -> None:
    assert streamed('{"choices": [{"delta": null}]}', "[DONE]").text == ""
