import json
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.cassettes.files import write_cassette
from mockserver.drift.documents import Documents
from mockserver.drift.surveys import read_source, survey, taken_at
from mockserver.errors import FormatError
from mockserver.model import Cassette, CassetteInfo
from tests.recordings import DIRECTORY, interaction

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
