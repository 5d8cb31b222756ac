import codecs
import hashlib
import itertools
import socket
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import AgentFailedError, AgentUnreachableError, DriverOptions, Transcript
from harness.agents.transport import (
    LONGEST_PAUSE_S,
    EventReader,
    Retries,
    TransportError,
    connection_problem,
    exchange_error,
    refuse_failure,
    refuse_flood,
    refuse_status,
)


def attempts_of(*errors: Exception | None) -> Callable[[], Awaitable[None]]:
    left = list(errors)

    async def attempt() -> None:
        error = left.pop(0)
        if error is not None:
            raise error

    return attempt


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.001)


def raised_from(error: Exception, *causes: Exception | None) -> Exception:
    last: BaseException = error
    for cause in causes:
        last.__cause__ = cause
        last = cause or last
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (raised_from(OSError("All failed"), OSError(111, "x")), "connection refused at a.test:80"),
        (
            raised_from(
                OSError("All"), ExceptionGroup("two", [OSError(113, ""), OSError(111, "")])
            ),
            "no route to host at a.test:80",
        ),
        (raised_from(OSError("x"), socket.gaierror(-2, "?")), "the name 'a.test' has no address"),
        (ssl.SSLError(1, "bad certificate"), "bad certificate"),
        (httpx.ConnectTimeout(""), "no connection within 10 s at a.test:80"),
        (httpx.ReadError(""), "ReadError"),
        (httpx.ConnectError("not allowed\nmore"), "not allowed"),
    ],
)
def test_what_the_transport_says_is_told(error: Exception, said: str) -> None:
    assert connection_problem(error, "http://a.test/chat").endswith(said)


async def test_a_transport_error_is_tried_again_and_recorded() -> None:
    """CEPR-21."""
    transcript = Transcript()
    attempt = attempts_of(TransportError("busy", wait_s=0), TransportError("refused"), None)
    await Retries(2).turn(transcript, 1, attempt)
    assert [(a.number, a.error) for a in transcript.attempts] == [
        (1, "busy"),
        (2, "refused"),
        (3, ""),
    ]
    assert transcript.attempts[0].waited_ms == 0
    assert transcript.attempts[1].waited_ms > 0


async def test_an_agent_that_never_answers_is_unreachable() -> None:
    transcript = Transcript()
    with pytest.raises(AgentUnreachableError, match="refused"):
        await Retries(1).turn(transcript, 1, attempts_of(*[TransportError("refused")] * 2))
    assert len(transcript.attempts) == 2
    assert transcript.attempts[-1].waited_ms == 0


@pytest.mark.parametrize("error", [AgentFailedError("wrong"), AgentUnreachableError("403")])
async def test_what_the_agent_did_wrong_is_never_tried_again(error: Exception) -> None:
    transcript = Transcript()
    with pytest.raises(type(error)):
        await Retries(5).turn(transcript, 1, attempts_of(error))
    assert [(a.number, a.error) for a in transcript.attempts] == [(1, str(error))]


@given(st.integers(1, 50), st.text())
def test_pauses_grow_stay_bounded_and_repeat(number: int, key: str) -> None:
    pause = Retries(1, key).pause_s(number)
    assert 0 < pause <= LONGEST_PAUSE_S
    assert pause == Retries(9, key).pause_s(number)
    assert Retries(1).pause_s(number, retry_after_s=60) == LONGEST_PAUSE_S
    assert Retries(1).pause_s(number, retry_after_s=0) == 0


def test_the_first_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agents.transport.FIRST_PAUSE_S", 0.25)
    spread = [0.5 + hashlib.sha256(f"k/{n}".encode()).digest()[0] / 510 for n in (1, 2, 9)]
    found = [Retries(1, "k").pause_s(number) for number in (1, 2, 9)]
    assert found == pytest.approx([0.25 * spread[0], 0.45 * spread[1], 5 * spread[2]])


