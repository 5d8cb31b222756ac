"""Tool calls against the expected ones."""

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import groupby

from harness.checks.alignment import Pairs, align
from harness.checks.mismatch import Attempt, fits, why_unpaired
from harness.checks.phrases import quoted
from harness.checks.results import not_evaluated, verdict
from harness.checks.trajectory import seen_calls, trajectory, untold
from harness.model import (
    CheckResult,
    ForbiddenTools,
    JsonObject,
    MinCalls,
    ToolCall,
    ToolCalls,
    TrialRecord,
)

_NAMED = 5


def check_tool_calls(record: TrialRecord, expectation: ToolCalls) -> CheckResult:
    """Whether the trajectory holds the expected calls, by a maximum matching.

    The numbers hold the alignment (`pairs`, each with the `reason` why it is no pair), `missing`
    and `extra` names, and `precision`, `recall` and `f1` from 0 to 1.
    """
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    attempt = Attempt(expectation, found.calls)
    pairs = _paired(attempt)
    missing = [
        number
        for number, call in enumerate(expectation.calls)
        if number not in pairs and not call.optional
    ]
    extra = [at for at in range(len(attempt.counted)) if at not in pairs.values()]
    reasons = {number: why_unpaired(number, attempt, pairs) for number in missing}
    told = [reason.sentence for reason in reasons.values()]
    told += _too_many(extra, attempt.counted, expectation)
    return verdict(
        expectation,
        "tool calls: " + "; ".join(told) if told else "",
        mode=expectation.mode,
        witness=found.witness,
        pairs=[
            {
                "expected": number,
                "name": call.name,
                "actual": attempt.position(pairs[number]) if number in pairs else None,
                "reason": reasons[number].code if number in reasons else "",
            }
            for number, call in enumerate(expectation.calls)
        ],
        missing=[expectation.calls[number].name for number in missing],
        extra=[attempt.counted[at].name for at in extra],
        failed_calls=sum(call.status == "error" for call in found.calls),
        **_scores(pairs, attempt, missing),
    )


def check_forbidden_tools(record: TrialRecord, expectation: ForbiddenTools) -> CheckResult:
    """Whether neither the agent nor the server reports a call of a forbidden tool."""
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    # the server's word counts beside the agent's: a call that is not reported was made all the same
    single = expectation.turn is None or len(record.replies) == 1
    calls = [*found.calls, *(seen_calls(record) if single else ())]
    names = sorted({call.name for call in calls if _matches_any(call.name, expectation.globs)})
    reason = f"forbidden tools were called: {quoted(names)}" if names else ""
    return verdict(expectation, reason, found=names, calls=len(found.calls))


def check_min_calls(record: TrialRecord, expectation: MinCalls) -> CheckResult:
    """Whether each tool was called at least so often; failed calls count as made."""
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    made = Counter(call.name for call in found.calls)
    short = {name: made[name] for name, least in expectation.counts.items() if made[name] < least}
    reason = "; ".join(
        f"{name!r} was called {count} times, at least {expectation.counts[name]} expected"
        for name, count in short.items()
    )
    counts = {name: made[name] for name in expectation.counts}
    return verdict(expectation, reason, counts=counts, missing=list(short))


def _paired(attempt: Attempt) -> Pairs:
    expectation, counted = attempt.expectation, attempt.counted
    suiting = {
        number: [at for at, call in enumerate(counted) if fits(expected, call)]
        for number, expected in enumerate(expectation.calls)
    }
    optional = frozenset(n for n, call in enumerate(expectation.calls) if call.optional)
    return align(_groups(expectation), suiting, optional)


def _groups(expectation: ToolCalls) -> list[list[int]]:
    """Numbers of the expected calls: one group, or one for each call or named neighbourhood."""
    numbers = range(len(expectation.calls))
    if expectation.mode == "any_order":
        return [list(numbers)]
    keys = [call.group or number for number, call in enumerate(expectation.calls)]
    return [list(group) for _, group in groupby(numbers, key=lambda number: keys[number])]


def _too_many(
    extra: Sequence[int], counted: Sequence[ToolCall], expectation: ToolCalls
) -> list[str]:
    allowed = 0 if expectation.mode == "exact" else expectation.extra_max
    if allowed is None or len(extra) <= allowed:
        return []
    names = quoted([counted[at].name for at in extra[:_NAMED]])
    more = ", ..." if len(extra) > _NAMED else ""
    return [f"{len(extra)} extra calls, {allowed} allowed: {names}{more}"]


def _scores(pairs: Pairs, attempt: Attempt, missing: Sequence[int]) -> JsonObject:
    """Precision over the calls made, recall over the required ones (1 where there are none)."""
    optional = sum(call.optional for call in attempt.expectation.calls)
    required = len(attempt.expectation.calls) - optional
    precision = len(pairs) / len(attempt.counted) if attempt.counted else 1.0
    recall = (required - len(missing)) / required if required else 1.0
    both = precision + recall
    return {
        "expected": required,
        "optional": optional,
        "actual": len(attempt.counted),
        "matched": len(pairs),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / both, 4) if both else 0.0,
    }


def _matches_any(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
