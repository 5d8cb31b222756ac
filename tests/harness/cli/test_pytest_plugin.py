"""Cases of a suite as tests, as a project would run them: pytest in a process of its own."""

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.mockserver.conftest import write_suite

pytestmark = pytest.mark.slow

CASES = """
cases:
  - id: T-001
    title: The units
    input: Which org units are there?
    tags: [smoke]
    expect:
      text: {contains: [Eng]}
      server: {requests: [{method: directory.orgunits.list}]}
  - id: T-002
    input: Where is nobody?
    expect:
      text: {contains: ["no such user"]}
  - id: T-003
    input: Break.
    expect:
      text: {contains: [x]}
"""
AGENT = """
import urllib3

BASE = "https://admin.googleapis.com/admin/directory/v1"

def answer(messages, environment):
    asked = messages[-1]["content"]
    if "Break" in asked:
        raise ValueError("broken")
    with urllib3.PoolManager() as http:
        if "units" in asked:
            return str(http.request("GET", f"{BASE}/customer/my_customer/orgunits?type=all").json())
        http.request("GET", f"{BASE}/users/nobody")
        return "somewhere"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    suite = write_suite(folder / "units")
    shutil.rmtree(suite / "EC-001")
    (suite / "cases.yaml").write_text(CASES, encoding="utf-8")
    (folder / "my_agent.py").write_text(AGENT, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return folder


PLUGIN = "harness.cli.pytest_plugin"


def ran(project: Path, *arguments: str) -> str:
    known = {each.value for each in entry_points(group="pytest11")}
    plugin = [] if PLUGIN in known else ["-p", PLUGIN]
    command = [sys.executable, "-m", "pytest", "-rA", "--tb=short", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *plugin, *arguments], cwd=project, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


ARGS = ("--agent", "python:my_agent:answer")


@pytest.fixture(scope="module")
def outcome(project: Path) -> str:
    return ran(project, "units", *ARGS, "--agent-args=--intercept")


def test_each_case_is_a_test(outcome: str) -> None:
    assert "PASSED units::T-001" in outcome, outcome
    assert "FAILED units::T-002 - T-002 failed: the reply lacks" in outcome
    assert "FAILED units::T-003" in outcome


@pytest.mark.parametrize(
    "told",
    [
        "T-002 failed",
        "trial 1: fail",
        "no such user",
        "turn 1 was answered: 'somewhere'",
        "trial 1: agent_error",
        "ValueError: broken",
        "mock: 1 request, 1 without an answer",
        "fixture_gap: no 'nobody' in this session",
    ],
)
def test_a_failure_says_why(outcome: str, told: str) -> None:
    assert told in outcome


def test_a_case_is_run_by_its_name_and_a_tag_selects(project: Path) -> None:
    one = ran(project, "units", "-k", "T-001", *ARGS, "--agent-args=--intercept -n 2")
    assert "1 passed" in one, one
    tagged = ran(project, "units", *ARGS, "--agent-args=--intercept", "-k", "smoke")
    assert "1 passed, 2 deselected" in tagged, tagged


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--agent-args=-n 2",), "--agent-args needs --agent"),
        ((*ARGS, "--agent-args=--nonsense"), "--agent-args: No such option"),
        ((*ARGS, "--agent-args=--trials many"), "--agent-args: Invalid value"),
        ((*ARGS, "--agent-args=--resume x"), "--resume is for `understudy run`"),
        ((*ARGS, "--agent-args=--ids T-999"), "T-999"),
        (("--agent", "python:nothing:here"), "cannot import the agent 'nothing'"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(project: Path, options: tuple[str, ...], says: str) -> None:
    said = ran(project, "units", "-k", "T-001", *options)
    assert says in said
    assert "INTERNALERROR" not in said


def test_without_an_agent_nothing_is_collected(project: Path) -> None:
    assert "no tests" in ran(project, "units")


def test_a_suite_that_is_a_file_is_collected(project: Path) -> None:
    file = project / "more.yaml"
    file.write_text("cases:\n  - {id: F-1, input: Hi, expect: {text: {contains: [Hi]}}}\n")
    assert "1 passed" in ran(project, "more.yaml", "--agent", "echo")


def test_a_broken_suite_is_an_error_of_collection(project: Path) -> None:
    (project / "broken.yaml").write_text("cases:\n  - {id: F-1, input: Hi, expects: {}}\n")
    said = ran(project, "broken.yaml", "--agent", "echo")
    assert "ERROR" in said
    assert "expects" in said
