from collections.abc import Callable
from typing import Any

import httpx
import pytest

from harness.agents import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    agent_url,
    build_driver,
)
from harness.agents.service import ServiceAgent, service_url
from harness.errors import HarnessError
from harness.model import Case, ServiceStatus, Turn

Chat = Any  # the ChatServer of conftest.py
Answer = Callable[..., bytes]
MakeTask = Callable[..., Task]
REQUEST = {"content": "x", "standards_set": "naval_v3"}
REFUSED = ServiceStatus(family="client_error", code="EMPTY_CONTENT")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.001)


def case(expectation: ServiceStatus | None = None) -> Case:
    return Case(
        id="case_01",
        turns=(Turn(user="{}"),),
        request=REQUEST,
        expect=(expectation or ServiceStatus(),),
    )


async def converse(chat: Chat, task: Task, **options: Any) -> Transcript:
    driver, transcript = ServiceAgent(chat.url, DriverOptions(**options)), Transcript()
    try:
        await driver.converse(task, transcript)
    finally:
        await driver.close()
    return transcript


async def test_the_request_is_posted_with_a_bearer_token(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    """CSR-07."""
    chat.answers = [answer('{"observations": []}')]
    task = make_task(case=case(), session="s-1")
    reply = (await converse(chat, task, headers={"X-Team": "a"})).replies[0]
    await converse(chat, task, token="mine")
    assert (reply.http_status, reply.data) == (200, {"observations": []})
    assert reply.text == '{"observations": []}'
    assert reply.duration_ms >= (reply.first_byte_ms or 0) > 0
    first, second = chat.seen
    assert first.body == REQUEST
    assert first.headers["authorization"] == "Bearer demo-token"
    assert (first.headers["x-mock-session"], first.headers["x-team"]) == ("s-1", "a")
    assert second.headers["authorization"] == "Bearer mine"


@pytest.mark.parametrize(
    "status", ["422 Unprocessable", "500 Internal Server Error", "201 Created"]
)
async def test_any_answer_to_the_request_is_a_reply(
    chat: Chat, answer: Answer, make_task: MakeTask, status: str
) -> None:
    """The checks say what is wrong with it."""
    chat.answers = [answer("no json", "text/plain", status)]
    reply = (await converse(chat, make_task(case=case()))).replies[0]
    assert (reply.http_status, reply.data, reply.text) == (int(status[:3]), None, "no json")


@pytest.mark.parametrize("status", ["401 No", "403 No", "404 No", "405 No", "307 There"])
async def test_a_way_that_leads_nowhere_is_not_the_services_quality(
    chat: Chat, answer: Answer, make_task: MakeTask, status: str
) -> None:
    """Pitfall 5; CSR-29: a wrong model id or token makes no baseline."""
    head = b"\r\nlocation: /there\r\ncontent-type"
    chat.answers = [answer("EMPTY", status=status).replace(b"\r\ncontent-type", head, 1)]
    with pytest.raises(AgentUnreachableError, match="--token"):
        await converse(chat, make_task(case=case()))


ANY = ServiceStatus(family="client_error")


@pytest.mark.parametrize(
    ("status", "body", "expectation"),
    [
        pytest.param("401 No", "EMPTY_CONTENT", REFUSED, id="401 with the code"),
        pytest.param("404 No", "NOT_FOUND", REFUSED, id="404 of another code"),
        pytest.param("404 No", "x", ANY, id="any 404"),
        pytest.param("429 Slow", "EMPTY_CONTENT", REFUSED, id="429 with the code"),
    ],
)
async def test_an_error_may_be_what_was_asked_for(
    chat: Chat, answer: Answer, make_task: MakeTask, status: str, body: str,
    expectation: ServiceStatus,
) -> None:  # fmt: skip
    chat.answers = [answer(body, "text/plain", status)]
    (reply,) = (await converse(chat, make_task(case=case(expectation)))).replies
    assert reply.http_status == int(status[:3])


@pytest.mark.parametrize(
    ("status", "body", "expectation"),
    [
        pytest.param("401 No", "UNAUTHENTICATED", REFUSED, id="401 without the code"),
        pytest.param("403 No", "x", ANY, id="403 and no code asked"),
        pytest.param("429 Slow", "x", REFUSED, id="429 without the code"),
        pytest.param("503 Busy", "EMPTY_CONTENT", REFUSED, id="503"),
    ],
)
async def test_an_error_on_the_way_is_not_what_was_asked_for(
    chat: Chat, answer: Answer, make_task: MakeTask, status: str, body: str,
    expectation: ServiceStatus,
) -> None:  # fmt: skip
    chat.answers = [answer(body, "text/plain", status)]
    with pytest.raises(AgentUnreachableError):
        await converse(chat, make_task(case=case(expectation)), retries=0)


async def test_a_busy_service_is_asked_again(
    chat: Chat, answer: Answer, make_task: MakeTask
) -> None:
    busy = answer("", status="503 Busy").replace(b"\r\ncontent-type", b"\r\nretry-after: 0\r\nx", 1)
    chat.answers = [busy, answer("", status="502 Bad"), answer("{}")]
    transcript = await converse(chat, make_task(case=case()))
    assert [attempt.error != "" for attempt in transcript.attempts] == [True, True, False]


async def test_no_connection_is_no_reply(chat: Chat, make_task: MakeTask) -> None:
    chat.answers = [None]
    with pytest.raises(AgentUnreachableError):
        await converse(chat, make_task(case=case()), retries=1)


@pytest.mark.parametrize("late", [httpx.ConnectTimeout, httpx.ReadTimeout, httpx.PoolTimeout])
async def test_a_service_that_does_not_answer_in_time_is_out_of_reach(
    chat: Chat,
    make_task: MakeTask,
    monkeypatch: pytest.MonkeyPatch,
    late: type[httpx.TimeoutException],
) -> None:
    def wait(request: httpx.Request) -> httpx.Response:
        raise late("too late", request=request)

    monkeypatch.setattr(
        "harness.agents.transport.transport_to", lambda _: httpx.MockTransport(wait)
    )
    with pytest.raises(AgentUnreachableError, match="too late"):
        await converse(chat, make_task(case=case()), retries=1)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"', "mid-answer", id="cut"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
            "encoding",
            id="encoding",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 70\r\n\r\n" + b"x" * 70, "longer", id="flood"
        ),
    ],
)
async def test_a_broken_answer_fails_the_service(
    chat: Chat, make_task: MakeTask, raw: bytes, said: str
) -> None:
    chat.answers = [raw]
    with pytest.raises(AgentFailedError, match=said):
        await converse(chat, make_task(case=case()), max_reply_bytes=60)


async def test_a_case_without_a_request_cannot_be_sent(chat: Chat, make_task: MakeTask) -> None:
    with pytest.raises(AgentFailedError, match="has no request"):
        await converse(chat, make_task())


def test_the_spec_names_a_host_or_a_whole_url() -> None:
    """CSR-03."""
    assert service_url("http://localhost:9020/") == "http://localhost:9020/v1/review"
    assert agent_url("service:http://h/x") == "http://h/x"
    assert isinstance(build_driver("service:http://localhost:9020", DriverOptions()), ServiceAgent)
    with pytest.raises(HarnessError, match="is no URL"):
        service_url("localhost:9020")
