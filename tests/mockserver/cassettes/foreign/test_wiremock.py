from typing import Any

import pytest

from mockserver.cassettes.foreign.common import Source
from mockserver.cassettes.foreign.wiremock import read, recognises
from mockserver.model import RecordedRequest, RecordedResponse

UPSTREAM = "https://api.example.com/"


def files(name: str) -> bytes:
    return {"a.bin": b"\xff"}[name]


def mapping(request: dict[str, Any], **response: Any) -> dict[str, Any]:
    return {"request": request, "response": {"status": 200, **response}}


@pytest.mark.parametrize(
    ("given", "request_", "body"),
    [
        (
            mapping({"method": "GET", "url": "/a?b=1"}, jsonBody={"x": 1}),
            RecordedRequest("GET", "https://api.example.com/a?b=1"),
            b'{"x":1}',
        ),
        (
            mapping(
                {
                    "method": "POST",
                    "urlPath": "/a",
                    "queryParameters": {"q": {"equalTo": "é"}},
                    "headers": {"Accept": {"equalTo": "*/*"}, "X": {"matches": ".*"}},
                    "bodyPatterns": [{"equalToJson": {"a": 1}}],
                },
                base64Body="aGk=",
            ),
            RecordedRequest(
                "POST", "https://api.example.com/a?q=%C3%A9", (("Accept", "*/*"),), b'{"a":1}'
            ),
            b"hi",
        ),
        (
            mapping(
                {
                    "method": "get",
                    "url": "/a",
                    "scheme": "https",
                    "host": {"equalTo": "h.example.com"},
                    "port": 8443,
                    "bodyPatterns": [{"equalToJson": "[1]"}],
                },
                bodyFileName="a.bin",
            ),
            RecordedRequest("GET", "https://h.example.com:8443/a", (), b"[1]"),
            b"\xff",
        ),
    ],
    ids=["url", "parts", "host"],
)
def test_exact_mappings_are_recordings(
    given: dict[str, Any], request_: RecordedRequest, body: bytes
) -> None:
    assert recognises(given)
    imported = read(given, Source(files, UPSTREAM))
    assert imported.interactions[0].request == request_
    assert imported.interactions[0].response == RecordedResponse(200, body=body)
    assert imported.notes == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (mapping({"method": "GET", "urlPattern": "/.*"}), "it matches by urlPattern"),
        (mapping({"method": "GET"}), "it matches by no URL"),
        (mapping({"url": "/a"}), "it answers any method"),
        (
            mapping({"method": "GET", "url": "/", "queryParameters": {"a": {"matches": "."}}}),
            "it matches by pattern",
        ),
        (mapping({"method": "GET", "url": "/"}, fault="EMPTY_RESPONSE"), "its response is made"),
    ],
    ids=["pattern", "no url", "any", "matcher", "fault"],
)
def test_patterns_are_left_out_with_a_note(given: dict[str, Any], why: str) -> None:
    imported = read({"mappings": [given]}, Source(files, UPSTREAM))
    assert imported.interactions == ()
    assert imported.notes[0].startswith(f"#/mappings/0: {why}")


def test_a_file_that_is_not_there_has_its_place() -> None:
    given = mapping({"method": "GET", "url": "/"}, bodyFileName="b.bin")
    imported = read({"mappings": [given]}, Source(files, UPSTREAM))
    assert imported.notes == ("#/mappings/0/response/bodyFileName: no file 'b.bin'; left out",)


@pytest.mark.parametrize("value", [[], {}, {"request": {}, "response": {}}, {"request": 1}])
def test_what_is_no_mapping_is_not_recognised(value: Any) -> None:
    assert not recognises(value)


def test_a_body_may_be_a_plain_text() -> None:
    given = mapping({"method": "GET", "url": "/"}, body="hi", statusMessage="Fine")
    response = read(given, Source(files, UPSTREAM)).interactions[0].response
    assert (response.body, response.reason) == (b"hi", "Fine")
