"""From checks to the status of a trial, and from trials to the verdict of a case."""

from collections.abc import Mapping, Sequence

from harness.checks.attribution import attribute
from harness.checks.dispatch import check
from harness.checks.models import ModelResolver, import_model
from harness.checks.policies import holds, too_few
from harness.checks.scores import score_of
from harness.checks.tampering import check_tampering
from harness.model import (
    Case,
    CaseDecision,
    CaseVerdict,
    CheckResult,
    Outcome,
    Policy,
    TrialDecision,
    TrialRecord,
    TrialStatus,
)

VALID: frozenset[TrialStatus] = frozenset({"pass", "fail", "agent_error"})
_STATUS: Mapping[Outcome, TrialStatus] = {
    "agent_error": "agent_error",
    "infra_error": "infra_error",
    "replay_miss": "replay_miss",
    "skipped": "skipped",
}
_NOTHING_REQUIRED = "the case requires nothing, so nothing was decided"
_SYNTHETIC = "synthetic reply: the agent was not asked"


def decide_trial(
    case: Case, record: TrialRecord, *, resolve: ModelResolver = import_model
) -> TrialDecision:
    """Holds a trial against everything its case expects; every check runs on every trial.

    A reply passes when all required checks pass. A synthetic reply is skipped: nothing of the
    agent was seen. A trial in which nothing failed and something required could not be evaluated
    is neither a pass nor a failure: it is `not_evaluated`, outside of all rates, and leaves its
    case inconclusive. A trial in which a recording was missing is a `replay_miss`, whatever the
    agent made of it. A trial whose agent tampered with the evidence fails, however it ended.

    Args:
        case: The case.
        record: One trial of it.
        resolve: Where Pydantic models that expectations name come from.
    """
    checks = tuple(check(record, each, resolve=resolve) for each in case.expect)
    tampering = check_tampering(record)
    if tampering is not None:
        return _of_tampering(record, (tampering, *checks))
    required = [result for result in checks if result.required]
    open_ones = [result for result in required if result.status == "not_evaluated"]
    missed = missing_recording(record)
    seen = record.outcome == "replied" and not missed
    decision = TrialDecision(
        case=case.id,
        number=record.number,
        status="replay_miss" if missed else _status(record, required),
        checks=checks,
        not_evaluated=seen and (bool(open_ones) or not required),
        reason=missed or _why_no_pass(record, required),
        score=_score(case, record, checks) if not missed else None,
    )
    blamed = attribute(decision, record)
    return decision if blamed is None else decision.model_copy(update={"attribution": blamed})


def _of_tampering(record: TrialRecord, checks: tuple[CheckResult, ...]) -> TrialDecision:
    return TrialDecision(
        case=record.case,
        number=record.number,
        status="fail",
        checks=checks,
        reason=checks[0].reason,
        score=0.0,
        attribution="agent",
    )


def missing_recording(record: TrialRecord) -> str:
    """Which call of a trial no recording answered, one sentence; empty when there is none."""
    if record.synthetic or record.outcome not in {"replied", "agent_error"}:
        return ""
    for entry in record.journal.entries:
        if entry.miss is not None and entry.miss.blame == "replay_miss":
            nearest = f"; nearest is {entry.miss.nearest}" if entry.miss.nearest else ""
            differs = f", which differs in {', '.join(entry.miss.differs)}" * bool(
                nearest and entry.miss.differs
            )
            call = f"{entry.http_method} {entry.host}{entry.path}"
            return f"no recording answers {call}: {entry.miss.reason}{nearest}{differs}"
    return ""


def decide_case(case: Case, decisions: Sequence[TrialDecision], policy: Policy) -> CaseDecision:
    """The verdict over a case's valid trials, by its own policy or else by the given one.

    `passed` when the policy holds; `flaky` when it does not, though a trial passed; `failed` when
    none passed; `inconclusive` when no trial is valid, when too few are for the policy, or when
    trials that could not be evaluated would decide; `skipped` when all were.
    """
    trials = tuple(sorted(decisions, key=lambda decision: decision.number))
    valid = [trial for trial in trials if trial.status in VALID]
    passes = sum(trial.status == "pass" for trial in valid)
    undecided = sum(trial.status == "not_evaluated" for trial in trials)
    rule = case.policy or policy
    verdict: CaseVerdict
    if not valid:
        all_skipped = bool(trials) and all(trial.status == "skipped" for trial in trials)
        verdict = "skipped" if all_skipped else "inconclusive"
    elif (met := holds(rule, passes + undecided, len(valid) + undecided)) is None:
        verdict = "inconclusive"
    elif not met:
        verdict = "flaky" if passes else "failed"
    else:
        verdict = "inconclusive" if undecided else "passed"
    return CaseDecision(
        case=case.id,
        verdict=verdict,
        trials=trials,
        valid=len(valid),
        passed=passes,
        reason=too_few(rule, len(valid)) or _first_reason(trials),
    )


def _status(record: TrialRecord, required: Sequence[CheckResult]) -> TrialStatus:
    if record.outcome != "replied":
        return _STATUS[record.outcome]
    if record.synthetic:
        return "skipped"
    found = {result.status for result in required}
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "not_evaluated"


def _score(case: Case, record: TrialRecord, checks: Sequence[CheckResult]) -> float | None:
    if record.synthetic or record.outcome not in {"replied", "agent_error"}:
        return None
    return score_of(case.expect, checks, case.weights) if record.outcome == "replied" else 0.0


def _why_no_pass(record: TrialRecord, required: Sequence[CheckResult]) -> str:
    if record.outcome != "replied":
        return record.error or record.outcome.replace("_", " ")
    if record.synthetic:
        return _SYNTHETIC
    reasons = [result.reason for result in required if result.status == "fail"]
    reasons += [result.reason for result in required if result.status == "not_evaluated"]
    return next(iter(reasons), "" if required else _NOTHING_REQUIRED)


def _first_reason(trials: Sequence[TrialDecision]) -> str:
    """What failed comes before what could not be decided."""
    failures = [trial for trial in trials if trial.status in VALID]
    return next((trial.reason for trial in (*failures, *trials) if trial.reason), "")
