from collections.abc import Callable

import pytest

from harness.agents import Task
from harness.agents.profiles import PROFILES

MakeTask = Callable[..., Task]
SAID = [{"role": "user", "content": "Why?"}]


@pytest.mark.parametrize(
    ("profile", "url", "asked"),
    [
        ("json", "http://h/chat", "http://h/chat"),
        ("ai-sdk", "http://h/api/chat?x=1", "http://h/api/chat?x=1"),
        ("openai", "http://h:1", "http://h:1/v1/chat/completions"),
        ("openai", "http://h/v1/?model=m", "http://h/v1/chat/completions"),
        ("openai", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("adk", "http://h:8000?app=sre", "http://h:8000/run_sse"),
        ("adk", "http://h/adk/run", "http://h/adk/run"),
    ],
)
def test_a_profile_knows_where_to_post(profile: str, url: str, asked: str) -> None:
    assert PROFILES[profile](url).url == asked


def test_a_chat_completion_is_asked_for_with_its_model(make_task: MakeTask) -> None:
    body = PROFILES["openai"]("http://h?model=m").body(make_task(), SAID, "")
    assert body == {"model": "m", "messages": SAID, "stream": True}
    unnamed = PROFILES["openai"]("http://h").body(make_task(fixtures={"a": 1}), SAID, "")
    assert (unnamed["model"], unnamed["fixtures"]) == ("agent", {"a": 1})


def test_an_adk_turn_is_the_last_message_alone(make_task: MakeTask) -> None:
    said = [*SAID, {"role": "assistant", "content": "So."}, {"role": "user", "content": "And?"}]
    body = PROFILES["adk"]("http://h").body(make_task(), said, "sre/s-1")
    assert body == {
        "appName": "sre",
        "userId": "harness",
        "sessionId": "s-1",
        "newMessage": {"role": "user", "parts": [{"text": "And?"}]},
        "streaming": False,
    }
