import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.storage import Baseline, Baselines
from tests.runfolders import stored_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    stored_run(tmp_path, "1", {"A": [True, False], "B": [True]}, note="first")
    stored_run(tmp_path, "2", {"A": [True, None]}, agent="command:" + "x" * 60, trials={"A": 3})
    Baselines(tmp_path).set(Baseline(run="1", suite="office"))
    return tmp_path


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["runs", "--run-dir", str(runs), *arguments])


def test_runs_are_listed_with_their_rates(runs: Path) -> None:
    """CTX-32, CTXR-02"""
    lines = call(runs).output.splitlines()
    assert lines[0].split() == ["run", "suite", "agent", "cases", "trials", "rate"]
    assert lines[1].split()[3:] == ["1/1", "1/1", "1.000", "unfinished,", "1", "infra"]
    assert lines[1].split()[2].endswith("xxx...")
    assert lines[2].split()[3:] == ["1/2", "2/3", "0.750", "baseline,", "first"]


def test_runs_are_told_as_json(runs: Path) -> None:
    found = json.loads(call(runs, "--json", "--suite", "fixtures/office", "--limit", "1").output)
    assert [run["run"] for run in found] == ["2"]
    assert found[0]["suitePath"] == "fixtures/office"
    assert json.loads(call(runs, "--json", "--before", "2").output)[0]["baseline"] is True


def test_no_runs_are_no_mistake(tmp_path: Path) -> None:
    assert call(tmp_path).output == "no runs\n"


def test_a_broken_run_is_a_warning(runs: Path) -> None:
    (runs / "1" / "manifest.json").write_text("{", encoding="utf-8")
    result = call(runs)
    assert result.exit_code == 0
    assert "warning: run 1: " in result.output


def test_a_database_that_is_down_is_told(runs: Path) -> None:
    result = call(runs, "--db", "postgresql://u:s3cret@127.0.0.1:9/d")
    assert "cannot be used" in str(result.exception)
    assert "s3cret" not in str(result.exception)
