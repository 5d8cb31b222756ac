from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import Baselines
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["baseline", *arguments, "--run-dir", str(runs)])


def test_a_run_is_made_the_baseline_of_its_suite_and_unmade(tmp_path: Path) -> None:
    """CTX-27"""
    stored_run(tmp_path, "1", {"A": [True]})
    assert call(tmp_path, "latest", "--note", "ok").output == "run 1 is the baseline of office\n"
    kept = Baselines(tmp_path).of("office")
    assert kept is not None
    assert kept.note == "ok"
    assert kept.set_at.endswith("Z")
    assert call(tmp_path, "1", "--remove").output == "run 1 is no baseline of office any more\n"
    assert Baselines(tmp_path).all() == ()


def test_a_run_without_a_valid_trial_is_refused(tmp_path: Path) -> None:
    """Pitfall 5, CSR-29"""
    stored_run(tmp_path, "1", {"A": [None]})
    assert "no valid trial" in str(call(tmp_path, "1").exception)
