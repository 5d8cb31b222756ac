"""From checks to the status of a trial, and from trials to the verdict of a case.

Whose failure a trial is follows from the first rule that holds:

| Fact | Attribution |
|---|---|
| the agent tampered with the evidence | agent |
| the agent or the mock server was not reached | infrastructure |
| a request had no recording, a method is not emulated, or what chooses was ignored | fixture |
| a judge gave no opinion that could be counted | judge |
| a required check could not be evaluated for another reason, or the case requires nothing | case |
| anything else | agent |
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import comb

import orjson

from harness.checks.registry import Expectation, check, class_of
from harness.checks.reply_schema import ModelResolver, import_model
from harness.checks.trajectory import as_call
from harness.model.cases import Case, Policy
from harness.trials.decisions import (
    Attribution,
    CaseDecision,
    CaseVerdict,
    CheckResult,
    StoredTrials,
    TrialDecision,
    TrialStatus,
    select_trials,
    trial_shapes,
)
from harness.trials.records import Outcome, Reply, Trace, TrialRecord
from mockserver.model import JournalEntry, Miss, shortened

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
    agent made of it, unless it had already done more than the case allows: such a trial fails. A
    trial whose agent tampered with the evidence fails, however it ended, and so
    does one whose tools wrote to what is real though no case lets them.

    Args:
        case: The case.
        record: One trial of it.
        resolve: Where Pydantic models that expectations name come from.
    """
    checks = tuple(check(record, each, resolve=resolve) for each in case.expect)
    tampering = check_tampering(record)
    if tampering is not None:
        return _of_finding(record, (tampering, *checks), "agent")
    escape = check_escapes(record)
    if escape is not None:
        return _of_finding(record, (escape, *checks), "fixture")
    missed = missed_call(record)
    excess = {} if missed is None else _excesses(case, record, missed, resolve)
    if missed is not None and excess:
        told = tuple(excess.get(at, result) for at, result in enumerate(checks))
        first = next(iter(excess.values()))
        return _of_finding(record, told, "agent", first.reason)
    required = [result for result in checks if result.required]
    open_ones = [result for result in required if result.status == "not_evaluated"]
    seen = record.outcome == "replied" and missed is None
    decision = TrialDecision(
        case=case.id,
        number=record.number,
        status="replay_miss" if missed else _status(record, required),
        checks=checks,
        not_evaluated=seen and (bool(open_ones) or not required),
        reason=_no_recording(missed) if missed else _why_no_pass(record, required),
        score=None if missed else _score(case, record, checks),
    )
    blamed = attribute(decision, record)
    return decision if blamed is None else decision.model_copy(update={"attribution": blamed})


def _of_finding(
    record: TrialRecord,
    checks: tuple[CheckResult, ...],
    attribution: Attribution,
    reason: str = "",
) -> TrialDecision:
    return TrialDecision(
        case=record.case,
        number=record.number,
        status="fail",
        checks=checks,
        reason=reason or checks[0].reason,
        score=0.0,
        attribution=attribution,
    )


def missed_call(record: TrialRecord) -> JournalEntry | None:
    """The first call of a trial that no recording answered, or None."""
    if record.synthetic or record.outcome not in {"replied", "agent_error"}:
        return None
    misses = (entry for entry in record.journal.entries if entry.miss is not None)
    return next((each for each in misses if each.miss and each.miss.blame == "replay_miss"), None)


def _no_recording(entry: JournalEntry) -> str:
    """Which call no recording answered, one sentence."""
    miss = entry.miss or Miss(blame="replay_miss", reason="")
    call = f"{entry.http_method} {entry.host}{entry.path}"
    return f"no recording answers {call}: {miss.reason}{miss.near}"


def _excesses(
    case: Case, record: TrialRecord, missed: JournalEntry, resolve: ModelResolver
) -> dict[int, CheckResult]:
    """What is required and not kept, whatever a recording would have answered, by its place.

    That is what an agent did more often than it may, up to the first call that has no recording.
    Only the server's word counts, for nobody says after which of its own calls the agent was
    left without an answer, and so a limit on a single turn of several is left undecided.
    """
    entries = record.journal.entries
    before = entries[: entries.index(missed)]
    turns = {1, *(each.turn for each in record.attempts), *(each.turn for each in record.replies)}
    until = record.model_copy(
        update={
            "replies": tuple(Reply(turn=turn, prompt="") for turn in sorted(turns)),
            "trace": Trace(),
            "journal": record.journal.model_copy(
                update={"entries": (*before, missed.model_copy(update=_AS_ANSWERED))}
            ),
        }
    )
    found = {}
    for at, each in enumerate(case.expect):
        result = check(until, each, resolve=resolve) if each.required else None
        if result is not None and (excess := result.numbers.get("excess")):
            reason = f"{excess}; {_last_call(missed)} was not recorded, and nothing after it counts"
            found[at] = result.model_copy(update={"reason": reason})
    return found


