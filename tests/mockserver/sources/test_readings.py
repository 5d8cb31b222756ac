"""Requests as the journal keeps them."""

from pathlib import Path

import pytest

from mockserver.asgi.requests import Request
from mockserver.cassettes.replay import IndexedCassette
from mockserver.model import JsonObject, SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sources.recorded_requests import (
    LONGEST_KEPT,
    RecordedAddress,
    RequestParser,
    counted_headers,
)
from tests.tapes import ORIGIN, cassette, recorded

HERE = "http://127.0.0.1:1/s/a"
PLACE = RecordedAddress(f"{ORIGIN}/v1/units?page=2&token=abcdefgh12345678", ORIGIN, HERE)
ROUTE = Route("POST", "api.example.com", "/v1/units")


@pytest.fixture(scope="module")
def replay() -> Replay:
    redactor = Redactor(RuleSet.default(), b"a key of these tests")
    tape = IndexedCassette.of(cassette(recorded()), redactor=redactor)
    return Replay({Path("tape.yaml"): tape}, SessionSpec(sources=("cassette",)), redactor)


def request(media: str) -> Request:
    headers = [(b"content-type", media.encode()), (b"user-agent", b"x")]
    return Request({"method": "POST", "raw_path": b"/v1/units", "query_string": b"",
                    "headers": headers})  # fmt: skip


@pytest.mark.parametrize(
    ("media", "content", "body"),
    [
        ("application/json", b'{"size": 1, "password": "hunter22"}', {"size": 1}),
        ("application/x-www-form-urlencoded", b"size=1", {"size": "1"}),
        ("application/json", b"[1]", None),
        ("application/json", b"{", None),
        ("text/plain", b"hello", None),
    ],
    ids=["json", "form", "list", "broken", "text"],
)
def test_the_journal_gets_objects_and_forms_without_secrets(
    replay: Replay, media: str, content: bytes, body: JsonObject | None
) -> None:
    reading = RequestParser().parse(request(media), content, PLACE, route=ROUTE, replay=replay)
    found = reading.body and {k: v for k, v in reading.body.items() if k != "password"}
    assert found == body
    assert "hunter22" not in str(reading.body)
    assert reading.path == "/v1/units"
    assert reading.params["page"] == "2"
    assert "abcdefgh12345678" not in str(reading.params)


def test_links_that_were_relocated_are_turned_back(replay: Replay) -> None:
    content = b'{"self": "%b/v1/units/1"}' % HERE.encode()
    reading = RequestParser().parse(
        request("application/json"), content, PLACE, route=ROUTE, replay=replay
    )
    assert reading.keyed.request.body == b'{"self": "https://api.example.com/v1/units/1"}'


def test_what_came_before_is_looked_up_unless_it_is_long(replay: Replay) -> None:
    parser, asked = RequestParser(), request("text/plain")
    for content, is_kept in ((b"x", True), (b"x" * (LONGEST_KEPT + 1), False)):
        first, again = (
            parser.parse(asked, content, PLACE, route=ROUTE, replay=replay) for _ in range(2)
        )
        assert (first is again) == is_kept


def test_only_some_headers_tell_requests_apart() -> None:
    assert counted_headers(request("text/plain")) == ((b"content-type", b"text/plain"),)
