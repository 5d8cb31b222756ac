"""`understudy compare` and the baseline gate, over runs of the doubles."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.options import run_path
from harness.model import Case, TextContains
from harness.storage import RunFolder
from tests.harness.records import case, manifest, record


def stored(runs: Path, name: str, passes: dict[str, list[bool]], hash: str = "h") -> RunFolder:
    """A run of cases that want an `a`, and whose agent said it or not."""
    cases: list[Case] = [case(TextContains(needles=("a",)), id=each) for each in passes]
    asked = manifest(list(passes), run=name, cases=dict.fromkeys(passes, hash))
    folder = RunFolder.create(runs / name, asked, cases)
    for each, outcomes in passes.items():
        for number, passed in enumerate(outcomes, 1):
            folder.write_trial(record("a" if passed else "b", case=each, number=number, run=name))
    return folder


@pytest.fixture
def harness(tmp_path: Path) -> Callable[..., Any]:
    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, [*arguments, "--run-dir", str(tmp_path)])

    return call


TEN = {f"C-{n}": [True] * 3 for n in range(10)}


def test_a_run_that_lost_everything_is_a_regression(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    stored(tmp_path, "r1", TEN)
    stored(tmp_path, "r2", {each: [False] * 3 for each in TEN})
    result = harness("compare", "r1", "latest")
    assert result.exit_code == 4
    assert "REGRESSED" in result.output
    assert "BROKEN" in result.output


@pytest.mark.parametrize(
    ("options", "code"), [([], 4), (["--allow-removed"], 0)], ids=["gone", "allowed"]
)
def test_cases_that_are_gone_need_leave(
    harness: Callable[..., Any], tmp_path: Path, options: list[str], code: int
) -> None:
    """Pitfall 20"""
    stored(tmp_path, "r1", TEN)
    stored(tmp_path, "r2", dict(list(TEN.items())[:5]))
    assert harness("compare", "r1", "r2", *options).exit_code == code


def test_runs_without_a_common_case_have_no_verdict(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    stored(tmp_path, "r1", {"A": [True]})
    stored(tmp_path, "r2", {"A": [True]}, hash="other")
    result = harness("compare", "r1", "r2")
    assert result.exit_code == 5
    assert "CHANGED" in result.output


def test_the_threshold_is_an_option_with_a_warning(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTX-18, pitfall 21"""
    stored(tmp_path, "r1", {"A": [True] * 4})
    stored(tmp_path, "r2", {"A": [True] * 3 + [False]})
    result = harness("compare", "r1", "r2", "--threshold", "0.1")
    assert result.exit_code == 4
    assert "FELL BY MORE THAN 0.1: A" in result.output
    assert "chance alone" in result.output


def test_what_would_decide_is_told(harness: Callable[..., Any], tmp_path: Path) -> None:
    stored(tmp_path, "r1", TEN)
    stored(tmp_path, "r2", TEN | {"C-0": [True, False, False]})
    result = harness("compare", "r1", "r2", "--margin", "0.02")
    assert "INCONCLUSIVE" in result.output
    found = json.loads(harness("compare", "r1", "r2", "--format", "json").output)
    assert found["cases"][0]["flag"] == "suspect"
    assert (
        "| `C-0` | 3/3 → 1/3 | suspect |"
        in harness("compare", "r1", "r2", "--format", "markdown").output
    )


def test_both_sides_are_counted(harness: Callable[..., Any], tmp_path: Path) -> None:
    """CSR-30: by pass rate and by checks, x of y on each side; one trial a case is McNemar's."""
    stored(tmp_path, "r1", {"A": [True], "B": [True], "C": [False]})
    stored(tmp_path, "r2", {"A": [False], "B": [True], "C": [False]})
    said = harness("compare", "r1", "r2", "--explore").output
    assert "cases passed 2/3 -> 1/3" in said
    assert "checks passed 2/3 -> 1/3" in said
    assert "1 got worse and 0 better (McNemar" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "r1", "r9"], "no run 'r9'"),
        (["compare", "r1", "r1", "--format", "pdf"], "unknown format"),
        (["compare", "r1", "lost"], "no valid trial"),
    ],
    ids=["unknown", "format", "infrastructure"],
)
def test_mistakes_are_told(
    harness: Callable[..., Any], tmp_path: Path, arguments: list[str], said: str
) -> None:
    """CSR-29: a run in which nothing worked is no baseline."""
    stored(tmp_path, "r1", {"A": [True]})
    lost = stored(tmp_path, "lost", {"A": []})
    lost.write_trial(record(case="A", run="lost", outcome="infra_error"))
    result = harness(*arguments)
    assert said in str(result.exception)
    assert result.exit_code == 1


@pytest.mark.slow
def test_a_run_is_held_against_its_baseline(office: Path, mock_url: str, tmp_path: Path) -> None:
    fixed = [str(office), "--mock", mock_url, "--run-dir", str(tmp_path / "runs"), "-n", "3"]
    call = CliRunner().invoke
    assert call(app, ["run", *fixed, "-a", "oracle"]).exit_code == 0
    assert call(app, ["run", *fixed, "-a", "oracle", "--baseline", "latest"]).exit_code == 0
    worse = call(app, ["run", *fixed, "-a", "null", "--baseline", "latest", "--policy", "0.01"])
    assert worse.exit_code == 1  # a failed gate comes before a regression
    assert "the mean rate fell by" in worse.output
    latest = run_path("latest", tmp_path / "runs") / "report.json"
    report = json.loads(latest.read_text(encoding="utf-8"))
    assert report["comparison"]["cases"][0]["flag"] == "broken"
    assert [reason["code"] for reason in report["exitReasons"]] == [1, 4]
