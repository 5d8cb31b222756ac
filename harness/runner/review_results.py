"""The results of a run of a review suite: case by case, check by check."""

from collections.abc import Iterable, Sequence
from typing import cast

from harness.checks.reviews import CountNumbers, StatusNumbers
from harness.errors import Exit
from harness.model import (
    Case,
    CaseDecision,
    CheckResult,
    Expectation,
    Experiment,
    JsonObject,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Policy,
    ReplySchema,
    ReviewCaseResult,
    ReviewCheck,
    ReviewLatency,
    ReviewResults,
    ReviewStability,
    ReviewStatus,
    ReviewSummary,
    RunResult,
    ServiceStatus,
    TrialFacts,
)
from harness.statistics import first_run_stability, latency, latency_text, stability
from harness.verdicts import holds

_ANSWERED = frozenset({"pass", "fail", "agent_error", "not_evaluated"})
_EMPTY = (
    "no review found anything in any case: was the service reached by what stands behind it?"
    " Nothing here speaks for it"
)


def is_review(result: RunResult) -> bool:
    """Whether a run asked a service, and not a conversation."""
    return bool(result.cases) and all(case.request is not None for case in result.cases)


def review_results(result: RunResult) -> ReviewResults:
    """The results of a run of a review suite."""
    decisions = {decision.case: decision for decision in result.decisions}
    policy = Policy.model_validate(result.manifest.policy)
    facts: dict[str, list[TrialFacts]] = {case.id: [] for case in result.cases}
    for each in result.facts:
        facts[each.case].append(each)
    cases = tuple(
        _case(case, decisions[case.id], facts[case.id], case.policy or policy).model_copy(
            update={"hash": result.manifest.cases.get(case.id, "")}
        )
        for case in result.cases
    )
    manifest, backend = result.manifest, str(result.manifest.options.get("backend", ""))
    return ReviewResults(
        backend=backend,
        experiment=Experiment(
            hypothesis=manifest.note,
            run=manifest.run,
            suite=manifest.suite,
            agent=manifest.agent,
            backend=backend,
            runs_per_case=max(manifest.trials.values(), default=0),
            started_at=manifest.started_at,
        ),
        summary=_summary(result, cases, facts),
        cases=cases,
    )


def _case(
    case: Case, decision: CaseDecision, facts: Sequence[TrialFacts], policy: Policy
) -> ReviewCaseResult:
    answered = {trial.number for trial in decision.trials if trial.status in _ANSWERED}
    checks = tuple(
        _check(
            item,
            [trial.checks[place] for trial in decision.trials if trial.number in answered],
            policy,
        )
        for place, item in enumerate(case.expect)
    )
    told = [each for each in facts if each.number in answered and each.observations is not None]
    reasons = [trial.reason for trial in decision.trials if trial.reason]
    return ReviewCaseResult(
        id=case.id,
        description=case.title,
        expect_error=_expects_error(case),
        passed=decision.verdict == "passed" if decision.valid else None,
        status=_status(decision, checks, facts),
        runs=len(decision.trials),
        valid=decision.valid,
        passed_runs=decision.passed,
        checks=checks,
        observations=tuple(_count(each) for each in facts),
        stability={} if _expects_error(case) else {
            "span": _alike([[(o.ref, o.span) for o in each.observations or ()] for each in told]),
            "severity": _alike(
                [[(o.ref, o.severity) for o in each.observations or ()] for each in told]
            ),
        },
        latency=_latency(facts),
        errors=tuple(dict.fromkeys(reasons)),
    )  # fmt: skip


def _expects_error(case: Case) -> bool:
    statuses = [item for item in case.expect if isinstance(item, ServiceStatus)]
    return any(item.family == "client_error" for item in statuses)


def _count(facts: TrialFacts) -> int | None:
    return None if facts.observations is None else len(facts.observations)


def _status(
    decision: CaseDecision, checks: Sequence[ReviewCheck], facts: Sequence[TrialFacts]
) -> ReviewStatus:
    if decision.verdict in {"passed", "skipped"}:
        return "pass" if decision.verdict == "passed" else "skipped"
    if not decision.valid:
        if any(trial.status == "not_evaluated" for trial in decision.trials):
            return "skipped"
        late = any(each.time_limit_ms is not None for each in facts)
        return "timeout" if late else "infrastructure"
    told = [check for check in checks if check.expectation]
    return "partial" if any(check.passed or check.runs_passed for check in told) else "fail"


