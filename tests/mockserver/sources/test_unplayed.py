"""The one command that writes what is missing."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.asgi.requests import Request
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.replay import IndexedCassette, NoMatch
from mockserver.cli.main import app
from mockserver.googleapi import ApiError
from mockserver.model import RecordedRequest, SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sources.recorded_requests import RecordedAddress
from mockserver.sources.replay_misses import RecordedRoutes, check_page, stub_command
from tests.tapes import JSON, ORIGIN, recorded, written


def replay_of(file: Path) -> Replay:
    redactor = Redactor(RuleSet.default(), b"a key of these tests")
    tape = IndexedCassette.of(read_cassette(file), redactor=redactor)
    return Replay({file: tape}, SessionSpec(sources=("cassette",)), redactor)


def test_the_command_writes_what_it_says(tmp_path: Path) -> None:
    file = written(tmp_path, [recorded()])
    asked = RecordedRequest("POST", f"{ORIGIN}/v1/it's?a=1&b=2", (JSON,), b'{"a": "$HOME"}')
    near = NoMatch("nothing", "GET ... (#1 of tape.yaml)", ("method",), "tape.yaml", 1)
    words = shlex.split(stub_command(near, asked, replay_of(file)))
    CliRunner().invoke(app, words[1:], catch_exceptions=False)
    made = read_cassette(file).interactions[-1]
    assert (made.request.method, made.request.url, made.request.body) == (
        "POST", asked.url, asked.body,
    )  # fmt: skip
    assert made.response == recorded().response


def test_long_bodies_and_missing_neighbours_are_left_out(tmp_path: Path) -> None:
    file = written(tmp_path, [recorded()])
    asked = RecordedRequest("POST", f"{ORIGIN}/v1", (), b"x" * 5000)
    assert stub_command(NoMatch("nothing"), asked, replay_of(file)).endswith(f"POST {ORIGIN}/v1")


def test_a_place_that_no_api_has_is_a_method_of_its_host() -> None:
    routes = RecordedRoutes()
    scope = {"method": "PUT", "raw_path": b"/x", "query_string": b"", "headers": []}
    place = RecordedAddress(
        "https://api.example.com:8443/x?q=1", "https://api.example.com:8443", ""
    )
    route = routes.at(place, Request(scope), Route("PUT", "", "/x"))
    assert (route.method_id, route.host, route.path) == (
        "http.api.example.com", "api.example.com:8443", "/x",
    )  # fmt: skip
    assert routes.at(place, Request(scope), Route("PUT", "", "/x")) is route
    own = Route("PUT", "api.example.com:8443", "/x")
    assert routes.at(place, Request(scope), own) is own


def test_a_stale_page_token_is_400() -> None:
    check_page({"pageToken": "CAE"}, {})
    with pytest.raises(ApiError, match="page token"):
        check_page({}, {"pageToken": "stale"})