_AS_ANSWERED = {"status": 200, "miss": None}


def _last_call(entry: JournalEntry) -> str:
    """A call as a reader knows it: the tool with its arguments, or the request."""
    call = as_call(entry)
    if call.name == entry.method_id:
        return f"{entry.http_method} {entry.host}{entry.path}"
    return f"the call {call.name} {shortened(orjson.dumps(call.args).decode())}"


def decide_case(case: Case, decisions: Sequence[TrialDecision], policy: Policy) -> CaseDecision:
    """The verdict over a case's valid trials, by its own policy or else by the given one.

    `passed` when the policy holds; `flaky` when it does not, though a trial passed; `failed` when
    none passed; `inconclusive` when no trial is valid, when too few are for the policy, or when
    trials that could not be evaluated would decide; `skipped` when all were.
    """
    trials = decisions
    if not isinstance(trials, StoredTrials):
        trials = tuple(sorted(decisions, key=lambda decision: decision.number))
    counts = Counter(shape.status for shape in trial_shapes(trials))
    valid = sum(counts[status] for status in VALID)
    passes, undecided = counts["pass"], counts["not_evaluated"]
    rule = case.policy or policy
    verdict: CaseVerdict
    if not valid:
        all_skipped = 0 < len(trials) == counts["skipped"]
        verdict = "skipped" if all_skipped else "inconclusive"
    elif (met := holds(rule, passes + undecided, valid + undecided)) is None:
        verdict = "inconclusive"
    elif not met:
        verdict = "flaky" if passes else "failed"
    else:
        verdict = "inconclusive" if undecided else "passed"
    return CaseDecision(
        case=case.id,
        verdict=verdict,
        trials=trials,
        valid=valid,
        passed=passes,
        reason=too_few(rule, valid) or _first_reason(trials),
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
        told = record.error or record.outcome.replace("_", " ")
        return told + (_first_miss(record) if record.outcome == "agent_error" else "")
    if record.synthetic:
        return _SYNTHETIC
    reasons = [result.reason for result in required if result.status == "fail"]
    reasons += [result.reason for result in required if result.status == "not_evaluated"]
    return next(iter(reasons), "" if required else _NOTHING_REQUIRED)


def _first_miss(record: TrialRecord) -> str:
    """The first call that nothing answered, to be put behind what the agent made of it."""
    for entry in record.journal.entries:
        if entry.miss is not None and not entry.after_close:
            call = f"{entry.http_method} {entry.host}{entry.path}"
            if entry.http_method == "CONNECT":
                call = entry.host
            return f"; nothing answered {call}: {entry.miss.reason}"
    return _LED if _LOOKED_UP.search(record.error or "") else ""


_LOOKED_UP = re.compile(
    r"Name or service not known|nodename nor servname|getaddrinfo|name resolution|ENOTFOUND"
    r"|EAI_AGAIN|Could not resolve host|NameResolutionError|No address associated"
)
_LED = (
    "; it looked for a live host itself: --intercept leads its clients to the suite,"
    " and `understudy env --check` shows which do not follow"
)


def _first_reason(trials: Sequence[TrialDecision]) -> str:
    """What failed comes before what could not be decided."""
    failed = select_trials(trials, lambda shape: shape.explained and shape.status in VALID)
    other = select_trials(trials, lambda shape: shape.explained)
    return next((trial.reason for trial in chain(failed, other)), "")


_ALL = "all"
_NOTHING = 1e-9
"""0.1 * 3 is a little more than 0.3."""


def holds(policy: Policy, passed: int, valid: int) -> bool | None:
    """Whether a policy is met by so many passes of so many valid trials (at least one).

    None where too few trials are valid to say: pass^k of fewer than k trials is undefined, and k is
    never lowered.

    >>> holds(Policy(rate=0.8), 4, 5), holds(Policy(pass_="majority"), 1, 2)
    (True, False)
    >>> [holds(Policy(pass_hat=3, min=0.4), passed, valid) for passed, valid in ((4, 5), (2, 2))]
    [True, None]
    """
    if policy.pass_hat is not None and policy.min is not None:
        if valid < policy.pass_hat:
            return None
        share = comb(passed, policy.pass_hat) / comb(valid, policy.pass_hat)
        return share >= policy.min - _NOTHING
    if policy.rate is not None:
        return passed >= policy.rate * valid - _NOTHING
    return passed == valid if policy.pass_ == _ALL else passed * 2 > valid


def too_few(policy: Policy, valid: int) -> str:
    """Why so many valid trials decide nothing under a policy, or an empty string."""
    if policy.pass_hat is None or valid >= policy.pass_hat or not valid:
        return ""
    return f"the policy pass_hat {policy.pass_hat} is undefined for {valid} valid trials"


def score_of(
    expect: Sequence[Expectation], checks: Sequence[CheckResult], weights: Mapping[str, float]
) -> float:
    """The weighted share of the required checks that passed.

    Each check counts once, but every pattern of a `patterns` check counts on its own. What could
    not be evaluated did not pass.

    Args:
        expect: What was expected.
        checks: What came of it, in the same order.
        weights: Kind to what a check of it weighs; 1 where it names none.
    """
    total = reached = 0.0
    for expectation, result in zip(expect, checks, strict=True):
        if not expectation.required:
            continue
        weight = weights.get(expectation.kind, 1.0) * expectation.parts
        total += weight
        reached += weight * _share(expectation, result)
    return reached / total if total else 0.0


def _share(expectation: Expectation, result: CheckResult) -> float:
    if expectation.is_graded:
        return float(result.numbers.get("score", 0.0))
    return float(result.status == "pass")


KIND = "tampering"


def check_tampering(record: TrialRecord) -> CheckResult | None:
    """The finding on an agent that tried what it may not do; None for one that did not."""
    attempts = record.tampering
    if not attempts:
        return None
    first, more = attempts[0], len(attempts) - 1
    others = f" and {more} more" if more else ""
    reason = f"the agent tried {first.attempt}{others}: {first.reason}"
    return CheckResult(kind=KIND, status="fail", reason=reason, numbers={"attempts": len(attempts)})


ESCAPE = "escape"


def check_escapes(record: TrialRecord) -> CheckResult | None:
    """The finding on tools inside the agent that nobody mocked and that wrote; None for none."""
    found = [entry for entry in record.journal.entries if entry.escapes]
    if not found:
        return None
    first = found[0]
    tool = first.method_id.removeprefix("tools.")
    others = f", and {len(found) - 1} more calls did the like" if len(found) > 1 else ""
    reason = (
        f"the tool {tool!r} ran for real and {'; '.join(first.escapes)}{others}:"
        f" say under 'tools' whether it is mocked, real or refused"
    )
    return CheckResult(kind=ESCAPE, status="fail", reason=reason, numbers={"calls": len(found)})


_WORLD = frozenset({"not_emulated", "replay_miss"})
_REFUSED = 400
_CHOOSING = frozenset({
    "customFilter", "endTime", "filter", "filters", "interval", "maxTime", "minTime", "orderBy",
    "orgUnitPath", "q", "query", "readMask", "sortBy", "sortOrder", "startTime", "updateMask",
    "view",
})  # fmt: skip
"""Parameters that choose what is answered; a live API would have chosen. Others, such as
unknown names and fields that only an answer has, a live API ignores, too."""


def attribute(decision: TrialDecision, record: TrialRecord) -> Attribution | None:
    """Whose failure it is; None for a trial that passed or was skipped."""
    if decision.status in {"pass", "skipped"}:
        return None
    if decision.status == "infra_error":
        return "infrastructure"
    if decision.status == "replay_miss" or _left_the_mock(record):
        return "fixture"
    if decision.status == "not_evaluated":
        return _attribute_open_checks(decision)
    return "agent"


def _left_the_mock(record: TrialRecord) -> bool:
    """Whether a call that a live API would have answered was not, or otherwise, answered here."""
    return any(_is_gap(entry) for entry in record.journal.entries if not entry.after_close)


def _is_gap(entry: JournalEntry) -> bool:
    if entry.miss is not None:
        return entry.miss.blame in _WORLD
    # a call that was refused went unanswered for another reason
    return entry.status < _REFUSED and any(
        name.partition(" ")[0] in _CHOOSING for name in entry.ignored
    )


def _attribute_open_checks(decision: TrialDecision) -> Attribution:
    open_ones = [
        check for check in decision.checks if check.required and check.status == "not_evaluated"
    ]
    blamed = {class_of(check.kind).unevaluated_attribution for check in open_ones}
    return blamed.pop() if len(blamed) == 1 else "case"