def _check(item: Expectation, found: Sequence[CheckResult], policy: Policy) -> ReviewCheck:
    passes = sum(each.is_met for each in found)
    return ReviewCheck(
        check=_name(item),
        passed=holds(policy, passes, len(found)) if found else None,
        detail=_detail(item, found, passes),
        runs_passed=passes,
        runs=len(found),
        expectation=_is_expectation(item),
        numbers=_numbers(item, found),
    )


def _name(item: Expectation) -> str:
    match item:
        case ServiceStatus():
            return "status" if item.family == "success" else "expected_error_code"
        case ReplySchema():
            return "schema"
        case ObservationSeverity():
            return f"expected_severity:{item.severity}"
        case ObservationRef():
            return f"expected_ref:{item.ref}"
        case _:
            return item.kind


def _is_expectation(item: Expectation) -> bool:
    """Whether the case wrote it down; that a review is one goes without saying."""
    success = isinstance(item, ServiceStatus) and item.family == "success"
    return not success and not isinstance(item, ReplySchema)


def _detail(item: Expectation, found: Sequence[CheckResult], passes: int) -> str:
    if not found:
        return "no valid run"
    if isinstance(item, ObservationCount):
        counts = ", ".join(str(count) for count in _counts(found))
        return f"{counts} (expected {item.range})"
    told = f"passed in {passes} of {len(found)} runs"
    reason = next((each.reason for each in found if each.reason), "")
    return f"{told}; {reason}" if reason else told


def _numbers(item: Expectation, found: Sequence[CheckResult]) -> JsonObject:
    if isinstance(item, ObservationCount):
        return {"counts": _counts(found), "min": item.min, "max": item.max}
    if isinstance(item, ServiceStatus):
        numbers = [cast("StatusNumbers", each.numbers) for each in found]
        return {"statuses": [each.get("status") for each in numbers], "code": item.code}
    return {}


def _counts(found: Sequence[CheckResult]) -> list[int | None]:
    return [cast("CountNumbers", each.numbers).get("count") for each in found]


def _alike(runs: Sequence[Sequence[tuple[str, str]]]) -> ReviewStability:
    found = stability(runs)
    return ReviewStability(
        value=found.value,
        numerator=found.numerator,
        denominator=found.denominator,
        label=found.label,
        csr_compat=first_run_stability(runs) if len(runs) > 1 else None,
    )


def _latency(facts: Iterable[TrialFacts]) -> ReviewLatency:
    known = list(facts)
    answered = [each.agent_ms for each in known if each.outcome == "replied" and not each.synthetic]
    limits = [each.time_limit_ms for each in known if each.time_limit_ms is not None]
    found = latency(answered, timeouts=limits)
    return ReviewLatency(
        n=found.n,
        timeouts=found.censored,
        mean=found.mean,
        min=found.min,
        max=found.max,
        p95=found.p95,
        text=latency_text(found),
    )


def _summary(
    result: RunResult, cases: Sequence[ReviewCaseResult], facts: dict[str, list[TrialFacts]]
) -> ReviewSummary:
    expected = [check for case in cases for check in case.checks if check.expectation]
    reviews = [each for case in cases if not case.expect_error for each in facts[case.id]]
    told = [each for each in reviews if each.observations is not None or each.time_limit_ms]
    found = [count for case in cases for count in case.observations if count is not None]
    broken = any(reason.code == Exit.INFRASTRUCTURE for reason in result.exit_reasons)
    return ReviewSummary(
        cases_passed=sum(bool(case.passed) for case in cases),
        cases_total=len(cases),
        cases_invalid=sum(case.passed is None for case in cases),
        expectations_passed=sum(bool(check.passed) for check in expected),
        expectations_total=len(expected),
        expectations_open=sum(check.passed is None for check in expected),
        latency=_latency(told),
        valid=not broken and any(case.valid for case in cases),
        warnings=(_EMPTY,) if found and not any(found) and _wants_some(result.cases) else (),
    )


def _wants_some(cases: Iterable[Case]) -> bool:
    return any(
        isinstance(item, ObservationSeverity | ObservationRef)
        or (isinstance(item, ObservationCount) and item.min)
        for case in cases
        for item in case.expect
    )
