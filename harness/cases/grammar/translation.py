"""Blocks of the native grammar, translated into the expectations that checks know."""

from collections.abc import Iterator
from typing import Any

from harness.cases.grammar.expect import Expect, TurnExpect
from harness.cases.grammar.replies import ReplyBlock, RubricBlock, TextBlock
from harness.cases.grammar.services import ServiceBlock
from harness.cases.grammar.trajectories import ToolsBlock
from harness.cases.grammar.worlds import ServerBlock
from harness.model import (
    Budget,
    Evidence,
    ExitCode,
    Expectation,
    Files,
    ForbiddenEvidence,
    ForbiddenTools,
    Grounding,
    Judge,
    Loops,
    Milestones,
    MinCalls,
    Minefields,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Patterns,
    Phases,
    Reference,
    ReplySchema,
    Routing,
    Rubric,
    ServerRequests,
    ServerState,
    ServiceStatus,
    Signals,
    Stop,
    TextContains,
    TextLacks,
    TextMatches,
    ToolCalls,
    Witnesses,
)


def expectations(expect: TurnExpect | None, turn: int | None = None) -> tuple[Expectation, ...]:
    """What a block of the native grammar expects, of one turn or of the whole trial."""
    if expect is None:
        return ()
    found = [*_of_a_reply(expect, turn), *_of_the_way(expect, turn)]
    if isinstance(expect, Expect):
        found += _of_the_end(expect)
    return tuple(found)


def _of_a_reply(expect: TurnExpect, turn: int | None) -> Iterator[Expectation]:
    if expect.text:
        yield from _text(expect.text, {"turn": turn, "required": expect.text.required})
    if expect.reply:
        yield _reply(expect.reply, turn)
    if expect.signals:
        yield Signals(turn=turn, **dict(expect.signals))
    if expect.rubric:
        yield rubric(expect.rubric, turn)
    if expect.reference:
        yield Reference(turn=turn, **dict(expect.reference))
    if expect.patterns:
        yield Patterns(turn=turn, **dict(expect.patterns))
    if expect.service:
        yield from _service(expect.service, {"turn": turn, "required": expect.service.required})


def _of_the_way(expect: TurnExpect, turn: int | None) -> Iterator[Expectation]:
    if expect.tools:
        yield from _tools(expect.tools, {"turn": turn, "required": expect.tools.required})
    if expect.budget:
        yield Budget(turn=turn, **dict(expect.budget))
    if expect.stop:
        yield Stop(turn=turn, **dict(expect.stop))
    if expect.phases:
        yield Phases(turn=turn, phases=expect.phases)
    yield from _of_conduct(expect, turn)


def _of_conduct(expect: TurnExpect, turn: int | None) -> Iterator[Expectation]:
    if expect.routing:
        yield Routing(turn=turn, **dict(expect.routing))
    if expect.loops:
        yield Loops(turn=turn, **dict(expect.loops))
    if expect.grounding:
        yield Grounding(turn=turn, **dict(expect.grounding))
    yield from (Judge(turn=turn, **dict(each)) for each in expect.judge)


def _of_the_end(expect: Expect) -> Iterator[Expectation]:
    if expect.milestones:
        yield Milestones(milestones=expect.milestones)
    if expect.minefields:
        yield Minefields(mines=expect.minefields)
    if expect.witnesses:
        yield Witnesses(**dict(expect.witnesses))
    if expect.server:
        yield from _server(expect.server)
    if expect.files:
        yield Files(files=expect.files)
    if expect.exit_code is not None:
        yield ExitCode(code=expect.exit_code)


def _text(block: TextBlock, shared: dict[str, Any]) -> Iterator[Expectation]:
    phrases = {"exact": block.exact, **shared}
    if block.contains:
        yield TextContains(needles=block.contains, match=block.match, **phrases)
    if block.not_contains:
        yield TextLacks(needles=block.not_contains, **phrases)
    if block.regex:
        yield TextMatches(patterns=block.regex, match=block.match, **shared)
    if block.evidence:
        yield Evidence(markers=block.evidence, **phrases)
    if block.forbidden_evidence:
        yield ForbiddenEvidence(
            markers=block.forbidden_evidence, unless=block.unless or (), **phrases
        )


def _reply(block: ReplyBlock, turn: int | None) -> Expectation:
    wanted = block.schema_
    key = {tuple: "fields", dict: "json_schema", str: "model"}[type(wanted)]
    return ReplySchema.model_validate({key: wanted, "turn": turn, "required": block.required})


def _service(block: ServiceBlock, shared: dict[str, Any]) -> Iterator[Expectation]:
    if block.status:
        yield ServiceStatus(family=block.status, code=block.code, **shared)
    if found := block.observations:
        if found.counted:
            yield ObservationCount(min=found.min, max=found.max, **shared)
        for severity in found.severities or ():
            yield ObservationSeverity(severity=severity, **shared)
        for ref in found.refs or ():
            yield ObservationRef(ref=ref, **shared)


def rubric(block: RubricBlock, turn: int | None = None) -> Rubric:
    """The expectation that a rubric block stands for."""
    return Rubric(turn=turn, **dict(block))


def _tools(block: ToolsBlock, shared: dict[str, Any]) -> Iterator[Expectation]:
    if block.about_calls:
        yield ToolCalls(
            mode=block.mode,
            calls=block.expected,
            extra_max=block.extra.max if block.extra else None,
            require_success=block.require_success,
            ignore=block.ignore or (),
            defaults=block.defaults,
            seen_as=block.seen_as,
            **shared,
        )
    seen = {"seen_as": block.seen_as, **shared}
    if block.forbidden:
        yield ForbiddenTools(globs=block.forbidden_globs, calls=block.forbidden_calls, **seen)
    if block.min:
        yield MinCalls(counts=block.min, **seen)


def _server(block: ServerBlock) -> Iterator[Expectation]:
    if block.requests:
        yield ServerRequests(
            requests=block.requests, allow_others=block.allow_others, required=block.required
        )
    if block.state:
        yield ServerState(
            rows=block.state.expect,
            unchanged=block.state.unchanged or (),
            allow=block.state.allow,
            required=block.required,
        )
