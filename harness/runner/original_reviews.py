"""Results files of the original review runner, which name each case `case_id`, as ours.

That runner held only the first run of a case against its expectations, but kept the number of
observations of each run. So each run is held against the range that the file tells, and the first
run's finding stands for all of them where nothing else is known (severities, references, codes).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from harness.model import (
    Experiment,
    ObservationCount,
    Policy,
    ReviewCaseResult,
    ReviewCheck,
    ReviewLatency,
    ReviewResults,
    ReviewStability,
    ReviewStatus,
    ReviewSummary,
)
from harness.statistics import label_of
from harness.verdicts import holds

Range = tuple[int, int]
Count = Annotated[int, Field(ge=0)]

_COUNT = ObservationCount.kind_name()
_REFUSAL = "expected_error_code"
_TIME_LIMIT_MS = 60_000
_RANGE = re.compile(r"expected (\d+)-(\d+)")
_FIRST_ALONE = (
    "the original runner judged the first run of a case alone: counts are held run by run here, and"
    " what else it found in the first run stands for all of them"
)
_OWN_STABILITY = "stability is the original runner's: against the first run alone"


class OriginalCheck(BaseModel):
    """What the first run of a case came to.

    Attributes:
        check: Its name.
        passed: Whether it holds.
        detail: What was found and expected.
    """

    check: str
    passed: bool
    detail: str = ""


class OriginalLatency(BaseModel):
    """Latencies in milliseconds, runs into the time limit included."""

    mean_ms: float = 0
    min_ms: float = 0
    max_ms: float = 0
    p95_ms: float = 0


class OriginalCase(BaseModel):
    """One case.

    Attributes:
        case_id: Its id.
        description: One line.
        latency: Of its runs.
        passed: What the original runner made of its first run.
        repeatability: `span_stability` and `severity_stability`.
        observation_counts: Of each run; none where the first run was no review.
        expectation_results: Check by check, of the first run.
    """

    case_id: str
    description: str = ""
    latency: OriginalLatency = OriginalLatency()
    passed: bool = Field(alias="pass")
    repeatability: dict[str, float] = {}
    observation_counts: list[Count] = []
    expectation_results: list[OriginalCheck] = []


class OriginalResults(BaseModel):
    """A whole file.

    Attributes:
        backend: What stood behind the service.
        repeats: Runs of each case.
        overall_latency: Of all runs.
        results: Case by case.
    """

    backend: str = ""
    repeats: int = Field(default=1, ge=1, le=100_000)
    overall_latency: OriginalLatency = OriginalLatency()
    results: list[OriginalCase]


def convert_original(
    results: OriginalResults,
    name: str,
    *,
    policy: Policy | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> ReviewResults:
    """The results as ours.

    Args:
        results: What the file holds.
        name: What to call the run.
        policy: When a case passes; else when all of its runs do.
        ranges: Case to the observations that are expected now; else those that the file tells.
    """
    decides = policy or Policy.model_validate({"pass": "all"})
    cases = tuple(
        _case(each, results.repeats, decides, (ranges or {}).get(each.case_id))
        for each in results.results
    )
    expected = [check for case in cases for check in case.checks if check.expectation]
    return ReviewResults(
        backend=results.backend,
        experiment=Experiment(run=name, backend=results.backend, runs_per_case=results.repeats),
        summary=ReviewSummary(
            cases_passed=sum(bool(case.passed) for case in cases),
            cases_total=len(cases),
            cases_invalid=sum(case.passed is None for case in cases),
            expectations_passed=sum(bool(check.passed) for check in expected),
            expectations_total=len(expected),
            latency=_latency(results.overall_latency, results.repeats * len(cases)),
            valid=any(case.valid for case in cases),
            warnings=(_FIRST_ALONE, _OWN_STABILITY),
        ),
        cases=cases,
    )


def _case(
    original: OriginalCase, repeats: int, policy: Policy, wanted: Range | None
) -> ReviewCaseResult:
    runs = len(original.observation_counts) or repeats
    late = not original.passed and original.latency.min_ms >= _TIME_LIMIT_MS
    checks = [
        _check(each, original.observation_counts, runs, wanted)
        for each in original.expectation_results
    ]
    found = [
        _by_run(each, original.observation_counts, runs, wanted)
        for each in original.expectation_results
    ]
    passes = sum(all(outcome) for outcome in zip(*found, strict=True)) if found else 0
    if not found and original.passed:
        passes = runs
    passed = None if late else bool(holds(policy, passes, runs))
    return ReviewCaseResult(
        id=original.case_id,
        description=original.description,
        expect_error=any(each.check == _REFUSAL for each in original.expectation_results),
        passed=passed,
        status=_status(passed, passes, checks),
        runs=runs,
        valid=0 if late else runs,
        passed_runs=passes,
        checks=tuple(
            each.model_copy(update={"passed": bool(holds(policy, each.runs_passed, runs))})
            for each in checks
        ),
        observations=tuple(original.observation_counts),
        stability={
            kind: ReviewStability(value=value, label=label_of(value), csr_compat=value)
            for kind in ("span", "severity")
            if (value := original.repeatability.get(f"{kind}_stability")) is not None
        },
        latency=_latency(original.latency, runs, late=late),
        errors=() if original.passed or checks else ("the file does not tell why it failed",),
    )


def _by_run(
    check: OriginalCheck, counts: Sequence[int], runs: int, wanted: Range | None
) -> list[bool]:
    """Run by run, whether a check holds."""
    expected = wanted or _range(check)
    if check.check != _COUNT or expected is None or not counts:
        return [check.passed] * runs
    return [expected[0] <= count <= expected[1] for count in counts]


def _check(
    check: OriginalCheck, counts: Sequence[int], runs: int, wanted: Range | None
) -> ReviewCheck:
    passes = sum(_by_run(check, counts, runs, wanted))
    expected = wanted or _range(check)
    if check.check == _COUNT and expected is not None:
        low, high = expected
        told = f"{', '.join(map(str, counts))} (expected {low}-{high})"
        numbers = {"counts": list(counts), "min": low, "max": high}
    else:
        told, numbers = f"{check.detail} (first run)", {}
    return ReviewCheck(
        check=check.check,
        passed=None,
        detail=told,
        runs_passed=passes,
        runs=runs,
        numbers=numbers,
    )


def _range(check: OriginalCheck) -> Range | None:
    found = _RANGE.search(check.detail)
    return (int(found[1]), int(found[2])) if found else None


def _status(passed: bool | None, passes: int, checks: Sequence[ReviewCheck]) -> ReviewStatus:  # noqa: FBT001
    if passed is None:
        return "timeout"
    if passed:
        return "pass"
    return "partial" if passes or any(check.runs_passed for check in checks) else "fail"


def _latency(found: OriginalLatency, runs: int, *, late: bool = False) -> ReviewLatency:
    if late:
        return ReviewLatency(n=runs, timeouts=runs, text=f"timeout (n={runs})")
    text = f"mean {found.mean_ms:g} ms, min {found.min_ms:g} ms, max {found.max_ms:g} ms (n={runs})"
    return ReviewLatency(
        n=runs,
        mean=found.mean_ms,
        min=found.min_ms,
        max=found.max_ms,
        p95=found.p95_ms,
        text=text,
    )
