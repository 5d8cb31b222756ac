"""Sessions that answer calls of models from recordings, through the whole application."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse
from tests.mockserver.sources.test_cassette import replaying
from tests.tapes import JSON as JSON_HEADER

JSON = (JSON_HEADER,)
ASKED = b'{"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}], "user": "ann"}'
UPSTREAM = "https://llm.example.com/eu/v1/chat/completions"
EVENTS = (b'data: {"a": 1}\n\n', b'data: {"a": 2}\n\n', b"data: [DONE]\n\n")


def call(*, url: str = UPSTREAM, **response: Any) -> Interaction:
    request = RecordedRequest("POST", url, JSON, ASKED)
    return Interaction(
        request, RecordedResponse(**{"status": 200, "headers": JSON, "body": b"{}", **response})
    )


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/models/openai/v1/chat/completions", "127.0.0.1"),
        ("/s/default/models/openai/v1/chat/completions", "127.0.0.1"),
        ("/v1/chat/completions", "api.openai.com"),
        ("/v1/chat/completions", "another.example.com"),
        ("/llm.example.com/other/v1/chat/completions", "127.0.0.1"),
    ],
)
async def test_a_recorded_call_answers_at_any_address(tmp_path: Path, path: str, host: str) -> None:
    asked = {"model": "gpt-5", "messages": [{"content": "Hi", "role": "user"}]}
    async with replaying(tmp_path, call()) as (client, _):
        answer = await client.post(path, json=asked, headers={"host": host})
        assert (answer.status_code, answer.headers["x-mock-recording"]) == (200, "tape.yaml#1")


async def test_a_miss_shows_both_texts(tmp_path: Path) -> None:
    asked = {"model": "gpt-5", "messages": [{"role": "user", "content": "Ho"}]}
    async with replaying(tmp_path, call()) as (client, app):
        answer = await client.post("/models/openai/v1/chat/completions", json=asked)
        assert answer.status_code == 424
        [entry] = app.sessions.get("default").journal.as_json("default")["entries"]
    assert (
        "message 0 (user) differs at character 1: recorded 'Hi', asked 'Ho'"
        in (answer.json()["error"]["message"])
    )
    assert entry["miss"]["blame"] == "replay_miss"
    assert list(entry["miss"]["differs"]) == ["body.messages.0.content"]


async def test_the_models_of_nobody_are_not_answered(tmp_path: Path) -> None:
    async with replaying(tmp_path, call()) as (client, _):
        answer = await client.post("/models/anthropic/v1/messages", content=ASKED)
        assert answer.status_code == 424


async def test_the_environment_leads_clients_of_recorded_models_here(tmp_path: Path) -> None:
    async with replaying(tmp_path, call()) as (client, _):
        info = (await client.get("/_mock/sessions/default")).json()
        block = info["env"]
    assert block["OPENAI_BASE_URL"] == f"{info['base_url']}/models/openai/v1"
    assert block["OPENAI_API_KEY"] == info["token"]
    assert "ANTHROPIC_BASE_URL" not in block


@pytest.mark.parametrize(("pace", "ended"), [(0, "complete"), (1, "complete"), (0, "reset")])
async def test_streams_come_as_recorded(tmp_path: Path, pace: float, ended: str) -> None:
    """With the pauses or without, whole or cut."""
    stream = call(
        headers=(("content-type", "text/event-stream"),),
        body=b"".join(EVENTS),
        chunks=tuple(Chunk(10.0 * at, len(each)) for at, each in enumerate(EVENTS)),
        ended=ended,
    )
    received = b""
    async with replaying(tmp_path, stream, pace=pace) as (client, _):
        try:
            async with client.stream(
                "POST", "/models/openai/v1/chat/completions", content=ASKED
            ) as answer:
                async for piece in answer.aiter_bytes():
                    received += piece
        except ConnectionResetError:
            assert ended == "reset"
            return
    assert (received, ended) == (b"".join(EVENTS), "complete")
