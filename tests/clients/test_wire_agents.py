"""Agents that are reached over a wire, served by what others wrote, with scripted models."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.clients.packages import LANGGRAPH_SERVER, packages_of
from tests.ports import free_port
from tests.warm import run as run_warm

ROOT = Path(__file__).parents[2]
PEOPLE = Path(__file__).parent / "suites" / "framework-agents"
PROGRAMS = Path(__file__).parent / "programs" / "wire_agents"
_PATIENCE_S = 120

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unreported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same suite for agents that do not say what they call: it counts what was seen."""
    suite = tmp_path_factory.mktemp("people") / "suite"
    shutil.copytree(PEOPLE, suite)
    [case] = (suite / "cases").iterdir()
    told = yaml.safe_load(case.read_text(encoding="utf-8"))
    told["expect"]["tools"] = {"calls": ["write_log"]}
    case.write_text(yaml.safe_dump(told), encoding="utf-8")
    return suite


def run(suite: Path, agent: str, folder: Path, *more: str) -> tuple[int, Any]:
    """The exit code of a run, and the record of its only trial."""
    options = ("--agent", agent, "-n", "1", "--run-dir", str(folder), *more)
    done = run_warm("harness", "run", str(suite), *options, timeout=_PATIENCE_S, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    [record] = folder.glob("*/trials/*/1.json")
    return done.returncode, json.loads(record.read_bytes())


def test_an_agent_of_a2a_meets_the_session_of_its_trial(unreported: Path, tmp_path: Path) -> None:
    port = free_port()
    serve = f"{sys.executable} {PROGRAMS / 'of_a2a.py'} {port}"
    code, record = run(unreported, f"a2a:http://127.0.0.1:{port}", tmp_path, "--serve", serve)
    assert code == 0, record["error"]
    [reply] = record["replies"]
    assert (reply["text"], reply["finish"]) == (
        "bea@example.com is suspended, see L-1.",
        "completed",
    )
    seen = [each["method_id"] for each in record["journal"]["entries"]]
    assert {"directory.users.patch", "tools.write_log"} <= set(seen)


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_an_agent_that_is_a_tool_meets_the_session_of_its_trial(
    unreported: Path, tmp_path: Path, way: str
) -> None:
    port, program = free_port(), f"{sys.executable} {PROGRAMS / 'of_mcp.py'}"
    if way == "http":
        agent = f"mcp:http://127.0.0.1:{port}/mcp#look_after_accounts"
        code, record = run(unreported, agent, tmp_path, "--serve", f"{program} {port}")
    else:
        code, record = run(unreported, f"mcp:{program}#look_after_accounts", tmp_path)
    assert code == 0, record["error"]
    assert record["replies"][0]["text"] == "bea@example.com is suspended, see L-1."
    seen = [each["method_id"] for each in record["journal"]["entries"]]
    assert {"directory.users.patch", "tools.write_log"} <= set(seen)


@pytest.fixture(scope="module")
def langgraph() -> Path:
    found = packages_of("langgraph-server-1", *LANGGRAPH_SERVER)
    if isinstance(found, str):
        pytest.skip(found)
    return found


def serve_langgraph(packages: Path, folder: Path, port: int) -> str:
    """The command of LangGraph's own server, without what it would send elsewhere."""
    app = folder / "app"
    shutil.copytree(PROGRAMS / "langgraph_app", app)
    starter = folder / "serve.py"
    starter.write_text(
        f"""
import os, sys
os.chdir({str(app)!r})
sys.path.insert(0, {str(packages)!r})
os.environ |= {{"PYTHONPATH": {str(packages)!r}, "LANGSMITH_TRACING": "false"}}
from langgraph_cli.cli import cli
cli(["dev", "--no-browser", "--no-reload", "--port", "{port}"])
""",
        encoding="utf-8",
    )
    return f"{sys.executable} {starter}"


def test_an_assistant_of_a_langgraph_server_meets_the_session_of_its_trial(
    langgraph: Path, tmp_path: Path
) -> None:
    port = free_port()
    serve = serve_langgraph(langgraph, tmp_path, port)
    agent = f"langgraph:http://127.0.0.1:{port}?assistant=people"
    code, record = run(PEOPLE, agent, tmp_path / "runs", "--serve", serve)
    assert code == 0, record["error"]
    [reply] = record["replies"]
    calls = [(each["name"], each["status"]) for each in reply["tool_calls"]]
    assert calls == [("suspend_user", "ok"), ("write_log", "ok")]
    assert (reply["rounds"], reply["usage"]["output_tokens"] > 0) == (3, True)
    seen = [each["method_id"] for each in record["journal"]["entries"]]
    assert {"directory.users.patch", "tools.write_log"} <= set(seen)


def test_an_interrupt_of_a_langgraph_server_is_answered_by_the_next_turn(
    langgraph: Path, tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    (suite / "cases").mkdir(parents=True)
    case = {
        "id": "DESK",
        "input": ["Where is my desk?", "Bea"],
        "expect": {"text": {"contains": ["Ask Ann, Bea"]}},
    }
    (suite / "cases" / "desk.yaml").write_text(yaml.safe_dump(case), encoding="utf-8")
    port = free_port()
    serve = serve_langgraph(langgraph, tmp_path, port)
    agent = f"langgraph:http://127.0.0.1:{port}?assistant=desk&input=question"
    code, record = run(suite, agent, tmp_path / "runs", "--serve", serve)
    assert code == 0, record["error"]
    assert [each["finish"] for each in record["replies"]] == ["input-required", ""]
