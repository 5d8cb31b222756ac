"""Decisions that an agent takes on its way: for a handler, and for another try."""

from fnmatch import fnmatchcase

from harness.checks.replies import no_reply, replies_of
from harness.checks.results import not_evaluated, verdict
from harness.checks.trajectory import trajectory, untold
from harness.model import CheckResult, Json, Loops, Routing, TrialRecord


def check_routing(record: TrialRecord, expectation: Routing) -> CheckResult:
    """Whether the agent decided for the right handler, and for no other later."""
    if expectation.field:
        return _by_answer(record, expectation)
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    chosen = [call.name for call in found.calls if _is_any(call.name, expectation.among)]
    others = [name for name in chosen if name != expectation.to]
    reason = ""
    if not chosen:
        reason = f"no handler was called, {expectation.to!r} expected"
    elif others:
        later = ", later" if chosen[0] == expectation.to else ""
        reason = f"routed to {others[0]!r}{later}, {expectation.to!r} expected"
    return verdict(expectation, reason, chosen=list(dict.fromkeys(chosen)))


def check_loops(record: TrialRecord, expectation: Loops) -> CheckResult:
    """Whether another answer was made after grading often enough, and not too often."""
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, untold(record, expectation.turn))
    made, graded, loops = 0, False, 0
    for call in found.calls:
        if fnmatchcase(call.name, expectation.generate):
            loops += graded
            made, graded = made + 1, False
        elif fnmatchcase(call.name, expectation.evaluate):
            graded = made > 0
    reason = ""
    if loops < expectation.min:
        reason = f"made another answer {loops} times, at least {expectation.min} expected"
    elif expectation.max is not None and loops > expectation.max:
        reason = f"made another answer {loops} times, at most {expectation.max} expected"
    return verdict(expectation, reason, loops=loops, answers=made)


def _by_answer(record: TrialRecord, expectation: Routing) -> CheckResult:
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    said = [reply.metadata for reply in replies if reply.metadata is not None]
    chosen: Json = said[-1] if said else None
    for key in expectation.field.split("."):
        chosen = chosen.get(key) if isinstance(chosen, dict) else None
    if chosen is None:
        reason = f"the structured answer has no {expectation.field!r}"
    elif str(chosen).casefold() == expectation.to.casefold():
        reason = ""
    else:
        reason = f"routed to {str(chosen)[:80]!r}, {expectation.to!r} expected"
    return verdict(expectation, reason, chosen=[] if chosen is None else [str(chosen)[:80]])


def _is_any(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
