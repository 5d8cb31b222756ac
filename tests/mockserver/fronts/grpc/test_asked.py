"""A request that was read, and its answer as it is written."""

from datetime import UTC, datetime

from google.cloud.logging_v2.types import ListLogsResponse

from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.calls import GrpcRequest
from mockserver.model import SessionSpec
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.dispatch import DecodedCall
from mockserver.state import Base

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BASE = Base(tables={}, times={}, captured_at=NOW)
SESSION = Session("s1", SessionSpec(), BASE, real=lambda: NOW, journal_bytes=100_000)
ROUTE = Route("GRPC", "", "/x/Y")


def test_an_answer_is_written_and_what_has_no_place_is_named() -> None:
    asked = GrpcRequest(SESSION, ROUTE, DecodedCall({}, {}), MessageWriter(ListLogsResponse.pb()))
    assert asked.render({"logNames": ["a"]}) == ()
    assert ListLogsResponse.deserialize(asked.content).log_names == ["a"]
    assert asked.render({"logNames": ["a"], "colour": "red"}) == ("answer.colour",)


def test_a_call_that_is_never_answered_well_writes_nothing() -> None:
    asked = GrpcRequest(SESSION, ROUTE, DecodedCall({}, {}), None)
    assert (asked.render({"a": 1}), asked.content) == ((), b"")
