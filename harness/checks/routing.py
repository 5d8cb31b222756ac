"""Decisions that an agent takes on its way: for a handler, and for another try."""

from fnmatch import fnmatchcase
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from harness.checks.expectation import AnyExpectation, Needle, not_evaluated, verdict
from harness.checks.replies import no_reply, replies_of
from harness.checks.sections import section_of
from harness.checks.trajectory import no_trajectory, trajectory
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.values import Frozen, Json


class RoutingRule(Frozen):
    """What a decision for a handler is.

    Attributes:
        to: Who it must be.
        among: Globs of tools that are handlers: the first call of one is the decision, and no other
            handler may be called later.
        field: Dotted path into the structured answer that names the handler, in place of `among`.
    """

    to: Needle
    among: tuple[Needle, ...] = ()
    field: str = ""

    @model_validator(mode="after")
    def _check_choice(self) -> "RoutingRule":
        if bool(self.among) == bool(self.field):
            raise ValueError("give either 'among' or 'field'")
        return self


class Routing(AnyExpectation, RoutingRule):
    """The agent decides for one handler."""

    kind: Literal["routing"] = "routing"
    failure: ClassVar[str] = "wrong handler"


class LoopLimits(Frozen):
    """How often an answer may be made again.

    Attributes:
        generate: Glob of tools that make an answer.
        evaluate: Glob of tools that grade it.
        min: At least this many loops: an answer written again after one was graded.
        max: At most this many.
    """

    generate: Needle
    evaluate: Needle
    min: int = Field(default=0, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _can_fail(self) -> "LoopLimits":
        if self.min == 0 and self.max is None:
            raise ValueError("no trajectory could fail this: give 'min' or 'max'")
        if self.max is not None and self.max < self.min:
            raise ValueError("'max' is below 'min'")
        return self


class Loops(AnyExpectation, LoopLimits):
    """How often an agent that grades its own answers makes another one."""

    kind: Literal["loops"] = "loops"
    failure: ClassVar[str] = "loops"


def check_routing(record: TrialRecord, expectation: Routing) -> CheckResult:
    """Whether the agent decided for the right handler, and for no other later."""
    if expectation.field:
        return _by_answer(record, expectation)
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
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
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
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


ROUTING = section_of(Routing, "For which handler the agent decides.")
LOOPS = section_of(Loops, "How often the agent writes an answer again.")
