"""Unchanged agents on a declared API, in its own name or behind MCP: the good pass, liars fail."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.acceptance.commands import Finished, harness

pytestmark = pytest.mark.slow

SUITE = Path(__file__).parents[2] / "fixtures" / "travel"
PROGRAMS = Path(__file__).parent / "programs"
AGENTS = {
    "requests": f"{sys.executable} {PROGRAMS / 'travel_requests.py'}",
    "fetch": f"node {PROGRAMS / 'travel_fetch.mjs'}",
}
SESSION = ["--url", "${MOCK_SERVER_URL}", "--session", "${MOCK_SESSION}"]
SERVERS = {
    "http": {"url": "${MOCK_SERVER_URL}/s/${MOCK_SESSION}/mcp"},
    "stdio": {"command": sys.executable, "args": ["-m", "mockserver", "mcp", *SESSION]},
}
"""How the configuration of an MCP client names the server: variables are those of the trial."""

USES = {
    "TR-001": ("search_flights", {"server_requests"}),
    "TR-002": ("book_flight", {"server_requests", "server_state"}),
    "TR-003": ("cancel_booking", {"server_requests", "server_state"}),
}
"""The tool that a case takes, and the checks that tell who lies about it."""

KINDS = [("good", 3), ("liar", 0)]


@pytest.mark.parametrize("client", sorted(AGENTS))
@pytest.mark.parametrize(("kind", "passed"), KINDS)
def test_good_agents_pass_and_liars_fail(
    client: str, kind: str, passed: int, tmp_path: Path
) -> None:
    if client == "fetch" and shutil.which("node") is None:
        pytest.skip("there is no Node here")
    agent = f"command:{AGENTS[client]} {kind}"
    done = harness(tmp_path, "run", str(SUITE), "--agent", agent)
    assert done.code == (0 if passed else 1), done.said
    assert f"cases  {passed}/3" in done.said


def run_function(folder: Path, name: str, *options: str) -> Finished:
    agent = f"python:travel_function:{name}"
    return harness(folder, "run", str(SUITE), "--agent", agent, *options, PYTHONPATH=str(PROGRAMS))


def test_functions_meet_it_with_clients_that_read_no_variables(tmp_path: Path) -> None:
    done = run_function(tmp_path, "answer")
    assert "cases  3/3" in done.said, done.said


def test_a_host_that_the_suite_does_not_know_says_what_would_serve_it(tmp_path: Path) -> None:
    done = run_function(tmp_path, "lost", "--ids", "TR-001")
    trial = done.trial("TR-001")
    assert trial["outcome"] == "agent_error"
    for told in (trial["error"], trial["journal"]["entries"][0]["miss"]["reason"]):
        assert "api.unknown.example is not emulated" in told
        assert "hosts: [api.unknown.example]" in told


def test_tools_are_perturbed_and_counted_under_their_own_names(tmp_path: Path) -> None:
    configuration = tmp_path / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"travel": SERVERS["http"]}}))
    agent = f"command:{sys.executable} {PROGRAMS / 'travel_mcp.py'} good {configuration}"
    options = ("--ids", "TR-001", "--perturb-tools", "reordered,undescribed,distractors=2")
    done = harness(tmp_path, "run", str(SUITE), "--agent", agent, *options)
    assert "cases  1/1" in done.said, done.said
    manifest = json.loads((done.run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["options"]["perturbed"]["distractors"] == 2


@pytest.mark.parametrize(
    ("server", "kind", "passed"), [("http", "good", 3), ("stdio", "good", 3), ("http", "liar", 0)]
)
def test_good_agents_behind_mcp_pass_and_liars_fail(
    server: str, kind: str, passed: int, tmp_path: Path
) -> None:
    configuration = tmp_path / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"travel": SERVERS[server]}}))
    agent = f"command:{sys.executable} {PROGRAMS / 'travel_mcp.py'} {kind} {configuration}"
    done = harness(tmp_path, "run", str(SUITE), "--agent", agent)
    assert done.code == (0 if passed else 1), done.said
    assert f"cases  {passed}/3" in done.said
    for case, (tool, evidence) in USES.items():
        assert (f"tools.{tool}" in methods_seen(done, case)) == bool(passed)
        assert failed_checks(done, case) == (set() if passed else evidence)


def methods_seen(done: Finished, case: str) -> set[str]:
    return {entry["method_id"] for entry in done.trial(case)["journal"]["entries"]}


def failed_checks(done: Finished, case: str) -> set[str]:
    [found] = [each for each in done.report["cases"] if each["caseId"] == case]
    checks = found["trials"][0]["checks"]
    return {check["kind"] for check in checks if check["status"] == "fail"}


def test_the_world_is_declared_in_under_40_lines() -> None:
    (declaration,) = (SUITE / "apis").iterdir()
    assert len(declaration.read_text(encoding="utf-8").splitlines()) < 40
