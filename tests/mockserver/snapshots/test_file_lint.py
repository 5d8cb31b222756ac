from datetime import UTC, datetime
from pathlib import Path

import pytest

from mockserver.snapshots.lint import lint_suite
from tests.casefiles import put

NOW = datetime(2026, 5, 1, tzinfo=UTC)
KEY = "AIza" + "SyD3x4mpl3" * 3 + "abcde"


def told(suite: Path) -> list[str]:
    return [f"{item.level}: {item}" for item in lint_suite(suite, now=NOW).problems]


@pytest.mark.parametrize("name", ["base/a.json", "C-1/overrides.json", "C-1/a.patch.json"])
def test_a_key_that_stands_there_twice_is_an_error(tmp_path: Path, name: str) -> None:
    put(tmp_path / "base" / "all.json", "{}")
    text = '{"users": [{"id": "1", "id": "1"}], "users": []}'
    patch = '[{"op": "add", "path": "/users", "value": [], "value": []}]'
    put(tmp_path / name, patch if "patch" in name else text)
    (found,) = told(tmp_path)
    assert found.startswith(f"error: {name}: the same key twice in one object: ")
    assert lint_suite(tmp_path, content=False).problems


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("base/all.json", '{"capturedAt": "2026-01-01T00:00:00Z",\n "users": [{"K": "$"}]}', 2),
        ("C-1/notes.txt", "one\ntwo $", 2),
        ("cases/C-1.yaml", "id: C-1\ninput: Use $\n", 2),
        ("guide.md", "$", 1),
    ],
)
def test_what_has_the_form_of_a_secret_is_told_without_it(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    put(tmp_path / "base" / "other.json", "{}")
    put(tmp_path / name, text.replace("$", KEY))
    (found,) = (item for item in told(tmp_path) if "secret" in item)
    assert found.startswith(f"warning: {name}:{line}: this has the form of a secret (api key)")
    assert KEY not in found


def test_invented_keys_and_other_files_are_no_secrets(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", "{}")
    put(tmp_path / "notes.txt", "AIza" + "X" * 35)
    put(tmp_path / "more.txt", "AIza" + "Example" * 5)
    put(tmp_path / "logo.png", KEY)
    (tmp_path / "latin.txt").write_bytes(b"\xff" + KEY.encode())
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("moment", "future"),
    [("2026-05-01T00:00:01Z", True), ("2026-05-01T00:00:00Z", False), ("soon", False)],
)
def test_a_snapshot_of_the_future_is_told(tmp_path: Path, moment: str, *, future: bool) -> None:
    put(tmp_path / "base" / "all.json", f'{{"capturedAt": "{moment}"}}')
    assert any("is in the future" in item for item in told(tmp_path)) == future


@pytest.mark.parametrize(
    ("folder", "nearly"), [("Base", True), ("bases", True), ("baseline", True), ("other", False)]
)
def test_a_folder_that_is_nearly_named_base_is_told(
    tmp_path: Path, folder: str, *, nearly: bool
) -> None:
    put(tmp_path / folder / "all.json", "{}")
    put(tmp_path / "registry.json", "[]")
    said = "is read by nobody: there is no snapshot in a folder named base"
    assert told(tmp_path) == [f"warning: {folder}: {said} (name it base)"] * nearly


def test_a_file_that_is_broken_is_told_where_it_is_read(tmp_path: Path) -> None:
    put(tmp_path / "base" / "all.json", "[" * 100_000)
    assert [item for item in told(tmp_path) if "twice" in item] == []
