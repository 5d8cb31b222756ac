"""Several agents in one command, and the table of their runs."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.run_options import parse_run_options
from harness.errors import HarnessError
from tests.harness.cli.test_compare import stored

CASE = 'id: A\ninput: "Say hello."\nexpect: {text: {contains: [hello]}}\n'


@pytest.fixture
def harness(tmp_path: Path) -> Callable[..., Any]:
    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, [*arguments, "--run-dir", str(tmp_path / "runs")])

    return call


def test_runs_of_several_agents_are_put_in_one_table(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    stored(runs, "r1", {"A": [True, True], "B": [False]})
    stored(runs, "r2", {"A": [False]})
    assert re.search(r"^A +2/2 +0/1$", harness("side-by-side", "r1", "r2").output, re.MULTILINE)
    assert "| `B` | 0/1 | - |" in harness("side-by-side", "r1", "r2", "--format", "markdown").output
    told = json.loads(harness("side-by-side", "r1", "r2", "--json").output)
    assert [column["run"] for column in told["columns"]] == ["r1", "r2"]


def test_what_cannot_be_put_in_one_table_is_told(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    stored(tmp_path / "runs", "r1", {"A": [True]})
    assert "no run 'r9'" in str(harness("side-by-side", "r9").exception)
    assert "unknown format 'html'" in str(
        harness("side-by-side", "r1", "--format", "html").exception
    )
    stored(tmp_path / "runs", "r2", {"A": [True]})
    path = tmp_path / "runs" / "r2" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    path.write_text(json.dumps(manifest | {"suite": "other"}))
    assert "of several suites" in str(harness("side-by-side", "r1", "r2").exception)


@pytest.mark.slow
def test_each_agent_has_a_run_of_its_own(harness: Callable[..., Any], tmp_path: Path) -> None:
    suite = tmp_path / "hello.yaml"
    suite.write_text(CASE)
    result = harness("run", str(suite), "--agent", "echo", "--agent", "null", "-n", "1")
    assert result.exit_code == 1
    assert re.search(r"^A +1/1 +0/1$", result.output, re.MULTILINE)
    assert re.search(
        r"^again: understudy runs compare \S+ \S+ --run-dir", result.output, re.MULTILINE
    )
    assert len(list((tmp_path / "runs").glob("*/manifest.json"))) == 2


@pytest.mark.parametrize("option", ["--resume", "--baseline"])
def test_what_is_about_one_run_goes_with_one_agent(
    option: str, harness: Callable[..., Any]
) -> None:
    result = harness("run", "x", "--agent", "echo", "--agent", "null", option, "latest")
    assert f"{option} is about one run, not several agents" in str(result.exception)


def test_other_commands_have_one_agent() -> None:
    assert parse_run_options(["x", "--agent", "echo"])[0].agent == "echo"
    assert parse_run_options(["x"])[0].agent is None
    with pytest.raises(HarnessError, match="several agents are for `understudy run`"):
        parse_run_options(["x", "--agent", "echo", "--agent", "null"])
