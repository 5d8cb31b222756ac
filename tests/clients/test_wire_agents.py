"""Agents that are reached over a wire, served by what others wrote, with scripted models."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ports import free_port

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
    command = [sys.executable, "-m", "harness", "run", str(suite), "--agent", agent]
    command += ["-n", "1", "--run-dir", str(folder), *more]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, cwd=ROOT
    )
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
