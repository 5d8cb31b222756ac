import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import Baseline, Baselines
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


def baselines_call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["baselines", *arguments, "--run-dir", str(runs)])


def test_baselines_are_listed_and_the_one_that_counts_is_marked(tmp_path: Path) -> None:
    """CTX-21"""
    for run, suite, note in [("1", "office", ""), ("2", "lab", ""), ("3", "office", "newer")]:
        made = Baseline(run=run, suite=suite, agent="echo", set_at="2026", note=note)
        Baselines(tmp_path).set(made)
    assert baselines_call(tmp_path).output.splitlines() == [
        "* lab  2  echo  2026",
        "  office  1  echo  2026",
        "* office  3  echo  2026  newer",
    ]
    told = json.loads(baselines_call(tmp_path, "--json").output)
    current = {each["run"]: each["current"] for each in told}
    assert current == {"2": True, "1": False, "3": True}


def test_none_is_told(tmp_path: Path) -> None:
    assert baselines_call(tmp_path).output.startswith("no baselines")
