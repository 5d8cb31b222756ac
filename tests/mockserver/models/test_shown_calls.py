"""Calls of models as people read them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mockserver.inspection.journal import find_entry, full_entry
from mockserver.models.shown_calls import ShownModelCall, show_model_call
from tests.mockserver.declared.worlds import declared
from tests.mockserver.models.suites import write_script

SCRIPT = """
replies:
  - {result: look, text: "It rains.", usage: {input: 7, output: 3}}
  - {user: weather, calls: {look: {city: Bern}}}
  - {user: error, error: overloaded}
"""
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"city":"B"}'}}
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "The weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"sky": "grey"}'},
]


def shown(folder: Path, path: str, body: dict[str, Any]) -> ShownModelCall | None:
    async def run() -> ShownModelCall | None:
        async with declared(write_script(folder, SCRIPT)) as world:
            await world.ask("POST", path, json=body)
            session = world.session
            found = full_entry(session, find_entry(session, 1))
            entry = found["entry"]
            return show_model_call(
                "POST", entry["host"], entry["path"], entry["body"], found["answer"]
            )

    return asyncio.run(run())


def test_what_came_after_the_last_turn_of_the_model_is_new(tmp_path: Path) -> None:
    said = [{"role": role, "content": role[0]} for role in ("user", "assistant") * 3]
    body = {"model": "m", "messages": [*said, {"role": "user", "content": "weather"}]}
    found = shown(tmp_path, "/models/openai/v1/chat/completions", body)
    assert found is not None
    assert [each.is_new for each in found.messages] == [False] * 6 + [True]


@pytest.mark.parametrize("stream", [False, True])
def test_a_conversation_is_shown_with_what_came_next(stream: bool, tmp_path: Path) -> None:
    body = {"model": "gpt-5", "messages": TALK, "stream": stream, "tools": [
        {"type": "function", "function": {"name": "look"}}],
        "stream_options": {"include_usage": True}}  # fmt: skip
    found = shown(tmp_path, "/models/openai/v1/chat/completions", body)
    assert found is not None
    assert (found.provider, found.model, found.is_stream, found.tools) == (
        "openai", "gpt-5", stream, ("look",),
    )  # fmt: skip
    assert [(each.role, each.text, each.is_new) for each in found.messages] == [
        ("system", "Be brief.", False), ("user", "The weather?", False),
        ("assistant", "", False), ("tool", "", True),
    ]  # fmt: skip
    assert found.messages[2].calls[0][:2] == ("look", {"city": "B"})
    assert found.messages[3].results[0] == ("look", {"sky": "grey"}, False)
    assert found.reply is not None
    assert found.reply.text == "It rains."
    assert (found.input_tokens, found.output_tokens) == (7, 3)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/models/anthropic/v1/messages",
         {"model": "m", "messages": [{"role": "user", "content": "weather"}]}),
        ("/models/gemini/v1beta/models/m:generateContent",
         {"contents": [{"role": "user", "parts": [{"text": "weather"}]}]}),
        ("/models/bedrock/model/m/converse",
         {"messages": [{"role": "user", "content": [{"text": "weather"}]}]}),
        ("/models/ollama/api/chat",
         {"model": "m", "stream": False, "messages": [{"role": "user", "content": "weather"}]}),
        ("/models/openai/v1/responses", {"model": "m", "input": "weather"}),
    ],
)  # fmt: skip
def test_calls_of_every_provider_are_shown(path: str, body: dict[str, Any], tmp_path: Path) -> None:
    found = shown(tmp_path, path, body)
    assert found is not None
    assert (found.model, [each.text for each in found.messages]) == ("m", ["weather"])
    assert found.reply is not None
    assert found.reply.calls[0][:2] == ("look", {"city": "Bern"})


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/models/openai/v1/chat/completions",
         {"model": "m", "messages": [{"role": "user", "content": "error"}]}, ["error"]),
        ("/v1/embeddings", {"model": "m", "input": ["a", "b"]}, ["a", "b"]),
    ],
)  # fmt: skip
def test_a_call_without_a_reply_shows_what_was_asked(
    path: str, body: dict[str, Any], said: list[str], tmp_path: Path
) -> None:
    found = shown(tmp_path, path, body)
    assert found is not None
    assert ([each.text for each in found.messages], found.reply) == (said, None)


@pytest.mark.parametrize(
    "entry",
    [
        ("GET", "", "/v1/models", None),
        ("POST", "", "/v1/chat/completions", {"model": "m", "messages": [{"role": "ghost"}]}),
    ],
)  # fmt: skip
def test_what_is_no_call_of_a_model_is_not_shown_as_one(entry: tuple[str, str, str, Any]) -> None:
    assert show_model_call(*entry, "{}") is None
