from typing import Any

import pytest

from mockserver.drift.shapes import pointer
from mockserver.drift.surveys import (
    is_json_answer,
    path_name,
    survey_interactions,
    survey_snapshot,
)
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from tests.recordings import interaction


def test_calls_are_put_together_by_method() -> None:
    calls = [
        interaction("https://a.example.com/x", {"items": [{"id": 1}]}),
        interaction("https://a.example.com/x?pageToken=2", {"items": []}),
        interaction("https://a.example.com/x", {"error": {}}, status=503),
        interaction("https://b.example.com/y"),
    ]
    subjects = survey_interactions(calls, lambda each: each.request.url[8])
    found = subjects["a"]
    assert (found.count, found.pages, dict(found.statuses)) == (3, 1, {200: 2, 503: 1})
    assert {pointer(path) for path in found.shape} == {"", "/items", "/items/*", "/items/*/id"}
    assert (found.succeeded, subjects["b"].shape) == (True, {})


@pytest.mark.parametrize(
    ("media", "body", "paths"),
    [
        ("application/x-ndjson", b'{"a": 1}\n\n{"b": 1}\n', {"", "/a", "/b"}),
        ("text/html", b"<p>", {""}),
        ("application/json", b"{", {""}),
    ],
    ids=["lines", "text", "broken"],
)
def test_answers_of_every_kind_have_a_shape(media: str, body: bytes, paths: set[str]) -> None:
    response = RecordedResponse(200, "", (("content-type", media),), body)
    call = Interaction(RecordedRequest("GET", "https://a.example.com/"), response)
    shape = survey_interactions([call], lambda _: "a")["a"].shape
    assert {pointer(path) for path in shape} == paths


@pytest.mark.parametrize(
    ("value", "count"),
    [([1, 2], 2), ({"items": [1]}, 1), ({"a": [1], "b": [2]}, 2), ({"id": 1}, 1), (None, 0)],
    ids=str,
)
def test_collections_of_every_form_are_counted(value: Any, count: int) -> None:
    assert survey_snapshot({"x": value, "capturedAt": "", "faults": [1]})["x"].count == count
    assert set(survey_snapshot({"x": value, "capturedAt": ""})) == {"x"}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/users/12345/tags", "/v1/users/*/tags"),
        ("/u/ann@example.com", "/u/*"),
        ("/x/7", "/x/*"),
        ("/things/deadbeef01/a", "/things/*/a"),
    ],
    ids=str,
)
def test_ids_in_paths_stand_as_stars(path: str, name: str) -> None:
    assert path_name(interaction(f"https://a.example.com{path}?x=1")) == f"GET a.example.com{name}"


def test_an_answer_without_content_is_no_json() -> None:
    assert not is_json_answer(interaction("https://a.example.com/"))
