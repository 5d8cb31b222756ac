"""Verdicts, policies, exit codes and reports of repeated trials, through the real command."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.acceptance.chrome_suite import chrome_suite
from tests.acceptance.commands import HARNESS, clean_environment, harness
from tests.casefiles import put
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow

AGENT = """
import os, pathlib, signal


def trial(environment):
    return int(environment["MOCK_SESSION"].split("-r")[0].rsplit("-", 2)[1])

def answer(messages, environment):
    said = messages[-1]["content"]
    return "fine" if said == "steady" or trial(environment) % 2 else "dunno"

def killing_the_server(messages, environment):
    if trial(environment) == 3:
        children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
    return "fine"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A case that always passes, and one that passes in every other trial."""
    cases = [
        {
            "id": id,
            "title": f"Case | <{id}>",
            "category": "policy",
            "input": said,
            "expect": {"text": {"contains": ["fine"]}},
        }
        for id, said in (("V-001", "steady"), ("V-002", "flaky"))
    ]
    put(tmp_path / "suite" / "cases.yaml", json.dumps({"cases": cases}))
    put(tmp_path / "suite" / "base" / "tenant.json", "{}")
    put(tmp_path / "agent.py", AGENT)
    return tmp_path


@pytest.mark.parametrize(
    ("policy", "code", "verdict"),
    [("all", 1, "flaky"), ("majority", 0, "passed"), ("0.6", 0, "passed"), ("0.7", 1, "flaky")],
)
def test_a_policy_decides_over_three_of_five(
    suite: Path, policy: str, code: int, verdict: str
) -> None:
    """Flaky is told apart from failed, and every trial is counted."""
    finished = harness(
        suite, "run", "suite", "-a", "python:agent:answer", "-n", "5", "--policy", policy
    )
    steady, flaky = finished.report["cases"]
    assert finished.code == code
    assert (steady["verdict"], flaky["verdict"]) == ("passed", verdict)
    assert (flaky["passed"], flaky["valid"]) == (3, 5)
    assert "8/10" in finished.stdout
    junit = ElementTree.parse(finished.run / "junit.xml").getroot()
    assert junit.attrib["failures"] == str(code)
    summary = (finished.run / "summary.md").read_text(encoding="utf-8")
    assert ("### Not passed" in summary) == bool(code)


def test_a_report_has_the_fields_of_the_first_seed(tmp_path: Path) -> None:
    """CEP-36 to CEP-46, CEP-48: one object for each case, with what failed and why."""
    finished = harness(chrome_suite(tmp_path), "run", "evals", "-a", "echo", "--ids", "EC-086")
    (case,) = finished.report["cases"]
    assert {name: case[name] for name in ("caseId", "title", "category", "tags", "status")} == {
        "caseId": "EC-086",
        "title": "Scan settings do not reach a unit",
        "category": "policy",
        "tags": ["scan", "units"],
        "status": "fail",
    }
    assert (
        case["prompt"] == case["responseText"] == "Why do our scan settings not reach every unit?"
    )
    assert (case["responseMetadata"], case["schemaMatched"]) == (None, False)
    assert (case["rubricScore"], case["rubricMinScore"]) == (0, 2)
    assert case["rubricCriteria"]
    assert case["durationMs"] > 0
    assert case["failureClasses"] == ["schema mismatch", "missing evidence", "low rubric score"]
    assert "'diagnosis', 'evidence', 'hypotheses', 'next_steps'" in case["error"]
    evidence = next(item for item in case["trials"][0]["checks"] if item["kind"] == "evidence")
    assert evidence["numbers"]["missing"] == ["Quarantine"]


def test_a_better_answer_passes_in_other_words(tmp_path: Path) -> None:
    """CEP-03, CEP-40, CEP-41, CEP-42, CEP-55, CEP-56, CEP-57: cues, not sentences."""
    folder = chrome_suite(tmp_path)
    keys = ("diagnosis", "evidence", "hypotheses", "nextSteps")
    for text in (
        "The quarantine unit is left out; next, include it.",
        "QUARANTINE! Diagnosis: out.",
    ):
        line = {"text": text, "metadata": {key: ["x"] for key in keys}}
        put(folder / "lines.yaml", json.dumps({"EC-086": [line]}))
        finished = harness(folder, "run", "evals", "-a", "scripted:lines.yaml", "--ids", "EC-086")
        (case,) = finished.report["cases"]
        assert (finished.code, case["status"], case["schemaMatched"]) == (0, "pass", True)
        assert set(case["responseMetadata"]) == set(keys)
        assert case["rubricScore"] >= 2


def test_a_server_that_dies_in_the_middle_is_infrastructure_and_the_rest_is_done_later(
    suite: Path,
) -> None:
    """Exit 3, no pass rate; what was finished stays, --resume does the rest."""
    command = ("run", "suite", "--ids", "V-001", "-n", "6", "-j", "1", "--no-isolate")
    finished = harness(suite, *command, "-a", "python:agent:killing_the_server")
    outcomes = [finished.trial("V-001", number)["outcome"] for number in range(1, 7)]
    assert finished.code == 3
    assert outcomes == ["replied"] * 2 + ["infra_error"] * 4
    assert "no pass rate" in finished.stdout
    kept = finished.trial("V-001", 1)
    put(suite / "agent.py", AGENT.replace("== 3", "== 0"))
    again = harness(suite, "run", "--resume", str(finished.run))
    assert (again.code, again.report["summary"]["trials"]["pass"]) == (0, 6)
    assert again.trial("V-001", 1) == kept
    assert len(list((again.run / "trials" / "V-001").glob("*.infra-1.json"))) == 4


def test_an_agent_that_cannot_be_reached_has_no_pass_rate(suite: Path) -> None:
    """CEPR-11; exit 3: nothing was learnt about the agent."""
    finished = harness(suite, "run", "suite", "-a", "http://127.0.0.1:9/", "--retries", "1")
    assert finished.code == 3
    assert "no pass rate" in finished.stdout
    assert {case["verdict"] for case in finished.report["cases"]} == {"inconclusive"}
    assert [item["number"] for item in finished.trial("V-001")["attempts"]] == [1, 2]


def test_a_check_that_cannot_be_made_gives_no_verdict(suite: Path) -> None:
    """Exit 5: a required check was not evaluated, which is never a pass."""
    case = {
        "id": "V-003",
        "title": "Budget",
        "input": "steady",
        "expect": {"budget": {"tokens": 100}},
    }
    put(suite / "other" / "cases.yaml", json.dumps({"cases": [case]}))
    put(suite / "other" / "base" / "tenant.json", "{}")
    finished = harness(suite, "run", "other", "-a", "python:agent:answer")
    assert (finished.code, finished.report["cases"][0]["verdict"]) == (5, "inconclusive")


def test_a_full_disk_is_told_and_what_is_finished_is_kept(suite: Path) -> None:
    """A limit on file sizes stands in for the full disk; raised, the run is finished."""
    put(suite / "agent.py", AGENT.replace('return "fine" if', 'return "fine" * 9000 if'))
    command = [*HARNESS, "run", "suite", "-a", "python:agent:answer", "-j", "1"]
    shell = 'ulimit -f 16; exec "$@"'
    full = subprocess.run(
        ["bash", "-c", shell, "bash", *command],
        cwd=suite, env=clean_environment(), capture_output=True, text=True, timeout=PATIENCE_S,
        check=False,
    )  # fmt: skip
    assert full.returncode == 3, full.stderr
    assert "V-001/1.json': File too large (what is finished is kept; go on with" in full.stderr
    assert "Traceback" not in full.stderr
    (run,) = (suite / "runs").iterdir()
    assert not list(run.rglob("*.json.tmp"))
    assert harness(suite, "run", "--resume", str(run)).report["summary"]["trials"]["valid"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--run-dir", "agent.py/x"], "cannot make the run directory", id="run dir"),
        pytest.param(["--json-output", "agent.py/x"], "cannot write 'agent.py/x'", id="copy"),
        pytest.param(["--ids", "V-01"], "did you mean 'V-001'", id="id"),
        pytest.param(["--category", "polcy"], "did you mean 'policy'", id="category"),
        pytest.param(
            ["--category", "dlp", "--ids", "V-001"],
            "selected by ids V-001; category dlp",
            id="nothing",
        ),
        pytest.param(["--limit", "0"], "selects no case", id="limit"),
        pytest.param(["-n", "0"], "--trials is 0", id="trials"),
        pytest.param(["-j", "0"], "--concurrency", id="concurrency"),
        pytest.param(["--retries", "-1"], "--retries", id="retries"),
        pytest.param(["--max-infra", "7"], "--max-infra", id="share"),
        pytest.param(["--timeout", "nan"], "--timeout is nan", id="timeout"),
        pytest.param(["--policy", "1.5"], "unknown policy", id="policy"),
        pytest.param(["--header", "X: \u00fc"], "not ASCII", id="header"),
        pytest.param(["--agent", "http://127.0.0.1:99999/"], "is no URL", id="URL"),
        pytest.param(["--agent", "python:nothing:x"], "cannot import", id="module"),
        pytest.param(["--agent", "scripted:none"], "No such file", id="script"),
        pytest.param(["--mock", "nonsense"], "is no URL", id="mock"),
        pytest.param(["--resume", "none"], "is no run directory", id="resume"),
        pytest.param(["--serve", "x"], "--serve goes with an http: agent", id="serve"),
    ],
)
def test_a_mistake_is_one_sentence(suite: Path, arguments: list[str], said: str) -> None:
    """Exit 2, what is wrong and what to do; the copy of a report costs nobody the table."""
    finished = harness(suite, "run", "suite", "--agent", "echo", *arguments)
    assert finished.code == 2
    assert said in finished.stderr
    assert ("cases  0/2" in finished.stdout) == ("--json-output" in arguments)


def broken(folder: Path, name: str, text: str) -> Path:
    put(folder / "evals" / name, text)
    return folder


def changed(folder: Path, old: str, new: str) -> Path:
    path = folder / "evals" / "registry.json"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (lambda suite: broken(suite, "registry.json", "{"), "registry.json:1:2: not JSON"),
        (lambda suite: broken(suite, "cases/EC-086-scan-settings-missing.md", "# EC-086: x"),
         "has no Conversation section"),
        (lambda suite: changed(suite, "EC-087", "EC-086"), "duplicate id 'EC-086'"),
        (lambda suite: broken(suite, "fixtures/EC-099/overrides.json", "{}"),
         "override for an unknown case 'EC-099'"),
        (lambda suite: broken(suite, "fixtures/EC-086/overrides.json", '{"orgUnit": []}'),
         "fixtures/EC-086/overrides.json#/orgUnit: unknown collection"),
        (lambda suite: changed(suite, '"required_evidence"', '"requird_evidence"'),
         "did you mean 'required_evidence'"),
        (lambda suite: changed(suite, '"fixtures": []', '"fixtures": ["../../../etc/passwd"]'),
         "leaves the suite's folder"),
        (lambda suite: changed(suite, "evals/cases/EC-086", "../EC-086"), "leaves the suite"),
    ],
    ids=["JSON", "no conversation", "twice", "no case", "collection", "key", "file", "case file"],
)  # fmt: skip
def test_a_broken_suite_is_told_with_its_place(tmp_path: Path, breaks: Any, said: str) -> None:
    """CEP-50, CEP-53: by lint and by run alike; nothing is run."""
    folder = breaks(chrome_suite(tmp_path))
    for command in (["lint", "evals"], ["run", "evals", "-a", "echo", "--all-or-nothing"]):
        finished = harness(folder, *command)
        assert (finished.code, said in finished.said) == (2, True), finished.said
    assert not (folder / "runs").exists()


def test_all_broken_files_are_told_at_once(tmp_path: Path) -> None:
    folder = broken(chrome_suite(tmp_path), "fixtures/base/api-base.json", "{")
    broken(folder, "fixtures/EC-086/overrides.json", "[")
    broken(folder, "cases/EC-086-scan-settings-missing.md", "# EC-086: x")
    told = harness(folder, "lint", "evals").stdout
    assert sorted(re.findall(r"error: ([^:\s]+):\d", told)) == [
        "evals/cases/EC-086-scan-settings-missing.md",
        "evals/fixtures/EC-086/overrides.json",
        "evals/fixtures/base/api-base.json",
    ]


def test_the_help_of_every_command_teaches(tmp_path: Path) -> None:
    """Each command has an example; the start of the help names what to try."""
    top = harness(tmp_path, "--help").stdout
    assert "harness COMMAND --help" in top
    for command in ("run", "show", "lint", "list-suites", "schema", "demo"):
        shown = harness(tmp_path, command, "--help").stdout
        assert "understudy " in shown.partition("Example: ")[2].partition("\n")[0], command
