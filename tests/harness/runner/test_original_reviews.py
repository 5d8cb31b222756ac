"""Results of the original review runner: it judged the first run, we hold each run."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.review_output import read_results
from harness.errors import HarnessError
from harness.model import Policy


def told(check: str, detail: str, *, passed: bool = True) -> dict[str, Any]:
    return {"check": check, "passed": passed, "detail": detail}


def case(id: str, *checks: dict[str, Any], mean: float = 900, **facts: Any) -> dict[str, Any]:
    latency = {"mean_ms": mean, "min_ms": mean, "max_ms": mean, "p95_ms": mean}
    passed = all(check["passed"] for check in checks)
    known = {"case_id": id, "description": id, "latency": latency, "pass": passed}
    return {**known, "expectation_results": checks, **facts}


ALIKE = {"span_stability": 0.5, "severity_stability": 1.0}
CASES = [
    case(
        "case_01",
        told("observation_count", "2 (expected 0-3)"),
        observation_counts=[2, 2, 4],
        repeatability=ALIKE,
    ),
    case(
        "first_out_of_range",
        told("observation_count", "7 (expected 1-6)", passed=False),
        told("expected_severity:warning", "found in observations"),
        observation_counts=[7, 3, 5],
    ),
    case(
        "lacks_a_ref",
        told("observation_count", "2 (expected 1-6)"),
        told("expected_ref:A-1", "NOT found in observations", passed=False),
        observation_counts=[2, 2, 2],
    ),
    case("late", mean=60_050) | {"pass": False},
    case("broken") | {"pass": False},
    case("refused", told("expected_error_code", "expected 'EMPTY' in response")),
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "old_results.json"
    path.write_text(json.dumps({"backend": "x", "repeats": 3, "results": CASES}), "utf-8")
    return path


def test_each_run_is_held_against_the_range_that_the_file_tells(results: Path) -> None:
    found = {case.id: case for case in read_results(results).cases}
    assert {id: (case.passed_runs, case.valid, case.status) for id, case in found.items()} == {
        "case_01": (2, 3, "partial"),
        "first_out_of_range": (2, 3, "partial"),
        "lacks_a_ref": (0, 3, "partial"),
        "late": (0, 0, "timeout"),
        "broken": (0, 3, "fail"),
        "refused": (3, 3, "pass"),
    }
    assert found["case_01"].stability["span"].value == 0.5
    assert found["late"].latency.timeouts == 3


def test_another_policy_or_other_ranges_decide_otherwise(results: Path) -> None:
    majority = read_results(results, Policy(pass_="majority"))
    assert [case.id for case in majority.cases if case.passed] == [
        "case_01",
        "first_out_of_range",
        "refused",
    ]
    wider = read_results(results, ranges={"case_01": (0, 4)})
    assert wider.cases[0].passed_runs == 3


def test_the_commands_read_them(results: Path, tmp_path: Path) -> None:
    """CSR-30, CSR-35: old results are compared, drawn and decided anew."""
    drawn = CliRunner().invoke(app, ["visualize", str(results), "-o", str(tmp_path / "charts")])
    assert (drawn.exit_code, len([*(tmp_path / "charts").iterdir()])) == (0, 4)
    again = CliRunner().invoke(app, ["recheck", str(results), "--policy", "majority"])
    assert again.exit_code == 3
    assert "case_01: partial -> pass" in again.output
    assert "exit 3: no valid run, for time limits: late" in again.output
    same = CliRunner().invoke(app, ["compare", str(results), str(results)])
    assert (same.exit_code, "5 cases compared" in same.output) == (0, True)


@pytest.mark.parametrize(("ids", "code"), [(["refused"], 0), (["refused", "broken"], 1)])
def test_without_a_late_case_the_verdicts_are_the_exit_code(
    tmp_path: Path, ids: list[str], code: int
) -> None:
    path = tmp_path / "old_results.json"
    kept = [each for each in CASES if each["case_id"] in ids]
    path.write_text(json.dumps({"repeats": 3, "results": kept}), "utf-8")
    assert CliRunner().invoke(app, ["recheck", str(path)]).exit_code == code


def test_ranges_of_a_suite_decide_anew(results: Path, tmp_path: Path) -> None:
    suite = tmp_path / "cases"
    suite.mkdir()
    written = {
        "id": "case_01",
        "description": "d",
        "expectations": {"min_obs": 0, "max_obs": 4},
        "request": {"content": "x", "standards_set": "s", "strictness": "low"},
    }
    (suite / "case_01_one.json").write_text(json.dumps(written), "utf-8")
    told = CliRunner().invoke(app, ["recheck", str(results), "--suite", str(suite)])
    assert "case_01: partial -> pass" in told.output


def test_results_without_runs_cannot_be_decided_anew(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("{}", "utf-8")
    found = CliRunner().invoke(app, ["recheck", str(path)]).exception
    assert isinstance(found, HarnessError)
    assert "no runs that could be decided anew" in str(found)
