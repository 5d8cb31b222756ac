"""Blocks about what happens on the way, whoever saw it, and about the agent's honesty."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from harness.cases.grammar.matchers import checked
from harness.cases.grammar.values import checked_pattern, checked_schema, named
from harness.model import (
    CallEvent,
    Event,
    GroundingRules,
    LoopLimits,
    Milestone,
    Minefield,
    RoutingRule,
    WitnessRules,
)


class RoutingBlock(RoutingRule):
    """For whom the agent decides; `required: false` makes the result informational."""

    required: bool = True


class LoopsBlock(LoopLimits):
    """How often an answer is made again; `required: false` makes the result informational."""

    required: bool = True


class WitnessesBlock(WitnessRules):
    """Which reports are compared; `required: false` makes the result informational."""

    required: bool = True


def _compile(rules: "GroundingBlock") -> "GroundingBlock":
    for pattern in rules.patterns:
        checked_pattern(pattern)
    return rules


class GroundingBlock(GroundingRules):
    """What must have a source; `required: false` makes the result informational."""

    required: bool = True


Grounded = Annotated[GroundingBlock, AfterValidator(_compile)]


def _usable(event: Event) -> Event:
    if event.call is not None:
        _usable_call(event.call)
    for form in (event.state, event.changed):
        checked(form.where if form else None)
    checked(event.request.params if event.request else None)
    return event


def _usable_call(call: CallEvent) -> None:
    if call.args_mode == "schema":
        checked_schema(call.args or {})
    else:
        checked(list((call.args or {}).values()))
    checked(call.result)


def _reachable(milestones: Sequence[Milestone]) -> Sequence[Milestone]:
    names = [each.name for each in milestones]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"milestone {twice[0]!r} is there twice")
    at_the_end = {each.name for each in milestones if each.at_the_end}
    for each in milestones:
        for other in each.after:
            if other not in names:
                raise ValueError(f"milestone {each.name!r} is after {other!r}, which is none")
            if other in at_the_end and not each.at_the_end:
                raise ValueError(
                    f"milestone {each.name!r} is after {other!r}, which is seen at the end alone"
                )
    if circle := _in_circles(milestones):
        raise ValueError(f"milestones wait for each other: {', '.join(circle)}")
    return milestones


def _in_circles(milestones: Sequence[Milestone]) -> list[str]:
    waiting, done = list(milestones), set[str]()
    while ready := [each for each in waiting if set(each.after) <= done]:
        done |= {each.name for each in ready}
        waiting = [each for each in waiting if each.name not in done]
    return [each.name for each in waiting]


MilestoneList = Annotated[
    tuple[Annotated[Milestone, AfterValidator(_usable)], ...], AfterValidator(_reachable)
]
MinefieldList = tuple[Annotated[Minefield, named("call", Minefield), AfterValidator(_usable)], ...]
