"""What a service answered with, and what its review holds."""

from typing import Literal

from harness.checks.replies import no_reply, replies_of
from harness.checks.results import failed, not_evaluated, verdict
from harness.model import (
    CheckResult,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Reply,
    ServiceStatus,
    TrialRecord,
    observations_of,
)

_FAMILIES = {"success": 2, "client_error": 4}
_NO_REVIEW = "the reply is no review: it has no list of observations"
_SHOWN = 8


def check_service_status(record: TrialRecord, expectation: ServiceStatus) -> CheckResult:
    """Whether the answer had a status of the family and, where asked for, its body the code."""
    reply = _reply(record, expectation.turn)
    if reply is None:
        return not_evaluated(expectation, no_reply(expectation.turn))
    wanted = _FAMILIES[expectation.family]
    status, code = reply.http_status, expectation.code
    found = code is None or code in reply.text
    numbers = {"status": status, "code": code, "code_found": found if code else None}
    if status is None:
        return failed(expectation, f"no HTTP status, expected {wanted}xx", **numbers)
    reasons = [] if status // 100 == wanted else [f"HTTP {status}, expected {wanted}xx"]
    reasons += [] if found else [f"the body does not hold {code!r}"]
    return verdict(expectation, "; ".join(reasons), **numbers)


def check_observation_count(record: TrialRecord, expectation: ObservationCount) -> CheckResult:
    """Whether the number of observations is in the range."""
    least, most = expectation.min, expectation.max
    reply = _reply(record, expectation.turn)
    if reply is None:
        return not_evaluated(expectation, no_reply(expectation.turn), min=least, max=most)
    found = observations_of(reply)
    if found is None:
        return failed(expectation, _NO_REVIEW, count=None, min=least, max=most)
    count = len(found)
    inside = (least or 0) <= count and (most is None or count <= most)
    reason = "" if inside else f"{count} observations (expected {expectation.range})"
    return verdict(expectation, reason, count=count, min=least, max=most)


def check_observation_severity(
    record: TrialRecord, expectation: ObservationSeverity
) -> CheckResult:
    """Whether an observation has the severity."""
    return _held(record, expectation, "severity", expectation.severity)


def check_observation_ref(record: TrialRecord, expectation: ObservationRef) -> CheckResult:
    """Whether an observation references the standard."""
    return _held(record, expectation, "ref", expectation.ref)


def _held(
    record: TrialRecord,
    expectation: ObservationSeverity | ObservationRef,
    field: Literal["severity", "ref"],
    wanted: str,
) -> CheckResult:
    reply = _reply(record, expectation.turn)
    if reply is None:
        return not_evaluated(expectation, no_reply(expectation.turn), expected=wanted)
    observations = observations_of(reply)
    if observations is None:
        return failed(expectation, _NO_REVIEW, expected=wanted, found=[])
    found = list(dict.fromkeys(getattr(each, field) for each in observations))
    named = ", ".join(found[:_SHOWN]) or "none"
    reason = "" if wanted in found else f"no observation with {field} {wanted}; found: {named}"
    return verdict(expectation, reason, expected=wanted, found=found[:_SHOWN])


def _reply(record: TrialRecord, turn: int | None) -> Reply | None:
    return next(iter(reversed(replies_of(record, turn))), None)
