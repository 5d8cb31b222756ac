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
from tests.harness.records import case, manifest, record
from tests.runfolders import stored_run


def call(runs: Path, *arguments: str) -> Any:
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
    found = call(runs, "fixtures/office", "--threshold", threshold)
    assert found.exit_code == code
    assert "A  1.000 -> 0.750  +0.250" in found.output
    rows = json.loads(call(runs, "office", "--threshold", threshold, "--json").output)
    assert [row["degraded"] for row in rows["regressions"]] == [code == 4, False]


def test_the_newest_run_that_has_a_verdict_counts(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True] * 4, "B": [True] * 4})
    stored_run(runs, "3", {"A": [None], "B": [None]})
    stored_run(runs, "4", {"A": [False]}, trials={"A": 4})
    stored_run(runs, "5", {"A": [False]}, suite="fixtures/other")
    (runs / "6").mkdir()
    (runs / "6" / "manifest.json").write_text("{", encoding="utf-8")
    assert "run 2 against its baseline 1" in call(runs, "office").output


def test_a_registered_name_is_a_suite(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True] * 4, "B": [True] * 4})
    RegisteredSuites(runs).register(RegisteredSuite(name="desk", path="fixtures/office"))
    assert call(runs, "desk").exit_code == 0


def test_cases_that_are_gone_need_leave(runs: Path) -> None:
    """Pitfall 20"""
    stored_run(runs, "2", {"A": [True] * 4})
    assert call(runs, "office").exit_code == 4
    allowed = call(runs, "office", "--allow-removed")
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
    found = call(tmp_path, "office")
    assert found.exit_code == 4, found.output
    assert "A  0.667 -> 0.333  +0.333  (rate 0.000 -> 0.000)  degraded" in found.output
    assert "CHANGED" in found.output


def test_without_a_task_in_common_there_is_no_verdict(runs: Path) -> None:
    stored_run(runs, "2", {"A": [True]}, cases={"A": "other"})
    found = call(runs, "office", "--allow-removed")
    assert (found.exit_code, "not compared, changed: A" in found.output) == (5, True)


@pytest.mark.parametrize(
    ("suite", "said"), [("other", "has no baseline"), ("office", "no finished run after its")]
)
def test_what_is_missing_is_told(runs: Path, suite: str, said: str) -> None:
    assert said in str(call(runs, suite).exception)
