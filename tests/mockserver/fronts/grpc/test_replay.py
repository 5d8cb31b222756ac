"""Recorded gRPC calls, asked again by a real channel and by Google's client."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import orjson
import pytest
from google.cloud.logging_v2.types import (
    ListLogEntriesRequest,
    ListLogEntriesResponse,
    TailLogEntriesRequest,
)
from grpc import aio

from mockserver.cassettes.files import write_cassette
from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.grpc.replay import _trailers, json_to_messages, messages_to_json
from mockserver.fronts.relay import PeerSessions
from mockserver.http.application import Application
from mockserver.model import (
    Cassette,
    Chunk,
    Fault,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    SessionSpec,
)
from tests.mockserver.fronts.grpc.conftest import LIST, NO_SERVER, Speaking, application

MEDIA = (("content-type", "application/grpc+json"),)
ENTRY = {"entries": [{"logName": "projects/p/logs/a", "textPayload": "as recorded"}]}
TAIL = "/google.logging.v2.LoggingServiceV2/TailLogEntries"


def interaction(
    path: str, request: Any, answer: Any, *, headers: tuple[Header, ...] = (), **more: Any
) -> Interaction:
    url = f"https://logging.googleapis.com{path}"
    return Interaction(
        RecordedRequest("POST", url, MEDIA, orjson.dumps(request)),
        RecordedResponse(
            200, "OK", (*MEDIA, ("grpc-status", "0"), *headers), orjson.dumps(answer), **more
        ),
    )


def asking(names: list[str], **more: Any) -> Any:
    return ListLogEntriesRequest.pb()(resource_names=names, **more)


RECORDED = (
    interaction(LIST, {"resourceNames": ["projects/p"]}, ENTRY, headers=(("x-said", "so"),)),
    interaction(
        LIST,
        {"resourceNames": ["projects/gone"]},
        {},
        headers=(("grpc-message", "no such project"), ("grpc-status-details-bin", "CAU")),
    ),
    interaction(LIST, {"resourceNames": ["projects/odd"]}, {"entries": 7}),
)


@pytest.fixture
async def replaying(tmp_path: Path) -> AsyncIterator[Speaking]:
    gone = RECORDED[1].response
    failing = tuple(
        ("grpc-status", "5") if name == "grpc-status" else (name, value)
        for name, value in gone.headers
    )
    made = (
        RECORDED[0],
        Interaction(RECORDED[1].request, RecordedResponse(200, "OK", failing, gone.body)),
        RECORDED[2],
    )
    write_cassette(Cassette("logs.yaml", made), tmp_path / "logs.yaml")
    app = application(cassettes=(tmp_path / "logs.yaml",), default=SessionSpec(cassettes=("logs",)))
    peers = PeerSessions()
    listener = GrpcListener(0, peers)
    await listener.start(app, NO_SERVER)
    port = app.settings.fronts["grpc"]
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Speaking(app, port, channel, peers)
    await listener.stop()


async def ask(server: Speaking, request: Any, **metadata: str) -> Any:
    return await server.ask(LIST, request, ListLogEntriesResponse.pb(), **metadata)


def test_trailers_are_what_is_said_beside_the_answer() -> None:
    said = (("X-Said", "so"), ("Date", "today"), ("grpc-timeout", "1S"), ("grpc-message", "no"),
            ("key-bin", "CAU"), ("odd-bin", "a"), ("grpc-status-details-bin", "CAU"))  # fmt: skip
    assert _trailers(interaction(LIST, {}, {}, headers=said)) == (
        ("x-said", "so"), ("key-bin", b"\x08\x05"), ("odd-bin", b"a"),
        ("grpc-status-details-bin", b"\x08\x05"),
    )  # fmt: skip


async def test_the_recorded_message_is_the_answer(replaying: Speaking) -> None:
    answer = await ask(replaying, asking(["projects/p"]))
    assert answer.entries[0].text_payload == "as recorded"
    (entry,) = replaying.journal()
    assert (entry["source"], entry["path"], entry["status"]) == ("cassette", LIST, 200)
    assert entry["body"] == {"resourceNames": ["projects/p"]}


async def test_a_recorded_error_is_one_again_with_its_details(replaying: Speaking) -> None:
    error = await replaying.refused(LIST, asking(["projects/gone"]).SerializeToString())
    assert (error.code(), error.details()) == (grpc.StatusCode.NOT_FOUND, "no such project")
    assert dict(error.trailing_metadata())["grpc-status-details-bin"] == b"\x08\x05"


async def test_what_was_not_recorded_is_a_loud_miss(replaying: Speaking) -> None:
    error = await replaying.refused(LIST, asking(["projects/other"]).SerializeToString())
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "understudy cassette stub" in error.details()
    assert replaying.journal()[0]["miss"]["blame"] == "replay_miss"


async def test_a_call_that_only_reads_is_answered_again_and_says_so(replaying: Speaking) -> None:
    for _ in range(2):
        await ask(replaying, asking(["projects/p"]))
    assert [entry["recording"]["again"] for entry in replaying.journal()] == [False, True]


async def test_what_is_no_message_is_refused_on_both_sides(replaying: Speaking) -> None:
    garbled = await replaying.refused(LIST, b"\xff\xff")
    assert garbled.code() is grpc.StatusCode.INVALID_ARGUMENT
    odd = await replaying.refused(LIST, asking(["projects/odd"]).SerializeToString())
    assert odd.code() is grpc.StatusCode.DATA_LOSS


async def test_a_call_of_the_same_host_that_was_not_recorded_is_a_miss(replaying: Speaking) -> None:
    error = await replaying.refused("/google.logging.v2.LoggingServiceV2/ListLogs")
    assert "none is of this call" in str(error.details())


async def test_calls_of_other_hosts_go_to_the_state(replaying: Speaking) -> None:
    path = "/google.monitoring.v3.MetricService/ListMetricDescriptors"
    await replaying.channel.unary_unary(path)(b"*\x12projects/shop-prod")
    assert replaying.journal()[0]["source"] == "state"


async def test_a_fault_comes_before_the_recording(replaying: Speaking) -> None:
    session = replaying.app.sessions.find("default")
    assert session is not None
    session.add_fault(Fault(method="logging.entries.list", status=429))
    error = await replaying.refused(LIST, asking(["projects/p"]).SerializeToString())
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_recorded_stream_comes_message_by_message(tmp_path: Path) -> None:
    parts = (orjson.dumps(ENTRY), orjson.dumps({"entries": []}))
    body = b"[" + b",".join(parts) + b"]"
    chunks = (Chunk(0.0, len(parts[0]) + 1), Chunk(30.0, len(parts[1]) + 2))
    request = {"resourceNames": ["projects/p"]}
    url = f"https://logging.googleapis.com{TAIL}"
    made = Interaction(
        RecordedRequest("POST", url, MEDIA, orjson.dumps(request)),
        RecordedResponse(200, "OK", (*MEDIA, ("grpc-status", "0")), body, "", chunks),
    )
    write_cassette(Cassette("tail.yaml", (made,)), tmp_path / "tail.yaml")
    spec = SessionSpec(cassettes=("tail",), sources=("cassette",))
    app = application(cassettes=(tmp_path / "tail.yaml",), default=spec)
    listener = GrpcListener(0, PeerSessions())
    await listener.start(app, NO_SERVER)
    try:
        await _stream_is_played(app)
    finally:
        await listener.stop()


async def _stream_is_played(app: Application) -> None:
    async with aio.insecure_channel(f"127.0.0.1:{app.settings.fronts['grpc']}") as channel:
        tail = TailLogEntriesRequest.pb()(resource_names=["projects/p"])
        call = channel.stream_stream(TAIL)(iter([tail.SerializeToString()]))
        assert len([message async for message in call]) == 2
        missed = channel.unary_unary(LIST)(asking(["projects/p"]).SerializeToString())
        with pytest.raises(aio.AioRpcError, match="no cassette of this session"):
            await missed
        nowhere = channel.unary_unary("/no.such.Service/Call")(b"")
        with pytest.raises(aio.AioRpcError, match="No installed client package"):
            await nowhere


REQUEST = ListLogEntriesRequest.pb()


def test_a_message_comes_back_from_its_json() -> None:
    content = REQUEST(resource_names=["projects/p"], page_size=3).SerializeToString()
    assert json_to_messages(REQUEST, messages_to_json(REQUEST, content)) == [content]


def test_a_stream_is_a_list_and_nothing_is_no_message() -> None:
    assert len(json_to_messages(REQUEST, b'[{"pageSize": 1}, {"pageSize": 2}]')) == 2
    assert json_to_messages(REQUEST, b"") == json_to_messages(REQUEST, b"[]") == []


def test_what_is_no_such_message_is_told() -> None:
    with pytest.raises(ValueError, match="pageSize"):
        json_to_messages(REQUEST, b'{"pageSize": "many"}')
