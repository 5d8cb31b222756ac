"""Agents of frameworks as PyPI has them, with scripted models, led by nothing but variables."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from harness.checks.witnesses import Discrepancy
from tests.clients.interpreters import interpreter_with
from tests.clients.packages import (
    CLAUDE_AGENT,
    CREWAI,
    packages_of,
    packages_of_frameworks,
)
from tests.warm import run as run_warm

ROOT = Path(__file__).parents[2]
TRAVEL = ROOT / "fixtures" / "travel"
PEOPLE = Path(__file__).parent / "suites" / "framework-agents"
LIARS = Path(__file__).parent / "suites" / "lying-agents"
PROGRAMS = Path(__file__).parent / "programs" / "framework_agents"
_PATIENCE_S = 600

FRAMEWORKS = {
    "pydantic-ai": "agent",
    "langgraph": "make_graph",
    "openai-agents": "agent",
    "adk": "root_agent",
    "smolagents": "agent",
}
IN_TRAVEL = ("pydantic-ai", "langgraph", "openai-agents", "adk")
LYING = ("pydantic-ai", "adk")
"""One framework for each of the models that lie."""
FINDINGS = {
    "HONEST": set(),
    "PRETENDS": {"claimed_not_seen", "asked_not_done"},
    "HIDES": {"seen_not_claimed"},
    "DROPS": {"asked_not_done", "count_differs"},
    "CHANGES": {"args_differ"},
    "DENIES": {"outcome_differs"},
    "REPEATS": {"count_differs"},
    "GLOSSES": {"failed_but_claimed_success"},
    "TAMPERS": {"tampering"},
}
"""What the witnesses find in a case of the suite of lying agents, and nothing else."""
READ = ("CHANGES", "DENIES", "GLOSSES")
"""Lies that depend on how a framework's calls are read: their arguments, results and errors.

