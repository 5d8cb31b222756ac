from typing import Any

import pytest

from mockserver.cassettes.foreign.postman import read, recognises
from mockserver.model import RecordedRequest, RecordedResponse
from tests.mockserver.cassettes.foreign.test_imported import SOURCE


def collection(*items: Any, **more: Any) -> dict[str, Any]:
    info = {"name": "Things", "schema": "https://schema.example.com/collection/v2.1.0/"}
    return {"info": info, "item": list(items), **more}


def example(request: Any, **response: Any) -> dict[str, Any]:
    return {"name": "one", "response": [{"originalRequest": request, "code": 200, **response}]}


def test_saved_responses_are_recordings_however_deep_they_are() -> None:
    request = {
        "method": "POST",
        "header": [
            {"key": "Authorization", "value": "Bearer {{token}}"},
            {"key": "Off", "value": "1", "disabled": True},
        ],
        "url": {"raw": "{{base}}/v1/things"},
        "body": {"mode": "raw", "raw": '{"a": "{{token}}"}'},
    }
    inner = example(request, status="OK", header=[{"key": "A", "value": "1"}], body="hi")
    variables = [
        {"key": "base", "value": "https://api.example.com"},
        {"key": "token", "value": "t"},
    ]
    given = collection({"name": "folder", "item": [inner]}, variable=variables)
    assert recognises(given)
    imported = read(given, SOURCE)
    assert imported.interactions[0].request == RecordedRequest(
        "POST",
        "https://api.example.com/v1/things",
        (("Authorization", "Bearer t"),),
        b'{"a": "t"}',
    )
    assert imported.interactions[0].response == RecordedResponse(200, "OK", (("A", "1"),), b"hi")
    assert imported.notes == ()


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({}, b""),
        (
            {
                "mode": "urlencoded",
                "urlencoded": [{"key": "a", "value": "b c"}, {"key": "x", "disabled": True}],
            },
            b"a=b+c",
        ),
        ({"mode": "graphql", "graphql": {"query": "{a}"}}, b'{"query":"{a}"}'),
    ],
    ids=["none", "form", "graphql"],
)
def test_bodies_are_what_was_sent(body: dict[str, Any], sent: bytes) -> None:
    given = collection(example({"url": "api.example.com/a", "header": "A: 1\nB: 2", "body": body}))
    request = read(given, SOURCE).interactions[0].request
    assert request.body == sent
    assert request.url == "http://api.example.com/a"
    assert request.headers == (("A", "1"), ("B", "2"))


def test_the_request_of_the_item_is_taken_where_the_response_has_none() -> None:
    item = {"name": "one", "request": "https://api.example.com/", "response": [{"code": 204}]}
    assert read(collection(item), SOURCE).interactions[0].request.method == "GET"


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"url": "{{base}}/a"}, "no value for a variable in {{base}}/a"),
        ({"url": "http://h/", "body": {"mode": "formdata"}}, "it sends a file"),
    ],
    ids=["variable", "file"],
)
def test_what_a_collection_does_not_hold_is_told(request_: dict[str, Any], why: str) -> None:
    imported = read(collection(example(request_)), SOURCE)
    assert imported.interactions == ()
    assert imported.notes[0].startswith("#/item/0/response/0/originalRequest/")
    assert imported.notes[0].endswith(f": {why}; left out")


def test_a_mistake_has_its_place() -> None:
    imported = read(collection(example({"url": {}})), SOURCE)
    place = "#/item/0/response/0/originalRequest/url"
    assert imported.notes == (f"{place}: has no `raw`; left out",)


@pytest.mark.parametrize("value", [[], {}, {"info": {}, "item": []}, {"info": {"schema": ""}}])
def test_what_is_no_collection_is_not_recognised(value: Any) -> None:
    assert not recognises(value)
