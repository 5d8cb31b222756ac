"""Each exit code through the real command, with what it says."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.commands import HARNESS, Finished, clean_environment, harness
from tests.acceptance.conftest import Mock
from tests.casefiles import put
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow

AGENT = """
import os, time

def good(messages, environment):
    return "fine"

def bad(messages, environment):
    return "dunno"

def slow(messages, environment):
    time.sleep(2)  # many of them: the run is not over before it is stopped
    return "fine"
"""
FINE = {"text": {"contains": ["fine"]}}


@pytest.fixture
def folder(tmp_path: Path, mock: Mock) -> Path:
    case = {"id": "X-001", "title": "x", "input": "Well?", "expect": FINE}
    put(tmp_path / "suite" / "cases.yaml", json.dumps({"cases": [case]}))
    put(tmp_path / "suite" / "base" / "tenant.json", "{}")
    budget = {**case, "expect": {"budget": {"tokens": 100}}}
    put(tmp_path / "unknown" / "cases.yaml", json.dumps({"cases": [budget]}))
    put(tmp_path / "agent.py", AGENT)
    put(tmp_path / "mock.txt", f"{mock.url} {mock.token}")
    return tmp_path


def run(folder: Path, agent: str, *more: str, suite: str = "suite") -> Finished:
    mock, token = (folder / "mock.txt").read_text(encoding="utf-8").split()
    command = ("run", suite, "--mock", mock, "-a", agent, *more)
    return harness(folder, *command, MOCKSERVER_TOKEN=token)


@pytest.mark.parametrize(
    ("code", "agent", "suite", "more", "said"),
    [
        pytest.param(0, "python:agent:good", "suite", (), "cases  1/1", id="0"),
        pytest.param(1, "python:agent:bad", "suite", (), "exit 1: 1 of 1 cases", id="1"),
        pytest.param(2, "echo", "suite", ("--ids", "X-01"), "did you mean 'X-001'", id="2"),
        pytest.param(
            3, "http://127.0.0.1:9/", "suite", ("--retries", "0"), "exit 3: no valid trial", id="3"
        ),
        pytest.param(5, "python:agent:good", "unknown", (), "exit 5: inconclusive: X-001", id="5"),
        pytest.param(
            0, "echo", "suite", ("--shard", "2/2", "--allow-empty"), "cases  no pass rate",
            id="0 of nothing",
        ),
    ],
)  # fmt: skip
def test_a_run_exits_with_what_came_of_it(
    folder: Path, code: int, agent: str, suite: str, more: tuple[str, ...], said: str
) -> None:
    finished = run(folder, agent, *more, suite=suite)
    assert (finished.code, said in finished.said) == (code, True), finished.said


def test_a_regression_exits_with_4(folder: Path) -> None:
    """1 wins over 4; under a policy that lets the case pass, only the regression is left."""
    assert run(folder, "python:agent:good", "-n", "9").code == 0
    worse = put(folder / "agent.py", AGENT.replace('"dunno"', '"fine" if _n() else "dunno"'))
    counting = "\nfrom itertools import count\nall_ = count()\ndef _n(): return next(all_) < 1\n"
    put(worse, worse.read_text(encoding="utf-8") + counting)
    order = ("-n", "9", "--policy", "0.1", "--baseline", "latest", "--no-isolate")
    finished = run(folder, "python:agent:bad", *order)
    assert finished.code == 4, finished.said
    assert "exit 4:" in finished.stdout


def test_invalid_cases_exit_with_2_though_the_valid_ones_are_run(folder: Path) -> None:
    """Pitfall 22."""
    put(folder / "suite" / "bad.yaml", "id: X-002\ninput: Well?\nexpects: {}\n")
    refused = run(folder, "python:agent:good", "--all-or-nothing")
    assert (refused.code, "expects" in refused.stderr) == (2, True), refused.said
    assert not (folder / "runs").exists()
    finished = run(folder, "python:agent:good")
    assert (finished.code, "cases  1/1" in finished.stdout) == (2, True), finished.said
    assert "exit 2: invalid, and left out:" in finished.stdout


def test_an_interrupted_run_exits_with_130_and_is_finished_later(folder: Path) -> None:
    mock, token = (folder / "mock.txt").read_text(encoding="utf-8").split()
    command = [*HARNESS, "run", "suite", "--mock", mock, "-a", "python:agent:slow", "-n", "20"]
    running = subprocess.Popen(
        [*command, "-j", "1"], cwd=folder, env=clean_environment(MOCKSERVER_TOKEN=token),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    wait_until(lambda: list(folder.glob("runs/*/trials/X-001/1.json")))
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130, said
    assert "finish it with: understudy run --resume" in said
    (path,) = (folder / "runs").iterdir()
    put(folder / "agent.py", AGENT.replace("sleep(2)", "sleep(0)"))
    again = harness(folder, "run", "--resume", str(path), "--mock", mock, MOCKSERVER_TOKEN=token)
    assert (again.code, again.report["summary"]["trials"]["pass"]) == (0, 20), again.said