@pytest.mark.parametrize(
    ("status", "kind"),
    [(200, None), (302, AgentUnreachableError), (400, None), (401, AgentUnreachableError),
     (402, None), (403, AgentUnreachableError), (404, AgentUnreachableError),
     (405, AgentUnreachableError), (406, None), (407, AgentUnreachableError),
     (429, TransportError), (500, None), (502, TransportError), (503, TransportError),
     (504, TransportError), (505, None)],
)  # fmt: skip
def test_a_status_tells_whether_the_agent_was_reached(
    status: int, kind: type[Exception] | None
) -> None:
    request = httpx.Request("POST", "http://a.test/chat?key=k")
    response = httpx.Response(
        status, request=request, headers={"location": "/x", "retry-after": "2"}
    )
    if kind is None:
        refuse_status(response)
        return
    with pytest.raises(kind, match=rf"^http://a\.test/chat: HTTP {status} ") as refused:
        refuse_status(response)
    assert getattr(refused.value, "wait_s", 2.0) == 2.0


def test_a_server_fails_from_status_400_on() -> None:
    refuse_failure(399, "x", "it")
    with pytest.raises(AgentFailedError) as refused:
        refuse_failure(400, "x" * 501, "it")
    assert str(refused.value) == f"it answered HTTP 400: {'x' * 500}"


def test_a_reply_may_be_as_long_as_is_allowed(tmp_path: Path) -> None:
    options = DriverOptions(folder=tmp_path, max_reply_bytes=10)
    refuse_flood(10, options)
    with pytest.raises(AgentFailedError, match="longer than 10 bytes"):
        refuse_flood(11, options)


STREAM = codecs.BOM_UTF8 + (
    "data: one\r\n\r\n: comment\n\nevent: x\nid: 7\ndata: two\ndata:  three\n\ndata: täil".encode()
)
EVENTS = [(1, "one"), (7, "two\n three"), (10, "täil")]


def read(*chunks: bytes) -> list[tuple[int, str]]:
    reader = EventReader(1000)
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return [*events, *reader.end()]


def test_a_line_may_be_as_long_as_is_allowed() -> None:
    assert read(b"data: " + b"x" * 994) == [(1, "x" * 994)]


def test_events_have_names() -> None:
    reader = EventReader(1000)
    names = [reader.name for _ in reader.feed(b"event: x\ndata: 1\n\ndata: 2\n\n")]
    assert names == ["x", ""]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8).map(sorted))
def test_events_do_not_depend_on_how_the_stream_is_cut(cuts: list[int]) -> None:
    bounds = [0, *cuts, len(STREAM)]
    assert read(*(STREAM[a:b] for a, b in itertools.pairwise(bounds))) == EVENTS


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        pytest.param(b"data: ok\n\n<html>\n", "line 3 starts with '<html>'", id="no field"),
        pytest.param(b"data: ok\ndata: \xff\n", "line 2 is not UTF-8", id="no text"),
        pytest.param(b"data: ok\n" + b"x" * 1001, "line 2 has no end", id="endless line"),
    ],
)
def test_a_malformed_stream_is_refused_with_its_place(stream: bytes, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        read(stream)


@pytest.mark.parametrize(
    ("error", "answering", "kind", "words"),
    [
        (httpx.ReadError("reset"), True, AgentFailedError, "broke in mid-answer: reset"),
        (httpx.ReadError("reset"), False, TransportError, "http://a.example/x: reset"),
        (httpx.DecodingError("not gzip"), True, AgentFailedError, "of the encoding it says"),
        (httpx.DecodingError("not gzip"), False, AgentFailedError, "of the encoding it says"),
    ],
)
def test_what_is_repeated_is_only_a_request_without_an_answer(
    error: httpx.RequestError, kind: type[Exception], words: str, *, answering: bool
) -> None:
    found = exchange_error(error, "http://ann:pw@a.example/x?key=k", answering=answering)
    assert type(found) is kind
    assert words in str(found)
    assert "pw" not in str(found)