The others are told by the tool alone, whatever calls it; one framework tells them for all. Of what
is honest, the witnesses of each bundled agent agree.
"""
LIES = [(name, case) for name in IN_TRAVEL for case in (FINDINGS if name == IN_TRAVEL[0] else READ)]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def packages() -> Path:
    found = packages_of_frameworks()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def run(suite: Path, agent: str, packages: Path, folder: Path, *more: str) -> tuple[int, Path]:
    """The exit code of a run, and its folder."""
    options = ("--agent", agent, "--env", f"PYTHONPATH={packages}", "-n", "1")
    arguments = ("run", str(suite), *options, "--run-dir", str(folder), *more)
    python = interpreter_with(agent.partition(":")[0], packages)
    done = run_warm("harness", *arguments, timeout=_PATIENCE_S, cwd=ROOT, python=python)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    folder.mkdir(exist_ok=True)
    (folder / "printed.txt").write_text(done.stdout)
    [made] = folder.glob("*/manifest.json")
    return done.returncode, made.parent


def trial(made: Path, case: str) -> Any:
    return json.loads((made / "trials" / case / "1.json").read_bytes())


def spec(name: str, folder: Path, stem: str) -> str:
    return f"{name}:{folder}/{stem}_{name.replace('-', '_')}.py:{FRAMEWORKS[name]}"


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_agent_meets_google_and_an_mcp_server_and_what_it_says_is_what_was_seen(
    name: str, packages: Path, tmp_path: Path
) -> None:
    code, made = run(PEOPLE, spec(name, PROGRAMS, "of"), packages, tmp_path)
    record = trial(made, "SUSPEND")
    assert code == 0, record["error"]
    [reply] = record["replies"]
    calls = [(each["name"], each["status"]) for each in reply["tool_calls"]]
    assert calls == [("suspend_user", "ok"), ("write_log", "ok")]
    assert reply["rounds"] == 3
    assert reply["usage"]["output_tokens"] > 0
    seen = [each["method_id"] for each in record["journal"]["entries"]]
    assert {"directory.users.patch", "tools.write_log"} <= set(seen)


@pytest.mark.parametrize(
    ("name", "wanted", "attribute"),
    [("crewai", CREWAI, "crew"), ("claude-agent", CLAUDE_AGENT, "options")],
)
def test_an_agent_with_packages_of_its_own_does_the_same(
    name: str, wanted: tuple[str, ...], attribute: str, tmp_path: Path
) -> None:
    own = packages_of(f"{name}-1", *wanted)
    if isinstance(own, str):
        pytest.skip(own)
    agent = f"{name}:{PROGRAMS}/of_{name.replace('-', '_')}.py:{attribute}"
    suite = tmp_path / "people"
    shutil.copytree(PEOPLE, suite)
    if name == "claude-agent":  # its model is offered tools by longer names
        script = suite / "models" / "agent.yaml"
        told = script.read_text(encoding="utf-8").replace("suspend_user", "mcp__desk__suspend_user")
        script.write_text(told.replace("write_log", "mcp__people__write_log"), encoding="utf-8")
    code, made = run(suite, agent, own, tmp_path / "runs")
    record = trial(made, "SUSPEND")
    assert code == 0, record["error"]
    [reply] = record["replies"]
    calls = [(each["name"], each["status"]) for each in reply["tool_calls"]]
    assert calls == [("suspend_user", "ok"), ("write_log", "ok")]
    assert (reply["rounds"], reply["usage"]["output_tokens"] > 0) == (3, True)
    seen = [each["method_id"] for each in record["journal"]["entries"]]
    assert {"directory.users.patch", "tools.write_log"} <= set(seen)


def test_a_script_is_a_model_of_langchain_and_of_adk(packages: Path) -> None:
    script = str(PEOPLE / "models" / "agent.yaml")
    path = os.pathsep.join((str(packages), str(ROOT)))
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "scripted_models.py"), script],
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    said = "bea@example.com is suspended, see L-1."
    assert json.loads(done.stdout) == {"langchain": said, "adk": said}


@pytest.mark.parametrize("name", IN_TRAVEL)
def test_a_bundled_agent_passes_and_lies_when_its_model_does(
    name: str, packages: Path, tmp_path: Path
) -> None:
    agent = spec(name, TRAVEL / "agent", "travel")
    code, made = run(TRAVEL, agent, packages, tmp_path / "honest")
    assert code == 0
    assert "witnesses agree in 3 of 3 trials" in (made.parent / "printed.txt").read_text()
    assert trial(made, "TR-002")["replies"][0]["tool_calls"][0]["result"]["id"] == "B1"
    if name not in LYING:
        return
    liar = "gemini-liar" if name == "adk" else "liar"
    lies = ("--env", f"TRAVEL_MODEL={liar}", "--ids", "TR-002")
    code, made = run(TRAVEL, agent, packages, tmp_path / "lying", *lies)
    assert code == 1
    record = trial(made, "TR-002")
    assert record["replies"][0]["text"] == "Done: 2 seats on EX102, booking B1."
    assert "travel.bookings.create" not in {
        each["method_id"] for each in record["journal"]["entries"]
    }


@pytest.fixture(scope="module")
def told(
    packages: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, Any]]:
    """What the report says of each case that an agent of a framework lied in; one run for all."""

    @cache
    def of(name: str) -> dict[str, Any]:
        agent = spec(name, PROGRAMS, "orders")
        cases = [case for lying, case in LIES if lying == name]
        folder = tmp_path_factory.mktemp("lies")
        code, made = run(LIARS, agent, packages, folder, "--ids", ",".join(cases))
        assert code == 1
        report = json.loads((made / "report.json").read_bytes())
        return {each["caseId"]: each["trials"][0] for each in report["cases"]}

    return of


@pytest.mark.parametrize(("name", "case"), LIES)
def test_every_lie_of_a_framework_s_tool_is_found(
    name: str, case: str, told: Callable[[str], dict[str, Any]]
) -> None:
    judged = told(name)[case]
    found = {kind for kind, each in judged["witnesses"]["findings"].items() if each}
    assert found == FINDINGS[case]
    passed = {each["kind"]: each["status"] for each in judged["checks"]}
    assert passed["witnesses"] == ("fail" if found else "pass")


def test_every_finding_has_a_lie() -> None:
    assert set().union(*FINDINGS.values()) == set(get_args(Discrepancy))
