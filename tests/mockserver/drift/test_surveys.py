import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.cassettes.files import write_cassette
from mockserver.drift.documents import Documents
from mockserver.drift.shapes import pointer
from mockserver.drift.surveys import (
    is_json_answer,
    path_name,
    read_source,
    survey,
    survey_interactions,
    survey_snapshot,
    taken_at,
)
from mockserver.errors import FormatError
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from tests.recordings import DIRECTORY, interaction


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


USERS = interaction(
    f"{DIRECTORY}/users?customer=my_customer", {"users": []}, at="2026-11-02T00:00:00Z"
)
SNAPSHOT = {"capturedAt": "2026-11-01T00:00:00Z", "users": [{"id": "1"}]}


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_cassettes_are_read_in_both_forms(tmp_path: Path, name: str) -> None:
    write_cassette(Cassette("a", (USERS,), CassetteInfo()), tmp_path / name)
    found = survey(read_source(tmp_path / name), Documents(APIS).name)
    assert (found.kind, found.taken_at) == ("cassette", "2026-11-02T00:00:00Z")
    assert list(found.subjects) == ["directory.users.list"]


@pytest.mark.parametrize("form", ["file", "folder", "suite", "nested"])
def test_snapshots_are_read_in_every_form(tmp_path: Path, form: str) -> None:
    folder = {"suite": tmp_path / "base", "nested": tmp_path / "fixtures" / "base"}.get(
        form, tmp_path
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.json").write_text(json.dumps(SNAPSHOT), encoding="utf-8")
    found = survey(
        read_source(folder / "a.json" if form == "file" else tmp_path), Documents(APIS).name
    )
    assert (found.kind, found.taken_at) == ("snapshot", "2026-11-01T00:00:00Z")
    assert found.subjects["users"].count == 1


def test_a_folder_without_a_snapshot_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no snapshot"):
        read_source(tmp_path)


def test_a_recording_is_as_old_as_its_oldest_interaction() -> None:
    """A refreshed interaction makes the others no younger."""
    info = CassetteInfo(recorded_at="2026-11-09T00:00:00Z")
    old = interaction(f"{DIRECTORY}/users", at="2026-10-01T00:00:00Z")
    unknown = interaction(f"{DIRECTORY}/users")
    assert taken_at(Cassette("a", (USERS, old, unknown), info)) == "2026-10-01T00:00:00Z"
    assert taken_at(Cassette("a", (unknown,), info)) == "2026-11-09T00:00:00Z"


def test_a_time_that_is_no_text_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"capturedAt": 3}', encoding="utf-8")
    assert not survey(read_source(tmp_path), Documents(APIS).name).taken_at
