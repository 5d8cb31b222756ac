"""Answers of the fast protocol: the bytes of uvicorn's cycle, without it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mockserver.asgi.server import HEAD_S, SILENCE_S
from mockserver.http.application import Application
from mockserver.model import Chunk, Fault, RecordedResponse, Repeats, SessionSpec
from mockserver.settings import HttpProtocolName, Settings
from tests.mockserver.conftest import NOW, UNITS, write_suite
from tests.mockserver.http.connections import Connection, exchange
from tests.tapes import JSON, recorded, written

HOST = b"Host: 127.0.0.1:8765\r\n"
SCRIPT = """\
replies:
  - {user: late, text: It rains today., stream: {characters: 4, gap_ms: 1}}
  - {user: after a while, text: It rains., stream: {first_ms: 1}}
  - {user: cut, text: It rains today., stream: {characters: 4, cut_after: 2}}
  - {user: nothing, error: rate_limit}
  - {user: again, text: "{{ user }}", delay_ms: 1}
  - {text: "It rains. {{ turn }}", calls: {look: {city: Bern}}}
"""
STUBS: list[dict[str, Any]] = [
    {"method": "GET", "url": "https://api.example.com/plain", "body": {"a": 1}},
    {"method": "POST", "url": "https://api.example.com/plain", "body": "x" * 70_000},
    {"method": "GET", "url": "https://api.example.com/none", "status": 204},
    {"method": "GET", "url": "https://api.example.com/late", "body": {}, "delay_ms": 1},
    {"method": "GET", "url": "https://api.example.com/close", "body": {},
     "headers": {"Connection": "close"}},
    {"method": "GET", "url": "https://api.example.com/long", "body": {},
     "headers": {"Content-Length": "5000"}},
]  # fmt: skip


def get(path: str, *headers: bytes, verb: bytes = b"GET", body: bytes = b"") -> bytes:
    lines = b"".join(line + b"\r\n" for line in headers)
    if body:
        lines += b"Content-Length: %d\r\n" % len(body)
    return verb + b" " + path.encode() + b" HTTP/1.1\r\n" + HOST + lines + b"\r\n" + body


LIST = get(f"{UNITS}?type=all")
PLAIN = get("/api.example.com/plain")
CREATE = get(UNITS, b"Content-Type: application/json", verb=b"POST",
             body=b'{"name": "New", "parentOrgUnitPath": "/"}')  # fmt: skip


@pytest.fixture(scope="module")
def stubbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = write_suite(tmp_path_factory.mktemp("stubs") / "suite", http=STUBS)
    (suite / "models").mkdir()
    (suite / "models" / "assistant.yaml").write_text(SCRIPT, encoding="utf-8")
    return suite


def prompt(text: str, *headers: bytes, stream: bool = True) -> bytes:
    """A request to a scripted model."""
    said = [{"role": "user", "content": text}]
    body = json.dumps({"model": "gpt-5", "stream": stream, "messages": said}).encode()
    line = b"Content-Type: application/json"
    return get("/models/openai/v1/chat/completions", line, *headers, verb=b"POST", body=body)


def make(suite: Path, protocol: HttpProtocolName = "fast", **options: Any) -> Application:
    """A server with two sessions whose ids and secrets are the same each time."""
    common = Settings(fixtures=suite, **{"default": SessionSpec(), **options})
    numbers = iter(range(1000))
    made = Application(
        replace(common, http_protocol=protocol),
        real=lambda: NOW,
        secret=lambda: f"secret{next(numbers):026}",
    )
    made.sessions.open(SessionSpec(id="a"))
    return made


async def test_a_plain_request_is_answered_as_it_is_read(stubbed: Path) -> None:
    connection = Connection(make(stubbed, "uvicorn"))
    usual = await connection.send(LIST)
    connection = Connection(make(stubbed))
    for number in range(1, 4):
        connection.protocol.data_received(LIST)
        assert connection.transport.written == usual * number
        assert connection.fast_answers == connection.state.total_requests == number
    assert not connection.state.tasks


async def test_one_write_has_head_and_body(stubbed: Path) -> None:
    connection = Connection(make(stubbed))
    before = connection.transport.writes
    await connection.send(PLAIN)
    assert connection.transport.writes == before + 1


async def test_the_setting_leaves_all_to_uvicorn(stubbed: Path) -> None:
    connection = Connection(make(stubbed, "uvicorn"))
    await connection.send(LIST, LIST, LIST)
    assert connection.fast_answers == 0


STREAMED = {
    "completion": prompt("Hi", stream=False),
    "late completion": prompt("again", stream=False),
    "streamed": prompt("Hi"),
    "streamed for the last time": prompt("Hi", b"Connection: close"),
    "streamed for a page": prompt("Hi", b"Origin: http://127.0.0.1:8765"),
    "streamed late": prompt("late"),
    "streamed after a while": prompt("after a while"),
    "streamed until it is cut": prompt("cut"),
    "not streamed": prompt("nothing"),
    "streamed for an old client": prompt("Hi").replace(b"HTTP/1.1", b"HTTP/1.0", 1),
    "streamed by its host": prompt("Hi").replace(b"/models/openai", b"", 1).replace(
        HOST, b"Host: api.openai.com\r\n"
    ),
}  # fmt: skip
REQUESTS = {
    **STREAMED,
    "list": LIST,
    "plain": PLAIN,
    "compressed": get(f"{UNITS}?type=all", b"Accept-Encoding: gzip"),
    "head": get("/api.example.com/plain", verb=b"HEAD"),
    "no body": get("/api.example.com/none"),
    "large answer": get("/api.example.com/plain", verb=b"POST", body=b"{}"),
    "late answer": get("/api.example.com/late"),
    "answer that closes": get("/api.example.com/close"),
    "answer of a false length": get("/api.example.com/long"),
    "create": CREATE,
    "broken body": get(UNITS, b"Content-Type: application/json", verb=b"POST", body=b'{"name": '),
    "large body": get(UNITS, verb=b"POST", body=b'{"name": "%b"}' % (b"n" * 40_000)),
    "unknown": get("/api.example.com/nothing"),
    "session in path": get(f"/s/a{UNITS}"),
    "session in header": get(UNITS, b"X-Mock-Session: a"),
    "session that is none": get(UNITS, b"X-Mock-Session: b"),
    "two sessions": get(f"/s/a{UNITS}", b"X-Mock-Session: default"),
    "host": b"GET /plain HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
    "page": get(UNITS, b"Origin: http://127.0.0.1:8765"),
    "foreign page": get(UNITS, b"Origin: https://evil.example.com"),
    "override": get(UNITS, b"X-HTTP-Method-Override: GET", verb=b"POST"),
    "preflight": get(UNITS, b"Origin: null", b"Access-Control-Request-Method: GET",
                     verb=b"OPTIONS"),
    "closing": get(UNITS, b"Connection: close"),
    "old": f"GET {UNITS} HTTP/1.0\r\n\r\n".encode(),
    "old that stays": f"GET {UNITS} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".encode(),
    "expecting": get(UNITS, b"Expect: 100-continue", verb=b"POST", body=b'{"name": "E"}'),
    "chunked": get(UNITS, b"Transfer-Encoding: chunked", verb=b"POST")
    + b'd\r\n{"name": "C"}\r\n0\r\n\r\n',
    "both lengths": get(UNITS, b"Transfer-Encoding: chunked", verb=b"POST", body=b"0\r\n\r\n"),
    "two lengths": get(UNITS, b"Content-Length: 2", verb=b"POST", body=b"{}"),
    "signed length": get(UNITS, b"Content-Length: +0"),
    "upgrade": get(UNITS, b"Connection: Upgrade", b"Upgrade: websocket"),
    "tunnel": b"CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n",
    "bare line ends": b"GET / HTTP/1.1\nHost: a\n\n",
    "folded": b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
    "nonsense": b"\x16\x03\x01\x02\x00\r\n\r\n",
    "empty line": b"\r\n" + PLAIN,
    "control": get("/_mock/health"),
    "absolute": b"GET http://api.example.com/plain HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
    "long head": get("/api.example.com/plain", b"X-Pad: " + b"p" * 9000),
}  # fmt: skip


MALFORMED = frozenset({
    "both lengths", "two lengths", "signed length", "tunnel", "bare line ends", "folded",
    "nonsense",
})  # fmt: skip
"""uvicorn hangs up for these at once, and leaves out the answers to what came with them."""


def journal(application: Application) -> list[dict[str, Any]]:
    """What all sessions have seen, but for how long it took."""
    entries = []
    for name in ("default", "a"):
        session = application.sessions.find(name)
        assert session is not None
        for entry in session.journal.as_json(name, bodies=True)["entries"]:
            entries.append({**entry, "duration_ms": 0})
    found: list[dict[str, Any]] = json.loads(json.dumps(entries, default=str))
    return found


def compare(suite: Path, *batches: list[bytes], **options: Any) -> None:
    """Hold against each other what both protocols answer and journal."""

    async def one(protocol: HttpProtocolName) -> Any:
        application = make(suite, protocol, **options)
        return await exchange(application, *batches), journal(application)

    async def ask() -> tuple[Any, Any]:
        return await one("fast"), await one("uvicorn")

    fast, usual = asyncio.run(ask())
    assert fast == usual


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_answers_are_those_of_uvicorn(stubbed: Path, name: str) -> None:
    compare(stubbed, [REQUESTS[name]] * 4)
    compare(stubbed, [REQUESTS[name] * 4])


@pytest.mark.slow
@given(
    names=st.lists(st.sampled_from(list(REQUESTS)), min_size=1, max_size=5),
    cuts=st.lists(st.integers(1, 2000), max_size=6),
    times=st.integers(1, 3),
)
@settings(max_examples=12)
def test_any_bytes_get_the_same_answers(
    stubbed: Path, names: list[str], cuts: list[int], times: int
) -> None:
    batches = [b""]
    for name in names * times:
        if name in MALFORMED:
            batches.append(b"")
        batches[-1] += REQUESTS[name]
    compare(stubbed, *(cut_into_pieces(batch, cuts) for batch in batches if batch))


def cut_into_pieces(sent: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % len(sent) for cut in cuts} - {0})
    return [sent[a:b] for a, b in zip([0, *places], [*places, len(sent)], strict=True)]


async def test_requests_ahead_of_a_malformed_one_are_answered(stubbed: Path) -> None:
    application = make(stubbed)
    answer = await Connection(application).send(PLAIN)
    both = await Connection(application).send(PLAIN + REQUESTS["both lengths"])
    assert both.startswith(answer)
    assert both.endswith(b"Invalid HTTP request received.")


LATE = (Chunk(1.0, 1), Chunk(2.0, 1))
ONCE = (Chunk(0.0, 1), Chunk(0.0, 1))
ORIGIN = (("Location", "https://api.example.com/v1/units"), JSON)
RECORDINGS = (
    recorded(),
    recorded(body=b'{"name": "second"}'),
    recorded(path="/v1/coded", response=RecordedResponse(200, "OK", (JSON,), b"{}" * 99, "gzip")),
    recorded("HEAD", "/v1/units", response=RecordedResponse(200, "OK", (JSON,))),
    recorded("POST", "/v1/units", sent=b"{}", response=RecordedResponse(201, "", ORIGIN, b"{}")),
    recorded(path="/v1/none", response=RecordedResponse(204, "No Content", ())),
    recorded(path="/v1/short", response=RecordedResponse(200, "", (JSON,), b"{", ended="short")),
    recorded(path="/v1/late", response=RecordedResponse(200, "", (JSON,), b"{}", chunks=LATE)),
    recorded(path="/v1/chunks", response=RecordedResponse(200, "", (JSON,), b"{}", chunks=ONCE)),
)
REPLAYED = {
    "read": get("/api.example.com/v1/units"),
    "read for the last time": get("/api.example.com/v1/units", b"Connection: close"),
    "read by host": b"GET /v1/units HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
    "head": get("/api.example.com/v1/units", verb=b"HEAD"),
    "coded": get("/api.example.com/v1/coded", b"Accept-Encoding: gzip"),
    "not coded": get("/api.example.com/v1/coded"),
    "none of it": get("/api.example.com/v1/coded", b"Accept-Encoding: br, gzip;q=0"),
    "write": get("/api.example.com/v1/units", b"Content-Type: application/json", verb=b"POST",
                 body=b"{}"),
    "no body": get("/api.example.com/v1/none"),
    "broken off": get("/api.example.com/v1/short"),
    "late": get("/api.example.com/v1/late"),
    "in chunks": get("/api.example.com/v1/chunks"),
    "missed": get("/api.example.com/v1/nothing"),
}  # fmt: skip


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("tapes"), RECORDINGS)


@pytest.mark.slow
@given(
    names=st.lists(st.sampled_from(list(REPLAYED)), min_size=1, max_size=12),
    repeats=st.sampled_from(["reads", "once", "last", "cycle"]),
)
@example(names=["coded", "not coded", "coded", "none of it"] * 3, repeats="cycle")
@example(names=["read", "read by host", "head", "read for the last time"], repeats="last")
@settings(max_examples=6)
def test_recordings_are_played_as_by_uvicorn(
    stubbed: Path, tape: Path, names: list[str], repeats: Repeats
) -> None:
    spec = SessionSpec(cassettes=("tape",), repeats=repeats)
    asked = [REPLAYED[name] for name in names]
    compare(stubbed, asked * 3, cassettes=(tape,), default=spec)


async def test_a_recording_that_is_played_again_is_answered_at_once(
    stubbed: Path, tape: Path
) -> None:
    spec = SessionSpec(cassettes=("tape",), repeats="cycle")
    connection = Connection(make(stubbed, cassettes=(tape,), default=spec))
    answers = [await connection.send(REPLAYED["read"]) for _ in range(6)]
    assert connection.fast_answers == 6
    assert answers[2:4] == answers[4:]
    assert b"first" in answers[2]
    assert b"second" in answers[3]


FAULTS = (
    Fault(method="models.chat", kind="malformed", times=2),
    Fault(method="models.chat", kind="reset", after_events=1, times=2),
    Fault(method="models.chat", kind="truncate", times=2),
    Fault(method="models.chat", kind="truncate", after_bytes=30, times=2),
    Fault(method="models.chat", kind="slow_first_byte", latency_ms=1, times=2),
    Fault(method="models.chat", kind="dribble", latency_ms=1, times=2),
    Fault(method="models.chat", error="overloaded", after_events=1, times=2),
    Fault(method="models.chat", latency_ms=1, times=2),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_damaged_replies_are_those_of_uvicorn(stubbed: Path, fault: Fault) -> None:
    asked = [REQUESTS[name] for name in ("streamed", "streamed late", "completion", "streamed")]
    compare(stubbed, asked, default=SessionSpec(faults=(fault,)))


async def test_a_stream_without_gaps_is_answered_as_it_is_read(stubbed: Path) -> None:
    connection = Connection(make(stubbed))
    answers = [await connection.send(REQUESTS["streamed"]) for _ in range(3)]
    assert connection.fast_answers == connection.transport.writes == 3
    assert b"transfer-encoding: chunked" in answers[0]
    assert answers[0].endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


async def test_requests_sent_ahead_are_answered_in_order(stubbed: Path) -> None:
    connection = Connection(make(stubbed))
    await connection.send(PLAIN, LIST, PLAIN, LIST)
    alone = [await connection.send(each) for each in (LIST, PLAIN)]
    late = await connection.send(get("/api.example.com/late"))
    mixed = LIST + get("/api.example.com/late") + PLAIN
    assert await connection.send(mixed) == alone[0] + late + alone[1]
    assert await connection.send(PLAIN * 40) == alone[1] * 40


async def test_a_body_that_comes_later_is_waited_for(stubbed: Path) -> None:
    connection = Connection(make(stubbed))
    head, body = CREATE[: CREATE.index(b"{")], CREATE[CREATE.index(b"{") :]
    answers = [await connection.send(head, body) for _ in range(4)]
    assert connection.fast_answers == 4
    assert [answer[:12] for answer in answers] == [b"HTTP/1.1 200", *[b"HTTP/1.1 409"] * 3]
    connection.protocol.data_received(head)
    assert not connection.protocol.overdue(100)
    assert not connection.protocol.overdue(100 + SILENCE_S)
    assert connection.protocol.overdue(101 + SILENCE_S)
    connection.protocol.shutdown()
    assert not connection.transport.closed
    assert (await connection.send(body)).startswith(b"HTTP/1.1 409")
    assert connection.transport.closed


async def test_a_connection_that_only_met_the_fast_way_may_rest(stubbed: Path) -> None:
    application = make(stubbed)
    connection = Connection(application)
    await connection.send(PLAIN)
    assert connection.fast_answers == 1
    assert not connection.protocol.overdue(100)
    assert not connection.protocol.overdue(101 + HEAD_S)
    await connection.send(b"GET / HT")
    assert not connection.protocol.overdue(200)
    assert connection.protocol.overdue(201 + HEAD_S)
    connection.protocol.shutdown()


async def test_connections_that_rest_are_closed_in_time(
    stubbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(make(stubbed))
    protocol, now = connection.protocol, [1000.0]
    monkeypatch.setattr(protocol.loop, "time", lambda: now[0])
    await connection.send(PLAIN, PLAIN, PLAIN)
    timer = protocol.timeout_keep_alive_task
    assert timer is not None
    now[0] += protocol.timeout_keep_alive - 1
    await connection.send(PLAIN)
    protocol.timeout_keep_alive_handler()
    assert not connection.transport.closed
    now[0] += protocol.timeout_keep_alive
    protocol.timeout_keep_alive_handler()
    assert connection.transport.closed


async def test_who_does_not_read_is_answered_by_the_cycle(stubbed: Path) -> None:
    connection = Connection(make(stubbed))
    answer = await connection.send(PLAIN)
    connection.protocol.pause_writing()
    connection.protocol.data_received(PLAIN + PLAIN)
    await asyncio.sleep(0)
    assert connection.fast_answers == 1
    assert connection.transport.paused
    connection.protocol.resume_writing()
    assert (await connection.send()) == answer * 2
    assert not connection.transport.paused


async def test_sessions_that_are_busy_closed_or_slow_are_asked_in_the_cycle(stubbed: Path) -> None:
    application = make(stubbed)
    connection = Connection(application)
    asked = get(f"/s/a{UNITS}")
    await connection.send(asked)
    assert connection.fast_answers == 1
    session = application.sessions.find("a")
    assert session is not None
    session.add_fault(Fault(method="*", status=503, times=1))
    assert b" 503 " in await connection.send(asked)
    application.sessions.close("a")
    answered = connection.fast_answers
    assert b" 410 " in await connection.send(asked)
    assert connection.fast_answers == answered


async def test_what_is_declared_anew_is_read_anew(stubbed: Path) -> None:
    application = make(stubbed)
    connection = Connection(application)
    await connection.send(PLAIN, PLAIN, PLAIN)
    assert application.hot_heads.known
    application.declare(*application.read_declared([]))
    assert not application.hot_heads.known


async def test_a_defect_is_answered_by_uvicorn(
    stubbed: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    application = make(stubbed)
    connection = Connection(application)
    await connection.send(PLAIN, PLAIN)

    def fail(*_: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(application.dispatcher, "answer_request", fail)
    assert b"500 Internal Server Error" in await connection.send(PLAIN)
    assert "a defect" in caplog.text
