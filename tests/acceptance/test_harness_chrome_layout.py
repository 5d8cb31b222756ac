"""The chrome layout, spelling and variables, through the real command."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.chrome_suite import BASE, OVERRIDES, PROMPT, chrome_suite
from tests.acceptance.commands import HARNESS, clean_environment, harness
from tests.harness.conftest import serving
from tests.patience import PATIENCE_S
from tests.ports import free_port

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return chrome_suite(tmp_path)


@pytest.fixture
def port() -> int:
    return free_port()


def served(port: int) -> dict[str, str]:
    """The variables that start the agent's own server, at CHAT_URL."""
    return {
        "CHAT_URL": f"http://127.0.0.1:{port}/api/chat",
        "EVAL_SERVE": f"{sys.executable} agent.py {port}",
    }


def seen(folder: Path) -> list[Any]:
    """The requests that the chat server met."""
    path = folder / "seen.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def units_seen(folder: Path) -> list[str]:
    return [unit["name"] for unit in seen(folder)[0]["body"]["fixtures"].get("orgUnits", [])]


def test_the_layout_is_sound_and_shown(folder: Path) -> None:
    """CEP-04, CEP-05, CEP-07, CEP-08, CEP-10, CEP-11, CEP-51, CEP-52: no label, no quotes."""
    lint = harness(folder, "lint", "evals")
    assert (lint.code, lint.stdout) == (0, "2 cases in 1 suite: 0 errors, 0 warnings\n")
    assert "categories: policy 1, connector 1" in harness(folder, "list-suites", ".").stdout
    shown = harness(folder, "show", "EC-086", "--suite", "evals").stdout
    assert f"--- turn 1 ---\n{PROMPT}\n---" in shown
    whole = json.loads(harness(folder, "show", "ec-086", "--suite", "evals", "--json").stdout)
    assert whole["case"]["turns"] == [{"user": PROMPT}]


@pytest.mark.parametrize(
    ("agent", "options", "code"),
    [
        pytest.param("null", [], 1, id="null"),
        pytest.param("echo", [], 1, id="echo"),
        pytest.param("oracle", [], 1, id="oracle without a reference"),
        pytest.param("python:agent:reply", [], 0, id="python"),
        pytest.param(f"command:{sys.executable} agent.py", ["--input", "json"], 0, id="command"),
        pytest.param("scripted:lines.yaml", [], 0, id="scripted"),
    ],
)
def test_every_kind_of_agent_is_put_through_it(
    folder: Path, agent: str, options: list[str], code: int
) -> None:
    """CEP-01, CEP-19, CEP-58: EC-087 has no override and runs on the base alone."""
    good = {
        "text": "Diagnosis: Quarantine. Next: wait.",
        "metadata": dict.fromkeys(("diagnosis", "evidence", "hypotheses", "nextSteps"), "x"),
    }
    found = {
        "text": "Diagnosis: the unit Attic was missing. Next step: nothing, Attic is there now.",
        "toolCalls": ["listOrgUnits"],
    }
    lines = {"EC-086": [good], "EC-087": ["Made.", found]}
    (folder / "lines.yaml").write_text(json.dumps(lines), encoding="utf-8")
    finished = harness(folder, "run", "evals", "--agent", agent, *options)
    assert finished.code == code, finished.said
    assert f"cases  {2 if code == 0 else 0}/2" in finished.stdout


def test_a_managed_run_starts_what_it_needs_and_leaves_nothing(folder: Path, port: int) -> None:
    """CEP-12, CEP-13, CEP-21, CEP-32: mock server and agent for one command."""
    finished = harness(folder, "run", "evals", "--no-inject", **served(port))
    assert finished.code == 0, finished.said
    assert finished.report["agent"] == f"http:http://127.0.0.1:{port}/api/chat"
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_fast_run_uses_what_is_up_and_leaves_it_up(folder: Path, port: int) -> None:
    """CEP-21, CEP-30, CEP-34: the servers stay; a case is run again at once."""
    with serving(folder / "evals") as (mock, server), agent_at(folder, port, mock) as agent:
        for _ in range(2):
            finished = harness(
                folder, "run", "evals", "--mock", mock, "--no-inject",
                EVAL_MANAGE_SERVER="0", EVAL_IDS="EC-086", **served(port),
            )  # fmt: skip
            assert (finished.code, finished.report["summary"]["cases"]["total"]) == (0, 1)
        assert (server.poll(), agent.poll()) == (None, None)


