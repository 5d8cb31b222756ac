"""Faults of models, as the official clients raise and retry them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from mockserver.model import Fault
from mockserver.testing import mock
from tests.mockserver.models.suites import write_script

pytestmark = pytest.mark.slow  # three large SDKs are imported

SCRIPT = """
stream: {characters: 4}
replies:
  - {user: weather, calls: {look: {city: Bern}}}
  - {text: "0123456789abcdef"}
"""
MESSAGES: Any = [{"role": "user", "content": "hello"}]
WEATHER: Any = [{"role": "user", "content": "weather"}]


def openai_chat(messages: Any = MESSAGES, *, stream: bool = False) -> str:
    client = openai.OpenAI(max_retries=1)
    answer: Any = client.chat.completions.create(model="m", messages=messages, stream=stream)
    if not stream:
        return str(answer.choices[0].message.content)
    return "".join(each.choices[0].delta.content or "" for each in answer)


def openai_responses(messages: Any = MESSAGES, *, stream: bool = False) -> str:
    client = openai.OpenAI(max_retries=1)
    answer: Any = client.responses.create(model="m", input=messages, stream=stream)
    if not stream:
        return str(answer.output_text)
    found = ""
    for each in answer:
        if each.type == "error":
            raise ConnectionAbortedError(each.message)
        found += each.delta if each.type == "response.output_text.delta" else ""
    return found


def anthropic_messages(messages: Any = MESSAGES, *, stream: bool = False) -> str:
    client = anthropic.Anthropic(max_retries=1)
    if not stream:
        made: Any = client.messages.create(model="m", max_tokens=9, messages=messages)
        return str(made.content[0].text)
    with client.messages.stream(model="m", max_tokens=9, messages=messages) as events:
        return "".join(events.text_stream)


def gemini(messages: Any = MESSAGES, *, stream: bool = False) -> str:
    retry = types.HttpRetryOptions(attempts=2, initial_delay=0.01, jitter=0)
    client = genai.Client(api_key="k", http_options=types.HttpOptions(retry_options=retry))
    text = messages[0]["content"]
    if not stream:
        return str(client.models.generate_content(model="m", contents=text).text)
    parts = client.models.generate_content_stream(model="m", contents=text)
    return "".join(each.text or "" for each in parts)


CLIENTS: dict[str, tuple[Callable[..., str], type[Exception], type[Exception], type[Exception]]] = {
    "openai-chat": (openai_chat, openai.RateLimitError, openai.InternalServerError,
                    openai.APIError),
    "openai-responses": (openai_responses, openai.RateLimitError, openai.InternalServerError,
                         ConnectionAbortedError),
    "anthropic": (anthropic_messages, anthropic.RateLimitError, anthropic.APIStatusError,
                  anthropic.APIStatusError),
    "gemini": (gemini, genai.errors.ClientError, genai.errors.ServerError,
               genai.errors.APIError),
}  # fmt: skip


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Any:
    return CLIENTS[request.param]


def test_a_client_tries_again_after_a_limit(client: Any, tmp_path: Path) -> None:
    fault = Fault(method="models.chat", error="rate_limit", retry_after_s=0.01, times=1)
    with mock(write_script(tmp_path, SCRIPT), faults=[fault]) as session:
        assert client[0]() == "0123456789abcdef"
    assert [each.status for each in session.requests] == [429, 200]
    assert [each.met for each in session.faults] == [1]


def test_a_limit_and_an_overload_are_the_clients_own_errors(client: Any, tmp_path: Path) -> None:
    ask, limited, overloaded, _ = client
    faults = [
        Fault(method="models.chat", error="rate_limit", retry_after_s=0.01, times=2),
        Fault(method="models.chat", error="overloaded", retry_after_s=0.01, times=2),
        Fault(method="models.chat", error="timeout", retry_after_s=0.01),
    ]
    with mock(write_script(tmp_path, SCRIPT), faults=faults):
        with pytest.raises(limited, match="rate limit"):
            ask()
        with pytest.raises(overloaded, match="overloaded"):
            ask()
        with pytest.raises(overloaded, match="timed out"):
            ask()


def test_an_error_in_the_middle_of_a_stream_is_raised(client: Any, tmp_path: Path) -> None:
    ask, _, _, error = client
    fault = Fault(method="models.chat", error="overloaded", after_events=2, message="Too much.")
    with (
        mock(write_script(tmp_path, SCRIPT), faults=[fault]),
        pytest.raises(error, match="Too much"),
    ):
        ask(stream=True)


def test_a_stream_that_is_cut_is_an_error_of_the_connection(client: Any, tmp_path: Path) -> None:
    fault = Fault(method="models.chat", kind="truncate", after_events=3)
    with (
        mock(write_script(tmp_path, SCRIPT), faults=[fault]),
        pytest.raises(Exception, match=r"[Cc]onnection|peer|closed"),
    ):
        client[0](stream=True)


def test_a_slow_stream_is_whole(client: Any, tmp_path: Path) -> None:
    faults = [Fault(method="models.chat", kind="dribble", latency_ms=1)]
    with mock(write_script(tmp_path, SCRIPT), faults=faults):
        assert client[0](stream=True) == "0123456789abcdef"


def test_a_client_that_waits_too_short_a_time_gives_up(tmp_path: Path) -> None:
    fault = Fault(method="models.chat", latency_ms=60_000)
    with mock(write_script(tmp_path, SCRIPT), faults=[fault]):
        hasty = openai.OpenAI(max_retries=0, timeout=0.05)
        with pytest.raises(openai.APITimeoutError):
            hasty.chat.completions.create(model="m", messages=MESSAGES)


def test_malformed_tool_calls_reach_the_clients(tmp_path: Path) -> None:
    fault = Fault(method="models.chat", kind="malformed_tool_call")
    with mock(write_script(tmp_path, SCRIPT), faults=[fault]) as session:
        chat: Any = openai.OpenAI().chat.completions.create(model="m", messages=WEATHER)
        [call] = chat.choices[0].message.tool_calls
        assert call.function.arguments == '{"city":"B'
        made: Any = openai.OpenAI().responses.create(model="m", input="weather")
        assert made.output[0].arguments == '{"city":"B'
        client = genai.Client(api_key="k")
        answer: Any = client.models.generate_content(model="m", contents="weather")
        assert answer.candidates[0].finish_reason == "MALFORMED_FUNCTION_CALL"
        text = ""
        for event in anthropic.Anthropic().messages.create(
            model="m", max_tokens=9, messages=WEATHER, stream=True
        ):
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                text += event.delta.partial_json
        assert text == '{"city":"B'
    assert [each.met for each in session.faults] == [4]
