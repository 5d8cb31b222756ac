"""Faults of models, in the form of each provider."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.model import Fault
from mockserver.models.methods import MODEL_METHODS
from mockserver.models.providers import PROVIDERS
from mockserver.models.script import Pace
from mockserver.sessions.faults import Damage
from mockserver.sources.models import damage_stream
from tests.mockserver.declared.worlds import declared
from tests.mockserver.models.suites import write_script

CHATS: Mapping[str, str] = {
    "openai": "/models/openai/v1/chat/completions",
    "responses": "/models/openai/v1/responses",
    "anthropic": "/models/anthropic/v1/messages",
    "gemini": "/models/gemini/v1beta/models/g:generateContent",
    "bedrock": "/models/bedrock/model/m/converse",
    "ollama": "/models/ollama/api/chat",
}
STREAMS: Mapping[str, str] = {
    **CHATS,
    "gemini": "/models/gemini/v1beta/models/g:streamGenerateContent?alt=sse",
    "array": "/models/gemini/v1beta/models/g:streamGenerateContent",
    "bedrock": "/models/bedrock/model/m/converse-stream",
}
SCRIPT = """
stream: {characters: 4}
replies:
  - {user: weather, calls: {look: {city: Bern}}}
  - {text: "0123456789abcdef"}
"""


def ask(
    folder: Path, way: str, *faults: Any, text: str = "hello", stream: bool = False
) -> tuple[httpx.Response, Any]:
    """The answer of a model under faults, and the journal entry of the call."""

    async def send() -> tuple[httpx.Response, Any]:
        async with declared(write_script(folder, SCRIPT), faults=faults) as world:
            body: dict[str, Any] = {"model": "m", "stream": stream}
            message = {"role": "user", "content": [{"text": text}]}
            match way:
                case "responses":
                    body["input"] = text
                case "gemini" | "array":
                    body["contents"] = [{"role": "user", "parts": [{"text": text}]}]
                case "bedrock":
                    body["messages"] = [message]
                case _:
                    body["messages"] = [{"role": "user", "content": text}]
            answer = await world.ask("POST", (STREAMS if stream else CHATS)[way], json=body)
            return answer, world.journal[-1]

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("way", "status", "headers", "said"),
    [
        ("openai", 429, {"retry-after": "2", "retry-after-ms": "2000",
                         "x-ratelimit-remaining-requests": "0",
                         "x-ratelimit-reset-requests": "2000ms"}, "rate_limit_exceeded"),
        ("anthropic", 429, {"retry-after": "2", "anthropic-ratelimit-requests-remaining": "0",
                            "anthropic-ratelimit-requests-reset": ""}, "rate_limit_error"),
        ("gemini", 429, {}, '"retryDelay":"2s"'),
        ("bedrock", 429, {"x-amzn-errortype": "ThrottlingException"}, "rate limit"),
        ("ollama", 429, {"retry-after": "2"}, '{"error":"The rate limit is reached.'),
    ],
)  # fmt: skip
def test_a_rate_limit_says_when_to_try_again(
    way: str, status: int, headers: dict[str, str], said: str, tmp_path: Path
) -> None:
    fault = {"method": "models.chat", "error": "rate_limit", "retry_after_s": 2}
    answer, entry = ask(tmp_path, way, fault)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name, text in headers.items() if text} == {
        name: text for name, text in headers.items() if text
    }
    assert set(headers) <= set(answer.headers)
    assert said in answer.text
    assert entry["source"] == "fault"


@pytest.mark.parametrize(
    ("way", "kind", "status", "said"),
    [
        ("openai", "overloaded", 503, "overloaded"),
        ("openai", "timeout", 504, "timeout"),
        ("anthropic", "overloaded", 529, "overloaded_error"),
        ("anthropic", "server_error", 500, "api_error"),
        ("gemini", "overloaded", 503, "UNAVAILABLE"),
        ("bedrock", "timeout", 408, "timed out"),
        ("ollama", "server_error", 500, "An internal error occurred."),
    ],
)
def test_an_error_has_the_provider_s_status_and_type(
    way: str, kind: str, status: int, said: str, tmp_path: Path
) -> None:
    answer, _ = ask(tmp_path, way, {"method": "models.*", "error": kind})
    assert (answer.status_code, said in answer.text) == (status, True)
    assert "x-mock-miss" not in answer.headers


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        ({"status": 529}, 529, "overloaded_error"),
        ({"status": 503}, 503, "overloaded_error"),
        ({"status": 418}, 418, "invalid_request_error"),
        ({"status": 429, "reason": "house_rule", "message": "No."}, 429, "house_rule"),
        ({"error": "rate_limit", "status": 503}, 503, "rate_limit_error"),
        ({"rate": {"per_minute": 1}, "error": "overloaded"}, 529, "overloaded_error"),
        ({"rate": {"per_minute": 1}}, 429, "rate_limit_error"),
    ],
)
def test_a_status_a_reason_and_a_rate_are_said_as_the_provider_does(
    fault: dict[str, Any], status: int, said: str, tmp_path: Path
) -> None:
    async def send() -> httpx.Response:
        faults = [{"method": "anthropic.*", **fault}]
        async with declared(write_script(tmp_path, SCRIPT), faults=faults) as world:
            body = {"messages": [{"role": "user", "content": "hello"}]}
            answers = [await world.ask("POST", CHATS["anthropic"], json=body) for _ in range(2)]
            return answers[-1]

    answer = asyncio.run(send())
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, said)


@pytest.mark.parametrize(
    ("way", "ends"),
    [
        ("openai", rb'data: \{"error":\{"message":"[^"]+","type":"server_error",.*\}\}\n\n'),
        ("responses", rb'event: error\ndata: \{"type":"error","code":"overloaded",.*\}\n\n'),
        ("anthropic", rb'event: error\ndata: \{.*"type":"overloaded_error".*\}\n\n'),
        ("gemini", rb'data: \{"error":\{"code":503,.*"status":"UNAVAILABLE"\}\}\r\n\r\n'),
        ("array", rb',\{"error":\{"code":503,.*"status":"UNAVAILABLE"\}\}\]'),
        ("bedrock", rb'serviceUnavailableException.*exception\{"message":"The model is .*\}....'),
        ("ollama", rb'\{"error":"The model is overloaded. Try again later."\}\n'),
    ],
)
def test_an_error_comes_in_the_middle_of_a_stream(way: str, ends: bytes, tmp_path: Path) -> None:
    fault = {"method": "models.chat", "error": "overloaded", "after_events": 2}
    answer, entry = ask(tmp_path, way, fault, stream=True)
    assert (answer.status_code, entry["fault"]) == (200, "models.chat")
    assert re.search(ends + rb"\Z", answer.content, re.DOTALL)
    assert b"cdef" not in answer.content


def test_a_reply_that_is_not_streamed_is_answered_with_the_error(tmp_path: Path) -> None:
    fault = {"method": "models.chat", "error": "overloaded", "after_events": 2}
    answer, entry = ask(tmp_path, "anthropic", fault)
    assert (answer.status_code, entry["source"]) == (529, "fault")


EVENTS = tuple(f'data: {{"n":{number}}}\n\n'.encode() for number in range(4))


@pytest.mark.parametrize(
    ("fault", "events", "pace"),
    [
        ({"kind": "truncate", "after_events": 3}, EVENTS, {"cut_after": 3}),
        ({"kind": "truncate"}, EVENTS, {"cut_after": 2}),
        ({"kind": "truncate", "after_events": 99}, EVENTS, {"cut_after": 3}),
        ({"kind": "truncate", "after_bytes": 9}, [b'data: {"n'], {"cut_after": 1}),
        ({"kind": "reset", "after_events": 0}, EVENTS, {"cut_after": 0}),
        ({"kind": "slow_first_byte", "pause_ms": 5}, EVENTS, {"first_ms": 6}),
        ({"kind": "dribble", "pause_ms": 5}, EVENTS, {"gap_ms": 7}),
        ({"kind": "dribble", "chunk_bytes": 40}, [b"".join(EVENTS)[:40], b"".join(EVENTS)[40:]],
         {}),
        ({"kind": "malformed"}, [*EVENTS[:2], b"data: {\n\n", EVENTS[3]], {}),
    ],
)  # fmt: skip
def test_a_stream_is_damaged_event_by_event(
    fault: dict[str, Any], events: Sequence[bytes], pace: dict[str, Any]
) -> None:
    given = Pace(first_ms=1, gap_ms=2)
    after = {"after_bytes": None, "after_events": None} | fault
    damaged, found = damage_stream(EVENTS, given, Damage(origin="f", **after))
    expected = given.model_copy(update=pace | ({"gap_ms": 0} if "after_bytes" in fault else {}))
    assert ([*damaged], found) == ([*events], expected)


def test_a_stream_without_a_connection_is_cut_by_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConnectionResetError):
        ask(tmp_path, "openai", {"method": "models.chat", "kind": "truncate"}, stream=True)


@pytest.mark.parametrize("stream", [False, True])
def test_a_tool_call_is_malformed_and_counted_where_there_is_one(
    stream: bool, tmp_path: Path
) -> None:
    fault = {"method": "models.chat", "kind": "malformed_tool_call", "times": 1}
    answer, entry = ask(tmp_path, "openai", fault, text="weather", stream=stream)
    assert entry["fault"] == "models.chat"
    pieces = re.findall(r'"arguments":"((?:[^"\\]|\\.)*)"', answer.text)
    text = orjson.loads(f'"{"".join(pieces)}"')
    assert text == '{"city":"B'
    _, entry = ask(tmp_path, "openai", fault)
    assert entry["fault"] == ""


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"error": "rate_limit", "reason": "x"}, "one of error and reason"),
        ({"error": "rate_limit", "kind": "reset"}, "error goes with kind status"),
        ({"retry_after_s": 1}, "retry_after_s goes with"),
        ({"after_events": 1}, "after_events goes with"),
        ({"kind": "reset", "after_events": 1, "after_bytes": 1}, "one of after_bytes"),
        ({"error": "bad_mood"}, "rate_limit"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Fault.model_validate({"method": "models.*", **fields})


def test_every_operation_may_be_named_by_a_fault() -> None:
    paths = [*CHATS.values(), "/v1/embeddings", "/v1/messages/count_tokens", "/api/tags",
             "/v1beta/models/g:embedContent", "/model/m/invoke", "/v1/models"]  # fmt: skip
    for path in paths:
        below = "/" + path.split("/", 3)[3] if path.startswith("/models/") else path
        for provider in PROVIDERS:
            for verb in ("GET", "POST"):
                found = provider.find(verb, below)
                assert found is None or {found.id, found.group} <= set(MODEL_METHODS)