@contextmanager
def agent_at(folder: Path, port: int, mock: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "agent.py", str(port)]
    environment = clean_environment(MOCK_SERVER_URL=mock)
    with subprocess.Popen(command, cwd=folder, env=environment) as process:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield process
        process.terminate()


@pytest.mark.parametrize(
    ("variables", "units", "warned"),
    [
        pytest.param({}, OVERRIDES, False, id="neither: both"),
        pytest.param({"EVAL_USE_BASE": "1"}, BASE, True, id="base"),
        pytest.param({"EVAL_USE_FIXTURES": "1"}, OVERRIDES, True, id="overrides"),
        pytest.param({"EVAL_USE_BASE": "1", "EVAL_USE_FIXTURES": "1"}, OVERRIDES, False, id="both"),
        pytest.param({"EVAL_FIXTURES": "1"}, OVERRIDES, False, id="one variable for both"),
        pytest.param({"EVAL_FIXTURES": "0"}, {}, True, id="none"),
    ],
)
def test_the_switches_load_their_own_part_and_it_is_injected(
    folder: Path, port: int, variables: dict[str, str], units: Any, warned: bool
) -> None:
    """CEP-14, CEP-15, CEP-16, CEP-22, CEP-23, CEPR-32: merged, in the body, with its header."""
    finished = harness(folder, "run", "evals", EVAL_IDS="EC-086", **served(port), **variables)
    (request,) = seen(folder)
    assert {name.lower(): value for name, value in request["headers"].items()}[
        "x-eval-test-mode"
    ] == "1"
    assert units_seen(folder) == [unit["name"] for unit in units.get("orgUnits", [])]
    assert ("warning:" in finished.stderr) == warned


def test_with_fixtures_in_the_body_the_agent_still_does_its_own_reasoning(
    folder: Path, port: int
) -> None:
    """CEP-17, CEP-18: its tools read what was handed over; no API is called, not even ours."""
    finished = harness(folder, "run", "evals", EVAL_IDS="EC-086", **served(port))
    assert finished.code == 0
    trial = finished.trial("EC-086")
    assert trial["journal"]["entries"] == []
    assert trial["replies"][0]["metadata"]["evidence"] == ["Quarantine"]


def test_a_rehearsal_asks_nobody(folder: Path, port: int) -> None:
    """CEP-24, CEP-35: no request, no verdict, and so not green."""
    finished = harness(folder, "run", "evals", EVAL_TEST_MODE="1", **served(port))
    assert (finished.code, seen(folder)) == (5, [])
    assert "SYNTHETIC: no agent was asked" in finished.stdout
    assert "no pass rate" in finished.stdout


@pytest.mark.parametrize(
    ("variables", "selected"),
    [
        pytest.param({"EVAL_IDS": "EC-087,EC-086"}, ["EC-086", "EC-087"], id="ids"),
        pytest.param({"EVAL_IDS": "ec-087"}, ["EC-087"], id="one id"),
        pytest.param({"EVAL_CATEGORY": "connector"}, ["EC-087"], id="category"),
        pytest.param({"EVAL_TAGS": "dlp,units"}, ["EC-086", "EC-087"], id="tags"),
        pytest.param({"EVAL_LIMIT": "1"}, ["EC-086"], id="limit"),
        pytest.param({"EVAL_TAGS": "dlp,units", "EVAL_CATEGORY": "policy"}, ["EC-086"], id="all"),
        pytest.param({"EVAL_IDS": "", "EVAL_LIMIT": "", "EVAL_SERIAL": ""}, None, id="empty"),
    ],
)
def test_the_variables_select(
    folder: Path, variables: dict[str, str], selected: list[str] | None
) -> None:
    """CEP-25, CEP-26, CEP-27, CEP-28, CEP-33, CEP-59; an empty variable says nothing."""
    report = harness(folder, "run", "evals", "-a", "echo", **variables).report
    assert [case["caseId"] for case in report["cases"]] == (selected or ["EC-086", "EC-087"])


