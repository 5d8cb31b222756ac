"""Calls over a real channel."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
from google.cloud.logging_v2.types import (
    ListLogEntriesRequest,
    ListLogEntriesResponse,
    ListLogsResponse,
    TailLogEntriesRequest,
    TailLogEntriesResponse,
    WriteLogEntriesRequest,
    WriteLogEntriesResponse,
)
from grpc import aio
from typing_extensions import override

from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.grpc import calls as module
from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.calls import GrpcRequest, Stream
from mockserver.fronts.grpc.methods import GrpcMethods
from mockserver.fronts.grpc.registry import installed_services
from mockserver.fronts.relay import PeerSessions
from mockserver.googleapi import ApiError
from mockserver.model import Fault, JsonObject, SessionSpec
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.dispatch import DecodedCall
from mockserver.state import Base
from tests.mockserver.fronts.grpc.conftest import (
    LIST,
    LOGGING,
    NO_SERVER,
    PROJECT,
    Speaking,
    application,
    details_of,
)
from tests.patience import PATIENCE_S, settle

REQUEST, ANSWER = ListLogEntriesRequest.pb(), ListLogEntriesResponse.pb()
TAIL, WRITE = f"{LOGGING}/TailLogEntries", f"{LOGGING}/WriteLogEntries"
SECRET = "5e" * 16
ERRORS = REQUEST(resource_names=[PROJECT], filter="severity>=ERROR", page_size=3)


def written(text: str) -> Any:
    return WriteLogEntriesRequest.pb()(
        log_name=f"{PROJECT}/logs/deploys",
        resource={"type": "global"},
        entries=[{"text_payload": text}],
    )


async def test_a_handler_answers_and_the_call_is_journalled(grpc_server: Speaking) -> None:
    call = grpc_server.channel.unary_unary(
        LIST, request_serializer=REQUEST.SerializeToString, response_deserializer=ANSWER.FromString
    )(ERRORS, metadata=[("x-goog-api-client", "gl-python/3.11 gapic/3.17")])
    answer = await call
    assert len(answer.entries) == 3
    assert all(entry.severity >= 500 for entry in answer.entries)
    (entry,) = grpc_server.journal()
    assert (entry["method_id"], entry["http_method"]) == ("logging.entries.list", "GRPC")
    assert (entry["path"], entry["host"]) == (LIST, "logging.googleapis.com")
    assert entry["body"] == {
        "resourceNames": [PROJECT], "filter": "severity>=ERROR", "pageSize": 3,
    }  # fmt: skip
    assert (entry["client"], entry["status"]) == ("gl-python/3.11 gapic/3.17", 200)


@pytest.mark.parametrize(
    "metadata",
    [
        {"x_mock_session": "mine"},
        {"authorization": f"Bearer ya29.mock~mine~{SECRET}"},
        {"baggage": "user=1,mock.session=mine"},
    ],
    ids=["header", "token", "baggage"],
)
async def test_metadata_names_the_session(grpc_server: Speaking, metadata: dict[str, str]) -> None:
    grpc_server.app.sessions.open(SessionSpec(id="mine", secret=SECRET))
    await grpc_server.ask(LIST, ERRORS, ANSWER, **metadata)
    assert (len(grpc_server.journal("mine")), grpc_server.journal()) == (1, [])


async def test_two_sessions_are_refused_and_journalled_in_both(grpc_server: Speaking) -> None:
    mine = grpc_server.app.sessions.open(SessionSpec(id="mine", secret=SECRET))
    other = grpc_server.app.sessions.open(SessionSpec(id="other"))
    bearer = f"Bearer ya29.mock~mine~{SECRET}"
    error = await grpc_server.refused(
        LIST, ERRORS.SerializeToString(), x_mock_session="other", authorization=bearer
    )
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    entries = [grpc_server.journal(name)[0] for name in ("mine", "other")]
    assert [(each["status"], bool(each["tampering"])) for each in entries] == [
        (400, True),
        (400, False),
    ]
    assert (len(mine.tampering), other.tampering) == (1, [])


class Everyone(PeerSessions):
    @override
    def __len__(self) -> int:
        return 1

    @override
    def of(self, peer: str) -> str | None:
        assert peer.startswith("ipv4:127.0.0.1:")
        return "mine"


async def test_a_connection_may_have_named_its_session_before() -> None:
    app = application()
    app.sessions.open(SessionSpec(id="mine"))
    listener = GrpcListener(None, Everyone())
    await listener.start(app, NO_SERVER)
    host, port = await listener.address(app, NO_SERVER)
    async with aio.insecure_channel(f"{host}:{port}") as channel:
        await channel.unary_unary(LIST)(ERRORS.SerializeToString())
    await listener.stop()
    journal = app.sessions.get("mine").journal.as_json("mine")
    assert [entry["status"] for entry in journal["entries"]] == [200]


async def test_an_unknown_session_is_refused_and_never_served_from_the_default(
    grpc_server: Speaking,
) -> None:
    error = await grpc_server.refused(LIST, x_mock_session="gone")
    assert error.code() == grpc.StatusCode.NOT_FOUND
    assert "no session 'gone'" in str(error.details())
    assert grpc_server.journal() == []


async def test_a_closed_session_is_refused_and_the_call_is_kept(grpc_server: Speaking) -> None:
    grpc_server.app.sessions.open(SessionSpec(id="mine"))
    grpc_server.app.sessions.close("mine")
    error = await grpc_server.refused(LIST, x_mock_session="mine")
    assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert grpc_server.journal("mine")[0]["after_close"] is True


async def test_an_error_is_the_apis_own_with_its_details(grpc_server: Speaking) -> None:
    bad = REQUEST(resource_names=[PROJECT], filter="severity>=").SerializeToString()
    error = await grpc_server.refused(LIST, bad)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "filter" in str(error.details())
    foreign = await grpc_server.refused(LIST, bad, authorization="Bearer ya29.mock~other~0")
    assert foreign.code() == grpc.StatusCode.NOT_FOUND


async def test_a_credential_of_ours_that_is_not_valid_is_unauthenticated(
    grpc_server: Speaking,
) -> None:
    error = await grpc_server.refused(
        LIST, ERRORS.SerializeToString(), authorization="Bearer ya29.mock~default~made-up"
    )
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED
    (detail,) = details_of(error)
    assert detail["reason"].startswith("ACCESS_TOKEN")
    assert dict(error.trailing_metadata())["www-authenticate"].startswith("Bearer realm=")


async def test_a_message_that_cannot_be_parsed_is_an_internal_error(grpc_server: Speaking) -> None:
    error = await grpc_server.refused(LIST, b"\xff\xff\xff")
    assert error.code() == grpc.StatusCode.INTERNAL
    assert error.details() == "Exception deserializing request!"
    assert grpc_server.journal()[0]["miss"]["blame"] == "agent_error"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/google.logging.v2.LoggingServiceV2/InventLogs", "LoggingServiceV2.InventLogs"),
        ("/example.v1.Unheard/Call", "No client package with the messages of example.v1.Unheard"),
        ("/google.spanner.v1.Spanner/Read", "pip install google-cloud-spanner there"),
        ("/nonsense", "nonsense"),
    ],
    ids=["call", "service", "package", "path"],
)
async def test_what_is_not_known_is_unimplemented_and_named(
    grpc_server: Speaking, path: str, says: str
) -> None:
    error = await grpc_server.refused(path)
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED
    assert says in str(error.details())
    assert dict(error.trailing_metadata())["x-mock-miss"] == "not_emulated"


async def test_a_fault_delays_and_then_refuses(grpc_server: Speaking) -> None:
    fault = Fault(method="logging.entries.*", status=503, times=1, latency_ms=30)
    grpc_server.app.sessions.get("default").add_fault(fault)
    error = await grpc_server.refused(LIST, ERRORS.SerializeToString())
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert len((await grpc_server.ask(LIST, ERRORS, ANSWER)).entries) == 3


async def test_a_deadline_that_passes_ends_the_call(grpc_server: Speaking) -> None:
    fault = Fault(method="logging.*", latency_ms=60_000)
    grpc_server.app.sessions.get("default").add_fault(fault)
    with pytest.raises(aio.AioRpcError) as late:
        await grpc_server.channel.unary_unary(LIST)(ERRORS.SerializeToString(), timeout=0.1)
    assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_many_callers_learn_a_service_together(grpc_server: Speaking) -> None:
    answers = await asyncio.gather(*(grpc_server.ask(LIST, ERRORS, ANSWER) for _ in range(20)))
    assert {len(answer.entries) for answer in answers} == {3}


async def test_what_is_written_while_tailing_arrives(grpc_server: Speaking) -> None:
    tail = grpc_server.channel.stream_stream(
        TAIL,
        request_serializer=TailLogEntriesRequest.serialize,
        response_deserializer=TailLogEntriesResponse.deserialize,
    )()
    await tail.write(TailLogEntriesRequest(resource_names=[PROJECT], filter="textPayload:deploy"))
    await grpc_server.asked()
    answer = WriteLogEntriesResponse.pb()
    await grpc_server.ask(WRITE, written("nothing of interest"), answer)
    await grpc_server.ask(WRITE, written("deploy 42"), answer)
    batch = await asyncio.wait_for(tail.read(), PATIENCE_S)
    assert [entry.text_payload for entry in batch.entries] == ["deploy 42"]
    opened, _, _, delivered = grpc_server.journal()
    assert (opened["method_id"], delivered["parent"]) == ("logging.entries.tail", opened["seq"])
    tail.cancel()


async def test_a_caller_that_asks_no_more_still_listens(grpc_server: Speaking) -> None:
    tail = grpc_server.channel.stream_stream(
        TAIL,
        request_serializer=TailLogEntriesRequest.serialize,
        response_deserializer=TailLogEntriesResponse.deserialize,
    )(iter([TailLogEntriesRequest(resource_names=[PROJECT])]))
    await grpc_server.asked()
    await settle()
    await grpc_server.ask(WRITE, written("later"), WriteLogEntriesResponse.pb())
    batch = await asyncio.wait_for(tail.read(), PATIENCE_S)
    assert batch.entries[0].text_payload == "later"
    tail.cancel()


@pytest.mark.parametrize(
    ("end", "code"),
    [("close", grpc.StatusCode.FAILED_PRECONDITION), ("reset", grpc.StatusCode.ABORTED)],
)
async def test_a_stream_ends_with_its_session(
    grpc_server: Speaking, end: str, code: grpc.StatusCode
) -> None:
    session = grpc_server.app.sessions.open(SessionSpec(id="mine"))
    tail = grpc_server.channel.stream_stream(
        TAIL, request_serializer=TailLogEntriesRequest.serialize
    )(metadata=[("x-mock-session", "mine")])
    await tail.write(TailLogEntriesRequest(resource_names=[PROJECT]))
    await grpc_server.asked("mine")
    if end == "close":
        grpc_server.app.sessions.close("mine")
    else:
        session.reset()
    with pytest.raises(aio.AioRpcError) as ended:
        await asyncio.wait_for(tail.read(), PATIENCE_S)
    assert ended.value.code() == code


async def test_a_stream_that_asks_nothing_ends_at_once(grpc_server: Speaking) -> None:
    tail = grpc_server.channel.stream_stream(TAIL)(iter(()))
    assert await asyncio.wait_for(tail.read(), PATIENCE_S) is aio.EOF


async def test_a_stream_that_is_refused_says_why(grpc_server: Speaking) -> None:
    tail = grpc_server.channel.stream_stream(
        TAIL, request_serializer=TailLogEntriesRequest.serialize
    )(iter([TailLogEntriesRequest(resource_names=[PROJECT], filter="(")]))
    with pytest.raises(aio.AioRpcError) as caught:
        await tail.read()
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


ODD = {
    "logName": f"{PROJECT}/logs/x",
    "insertId": "odd",
    "timestamp": "2026-11-20T08:00:00Z",
    "textPayload": "odd",
    "colour": "red",
}


async def test_no_more_is_remembered_of_callers_than_the_limit(
    grpc_server: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    for number in range(4):
        grpc_server.app.sessions.open(SessionSpec(id=f"s{number}"))
        await grpc_server.ask(LIST, ERRORS, ANSWER, x_mock_session=f"s{number}")
        assert len(grpc_server.journal(f"s{number}")) == 1


async def test_what_has_no_place_in_a_message_is_told_and_journalled(
    grpc_server: Speaking,
) -> None:
    spec = SessionSpec(id="mine", overrides=({"logEntries": [ODD]},))
    grpc_server.app.sessions.open(spec)
    call = grpc_server.channel.unary_unary(LIST, response_deserializer=ANSWER.FromString)(
        REQUEST(resource_names=[PROJECT]).SerializeToString(),
        metadata=[("x-mock-session", "mine")],
    )
    assert [entry.insert_id for entry in (await call).entries] == ["odd"]
    assert dict(await call.trailing_metadata())["x-mock-ignored"] == "answer.entries.colour"
    assert grpc_server.journal("mine")[0]["ignored"] == ("answer.entries.colour",)


async def test_a_streaming_call_of_nothing_known_is_unimplemented(
    grpc_server: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GrpcMethods, "kind", lambda self, path: "stream_stream")
    error = await grpc_server.refused("/example.v1.Unheard/Watch")
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED
    assert len((await grpc_server.ask(LIST, ERRORS, ANSWER)).entries) == 3


@pytest.mark.slow
async def test_no_call_of_any_service_is_a_defect(
    grpc_server: Speaking, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [
        f"/{service.name}/{name}"
        for service in installed_services().values()
        for name, kind in service.kinds.items()
        if kind == "unary_unary"
    ]
    codes = set()
    for path in paths:
        for content in (b"", b"\x0a\x03x/y", b"\x08\x01\x12\x00", b"\xff"):
            try:
                await grpc_server.channel.unary_unary(path)(content, timeout=PATIENCE_S)
            except aio.AioRpcError as error:
                codes.add(error.code())
    assert grpc.StatusCode.UNKNOWN not in codes
    assert grpc.StatusCode.DEADLINE_EXCEEDED not in codes
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


NOW = datetime(2026, 3, 2, tzinfo=UTC)
ONE = {"entries": [{"textPayload": "one"}]}


@pytest.fixture
def session() -> Session:
    base = Base(tables={}, times={}, captured_at=NOW)
    return Session("s1", SessionSpec(), base, real=lambda: NOW, journal_bytes=100_000)


def stream(session: Session, steps: Iterator[JsonObject]) -> Stream:
    writer = MessageWriter(TailLogEntriesResponse.pb())
    asked = GrpcRequest(session, Route("GRPC", "", "/x/Tail"), DecodedCall({}, {}), writer)
    return Stream(asked, steps, session.journal.take_number())


def texts(found: Iterator[bytes]) -> list[str]:
    answers = [TailLogEntriesResponse.deserialize(content) for content in found]
    return [entry.text_payload for answer in answers for entry in answer.entries]


def test_each_answer_is_a_part_of_the_call_in_the_journal(session: Session) -> None:
    found = stream(session, iter([ONE, {**ONE, "colour": 1}]))
    assert texts(found.take()) == ["one", "one"]
    assert found.ended
    entries = session.journal.as_json("s1")["entries"]
    assert [entry["parent"] for entry in entries] == [1, 1]
    assert entries[1]["ignored"] == ("answer.colour",)


def test_nothing_is_looked_for_while_nobody_asks_the_session_anything(session: Session) -> None:
    looked: list[int] = []

    def steps() -> Iterator[JsonObject]:
        while True:
            looked.append(len(looked))
            yield {}

    found = stream(session, steps())
    for _ in range(3):
        assert texts(found.take()) == []
    assert len(looked) == 1
    session.journal.take_number()
    list(found.take())
    assert (len(looked), found.ended) == (2, False)


def test_a_closed_or_reset_session_ends_it(session: Session) -> None:
    found = stream(session, iter([ONE]))
    session.reset()
    with pytest.raises(ApiError, match="was reset") as reset:
        list(found.take())
    assert reset.value.code_name == "ABORTED"
    session.close()
    with pytest.raises(ApiError, match="is closed"):
        list(found.take())


def broken(error: Exception) -> Iterator[JsonObject]:
    yield ONE
    raise error


def test_an_error_on_the_way_ends_it(session: Session) -> None:
    refused = stream(session, broken(ApiError(403, "no more"))).take()
    assert next(refused)
    with pytest.raises(ApiError, match="no more"):
        next(refused)
    defect = stream(session, broken(RuntimeError("a defect"))).take()
    assert next(defect)
    with pytest.raises(ApiError, match="Internal error") as caught:
        next(defect)
    assert caught.value.status == 500


BASE = Base(tables={}, times={}, captured_at=NOW)
SESSION = Session("s1", SessionSpec(), BASE, real=lambda: NOW, journal_bytes=100_000)
ROUTE = Route("GRPC", "", "/x/Y")


def test_an_answer_is_written_and_what_has_no_place_is_named() -> None:
    asked = GrpcRequest(SESSION, ROUTE, DecodedCall({}, {}), MessageWriter(ListLogsResponse.pb()))
    assert asked.render({"logNames": ["a"]}) == ()
    assert ListLogsResponse.deserialize(asked.contents[-1]).log_names == ["a"]
    assert asked.render({"logNames": ["a"], "colour": "red"}) == ("answer.colour",)


def test_a_call_that_is_never_answered_well_writes_nothing() -> None:
    asked = GrpcRequest(SESSION, ROUTE, DecodedCall({}, {}), None)
    assert (asked.render({"a": 1}), asked.contents) == ((), [])
