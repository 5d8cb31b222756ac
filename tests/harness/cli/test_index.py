import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.errors import InfrastructureError
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["index", *arguments, "--run-dir", str(runs)])


def test_the_index_is_updated_and_made_anew(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [True]})
    assert call(tmp_path, "update").output.endswith("index.db: 1 indexed\n")
    assert call(tmp_path, "update").output.endswith("index.db: 1 unchanged\n")
    (tmp_path / "index.db").unlink()
    stored_run(tmp_path, "2", {"A": [True]})
    (tmp_path / "2" / "manifest.json").write_text("{", encoding="utf-8")
    output = call(tmp_path, "rebuild").output
    assert "warning: run 2: " in output
    assert output.endswith("index.db: 1 indexed, 1 unreadable\n")


def _overwritten(content: bytes) -> bytes:
    return b"notes " * 500


def _without_its_end(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _with_a_broken_page(content: bytes) -> bytes:
    return content[:8192] + b"\xff" * 4096 + content[12288:]


def _with_a_broken_head(content: bytes) -> bytes:
    return content[:100] + b"\xff" * 100 + content[200:]


@pytest.mark.parametrize(
    "damage", [_overwritten, _without_its_end, _with_a_broken_page, _with_a_broken_head]
)
def test_a_broken_index_is_kept_under_another_name_and_made_anew(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in range(40):
        stored_run(tmp_path, f"{number}", {"A": [True]})
    path = tmp_path / "index.db"
    assert call(tmp_path, "update").exit_code == 0
    for number in (1, 2):
        broken = damage(path.read_bytes())
        path.write_bytes(broken)
        result = call(tmp_path, "rebuild")
        assert result.exit_code == 0, result.output
        assert f"it is kept as {path}.broken-{number}" in result.output
        assert result.output.endswith("index.db: 40 indexed\n")
        assert path.with_name(f"index.db.broken-{number}").read_bytes() == broken
        assert call(tmp_path, "update").output.endswith("index.db: 40 unchanged\n")


def test_an_empty_file_is_an_empty_index(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"")
    stored_run(tmp_path, "1", {"A": [True]})
    assert call(tmp_path, "rebuild").output.endswith("index.db: 1 indexed\n")
    assert not list(tmp_path.glob("index.db.broken*"))


@pytest.mark.parametrize("action", ["update", "rebuild"])
def test_an_index_that_another_process_holds_is_told_and_left_alone(
    tmp_path: Path, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.storage.index.database._WAIT_S", 0.05)
    stored_run(tmp_path, "1", {"A": [True]})
    call(tmp_path, "update")
    with closing(sqlite3.connect(tmp_path / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = call(tmp_path, action)
    assert isinstance(result.exception, InfrastructureError)
    told = str(result.exception)
    assert "database is locked" in told
    assert "another process has held it" in told
    assert not list(tmp_path.glob("index.db.broken*"))


@pytest.mark.parametrize("action", ["update", "rebuild"])
def test_a_folder_in_place_of_the_index_is_told(tmp_path: Path, action: str) -> None:
    (tmp_path / "index.db").mkdir()
    result = call(tmp_path, action)
    assert isinstance(result.exception, InfrastructureError)
    assert "unable to open database file" in str(result.exception)


def test_no_runs_are_told(tmp_path: Path) -> None:
    assert call(tmp_path, "rebuild").output.endswith("index.db: no runs\n")
