"""Tool calls against the expected ones."""

from collections import Counter

from harness.checks.globs import is_named
from harness.checks.matchers import InvalidMatcherError
from harness.checks.mismatch import args_difference
from harness.checks.pairing import Pairing
from harness.checks.phrases import quoted
from harness.checks.reconciling import with_answers
from harness.checks.results import not_evaluated, verdict
from harness.checks.trajectory import Trajectory, seen_calls, trajectory, untold
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
_MOST_ROWS = 200
_NOT_TOLD = "nobody says how the calls ended, so this cannot be told: "
_NO_TURNS = "the agent reports no tool calls, and the server cannot tell which are of which turn"


def check_tool_calls(record: TrialRecord, expectation: ToolCalls) -> CheckResult:
    """Whether the trajectory holds the expected calls, by an optimal matching.

    The numbers hold the `alignment` row by row (see `_rows`), `missing` and `extra` names, and
    `precision`, `recall` and `f1` from 0 to 1. Where only a fact is missing that nobody reports
    (how a call ended), nothing is decided.
    """
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    asks_turn = any(call.turn is not None for call in expectation.calls)
    if asks_turn and found.witness != "reply" and len(record.replies) > 1:
        return not_evaluated(expectation, _NO_TURNS)
    calls = with_answers(record, found.calls)
    try:
        pairing = Pairing(expectation, calls)
        reason = _reason(pairing)
        if reason and _is_open(pairing):
            return not_evaluated(expectation, _NOT_TOLD + reason, **_numbers(pairing, found))
        return verdict(expectation, reason, **_numbers(pairing, found))
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))


def check_forbidden_tools(record: TrialRecord, expectation: ForbiddenTools) -> CheckResult:
    """Whether neither the agent nor the server reports a call that is forbidden."""
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    # the server's word counts beside the agent's: a call that is not reported was made all the same
    single = expectation.turn is None or len(record.replies) == 1
    calls = [*found.calls, *(seen_calls(record, expectation.seen_as) if single else ())]
    try:
        names = sorted({call.name for call in calls if _is_forbidden(call, expectation)})
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))
    reason = f"forbidden tools were called: {quoted(names)}" if names else ""
    facts = {"found": names, "calls": len(found.calls), "witness": found.witness}
    return verdict(expectation, reason, **facts)


def check_min_calls(record: TrialRecord, expectation: MinCalls) -> CheckResult:
    """Whether each tool was called at least so often; failed calls count as made."""
    found = trajectory(record, expectation.turn, expectation.seen_as)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    made = Counter(call.name for call in found.calls)
    short = {name: made[name] for name, least in expectation.counts.items() if made[name] < least}
    reason = "; ".join(
        f"{name!r} was called {count} times, at least {expectation.counts[name]} expected"
        for name, count in short.items()
    )
    counts = {name: made[name] for name in expectation.counts}
    facts = {"counts": counts, "missing": list(short), "witness": found.witness}
    return verdict(expectation, reason, **facts)


def _is_open(pairing: Pairing) -> bool:
    """Whether everything would hold if calls had ended as wanted where nobody says."""
    if not pairing.asks_what_nobody_says:
        return False
    return not _reason(Pairing(pairing.expectation, pairing.calls, generous=True))


def _reason(pairing: Pairing) -> str:
    told = [reason.sentence for reason in pairing.reasons.values()]
    told += _too_often(pairing)
    told += _too_many(pairing)
    return "tool calls: " + "; ".join(told) if told else ""


def _too_often(pairing: Pairing) -> list[str]:
    found = []
    for number, call in enumerate(pairing.expectation.calls):
        if call.count and (surplus := pairing.surplus(number)):
            most = call.count.max or 0
            times = most + len(surplus)
            found.append(f"{call.name!r} was called {times} times, at most {most} expected")
    return found


def _too_many(pairing: Pairing) -> list[str]:
    expectation, extra = pairing.expectation, pairing.extra
    allowed = 0 if expectation.mode in {"exact", "subset"} else expectation.extra_max
    if allowed is None or len(extra) <= allowed:
        return []
    names = quoted([pairing.calls[at].name for at in extra[:_NAMED]])
    more = ", ..." if len(extra) > _NAMED else ""
    return [f"{len(extra)} extra calls, {allowed} allowed: {names}{more}"]


def _numbers(pairing: Pairing, found: Trajectory) -> JsonObject:
    return {
        "mode": pairing.expectation.mode,
        "witness": found.witness,
        "alignment": _rows(pairing),
        "missing": [pairing.expected(place).name for place in pairing.missing],
        "extra": [pairing.calls[at].name for at in pairing.extra],
        "failed_calls": sum(call.status == "error" for call in found.calls),
        **_scores(pairing),
    }


def _rows(pairing: Pairing) -> list[JsonObject]:
    """The alignment: first what was expected, in that order, then the calls that are left.

    Each row has `expected` (number of the expected call, from 0, or None), `name`, `call` (position
    among the calls of the trajectory, from 0, or None; on a row with a reason the call that was
    most likely meant), `turn` and `step` of that call, `reason` (empty for a pair; else `name`,
    `args.folderId`, `malformed arguments`, `order`, `count`, `failed call`, `turn`, ..., or
    `optional`, `extra`, `ignored`), and `sentence`, the reason for reading.
    """
    rows = []
    for place, item in enumerate(pairing.items):
        at = pairing.pairs.get(place, pairing.near_misses.get(place))
        row = _row(pairing, item.number, pairing.expected(place).name, at)
        if reason := pairing.reasons.get(place):
            row |= {"reason": reason.code, "sentence": reason.sentence}
        elif at is None:
            row["reason"] = "optional"
        rows.append(row)
    shown = {row["call"] for row in rows}
    left = [at for at in range(len(pairing.calls)) if at not in shown]
    return rows + [_left_row(pairing, at) for at in left[:_MOST_ROWS]]


def _left_row(pairing: Pairing, at: int) -> JsonObject:
    call = pairing.calls[at]
    counted = "extra" if at in pairing.counted else "failed call"
    reason = "ignored" if pairing.is_ignored(call) else counted
    return _row(pairing, None, call.name, at) | {"reason": reason}


def _row(pairing: Pairing, expected: int | None, name: str, at: int | None) -> JsonObject:
    call = None if at is None else pairing.calls[at]
    return {
        "expected": expected,
        "name": name,
        "call": at,
        "turn": call.turn if call else None,
        "step": call.step if call else None,
        "reason": "",
        "sentence": "",
    }


def _scores(pairing: Pairing) -> JsonObject:
    """Precision over calls that count, recall over required ones (1 where there are none)."""
    required = sum(item.required for item in pairing.items)
    counted, matched = len(pairing.counted), len(pairing.pairs)
    precision = matched / counted if counted else 1.0
    recall = (required - len(pairing.missing)) / required if required else 1.0
    both = precision + recall
    return {
        "expected": required,
        "optional": len(pairing.items) - required,
        "actual": counted,
        "matched": matched,
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / both, 4) if both else 0.0,
    }


def _is_forbidden(call: ToolCall, expectation: ForbiddenTools) -> bool:
    return any(is_named(call.name, glob) for glob in expectation.globs) or any(
        is_named(call.name, each.name) and args_difference(each.args, call) is None
        for each in expectation.calls
    )
