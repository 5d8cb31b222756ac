"""What a run exits with, and everything that speaks against 0."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from harness.checks.reviews import ServiceStatus, StatusNumbers
from harness.errors import Exit
from harness.model.comparison import Comparison
from harness.model.runs import Canary, ExitReason, RunResult
from harness.trials.decisions import (
    CaseDecision,
    TrialShape,
    TrialStatus,
    select_trials,
    trial_shapes,
)

_PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.USAGE,
    Exit.INFRASTRUCTURE,
    Exit.NO_VERDICT,
    Exit.GATE_FAILED,
    Exit.REGRESSION,
)
_NAMED = 3
_BROKEN = 500
_REVIEWED = frozenset({"span", "severity"})


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may bear.

    Attributes:
        max_infra: The share of its trials that may end in `infra_error`, from 0 to 1.
        min_stability: How alike the reviews of a case must be, from 0 to 1, span and severity each;
            None for no such gate.
        allow_empty: A run without any case is no mistake.
    """

    max_infra: float = 0.05
    min_stability: float | None = None
    allow_empty: bool = False


DEFAULT_LIMITS = Limits()


def exit_code(result: RunResult, limits: Limits = DEFAULT_LIMITS) -> Exit:
    """The exit code: the first of 130, 2, 3, 5, 1, 4 that applies."""
    reasons = exit_reasons(result, limits)
    return Exit(reasons[0].code) if reasons else Exit.OK


def winning_code(codes: Iterable[int]) -> int:
    """The code of several runs together: the first of 130, 2, 3, 5, 1, 4 that one has.

    >>> winning_code([0, 1, 3])
    3
    """
    found = set(codes)
    return next((int(code) for code in _PRECEDENCE if code in found), 0)


def exit_reasons(result: RunResult, limits: Limits = DEFAULT_LIMITS) -> tuple[ExitReason, ...]:
    """All that speaks against 0, the code that wins first."""
    reasons = [
        *_interruption(result),
        *_selection(result, limits),
        *_infrastructure(result, limits),
        *_without_verdict(result),
        *_gate(result),
        *_unstable(result, limits),
        *_strictness(result),
        *regression_reasons(result.comparison),
    ]
    return tuple(sorted(reasons, key=lambda reason: _PRECEDENCE.index(Exit(reason.code))))


def _interruption(result: RunResult) -> list[ExitReason]:
    reason = "interrupted: trials are missing"
    return [ExitReason(code=Exit.INTERRUPTED, reason=reason)] * result.interrupted


def _selection(result: RunResult, limits: Limits) -> list[ExitReason]:
    reasons = []
    if not result.decisions and not limits.allow_empty:
        reasons.append("no case was selected")
    if left_out := result.manifest.left_out:
        reasons.append(f"invalid, and left out: {_first_few(left_out)}")
    return [ExitReason(code=Exit.USAGE, reason=reason) for reason in reasons]


def _infrastructure(result: RunResult, limits: Limits) -> list[ExitReason]:
    counts = Counter(
        shape.status for decision in result.decisions for shape in trial_shapes(decision.trials)
    )
    infra, ran = counts["infra_error"], counts.total() - counts["skipped"]
    reasons: list[str] = []
    if infra > limits.max_infra * ran:
        reasons.append(
            f"{infra} of {ran} trials ended in infrastructure errors,"
            f" more than the {limits.max_infra:.0%} allowed"
        )
    lost = [each for each in result.decisions if not each.valid and _has(each, "infra_error")]
    if lost:
        reasons.append(f"no valid trial, for infrastructure errors: {_names(lost)}")
    reasons += [
        f"the mock server did not answer as it must ({each.when} the trials): {each.error}"
        for each in latest_canaries(result.canaries)
        if each.error
    ]
    if changed := [file for time in result.custody for file in time.changed]:
        reasons.append(f"records were changed while trials were running: {_first_few(changed)}")
    reasons += _dead_service(result)
    return [ExitReason(code=Exit.INFRASTRUCTURE, reason=reason) for reason in reasons]


def _dead_service(result: RunResult) -> list[str]:
    """A service that fails whatever it is asked has no quality to tell of."""
    statuses = (
        cast("StatusNumbers", check.numbers).get("status")
        for decision in result.decisions
        for trial in select_trials(decision.trials, _tells_status)
        for check in trial.checks
        if check.kind == ServiceStatus.kind_name() and check.status != "not_evaluated"
    )
    first = None
    for status in statuses:
        if not isinstance(status, int) or status < _BROKEN:
            return []
        first = first or status
    return [] if first is None else [f"every call of the service failed, with HTTP {first}"]


