"""Which source answers; the whole way is in test_emulation."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.googleapi import ApiError, Call, Handler, not_found
from mockserver.model import JsonObject, SessionSpec
from mockserver.routing import Route, Routes
from mockserver.sessions.session import Session
from mockserver.sources.dispatch import (
    DecodedCall,
    Dispatcher,
    HttpExchange,
    Outcome,
    UnboundExchange,
)
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.response import Response
from mockserver.state import Base
from tests.discoverydocs import method

NOW = datetime(2026, 3, 2, tzinfo=UTC)
FILES = method("drive:v3", "drive.files.get")
DISPATCHER = Dispatcher(Routes(APIS), url="http://127.0.0.1:8765")


def ask(
    handler: Any, *sources: Any, known: bool = True, verb: str = "GET"
) -> tuple[Outcome, list[Any]]:
    spec = SessionSpec(sources=sources)
    session = Session("s", spec, Base({}, {}, NOW), real=lambda: NOW, journal_bytes=1024)
    route = Route(verb, "h", "/", method_id="x", method=FILES if known else None, handler=handler)
    answers: list[Any] = []

    def render(payload: Any) -> tuple[str, ...]:
        answers.append(payload)
        return ()

    return DISPATCHER.answer_decoded_call(
        session, route, DecodedCall({"fileId": "1a"}, {}), render
    ), answers


def answers(_: Call) -> JsonObject:
    return {"id": "state"}


def refuses(_: Call) -> JsonObject:
    raise not_found()


def lacks(_: Call) -> JsonObject:
    raise ApiError(501, "nothing")


def streams(_: Call) -> Iterator[JsonObject]:
    yield {"id": "first"}
    yield {"id": "second"}


@pytest.mark.parametrize(
    ("handler", "sources", "known", "source"),
    [
        (answers, ["state"], True, "state"),
        (answers, ["synthesis", "state"], True, "state"),
        (answers, ["stub"], True, "none"),
        (None, ["state"], True, "none"),
        (None, ["state", "synthesis"], True, "synthesis"),
        (lacks, ["state", "synthesis"], True, "synthesis"),
        (lacks, ["state"], True, "none"),
        (None, ["synthesis"], False, "none"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_first_source_that_has_an_answer_gives_it(
    handler: Handler | None, sources: list[str], known: bool, source: str
) -> None:
    outcome, _ = ask(handler, *sources, known=known)
    assert outcome.source == source


class OwnResponse:
    """A source that answers with a response made anew."""

    def serves(self, exchange: Exchange) -> bool:
        return exchange.call is None

    def answer(self, exchange: Exchange) -> Response:
        made = Response()
        made.status, made.source, made.body, made.ignored = 203, "synthesis", b"own", ("colour",)
        return made


def test_a_source_may_answer_with_a_response_of_its_own() -> None:
    dispatcher = Dispatcher(Routes(APIS), url="http://127.0.0.1:8765")
    dispatcher._sources = (OwnResponse(), *dispatcher._sources)
    session = Session("s", SessionSpec(), Base({}, {}, NOW), real=lambda: NOW, journal_bytes=1024)
    request = Request({"method": "GET", "raw_path": b"/x", "query_string": b"", "headers": []})
    response = dispatcher.answer_request(session, Route("GET", "h", "/x"), request, b"")
    assert (response.status, response.body) == (203, b"own")
    assert response.headers == ((b"x-mock-ignored", b"colour"),)
    (entry,) = session.journal.as_json("s")["entries"]
    assert (entry["status"], entry["source"], entry["ignored"]) == (203, "synthesis", ("colour",))


def test_a_refusal_of_the_state_stands() -> None:
    outcome, _ = ask(refuses, "state", "synthesis")
    assert outcome.error is not None
    assert outcome.error.status == 404


def test_a_stream_ends_with_its_first_batch_where_nothing_can_carry_it() -> None:
    plain, rendered = ask(streams, "state")
    assert (plain.stream, rendered) == (None, [{"id": "first"}])
    streaming, rendered = ask(streams, "state", verb="GRPC")
    assert streaming.stream is not None
    assert list(streaming.stream) == [{"id": "first"}, {"id": "second"}]
    assert rendered == []


FORM = (b"content-type", b"application/x-www-form-urlencoded")


@pytest.mark.parametrize(
    ("verb", "query", "header", "content"),
    [
        ("GET", b"a=1&key=AIza&a=2&b=%20c", FORM, b""),
        ("POST", b"", (b"content-type", b"application/json"), b'{"user": {"password": "hunter2"}}'),
        ("POST", b"a=1", (b"x", b"y"), b"[1]"),
        ("POST", b"a=1", (b"x", b"y"), b'{"broken'),
        ("POST", b"", FORM, b"token=t&scope=a+b&match[]=up"),
        ("POST", b"", FORM, b' {"json": 1}'),
        ("GET", b"a=1", FORM, b"b=2"),
        ("GET", b"&" * 10_001, FORM, b""),
    ],
)
def test_what_nothing_describes_is_read_when_it_is_looked_at_as_if_it_had_been_bound(
    verb: str, query: bytes, header: tuple[bytes, bytes], content: bytes
) -> None:
    found = []
    for kind in (HttpExchange, UnboundExchange):
        base = Base({}, {}, NOW)
        session = Session("s", SessionSpec(), base, real=lambda: NOW, journal_bytes=100_000)
        scope = {"method": verb, "raw_path": b"/x", "query_string": query, "headers": [header]}
        route = Route(verb, "h", "/x", captures={"id": "7"})
        call = kind(DISPATCHER, session, route, Request(scope), content)
        call.bind(Binder())
        call.finish()
        (entry,) = session.journal.as_json("s")["entries"]
        found.append((entry["params"], entry["body"]))
    assert found[0] == found[1]


def test_a_body_that_the_journal_cannot_hold_is_dropped_before_it_is_read() -> None:
    session = Session("s", SessionSpec(), Base({}, {}, NOW), real=lambda: NOW, journal_bytes=1024)
    request = Request({"method": "POST", "raw_path": b"/x", "query_string": b"", "headers": []})
    content = b'{"text": "%b"}' % (b"x" * 2000)
    DISPATCHER.answer_request(session, Route("POST", "h", "/x"), request, content)
    (entry,) = session.journal.entries()
    assert entry.body is None
    assert content not in vars(entry)["asked"]
