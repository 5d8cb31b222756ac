from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cases import load_suite
from harness.cli.main import app

SRE = Path(__file__).parents[3] / "fixtures" / "sre"


def test_a_suite_is_converted_with_the_variables_that_are_given(tmp_path: Path) -> None:
    """SRER-07: `--var` reaches the cases."""
    out = tmp_path / "native"
    command = ["import", str(SRE), "--out", str(out), "--var", "PROJECT_ID=other-prod"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert f"21 cases of format sre written to {out}" in result.output
    case = next(case for case in load_suite(out).cases if case.id == "project-number")
    assert case.turns[0].user == "What is the project number of other-prod?"


def test_the_folder_s_name_is_the_suite_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["import", str(SRE / "tool_selection.test.json")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tool_selection-native" / "cases" / "one-trace.yaml").is_file()


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--to", "junit"], "cannot write format"), (["--var", "x"], "not written NAME=VALUE")],
)
def test_what_makes_no_sense_is_refused(options: list[str], said: str, tmp_path: Path) -> None:
    command = ["import", str(SRE), "--out", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(app, command)
    assert said in str(result.exception)
    assert not (tmp_path / "out").exists()
