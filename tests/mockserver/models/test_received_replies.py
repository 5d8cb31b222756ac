"""Every form in which providers reply is read again, whole, streamed and cut."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.models.conversations import Conversations
from mockserver.models.messages import ModelReply, ModelRequest, ToolCall, Usage
from mockserver.models.providers.anthropic import Messages
from mockserver.models.providers.bedrock import Converse
from mockserver.models.providers.gemini import GenerateContent
from mockserver.models.providers.ollama import Chat
from mockserver.models.providers.openai import ChatCompletions, Responses
from mockserver.models.providers.provider import ChatFormat, Stamp
from mockserver.models.received_replies import read_reply
from mockserver.state import Ids

FORMS: dict[str, ChatFormat] = {
    "chat completions": ChatCompletions(),
    "responses": Responses(),
    "messages": Messages(),
    "generate content": GenerateContent(),
    "converse": Converse(),
    "ollama": Chat(),
}
REQUEST = ModelRequest("m", body={"stream_options": {"include_usage": True}})
NAMES = st.sampled_from(["cancel", "look_up"])
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), st.text(max_size=9) | st.integers(0, 9))
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3)


def reply(text: str, calls: Any) -> ModelReply:
    made = [ToolCall(name, args, f"call_{at}") for at, (name, args) in enumerate(calls)]
    return ModelReply(text=text, calls=tuple(made), usage=Usage(7, 9))


def stamp() -> Stamp:
    return Stamp(Ids(1), datetime(2026, 1, 1, tzinfo=UTC), Conversations())


def pieces(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None)
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20),
       calls=CALLS)  # fmt: skip
def test_what_is_sent_whole_or_streamed_is_read(form: str, text: str, calls: Any) -> None:
    made, codec = reply(text, calls), FORMS[form]
    contents = [codec.render(REQUEST, made, stamp()).decode()]
    if form != "converse":  # its stream is binary
        stream = b"".join(codec.stream(REQUEST, made, stamp(), pieces))
        contents.append(stream.decode())
    for content in contents:
        found = read_reply(content)
        assert found is not None
        assert [(each.name, each.arguments) for each in found.calls] == calls
        assert found.text == text or not text
        assert found.usage == Usage(7, 9)


def test_a_stream_that_breaks_off_says_what_it_had_said() -> None:
    made = reply("", [("cancel", {"order": "A1", "why": "x" * 40})])
    stream = b"".join(FORMS["messages"].stream(REQUEST, made, stamp(), pieces)).decode()
    found = read_reply(stream[: stream.index("partial_json") + 300])
    assert found is not None
    assert (found.calls[0].name, isinstance(found.calls[0].arguments, str)) == ("cancel", True)
    assert found.usage is None or found.usage.input == 7


@pytest.mark.parametrize(
    "content",
    ["", "hello", "[]", "3", '{"a": 1}', "data: {broken\n\n", '{"error": {"message": "x"}}',
     '{"choices": 1}', '{"output": {"message": 1}}', '{"message": "x"}'],
)  # fmt: skip
def test_what_is_no_reply_is_none(content: str) -> None:
    assert read_reply(content) is None


@pytest.mark.parametrize(
    "content",
    ['{"choices": [{"message": 1}, 2]}', '{"choices": [{"message": {"tool_calls": [{}]}}]}',
     '{"candidates": [{"content": 1}]}', '{"output": [{"type": "x"}], "usage": 3}',
     '{"type": "content_block_start", "content_block": 1}', '{"content": [{}]}',
     '{"message": {"tool_calls": [{"function": 1}]}}', '{"type": "message_start", "message": 1}',
     '{"type": "content_block_delta", "delta": 1}', '{"response": "", "done": true}',
     '{"type": "response.completed", "response": {"usage": {"input_tokens": 1}}}'],
)  # fmt: skip
def test_a_spoilt_reply_asks_for_nothing(content: str) -> None:
    found = read_reply(content)
    assert found is not None
    assert (found.calls, found.text) == ((), "")
