"""Files of the original review runner, read as results of ours."""

from typing import Any

import pytest

from harness.model import Policy, ReviewCaseResult, ReviewCheck, ReviewLatency, ReviewStability
from harness.runner.original_reviews import OriginalResults, Range, convert_original

COUNT = {"check": "observation_count", "passed": True, "detail": "2 (expected 1-4)"}
SEVERITY = {"check": "severity_distribution", "passed": True, "detail": "ok"}
REFUSAL = {"check": "expected_error_code", "passed": True, "detail": "E1"}
LATENCY = {"mean_ms": 10, "min_ms": 5, "max_ms": 15.5, "p95_ms": 14}


def original(counts: list[int], *checks: Any, passed: bool = True, **more: Any) -> dict[str, Any]:
    return {"case_id": "A", "description": "d", "pass": passed, "observation_counts": counts,
            "expectation_results": list(checks), **more}  # fmt: skip


def converted(
    *cases: dict[str, Any], policy: Any = None, ranges: dict[str, Range] | None = None
) -> Any:
    read = OriginalResults.model_validate(
        {"backend": "v1", "repeats": 3, "overall_latency": LATENCY, "results": cases}
    )
    decides = Policy.model_validate(policy) if policy else None
    return convert_original(read, "old", policy=decides, ranges=ranges)


def test_a_case_is_told_in_whole() -> None:
    stability = {"span_stability": 0.7, "severity_stability": 1.0}
    told = original([2, 3, 9], COUNT, SEVERITY, repeatability=stability, latency=LATENCY)
    (found,) = converted(told).cases
    assert found == ReviewCaseResult(
        id="A",
        description="d",
        passed=False,
        status="partial",
        runs=3,
        valid=3,
        passed_runs=2,
        checks=(
            ReviewCheck(
                check="observation_count", passed=False, detail="2, 3, 9 (expected 1-4)",
                runs_passed=2, runs=3, numbers={"counts": [2, 3, 9], "min": 1, "max": 4},
            ),
            ReviewCheck(
                check="severity_distribution", passed=True, detail="ok (first run)",
                runs_passed=3, runs=3,
            ),
        ),
        observations=(2, 3, 9),
        stability={
            "span": ReviewStability(value=0.7, label="watch", csr_compat=0.7),
            "severity": ReviewStability(value=1.0, label="ideal", csr_compat=1.0),
        },
        latency=ReviewLatency(
            n=3, mean=10, min=5, max=15.5, p95=14, text="mean 10 ms, min 5 ms, max 15.5 ms (n=3)"
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("case", "passed", "status", "passes"),
    [
        (original([1, 4, 2], COUNT), True, "pass", 3),
        (original([0, 1, 2], COUNT), False, "partial", 2),
        (original([0, 5, 0], COUNT), False, "fail", 0),
        (original([0, 5, 0], COUNT, SEVERITY), False, "partial", 0),
        (original([], COUNT), True, "pass", 3),  # no run was counted: the first stands for all
        (original([], {**COUNT, "passed": False}), False, "fail", 0),
        (original([1, 9], {**COUNT, "detail": "1"}), True, "pass", 2),
        (original([1, 9], {**SEVERITY, "detail": "expected 1-4"}), True, "pass", 2),
        (original([]), True, "pass", 3),
        (original([], passed=False), False, "fail", 0),
        (original([], passed=False, latency={"min_ms": 59_999}), False, "fail", 0),
        (original([], passed=False, latency={"min_ms": 60_000}), None, "timeout", 0),
        (original([], REFUSAL, latency={"min_ms": 60_000}), True, "pass", 3),
    ],
)
def test_each_run_is_held_against_the_range_that_the_file_tells(
    case: dict[str, Any], passed: bool | None, status: str, passes: int
) -> None:
    (found,) = converted(case).cases
    assert (found.passed, found.status, found.passed_runs) == (passed, status, passes)
    assert found.expect_error is (REFUSAL in case["expectation_results"])
    late = status == "timeout"
    assert found.valid == (0 if late else found.runs)
    assert (found.latency.timeouts, found.latency.text == "timeout (n=3)") == (3 * late, late)
    without = not case["pass"] and not case["expectation_results"]
    assert found.errors == (("the file does not tell why it failed",) if without else ())


def test_a_range_and_a_policy_of_today_come_before_those_of_the_file() -> None:
    case = original([2, 3, 9], COUNT)
    (found,) = converted(case, ranges={"A": (9, 10)}).cases
    assert (found.passed_runs, found.checks[0].detail) == (1, "2, 3, 9 (expected 9-10)")
    (found,) = converted(case, policy={"pass": "majority"}).cases
    assert (found.passed, [check.passed for check in found.checks]) == (True, [True])


def test_the_summary_counts_cases_and_what_was_expected() -> None:
    late = original([], passed=False, latency={"min_ms": 60_000})
    found = converted(original([2, 3, 9], COUNT, SEVERITY), original([1, 1, 1], COUNT), late)
    told = found.summary
    assert (told.cases_passed, told.cases_total, told.cases_invalid) == (1, 3, 1)
    assert (told.expectations_passed, told.expectations_total, told.valid) == (2, 3, True)
    assert (told.latency.n, told.latency.max) == (9, 15.5)
    assert (found.backend, found.experiment.run, found.experiment.runs_per_case) == ("v1", "old", 3)
    assert [len(warning) > 50 for warning in told.warnings] == [True, True]
    assert not converted(late).summary.valid
