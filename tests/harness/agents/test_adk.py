import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.agents import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    build_driver,
)
from harness.model import Case, Turn

Chat = Any  # the ChatServer of conftest.py
Answer = Callable[..., bytes]
MakeTask = Callable[..., Task]

EVENTS = json.dumps([{"content": {"parts": [{"text": "So."}]}}])
SESSION = '{"id": "s-1"}'


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agents.retries.FIRST_PAUSE_S", 0.001)


async def converse(chat: Chat, task: Task, query: str = "?app=sre") -> Transcript:
    url = chat.url.removesuffix("/api/chat") + query
    driver = build_driver(f"http:{url}", DriverOptions(profile="adk"))
    transcript = Transcript()
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript


async def test_a_session_is_opened_with_the_variables_and_used_for_every_turn(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    turns = (Turn(user="A?"), Turn(user="B?"))
    case = Case(id="c", turns=turns, variables={"PROJECT_ID": "shop-prod"})
    chat.answers = [answer(SESSION), answer(EVENTS), answer(f"data: {EVENTS[1:-1]}\n\n",
                                                            "text/event-stream")]  # fmt: skip
    transcript = await converse(chat, make_task("A?", "B?", case=case, token="t-1"))
    assert [reply.text for reply in transcript.replies] == ["So.", "So."]
    opened, first, second = (seen.body for seen in chat.seen)
    assert opened == {"state": {"PROJECT_ID": "shop-prod"}}
    assert {first["sessionId"], second["sessionId"]} == {"s-1"}
    assert (first["appName"], second["newMessage"]["parts"]) == ("sre", [{"text": "B?"}])
    assert {seen.headers["authorization"] for seen in chat.seen} == {"Bearer t-1"}


async def test_a_session_that_is_refused_for_now_is_asked_for_again(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    busy = answer("{}", status="503 Service Unavailable")
    chat.answers = [busy, None, answer(SESSION), answer(EVENTS)]
    transcript = await converse(chat, make_task())
    assert transcript.replies[0].text == "So."
    assert len(transcript.attempts) == 3


@pytest.mark.parametrize(
    ("raw", "status", "said"),
    [
        ("{}", "200 OK", "without an id"),
        ("nope", "200 OK", "no JSON"),
        ('{"detail": "bad"}', "500 Internal Server Error", "HTTP 500"),
    ],
)
async def test_a_server_that_opens_no_session_fails_the_agent(
    chat: Chat, answer: Answer, make_task: MakeTask, raw: str, status: str, said: str
) -> None:
    chat.answers = [answer(raw, status=status)]
    with pytest.raises(AgentFailedError, match=said):
        await converse(chat, make_task())


async def test_an_app_that_is_not_there_is_not_reached(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer("{}", status="404 Not Found")]
    with pytest.raises(AgentUnreachableError, match="HTTP 404"):
        await converse(chat, make_task())


async def test_the_only_app_of_a_server_needs_no_name(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer('["sre"]'), answer(SESSION), answer(EVENTS)]
    await converse(chat, make_task(), query="")
    assert chat.seen[-1].body["appName"] == "sre"


@pytest.mark.parametrize(
    ("apps", "error", "said"),
    [
        ('["a", "b"]', AgentUnreachableError, "these apps: a, b; add"),
        ("[]", AgentUnreachableError, "these apps: none"),
        ("{}", AgentFailedError, "no list of names"),
    ],
)
async def test_which_app_is_meant_must_be_clear(
    chat: Chat, answer: Answer, make_task: MakeTask, apps: str, error: Any, said: str
) -> None:
    chat.answers = [answer(apps)]
    with pytest.raises(error, match=said):
        await converse(chat, make_task(), query="")
