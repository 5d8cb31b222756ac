"""Tools inside agents of frameworks as PyPI has them: a session answers, or lets them run."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.clients.packages import (
    AGENT_FRAMEWORK,
    AUTOGEN,
    CLAUDE_AGENT,
    CREWAI,
    STRANDS,
    packages_of,
    packages_of_frameworks,
)

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "clients" / "programs" / "framework_agents" / "tools_of_frameworks.py"
FRAMEWORKS: dict[str, Callable[[], Path | str]] = {
    "langchain": packages_of_frameworks,
    "openai_agents": packages_of_frameworks,
    "adk": packages_of_frameworks,
    "smolagents": packages_of_frameworks,
    "crewai": partial(packages_of, "crewai-1", *CREWAI),
    "claude_agent": partial(packages_of, "claude-agent-1", *CLAUDE_AGENT),
    "strands": partial(packages_of, "strands-1", *STRANDS),
    "autogen": partial(packages_of, "autogen-1", *AUTOGEN),
    "agent_framework": partial(packages_of, "agent-framework-1", *AGENT_FRAMEWORK),
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_tool_is_answered_or_runs_and_the_session_is_told(name: str, tmp_path: Path) -> None:
    packages = FRAMEWORKS[name]()
    if isinstance(packages, str):
        pytest.skip(packages)
    done = subprocess.run(
        [sys.executable, PROGRAM, name],
        env={"PYTHONPATH": f"{packages}:{ROOT}", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["told"] == [{"mocked": 5}, {"ran": 5}]
    assert found["ran"] == [5]
    shown = [(verb, tool) for verb, tool, _ in found["sent"]]
    assert shown == [("POST", "pay"), ("POST", "pay"), ("PUT", "pay")]
    assert all(body["cents"] == 5 for verb, _, body in found["sent"] if verb == "POST")
