"""The bundled suite through the real command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cases import load_suite
from harness.model import Reply
from harness.verdicts import decide_trial
from tests.harness.demo.sre.conftest import SUITE
from tests.harness.records import record
from tests.patience import PATIENCE_S

CRASHING = "def answer(messages, environment):\n    raise RuntimeError('fell over')\n"


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "harness",
        "run",
        str(SUITE),
        "--run-dir",
        str(folder / "runs"),
    ]
    return subprocess.run(
        [*command, "--json-output", str(folder / "report.json"), *options],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=folder,
    )  # fmt: skip


@pytest.mark.slow  # 21 trials; a suite of one case goes the same way in the tests of the commands
def test_one_command_runs_every_file_and_prints_a_summary(tmp_path: Path) -> None:
    """SRE-01, SRE-12, SRER-01: the schema is real; the oracle passes, the exit code is 0."""
    ended = run(tmp_path, "--agent", "oracle")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for line in ("basic_capabilities", "metrics_analysis", "tool_selection", "cases  21/21"):
        assert line in ended.stdout


def test_a_crash_is_an_execution_failure_and_fails_the_run(tmp_path: Path) -> None:
    """SRE-11, SRER-11: told as the agent's error with its reason, and the exit code is 1."""
    (tmp_path / "crashing.py").write_text(CRASHING, encoding="utf-8")
    ended = run(tmp_path, "--agent", "python:crashing:answer", "--ids", "current-time")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "agent error" in ended.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["cases"][0]["trials"][0]["trialStatus"] == "agent_error"
    assert "RuntimeError: fell over" in ended.stdout


@pytest.mark.parametrize("echo", [False, True], ids=["null", "echo"])
def test_agents_that_know_nothing_pass_nothing(echo: bool) -> None:
    for case in load_suite(SUITE).cases:
        replies = [
            Reply(turn=number, prompt=turn.user, text=turn.user if echo else "")
            for number, turn in enumerate(case.turns, start=1)
        ]
        assert decide_trial(case, record(*replies, case=case.id)).status == "fail", case.id
