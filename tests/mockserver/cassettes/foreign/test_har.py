import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings

from mockserver.cassettes.foreign.har import har_of, read, recognises
from mockserver.model import Cassette, CassetteInfo, RecordedRequest, RecordedResponse
from tests.cassette_strategies import CASSETTES
from tests.mockserver.cassettes.foreign.test_imported import SOURCE


@given(CASSETTES)
@settings(max_examples=40)
def test_what_is_exported_is_imported_as_it_was(tape: Cassette) -> None:
    value = json.loads(har_of(tape))
    assert recognises(value)
    assert read(value, SOURCE).interactions == tape.interactions


def entry(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "startedDateTime": "2026-11-20T09:00:00.000Z",
        "time": 12.5,
        "request": {
            "method": "post",
            "url": "https://api.example.com/a?b=1#c",
            "headers": [{"name": ":method", "value": "POST"}, {"name": "A", "value": "1"}],
            "postData": {"mimeType": "x", "params": [{"name": "a b", "value": "é"}]},
        },
        "response": {
            "status": 200,
            "statusText": "OK",
            "headers": [
                {"name": "Content-Encoding", "value": "gzip"},
                {"name": "Content-Length", "value": "99"},
            ],
            "content": {"size": 2, "text": "hi"},
        },
    }
    for name, change in changes.items():
        made[name].update(change)
    return made


def har(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"log": {"creator": {"name": "Browser", "version": "9"}, "entries": list(entries)}}


def test_what_a_browser_wrote_is_read() -> None:
    imported = read(har(entry()), SOURCE)
    item = imported.interactions[0]
    assert item.request == RecordedRequest(
        "POST", "https://api.example.com/a?b=1", (("A", "1"),), b"a+b=%C3%A9"
    )
    assert item.response == RecordedResponse(
        200, "OK", (("Content-Length", "2"),), b"hi", coding="gzip"
    )
    assert (item.recorded_at, item.duration_ms) == ("2026-11-20T09:00:00.000Z", 12.5)
    assert (imported.recorded_by, imported.notes) == ("Browser 9", ())


def test_bodies_in_base64_are_opened() -> None:
    coded = {"text": base64.b64encode(b"\xff").decode(), "encoding": "base64"}
    assert (
        read(har(entry(response={"content": coded})), SOURCE).interactions[0].response.body
        == b"\xff"
    )


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        (
            {"response": {"status": 0}},
            "#/log/entries/0/response: no response was recorded; left out",
        ),
        (
            {"response": {"content": {"size": 9}}},
            "#/log/entries/0: the file does not hold the body",
        ),
        (
            {"request": {"postData": {"params": [{"name": "f", "fileName": "a.png"}]}}},
            "#/log/entries/0: the file does not hold the files that were sent",
        ),
    ],
    ids=["failed", "no body", "upload"],
)
def test_what_is_not_in_the_file_is_told(changes: dict[str, Any], note: str) -> None:
    assert read(har(entry(**changes)), SOURCE).notes[0].startswith(note)


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        (har({"request": {}}), "#/log/entries/0: "),
        (har(entry(response={"status": "x"})), "#/log/entries/0/response/status: "),
        (
            har(entry(request={"headers": [{"name": "A"}]})),
            "#/log/entries/0/request/headers: ",
        ),
    ],
    ids=["no response", "status", "header"],
)
def test_a_mistake_has_its_place(broken: Any, place: str) -> None:
    imported = read(broken, SOURCE)
    assert imported.interactions == ()
    assert imported.notes[0].startswith(place)


def test_export_names_cookies_query_and_redirect() -> None:
    request = RecordedRequest("GET", "https://h/?a+b=%20&c", (("Cookie", "x=1; y=2"),))
    response = RecordedResponse(302, headers=(("Location", "/n"), ("Set-Cookie", "z=3; Path=/")))
    from mockserver.model import Interaction

    tape = Cassette("a", (Interaction(request, response),), CassetteInfo())
    made = json.loads(har_of(tape))["log"]["entries"][0]
    assert made["request"]["queryString"] == [
        {"name": "a b", "value": " "},
        {"name": "c", "value": ""},
    ]
    assert [cookie["name"] for cookie in made["request"]["cookies"]] == ["x", "y"]
    assert made["response"]["cookies"] == [{"name": "z", "value": "3"}]
    assert (made["response"]["redirectURL"], made["startedDateTime"]) == (
        "/n",
        "1970-01-01T00:00:00Z",
    )
