"""Which source answers; the whole way is in test_emulation."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.googleapi import ApiError, Call, Handler, not_found
from mockserver.model import JsonObject, SessionSpec
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.exchange import Exchange
from mockserver.sources.generated import has_source, payload_of
from mockserver.state import Base
from tests.discoverydocs import method

NOW = datetime(2026, 3, 2, tzinfo=UTC)
FILES = method("drive:v3", "drive.files.get")


def exchange(handler: Any, *sources: Any, known: bool = True, verb: str = "GET") -> Exchange:
    spec = SessionSpec(sources=sources)
    session = Session("s", spec, Base({}, {}, NOW), real=lambda: NOW, journal_bytes=1024)
    route = Route(verb, "h", "/", method_id="x", method=FILES if known else None, handler=handler)
    return Exchange(session, route)


def call(over: Exchange) -> Call:
    return Call("x", {"fileId": "1a"}, {}, over.session.world)


def answers(_: Call) -> JsonObject:
    return {"id": "state"}


def refuses(_: Call) -> JsonObject:
    raise not_found()


def lacks(_: Call) -> JsonObject:
    raise ApiError(501, "nothing")


@pytest.mark.parametrize(
    ("handler", "sources", "known", "has"),
    [
        (answers, ["state"], True, True),
        (answers, ["stub"], True, False),
        (None, ["state"], True, False),
        (None, ["state", "synthesis"], True, True),
        (None, ["synthesis"], False, False),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_call_has_a_source_or_none(
    handler: Handler | None, sources: list[str], known: bool, has: bool
) -> None:
    assert has_source(exchange(handler, *sources, known=known)) is has


def test_the_state_answers_first() -> None:
    over = exchange(answers, "synthesis", "state")
    assert payload_of(over, call(over)) == {"id": "state"}
    assert over.source == "state"


@pytest.mark.parametrize("handler", [lacks, None], ids=["lacks", "none"])
def test_schemas_answer_what_the_state_lacks(handler: Handler | None) -> None:
    over = exchange(handler, "state", "synthesis")
    assert payload_of(over, call(over))["id"] == "1a"
    assert over.source == "synthesis"


def test_a_refusal_of_the_state_stands() -> None:
    over = exchange(refuses, "state", "synthesis")
    with pytest.raises(ApiError) as caught:
        payload_of(over, call(over))
    assert caught.value.status == 404


def test_without_schemas_a_lack_is_told() -> None:
    over = exchange(lacks, "state")
    with pytest.raises(ApiError) as caught:
        payload_of(over, call(over))
    assert (caught.value.status, over.source) == (501, "none")


def streams(_: Call) -> Iterator[JsonObject]:
    yield {"id": "first"}
    yield {"id": "second"}


def test_a_stream_ends_with_its_first_batch_where_nothing_can_carry_it() -> None:
    plain, streaming = exchange(streams, "state"), exchange(streams, "state", verb="GRPC")
    assert payload_of(plain, call(plain)) == {"id": "first"}
    assert list(payload_of(streaming, call(streaming))) == [{"id": "first"}, {"id": "second"}]
