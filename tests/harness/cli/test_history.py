import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from harness.cli.main import app
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["history", *arguments, "--run-dir", str(runs)])


def test_open_cases_are_listed_over_runs(tmp_path: Path) -> None:
    """CEP-84, CEP-81"""
    stored_run(tmp_path, "1", {"A": [False], "B": [True]}, suite_cases=2)
    stored_run(tmp_path, "2", {"A": [True]}, suite_cases=2)
    stored_run(tmp_path, "3", {"B": [False]}, suite_cases=2)
    stored_run(tmp_path, "4", {"A": [False]}, suite_cases=2, decided=False)
    said = call(tmp_path, "office").output
    assert "1 open, 3 runs" in said
    assert "B  P.F  0/1 since 3" in said
    assert "2 runs of parts of the suite since all of it was run (1)" in said
    assert "mended, and the rest not run since: A (2)" in said
    assert json.loads(call(tmp_path, "office", "--json").output)["mended"] == {"A": "2"}


def test_runs_of_one_agent_are_looked_at(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [False]}, agent="oracle")
    stored_run(tmp_path, "2", {"A": [False]}, agent="echo")
    assert "office by echo: 1 open, 1 runs" in call(tmp_path, "office").output
    assert "by oracle" in call(tmp_path, "office", "--agent", "oracle", "--last", "1").output


def test_no_run_is_told(tmp_path: Path) -> None:
    assert "no finished run of suite 'office'" in str(call(tmp_path, "office").exception)


def test_a_run_of_a_part_says_that_the_rest_was_not_run(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    """CEP-81: at the end of a filtered run."""
    fixed = ["run", str(office), "--mock", mock_url, "--run-dir", str(tmp_path), "-a", "oracle"]
    part = CliRunner().invoke(app, [*fixed, "--ids", "T-001"])
    assert "of parts" not in part.output
    part = CliRunner().invoke(app, [*fixed, "--ids", "T-002"])
    assert "2 runs of parts of the suite, and none of all of it" in part.output
    whole = CliRunner().invoke(app, fixed)
    assert "of parts" not in whole.output
    again = CliRunner().invoke(app, [*fixed, "--ids", "T-001"])
    assert "1 run of parts of the suite since all of it was run (" in again.output
