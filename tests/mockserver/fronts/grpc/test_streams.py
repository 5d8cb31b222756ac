"""What a handler yields, as it comes to be there."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from google.cloud.logging_v2.types import TailLogEntriesResponse

from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.calls import GrpcRequest, Stream
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, SessionSpec
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.dispatch import DecodedCall
from mockserver.state import Base

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