def _tells_status(shape: TrialShape) -> bool:
    return any(each.kind == ServiceStatus.kind_name() for each in shape.checks)


def latest_canaries(canaries: Sequence[Canary]) -> Sequence[Canary]:
    """Those of the last time that trials were run; earlier ones were made up for by resuming."""
    starts = [place for place, each in enumerate(canaries) if each.when == "before"]
    return canaries[starts[-1] :] if starts else canaries


def _without_verdict(result: RunResult) -> list[ExitReason]:
    reasons: list[str] = []
    if open_cases := [each for each in result.decisions if each.verdict == "inconclusive"]:
        reasons.append(f"inconclusive: {_names(open_cases)}")
    if result.decisions and all(each.verdict == "skipped" for each in result.decisions):
        synthetic = bool(result.facts) and all(each.synthetic for each in result.facts)
        why = "every reply was synthetic" if synthetic else "every case was skipped"
        reasons.append(f"no verdict: {why}")
    return [ExitReason(code=Exit.NO_VERDICT, reason=reason) for reason in reasons]


def _gate(result: RunResult) -> list[ExitReason]:
    failed = [each for each in result.decisions if each.verdict in {"failed", "flaky"}]
    if not failed:
        return []
    total = len(result.decisions)
    reason = f"{len(failed)} of {total} cases did not pass: {_names(failed)}"
    return [ExitReason(code=Exit.GATE_FAILED, reason=reason)]


def _unstable(result: RunResult, limits: Limits) -> list[ExitReason]:
    least = limits.min_stability
    if least is None or result.statistics is None:
        return []
    worse = [
        f"{case.case} ({each.name} {each.value:.0%})"
        for case in result.statistics.cases
        for each in case.stability
        if each.name in _REVIEWED and each.value is not None and each.value < least
    ]
    if not worse:
        return []
    reason = f"stability below {least:.0%}: {_first_few(worse)}"
    return [ExitReason(code=Exit.GATE_FAILED, reason=reason)]


def regression_reasons(found: Comparison | None) -> list[ExitReason]:
    """What in a comparison with a baseline speaks against exit code 0."""
    if found is None:
        return []
    reasons = []
    if found.effect is not None and found.effect < 0 and found.p_value < found.alpha:
        reasons.append(
            f"the mean rate fell by {-found.effect * 100:.1f} points against {found.baseline}"
            f" (p = {found.p_value:.2g})"
        )
    if worse := found.flagged("significant"):
        said = _first_few([f"{case.case} (significant)" for case in worse])
        reasons.append(f"worse than in {found.baseline}: {said}")
    if other := found.flagged("changed_outcome"):
        said = _first_few([case.case for case in other])
        reasons.append(f"another outcome than in {found.baseline}, declared deterministic: {said}")
    if found.over_threshold:
        said = _first_few(found.over_threshold)
        reasons.append(f"fell by more than {found.threshold:g}: {said}")
    if found.removed and not found.allow_removed:
        reasons.append(f"cases of {found.baseline} that are gone: {_first_few(found.removed)}")
    return [ExitReason(code=Exit.REGRESSION, reason=reason) for reason in reasons]


def _strictness(result: RunResult) -> list[ExitReason]:
    """What a strict run fails for: recordings too many, too few or in doubt, and live addresses."""
    if not result.manifest.options.get("strict"):
        return []
    reasons = []
    if result.recordings_unused:
        named = _first_few(result.recordings_unused)
        reasons.append(f"recordings that nobody asked for (strict): {named}")
    if result.recordings_doubtful:
        named = _first_few(result.recordings_doubtful)
        reasons.append(f"recordings that may not fit (strict): {named}")
    if result.addresses_refused:
        named = _first_few(result.addresses_refused)
        reasons.append(f"live addresses that agents tried (strict): {named}")
    if missed := [each for each in result.decisions if _has(each, "replay_miss")]:
        reasons.append(f"calls that no recording answers (strict): {_names(missed)}")
    return [ExitReason(code=Exit.GATE_FAILED, reason=reason) for reason in reasons]


def _has(decision: CaseDecision, status: TrialStatus) -> bool:
    return any(shape.status == status for shape in trial_shapes(decision.trials))


def _names(decisions: list[CaseDecision]) -> str:
    return _first_few([decision.case for decision in decisions])


def _first_few(texts: Sequence[str]) -> str:
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")
