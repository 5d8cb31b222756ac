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
from harness.agents.http import HttpAgent
from harness.agents.profiles import PROFILES
from harness.model import Case, Turn

Chat = Any  # the ChatServer of conftest.py
Answer = Callable[..., bytes]
MakeTask = Callable[..., Task]

STREAM = """\
data: {"type":"text-start","id":"0"}

data: {"type":"text-delta","id":"0","delta":"Blocked."}

data: {"type":"finish"}

data: [DONE]

"""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.001)


async def converse(chat: Chat, task: Task, **options: Any) -> Transcript:
    driver, transcript = HttpAgent(chat.url, DriverOptions(**options)), Transcript()
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param('{"text": "Blocked."}', "application/json", id="json"),
        pytest.param('{"text": "Blocked."}', "application/problem+json", id="a kind of json"),
        pytest.param(STREAM, "text/event-stream; charset=utf-8", id="stream"),
        pytest.param("Blocked.", "text/plain", id="plain text"),
    ],
)
async def test_a_reply_is_read_by_its_content_type(
    chat: Chat, answer: Answer, make_task: MakeTask, body: str, kind: str
) -> None:
    """CEP-13."""
    chat.answers = [answer(body, kind)]
    reply = (await converse(chat, make_task())).replies[0]
    assert reply.text == "Blocked."
    assert reply.duration_ms >= (reply.first_byte_ms or 0) > 0


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        pytest.param(
            "json", {"messages": [{"role": "user", "content": "Why is it broken?"}]}, id="json"
        ),
        pytest.param(
            "ai-sdk",
            {
                "id": "s1",
                "messages": [
                    {
                        "id": "s1-0",
                        "role": "user",
                        "content": "Why is it broken?",
                        "parts": [{"type": "text", "text": "Why is it broken?"}],
                    }
                ],
            },
            id="ai-sdk",
        ),
    ],
)
async def test_a_profile_shapes_the_request(
    chat: Chat, answer: Answer, make_task: MakeTask, profile: str, expected: Any
) -> None:
    chat.answers = [answer('{"text": ""}')]
    await converse(chat, make_task(session="s1"), profile=profile)
    assert chat.seen[0].body == expected


async def test_a_later_turn_carries_the_agents_own_replies(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """CEPR-03."""
    chat.answers = [answer('{"text": "One"}'), answer('{"text": "Two"}')]
    transcript = await converse(chat, make_task("First", "Second"), profile="json")
    assert [message["content"] for message in chat.seen[1].body["messages"]] == [
        "First",
        "One",
        "Second",
    ]
    assert [reply.text for reply in transcript.replies] == ["One", "Two"]


async def test_outputs_of_tools_are_not_put_into_the_agents_mouth(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """CEPR-04: a further turn is sent what was said, with nothing made of tool outputs."""
    told = {"text": "One", "toolCalls": [{"name": "look", "args": {}, "result": "SECRET-7"}]}
    chat.answers = [answer(json.dumps(told)), answer('{"text": "Two"}')]
    transcript = await converse(chat, make_task("First", "Second"), profile="json")
    assert [call.name for call in transcript.replies[0].tool_calls] == ["look"]
    assert "SECRET-7" not in json.dumps(chat.seen[1].body)


async def test_the_session_travels_in_headers(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer('{"text": ""}')]
    await converse(chat, make_task(session="s1", token="t1"))
    headers = chat.seen[0].headers
    assert headers["x-mock-session"] == "s1"
    assert headers["baggage"] == "mock.session=s1"
    assert headers["authorization"] == "Bearer t1"
    assert "x-eval-test-mode" not in headers
    assert not {"x-mock-url", "x-mock-env"} & headers.keys()


async def test_a_running_service_is_told_how_to_reach_the_session(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """It has no environment of the session: its process was there before."""
    env = {"GOOGLE_API_BASE_URL": "http://127.0.0.1:1/s/s1", "CITY_URL": "http://k\u00f6ln/1"}
    chat.answers = [answer('{"text": ""}')]
    await converse(chat, make_task(session="s1", env=env))
    headers = chat.seen[0].headers
    assert headers["x-mock-url"] == "http://127.0.0.1:1/s/s1"
    assert headers["baggage"] == "mock.session=s1,mock.url=http%3A%2F%2F127.0.0.1%3A1%2Fs%2Fs1"
    assert json.loads(headers["x-mock-env"]) == env


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"token": "mine"}, "Bearer mine", id="token"),
        pytest.param(
            {"headers": {"Authorization": "Basic x"}, "token": "t"}, "Basic x", id="header"
        ),
    ],
)
async def test_the_users_credential_goes_before_the_sessions(
    chat: Chat, answer: Answer, make_task: MakeTask, options: Any, expected: str
) -> None:
    chat.answers = [answer('{"text": ""}')]
    await converse(chat, make_task(session="s1", token="t1"), **options)
    assert chat.seen[0].headers["authorization"] == expected


