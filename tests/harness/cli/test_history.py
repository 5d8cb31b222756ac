import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.model import TextContains
from harness.runner import decide
from harness.storage import Baseline, Baselines, RegisteredSuite, RegisteredSuites, RunFolder
from harness.verdicts import Limits
from tests.harness.cli.test_compare import stored
from tests.harness.records import case, manifest, record
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["history", *arguments, "--run-dir", str(runs)])


def test_open_cases_are_listed_over_runs(tmp_path: Path) -> None:
    """CEP-84, CEP-81"""
    stored_run(tmp_path, "1", {"A": [False], "B": [True]}, suite_cases=2)
    stored_run(tmp_path, "2", {"A": [True]}, suite_cases=2)
    stored_run(tmp_path, "3", {"B": [False]}, suite_cases=2)
    stored_run(tmp_path, "4", {"A": [False]}, suite_cases=2, decided=False)
    said = call(tmp_path, "office").output
    assert "1 open, 3 runs" in said
    assert "B  P.F  0/1 since 3" in said
    assert "2 runs of parts of the suite since all of it was run (1)" in said
    assert "mended, and the rest not run since: A (2)" in said
    assert json.loads(call(tmp_path, "office", "--json").output)["mended"] == {"A": "2"}


def test_runs_of_one_agent_are_looked_at(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [False]}, agent="oracle")
    stored_run(tmp_path, "2", {"A": [False]}, agent="echo")
    assert "office by echo: 1 open, 1 runs" in call(tmp_path, "office").output
    assert "by oracle" in call(tmp_path, "office", "--agent", "oracle", "--last", "1").output


def test_no_run_is_told(tmp_path: Path) -> None:
    assert "no finished run of suite 'office'" in str(call(tmp_path, "office").exception)


def test_a_run_of_a_part_says_that_the_rest_was_not_run(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    """CEP-81: at the end of a filtered run."""
    fixed = ["run", str(office), "--mock", mock_url, "--run-dir", str(tmp_path), "-a", "oracle"]
    part = CliRunner().invoke(app, [*fixed, "--ids", "T-001"])
    assert "of parts" not in part.output
    part = CliRunner().invoke(app, [*fixed, "--ids", "T-002"])
    assert "2 runs of parts of the suite, and none of all of it" in part.output
    whole = CliRunner().invoke(app, fixed)
    assert "of parts" not in whole.output
    again = CliRunner().invoke(app, [*fixed, "--ids", "T-001"])
    assert "1 run of parts of the suite since all of it was run (" in again.output


def regressions_call(runs: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["regressions", *arguments, "--run-dir", str(runs)])


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    stored_run(tmp_path, "1", {"A": [True] * 4, "B": [True] * 4})
    Baselines(tmp_path).set(Baseline(run="1", suite="office"))
    return tmp_path


@pytest.mark.parametrize(("threshold", "code"), [("0.1", 4), ("0.25", 0)], ids=["fell", "allowed"])
def test_a_task_that_fell_too_far_is_a_regression(runs: Path, threshold: str, code: int) -> None:
    """CTX-18, CTX-21, CTX-22, CTX-28"""
    stored_run(runs, "2", {"A": [True] * 3 + [False], "B": [True] * 4})
    found = regressions_call(runs, "fixtures/office", "--threshold", threshold)
    assert found.exit_code == code
    assert "A  1.000 -> 0.750  +0.250" in found.output
    rows = json.loads(regressions_call(runs, "office", "--threshold", threshold, "--json").output)
    assert [row["degraded"] for row in rows["regressions"]] == [code == 4, False]


def test_the_newest_run_that_has_a_verdict_counts(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True] * 4, "B": [True] * 4})
    stored_run(runs, "3", {"A": [None], "B": [None]})
    stored_run(runs, "4", {"A": [False]}, trials={"A": 4})
    stored_run(runs, "5", {"A": [False]}, suite="fixtures/other")
    (runs / "6").mkdir()
    (runs / "6" / "manifest.json").write_text("{", encoding="utf-8")
    assert "run 2 against its baseline 1" in regressions_call(runs, "office").output


