import json
from pathlib import Path

import pytest

from mockserver.capture.snapshots import check_base, write_base, write_json
from mockserver.errors import CaptureError, MockServerError

RAW = {"capturedAt": "2026-11-20T09:00:00Z", "users": [{"id": "1"}], "orgUnits": []}


def test_each_collection_is_a_file_and_the_moment_is_one(tmp_path: Path) -> None:
    files = write_base(tmp_path / "suite", RAW, replace=False)
    assert [path.name for path in files] == ["00-capture.json", "users.json", "orgUnits.json"]
    assert json.loads(files[1].read_text(encoding="utf-8")) == {"users": [{"id": "1"}]}
    assert json.loads(files[0].read_text(encoding="utf-8")) == {"capturedAt": RAW["capturedAt"]}
    assert len(list((tmp_path / "suite" / "base").iterdir())) == 3


def test_a_base_that_is_there_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    write_base(tmp_path, RAW, replace=False)
    with pytest.raises(MockServerError, match="--replace"):
        check_base(tmp_path, replace=False)
    with pytest.raises(MockServerError, match="is there already"):
        write_base(tmp_path, RAW, replace=False)
    [users] = write_base(tmp_path, {"users": []}, replace=True)
    assert json.loads(users.read_text(encoding="utf-8")) == {"users": []}


def test_no_file_is_written_beside_another_that_holds_the_same_collection(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    write_json(tmp_path / "base" / "30-people.json", {"users": [], "groups": []})
    with pytest.raises(MockServerError, match=r"30-people\.json holds users already"):
        write_base(tmp_path, RAW, replace=True)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "suite").write_text("a file", encoding="utf-8")
    with pytest.raises(CaptureError, match="cannot write"):
        write_base(tmp_path / "suite", RAW, replace=False)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "users.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_json(tmp_path / "users.json", [])
    assert [path.name for path in tmp_path.iterdir()] == ["users.json"]
