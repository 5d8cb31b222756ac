"""The schedule of docs/how-to/ci.md that makes cases of last night's failures, as its step runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import told_traces as told

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "failures" / "learn.sh"
PAGE = ROOT / "docs" / "how-to" / "ci.md"

pytestmark = pytest.mark.slow


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def learned(project: Path) -> tuple[int, str, str]:
    """The step's exit code, how many cases it found, and what the pull request says."""
    runner = project.parent / "runner"
    runner.mkdir(exist_ok=True)
    output = runner / "output"
    output.write_text("")
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TRACES": str(project.parent / "traces.jsonl"),
        "SUITE": "evals",
        "ONLY": "failed",
        "RUNNER_TEMP": str(runner),
        "GITHUB_OUTPUT": str(output),
        "MOCKSERVER_REDACTION_KEY": "ab" * 32,
    }
    done = subprocess.run(
        [SCRIPT], cwd=project, env=env, check=False, capture_output=True, text=True
    )
    body = runner / "failures.md"
    told_by = body.read_text() if body.exists() else done.stdout + done.stderr
    return done.returncode, output.read_text().strip(), told_by


def test_failures_become_cases_once_and_a_quiet_night_is_no_failure(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    failing = told.otlp("aa01")
    span = failing["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    span["status"] = {"code": 2, "message": "the shop did not answer"}
    traces = tmp_path / "traces.jsonl"
    traces.write_text(json.dumps(told.otlp("aa02")) + "\n", encoding="utf-8")
    assert learned(project)[:2] == (0, "cases=0")
    traces.write_text(f"{json.dumps(told.otlp('aa02'))}\n{json.dumps(failing)}\n", "utf-8")
    code, cases, body = learned(project)
    assert (code, cases) == (0, "cases=1"), body
    assert "* `evals/cases/please-refund-order" in body
    git(project, "add", ".")
    git(project, "commit", "-qm", "cases")
    code, cases, body = learned(project)
    assert (code, cases) == (0, "cases=0")
    assert "covered already" in body
    traces.write_text("{}", encoding="utf-8")
    assert learned(project)[0] == 2


def test_the_page_names_the_inputs_of_the_action() -> None:
    action = yaml.safe_load((ROOT / ".ci" / "failures" / "action.yml").read_text())
    page = PAGE.read_text(encoding="utf-8").partition("## Last night's failures")[2]
    assert all(f"`{name}`" in page for name in action["inputs"])
