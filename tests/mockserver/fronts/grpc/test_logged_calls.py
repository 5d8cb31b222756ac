"""gRPC calls of sessions that several processes share."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.cloud.logging_v2.types import (
    ListLogEntriesRequest,
    ListLogEntriesResponse,
    WriteLogEntriesRequest,
    WriteLogEntriesResponse,
)
from grpc import aio

from mockserver.errors import MockServerError
from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.grpc.logged_calls import LoggedCalls
from mockserver.fronts.relay import PeerSessions
from mockserver.http.placement import LoggedCall
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from mockserver.shared.application import SharedApplication
from mockserver.shared.log import LogUnavailableError, Record
from mockserver.shared.memory_log import MemoryLog
from mockserver.shared.repeat import call_of, record_of
from tests.mockserver.fronts.grpc.conftest import (
    LIST,
    LOGGING,
    NO_SERVER,
    NOW,
    PROJECT,
    SRE,
    Speaking,
)
from tests.mockserver.shared.processes import client_of, report

LOG = f"{PROJECT}/logs/deploys"
OTLP = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
TAIL = f"{LOGGING}/TailLogEntries"


class Process:
    """One of several, with a listener of its own."""

    def __init__(self, log: MemoryLog) -> None:
        settings = Settings(fixtures=SRE, default=SessionSpec())
        self.app = SharedApplication(settings, log, real=lambda: NOW)
        self.peers = PeerSessions()
        self.listener = GrpcListener(0, self.peers)

    async def start(self) -> Speaking:
        await self.app.start()
        await self.listener.start(self.app.application, NO_SERVER)
        port = self.app.application.settings.fronts["grpc"]
        channel = aio.insecure_channel(f"127.0.0.1:{port}")
        return Speaking(self.app.application, port, channel, self.peers)


@pytest.fixture
async def log() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
async def both(log: MemoryLog) -> AsyncIterator[list[tuple[Process, Speaking]]]:
    made = [Process(log) for _ in range(2)]
    speaking = [await process.start() for process in made]
    async with client_of(made[0].app) as client:
        for name in ("one", "two"):
            await client.post("/_mock/sessions", json={"id": name})
    yield list(zip(made, speaking, strict=True))
    for process, each in zip(made, speaking, strict=True):
        await each.channel.close()
        await process.listener.stop()


async def write(speaking: Speaking, text: str) -> None:
    entry = {"text_payload": text}
    asked = WriteLogEntriesRequest.pb()(log_name=LOG, resource={"type": "global"}, entries=[entry])
    answer = WriteLogEntriesResponse.pb()
    await speaking.ask(f"{LOGGING}/WriteLogEntries", asked, answer, x_mock_session="one")


async def texts(speaking: Speaking) -> list[str]:
    asked = ListLogEntriesRequest.pb()(resource_names=[PROJECT], filter=f'logName="{LOG}"')
    found = await speaking.ask(LIST, asked, ListLogEntriesResponse.pb(), x_mock_session="one")
    return [entry.text_payload for entry in found.entries]


async def journal(process: Process, session: str = "one") -> list[tuple[str, int]]:
    async with client_of(process.app) as client:
        found = await report(client, session)
    return [(each["method_id"], each["status"]) for each in found["journal"]["entries"]]


async def test_what_was_written_through_one_is_read_through_another(
    both: list[tuple[Process, Speaking]], log: MemoryLog
) -> None:
    (_, first), (second, other) = both
    await write(first, "a")
    await write(other, "b")
    assert await texts(first) == await texts(other) == ["a", "b"]
    reborn = Process(log)  # it has answered nothing, and knows of it by the log alone
    await reborn.listener.start(reborn.app.application, NO_SERVER)
    calls = [("logging.entries.write", 200)] * 2 + [("logging.entries.list", 200)] * 2
    assert await journal(reborn) == calls
    await reborn.listener.stop()
    refused = await other.refused(LIST, x_mock_session="one")
    assert refused.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert second.app.log is log


async def test_a_refusal_is_repeated_as_one(both: list[tuple[Process, Speaking]]) -> None:
    (_, speaking), (other, _) = both
    unknown = await speaking.refused("/acme.v1.Orders/Get", x_mock_session="one")
    assert unknown.code() is grpc.StatusCode.UNIMPLEMENTED
    nobody = await speaking.refused(LIST, x_mock_session="nobody")
    assert "has no session 'nobody'" in nobody.details()
    assert await journal(other) == [("acme.v1.Orders.Get", 501)]


async def test_a_call_that_names_two_sessions_is_journalled_in_both_of_all(
    both: list[tuple[Process, Speaking]],
) -> None:
    (_, speaking), (other, _) = both
    refused = await speaking.refused(LIST, x_mock_session="one", baggage="mock.session=two")
    assert "names different sessions" in str(refused.details())
    refusal = [("google.logging.v2.LoggingServiceV2.ListLogEntries", 400)]
    assert [await journal(other, name) for name in ("one", "two")] == [refusal] * 2


@pytest.mark.parametrize(
    ("path", "says"), [(TAIL, "a stream of requests"), (OTLP, "send it over HTTP")]
)
async def test_what_no_log_holds_is_refused_with_the_reason(
    both: list[tuple[Process, Speaking]], path: str, says: str
) -> None:
    (process, speaking), _ = both
    refused = await speaking.refused(path, x_mock_session="one")
    assert refused.code() is grpc.StatusCode.UNIMPLEMENTED
    assert says in str(refused.details())
    assert "start one without --workers" in str(refused.details())
    assert await journal(process) == []


async def test_a_log_that_cannot_be_written_is_told(
    both: list[tuple[Process, Speaking]], log: MemoryLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, speaking), _ = both

    async def append(*_: object) -> Any:
        raise LogUnavailableError("the log is away")

    with monkeypatch.context() as broken:
        broken.setattr(log, "append", append)
        refused = await speaking.refused(LIST, x_mock_session="one")
    assert (refused.code(), refused.details()) == (grpc.StatusCode.UNAVAILABLE, "the log is away")
    assert await texts(speaking) == []


async def test_a_caller_that_leaves_while_its_call_is_answered_is_counted_once(
    both: list[tuple[Process, Speaking]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (process, speaking), (other, _) = both
    begun = asyncio.Event()

    async def wait(*_: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as slow:
        slow.setattr(LoggedCalls, "answer_in_turn", wait)
        call = speaking.channel.unary_unary(LIST)(b"", metadata=[("x-mock-session", "one")])
        await begun.wait()
        call.cancel()
    await write(speaking, "a")
    assert await texts(speaking) == ["a"]
    found = [[each["status"] for each in (await entries(each.app))] for each in (process, other)]
    assert found == [[400, 200, 200]] * 2


async def entries(app: SharedApplication) -> Any:
    async with client_of(app) as client:
        return (await client.get("/_mock/sessions/one/journal")).json()["entries"]


async def test_a_server_without_grpc_says_that_it_cannot_go_on(
    both: list[tuple[Process, Speaking]], log: MemoryLog
) -> None:
    (_, speaking), _ = both
    await write(speaking, "a")
    async with client_of(Process(log).app) as client:
        answer = await client.get("/_mock/sessions/one/journal")
    assert answer.status_code == 503
    assert "give all servers the same options" in answer.text


@pytest.mark.parametrize("caller", [None, "", "one"])
def test_a_call_comes_back_from_a_log_as_it_went_in(caller: str | None) -> None:
    metadata = (("x-name", "ü"), ("trace-bin", b"\x00\xff"))
    sent = LoggedCall("/a.v1.B/C", metadata, b"\x00\n", "s", caller)
    assert call_of(Record.decode(record_of(sent, NOW).encode())) == sent


def test_a_port_is_kept_for_all_processes_or_told() -> None:
    first = GrpcListener(0, PeerSessions())
    settings = Settings()
    first.bind(settings)
    first.bind(settings)
    assert settings.fronts["grpc"]
    with pytest.raises(MockServerError, match="cannot listen on 203"):
        GrpcListener(1, PeerSessions()).bind(Settings(host="203.0.113.9"))
    assert first._reserved is not None
    first._reserved.close()
