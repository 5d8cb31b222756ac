"""MCP's conformance suite and inspector, as npm has them, against a suite of data alone."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver.client import MockServer
from mockserver.model import SessionSpec
from tests import warm
from tests.clients.node import modules_of

SUITE = Path(__file__).parent / "suites" / "mcp-conformance"
CONFORMANCE = "@modelcontextprotocol/conformance@0.1.13"
INSPECTOR = "@modelcontextprotocol/inspector@0.15.0"
"""Versions that run on Node 20, too."""

SCENARIOS = 30
_PATIENCE_S = 300

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def modules() -> Path:
    found = modules_of(CONFORMANCE, INSPECTOR)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(SUITE, options=()))
        info = runner.run(server.open(SessionSpec()))
        yield f"{info.base_url}/mcp"
        runner.run(server.close())


def run(modules: Path, name: str, *arguments: str) -> str:
    command = ["node", str(modules / ".bin" / name), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, cwd=modules
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_conformance_suite_passes(modules: Path, endpoint: str) -> None:
    lines = run(modules, "conformance", "server", "--url", endpoint).splitlines()
    summary = lines[lines.index("=== SUMMARY ===") :]
    passed = [line for line in summary if line.startswith("✓")]
    assert len(passed) >= SCENARIOS, summary
    assert summary[-1].endswith(" 0 failed"), summary


CALLS: list[tuple[tuple[str, ...], str]] = [
    (("tools/list",), "test_simple_text"),
    (("tools/call", "--tool-name", "test_simple_text"), "simple text response"),
    (("tools/call", "--tool-name", "test_error_handling"), "intentionally returns an error"),
    (("resources/list",), "test://static-text"),
    (("resources/read", "--uri", "test://template/7/data"), "Data for ID: 7"),
    (("resources/templates/list",), "test://template/{id}/data"),
    (("prompts/list",), "test_simple_prompt"),
    (
        (
            *("prompts/get", "--prompt-name", "test_prompt_with_arguments"),
            *("--prompt-args", "arg1=a", "arg2=b"),
        ),
        "arg1='a', arg2='b'",
    ),
]  # fmt: skip


IDS = [" ".join(call) for call, _ in CALLS]
OF_A_PROGRAM = {"tools/call": CALLS[2], "resources/read": CALLS[4], "prompts/get": CALLS[7]}
"""What is asked of a program, too: its answers are those of the endpoint."""


@pytest.mark.parametrize(("call", "told"), CALLS, ids=IDS)
def test_the_inspector_gets_its_answers(
    modules: Path, endpoint: str, call: tuple[str, ...], told: str
) -> None:
    target = (endpoint, "--transport", "http")
    assert told in inspected(modules, target, call)


@pytest.mark.parametrize(("call", "told"), OF_A_PROGRAM.values(), ids=OF_A_PROGRAM)
def test_the_inspector_gets_its_answers_of_a_program(
    modules: Path, call: tuple[str, ...], told: str
) -> None:
    command = (str(warm.programs() / "mockserver"), "mcp", str(SUITE))
    assert told in inspected(modules, command, call)


def inspected(modules: Path, target: tuple[str, ...], call: tuple[str, ...]) -> str:
    said = run(modules, "mcp-inspector", "--cli", *target, "--method", *call)
    return json.dumps(json.loads(said))


def test_the_suite_has_nothing_to_complain_of() -> None:
    done = warm.run("mockserver", "snapshot", "lint", str(SUITE))
    assert done.returncode == 0, done.stdout + done.stderr