async def test_injected_fixtures_travel_in_the_body_with_their_header(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """CEP-15, CEP-16, CEPR-31: further headers are the user's choice."""
    chat.answers = [answer('{"text": ""}')]
    task = make_task(fixtures={"orgUnits": []})
    await converse(chat, task, headers={"X-Test-Bypass": "1"})
    assert chat.seen[0].body["fixtures"] == {"orgUnits": []}
    assert chat.seen[0].headers["x-eval-test-mode"] == "1"
    assert chat.seen[0].headers["x-test-bypass"] == "1"


async def test_an_agent_with_injected_fixtures_is_asked_all_the_same(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """CEP-18: every turn is its own to answer; what it is asked differs by the fixtures alone."""
    chat.answers = [answer('{"text": "One", "toolCalls": ["listOrgUnits"]}')]
    plain = await converse(chat, make_task("First", "Second", session="s1"))
    fixtures: dict[str, Any] = {"orgUnits": []}
    injected = await converse(chat, make_task("First", "Second", session="s1", fixtures=fixtures))
    bodies = [seen.body for seen in chat.seen]
    assert bodies[2:] == [body | {"fixtures": fixtures} for body in bodies[:2]]
    assert [reply.tool_calls for reply in injected.replies] == [
        reply.tool_calls for reply in plain.replies
    ]


async def test_a_busy_agent_is_asked_again(chat: Chat, answer: Answer, make_task: MakeTask) -> None:
    """CEPR-21."""
    busy = answer("", status="429 Too Many Requests")
    chat.answers = [busy, None, answer('{"text": "Fine"}')]
    transcript = await converse(chat, make_task())
    assert transcript.replies[0].text == "Fine"
    assert [bool(attempt.error) for attempt in transcript.attempts] == [True, True, False]
    assert "429" in transcript.attempts[0].error


@pytest.mark.parametrize(
    ("status", "error", "asked"),
    [
        pytest.param("503 Busy", AgentUnreachableError, 3, id="busy"),
        pytest.param("404 Not Found", AgentUnreachableError, 1, id="wrong URL"),
        pytest.param("401 No", AgentUnreachableError, 1, id="no credential"),
        pytest.param("500 Oops", AgentFailedError, 1, id="crashed"),
        pytest.param("422 Bad", AgentFailedError, 1, id="refused"),
    ],
)
async def test_a_status_says_who_is_to_blame(
    chat: Chat,
    answer: Answer,
    make_task: MakeTask,
    status: str,
    error: type[Exception],
    asked: int,
) -> None:
    chat.answers = [answer("{}", status=status)]
    with pytest.raises(error, match=status.split()[0]):
        await converse(chat, make_task())
    assert len(chat.seen) == asked


async def test_an_agent_that_sends_us_elsewhere_is_not_at_its_url(
    chat: Chat, make_task: MakeTask
) -> None:
    chat.answers = [b"HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n"]
    with pytest.raises(AgentUnreachableError, match="302 Found"):
        await converse(chat, make_task())
    assert len(chat.seen) == 1


async def test_a_reply_that_is_not_compressed_as_it_says_fails_the_agent(
    chat: Chat, make_task: MakeTask
) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n"
    chat.answers = [head + b"content-type: application/json\r\n\r\n{}"]
    with pytest.raises(AgentFailedError, match="encoding"):
        await converse(chat, make_task())


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(("<html>", "text/html"), "answered text/html", id="no reply"),
        pytest.param(("{", "application/json"), "not JSON", id="broken JSON"),
        pytest.param(
            ("data: {", "text/event-stream"), "malformed event stream", id="broken stream"
        ),
        pytest.param(("x" * 300, "text/plain"), "longer than 200 bytes", id="flood"),
        pytest.param((": \n" * 300, "text/event-stream"), "longer than 200", id="flood of events"),
    ],
)
async def test_an_unreadable_reply_fails_the_agent_once(
    chat: Chat, answer: Answer, make_task: MakeTask, raw: tuple[str, str], said: str
) -> None:
    chat.answers = [answer(*raw)]
    with pytest.raises(AgentFailedError, match=said):
        await converse(chat, make_task(), max_reply_bytes=200)
    assert len(chat.seen) == 1


async def test_a_connection_that_breaks_in_mid_answer_is_not_tried_again(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer('{"text": "It is"}')[:-4]]
    with pytest.raises(AgentFailedError, match="mid-answer"):
        await converse(chat, make_task())
    assert len(chat.seen) == 1


async def test_an_agent_that_is_not_there_is_unreachable_and_its_secrets_stay_unsaid(
    make_task: MakeTask,
) -> None:
    driver = HttpAgent("http://user:secret@127.0.0.1:9/chat?key=secret", DriverOptions(retries=0))
    with pytest.raises(AgentUnreachableError) as raised:
        await driver.converse(make_task(), Transcript())
    await driver.close()
    assert str(raised.value) == "http://127.0.0.1:9/chat: connection refused at 127.0.0.1:9"
    assert "secret" not in str(raised.value)


EVENTS = json.dumps([{"content": {"parts": [{"text": "So."}]}}])
SESSION = '{"id": "s-1"}'


async def adk_converse(chat: Chat, task: Task, query: str = "?app=sre") -> Transcript:
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
    transcript = await adk_converse(chat, make_task("A?", "B?", case=case, token="t-1"))
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
    transcript = await adk_converse(chat, make_task())
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
        await adk_converse(chat, make_task())


async def test_an_app_that_is_not_there_is_not_reached(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer("{}", status="404 Not Found")]
    with pytest.raises(AgentUnreachableError, match="HTTP 404"):
        await adk_converse(chat, make_task())


async def test_the_only_app_of_a_server_needs_no_name(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    chat.answers = [answer('["sre"]'), answer(SESSION), answer(EVENTS)]
    await adk_converse(chat, make_task(), query="")
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
        await adk_converse(chat, make_task(), query="")


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