def test_a_registered_name_is_a_suite(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True] * 4, "B": [True] * 4})
    RegisteredSuites(runs).register(RegisteredSuite(name="desk", path="fixtures/office"))
    assert regressions_call(runs, "desk").exit_code == 0


def test_cases_that_are_gone_need_leave(runs: Path) -> None:
    """Pitfall 20"""
    stored_run(runs, "2", {"A": [True] * 4})
    assert regressions_call(runs, "office").exit_code == 4
    allowed = regressions_call(runs, "office", "--allow-removed")
    assert (allowed.exit_code, "not compared, gone: B" in allowed.output) == (0, True)
    assert "INCONCLUSIVE" in allowed.output


def test_a_task_whose_score_alone_fell_is_a_regression(tmp_path: Path) -> None:
    """CTX-18, CTX-22: both runs fail the task, and the newer one shows less of what it wants."""
    wanted = (
        TextContains(needles=("a",)),
        TextContains(needles=("b",)),
        TextContains(needles=("c",)),
    )
    for name, text in (("1", "a b"), ("2", "a")):
        kept = RunFolder.create(
            tmp_path / name,
            manifest(["A"], run=name, suite="office", started_at=f"2026-11-20T10:00:0{name}Z"),
            [case(*wanted, id="A")],
        )
        kept.write_trial(record(text, case="A", run=name))
        decide(kept, Limits())
    Baselines(tmp_path).set(Baseline(run="1", suite="office"))
    found = regressions_call(tmp_path, "office")
    assert found.exit_code == 4, found.output
    assert "A  0.667 -> 0.333  +0.333  (rate 0.000 -> 0.000)  degraded" in found.output
    assert "CHANGED" in found.output


def test_without_a_task_in_common_there_is_no_verdict(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True]}, cases={"A": "other"})
    found = regressions_call(runs, "office", "--allow-removed")
    assert (found.exit_code, "not compared, changed: A" in found.output) == (5, True)


@pytest.mark.parametrize(
    ("suite", "said"), [("other", "has no baseline"), ("office", "no finished run after its")]
)
def test_what_is_missing_is_told(runs: Path, suite: str, said: str) -> None:
    assert said in str(regressions_call(runs, suite).exception)


def test_the_trials_that_a_drop_needs_are_told(tmp_path: Path) -> None:
    stored(tmp_path, "r1", {f"C-{n}": [True, True, n % 3 > 0] for n in range(12)})
    arguments = ["plan", "latest", "--drop", "0.3", "--run-dir", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "12 cases, mean rate 0.889" in result.output
    assert "trials a case see a drop of 30% with a power of 80%" in result.output


def test_a_drop_that_cannot_be_seen_is_told(tmp_path: Path) -> None:
    stored(tmp_path, "r1", {"A": [True]})
    arguments = ["plan", "r1", "--most", "2", "--run-dir", str(tmp_path)]
    assert "not even 2 trials a case" in CliRunner().invoke(app, arguments).output


def test_shards_are_run_and_put_together(office: Path, mock_url: str, tmp_path: Path) -> None:
    fixed = ["--mock", mock_url, "--run-dir", str(tmp_path / "runs"), "-a", "oracle"]
    for shard in ("1/2", "2/2"):
        result = CliRunner().invoke(app, ["run", str(office), *fixed, "--shard", shard])
        assert (result.exit_code, "1/1" in result.stdout) == (0, True), result.output
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    copy = tmp_path / "copy.json"
    asked = ["merge", *names, "--run-dir", str(tmp_path / "runs"), "--json-output", str(copy)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0
    assert "cases  2/2" in result.stdout
    report = json.loads(copy.read_text(encoding="utf-8"))
    assert {case["caseId"] for case in report["cases"]} == {"T-001", "T-002"}
