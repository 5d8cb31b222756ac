import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import Baseline, Baselines


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["baselines", *arguments, "--run-dir", str(runs)])


def test_baselines_are_listed_and_the_one_that_counts_is_marked(tmp_path: Path) -> None:
    """CTX-21"""
    for run, suite, note in [("1", "office", ""), ("2", "lab", ""), ("3", "office", "newer")]:
        made = Baseline(run=run, suite=suite, agent="echo", set_at="2026", note=note)
        Baselines(tmp_path).set(made)
    assert call(tmp_path).output.splitlines() == [
        "* lab  2  echo  2026",
        "  office  1  echo  2026",
        "* office  3  echo  2026  newer",
    ]
    told = json.loads(call(tmp_path, "--json").output)
    current = {each["run"]: each["current"] for each in told}
    assert current == {"2": True, "1": False, "3": True}


def test_none_is_told(tmp_path: Path) -> None:
    assert call(tmp_path).output.startswith("no baselines")
