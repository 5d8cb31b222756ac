from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
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


def test_no_runs_are_told(tmp_path: Path) -> None:
    assert call(tmp_path, "rebuild").output.endswith("index.db: no runs\n")