def test_serial_and_verbose(folder: Path) -> None:
    """CEP-29, CEP-31: one at a time, and every check of every trial is told."""
    quiet = harness(folder, "run", "evals", "-a", "echo", "-n", "2")
    loud = harness(
        folder, "run", "evals", "-a", "echo", "-n", "2", EVAL_SERIAL="1", EVAL_VERBOSE="1"
    )
    manifest = json.loads((loud.run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["options"]["concurrency"] == 1
    starts = [
        loud.trial(case, number)["started_at"] for number in (1, 2) for case in ("EC-086", "EC-087")
    ]
    assert starts == sorted(starts)
    assert "EC-086 #2 fail" in loud.stderr
    assert "evidence fail: missing evidence: 'Quarantine'" in loud.stdout
    assert "evidence fail" not in quiet.stdout
    assert "#2" not in quiet.stderr


def test_an_option_wins_over_its_variable(folder: Path) -> None:
    report = harness(folder, "run", "evals", "-a", "echo", "--ids", "EC-087", EVAL_IDS="EC-086")
    assert [case["caseId"] for case in report.report["cases"]] == ["EC-087"]


def test_the_same_fixtures_give_the_same_answers_again(folder: Path) -> None:
    """CEP-20: what the agent is told does not depend on the run."""
    answers = []
    for _ in range(2):
        finished = harness(folder, "run", "evals", "-a", "python:agent:reply", "--ids", "EC-087")
        answers.append(list(finished.trial("EC-087")["journal"]["bodies"].values()))
    assert answers[0] == answers[1] != []


def test_a_prompt_template_and_plain_text_fixtures_are_put_around_the_prompt(folder: Path) -> None:
    """CEP-08, CEP-38, CEPR-24, CEPR-25: the report holds the prompt as it was sent."""
    (folder / "evals/fixtures/EC-086/net.log").write_text("ERR_TUNNEL\n", encoding="utf-8")
    registry = folder / "evals/registry.json"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace('"fixtures": []', '"fixtures": ["net.log"]'), encoding="utf-8")
    finished = harness(
        folder, "run", "evals", "-a", "echo", "--ids", "EC-086",
        EVAL_PROMPT_TEMPLATE="{prompt} Be brief.", EVAL_INJECT_PROMPT="1",
    )  # fmt: skip
    said = f"{PROMPT} Be brief.\n\n--- net.log ---\nERR_TUNNEL\n--- end of net.log ---"
    case = finished.report["cases"][0]
    assert (case["prompt"], case["responseText"]) == (said, said)


def test_a_native_case_is_written_by_the_printed_schema(folder: Path) -> None:
    """A tool that reads JSON Schema and the command agree on what a case is."""
    from jsonschema import Draft202012Validator

    schema = json.loads(harness(folder, "schema").stdout)
    case = {
        "id": "N-001",
        "title": "Native",
        "category": "policy",
        "input": [{"user": "Which units are there?"}],
        "fixtures": {"overrides": ["N-001"]},
        "expect": {"text": {"contains": ["Quarantine"]}},
    }
    Draft202012Validator(schema).validate(case)
    (folder / "native" / "N-001").mkdir(parents=True)
    (folder / "native" / "case.yaml").write_text(json.dumps(case), encoding="utf-8")
    overrides = json.dumps(OVERRIDES)
    (folder / "native" / "N-001" / "overrides.json").write_text(overrides, encoding="utf-8")
    assert harness(folder, "lint", "native").code == 0
    assert harness(folder, "run", "native", "-a", "python:agent:reply").code == 0
    case["expct"] = {}
    assert not Draft202012Validator(schema).is_valid(case)
    (folder / "native" / "case.yaml").write_text(json.dumps(case), encoding="utf-8")
    assert "did you mean 'expect'?" in harness(folder, "lint", "native").stdout


def test_ctrl_c_stops_the_agents_server_too(folder: Path, port: int) -> None:
    """CEP-12: nothing outlives a run that is interrupted."""
    environment = clean_environment(**served(port))
    command = [*HARNESS, "run", "evals", "--no-inject", "-n", "500", "-j", "1", "-v"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
