"""The one command that writes what is missing."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.asgi.requests import Request
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.replay import IndexedCassette, NoMatch, PlayedMatch
from mockserver.cli.main import app
from mockserver.googleapi import ApiError, Call
from mockserver.model import PlayedRecording, RecordedRequest, SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sources.recorded_requests import RecordedAddress, label_of
from mockserver.sources.replay_misses import (
    RecordedRoutes,
    check_page,
    stub_command,
    unmatched_error,
)
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


@pytest.mark.parametrize(
    ("found", "path", "message", "differs"),
    [
        (NoMatch("nothing was recorded"), "/v1",
         "Replay miss: nothing was recorded; to add one: COMMAND", ""),
        (NoMatch("another was", "GET /v1 (#1)", ("query.a", "body.b"), "tape.yaml", 1, 2), "/v1",
         "Replay miss: another was; nearest: GET /v1 (#1), differs in query.a, body.b;"
         " `match: ignore` of the cassette leaves out what does not matter;"
         " to add one: COMMAND --like 1 --before 2", "query.a, body.b"),
        (NoMatch("another was", "GET /v1 (#1)", ("query.a", "method"), "tape.yaml", 1), "/v1",
         "Replay miss: another was; nearest: GET /v1 (#1), differs in query.a, method;"
         " to add one: COMMAND --like 1", "query.a, method"),
        (NoMatch("another was", "", ("path segment 1",)), "/api.other.com/v1",
         "Replay miss: no cassette of this session has recordings of api.other.com;"
         " recorded hosts: api.example.com", "host"),
        (NoMatch("another was", "", ("path segment 1",)), "/v2",
         "Replay miss: another was; to add one: COMMAND", "path segment 1"),
        (NoMatch("another was", "", ("path segment 2",)), "/api.other.com/v1",
         "Replay miss: another was; to add one: COMMAND", "path segment 2"),
    ],
)  # fmt: skip
def test_a_miss_says_in_what_it_differs_and_what_to_do(
    tmp_path: Path, found: NoMatch, path: str, message: str, differs: str
) -> None:
    file = written(tmp_path, [recorded()])
    asked = RecordedRequest("GET", ORIGIN + path)
    command = f"understudy cassette stub {file} GET {ORIGIN}{path}"
    message = message.replace("COMMAND", command)
    error = unmatched_error(found, asked, replay_of(file), Route("GET", "", path))
    is_host = differs == "host"
    told = {} if is_host else {"command": message.rpartition("to add one: ")[2]}
    assert error.status == 424
    assert error.body == {
        "error": {
            "code": 424, "status": "REPLAY_MISS", "message": message,
            "nearest": "" if is_host else found.nearest, "differs": differs, **told,
        }
    }  # fmt: skip
    named = unmatched_error(found, asked, replay_of(file), Route("GET", "", path, handler=no_call))
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "REPLAY_MISS",
            "domain": "understudy"}  # fmt: skip
    metadata = {"nearest": "" if is_host else found.nearest, "differs": differs, **told}
    assert (named.message, named.details) == (message, ({**info, "metadata": metadata},))


def no_call(_: Call) -> None:
    """A handler that is never asked."""


@pytest.mark.parametrize(
    ("played", "said"),
    [
        ({}, "tape#3"),
        ({"again": True}, "tape#3; again"),
        ({"by_kind": True, "loosened": True}, "tape#3; by-kind; loosened"),
        ({"timeless": True, "varied": "another id"}, "tape#3; timeless; near: another id"),
        ({"warning": "it is old: é"}, "tape#3"),
    ],
)
def test_an_answer_says_which_recording_it_is_and_how_it_was_found(
    played: dict[str, Any], said: str
) -> None:
    label = label_of(PlayedMatch(recorded(), "tape", 3, **played))
    assert label.recording == PlayedRecording(cassette="tape", number=3, **played)
    warned = [(b"x-mock-warning", b"it is old: \\xe9")] if "warning" in played else []
    assert list(label.headers) == [(b"x-mock-recording", said.encode()), *warned]
