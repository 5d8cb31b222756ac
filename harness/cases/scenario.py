"""What all case formats share besides expectations: faults, clock, policy, reference, modes.

The mode of a case:

deterministic  facts decide (the default)
rubric         needs a rubric
multi-turn     needs at least two turns (the default for several turns)
how-to         a question about how to do something: the agent must not do it, so nothing on the
               server may change
reference      the reply must be like a reference text; without one, lint warns
comparison     weighs things against each other: needs at least two required markers or phrases,
               the things that are compared
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from harness.checks import CHECKS
from harness.checks.sections import name_or_object, single_or_list
from harness.model import (
    Case,
    Conversation,
    Evidence,
    Expectation,
    Frozen,
    Json,
    JsonObject,
    Mode,
    Policy,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
    Rubric,
    ServerState,
    SimulatedUser,
    TextContains,
)
from mockserver.model import Fault, did_you_mean

_FIRST_YEAR, _LAST_YEAR = 1970, 9000
"""The mock server's clocks stand between them."""


def _is_clock(clock: str) -> str:
    if clock in ("shift", "real", "frozen"):
        return clock
    try:
        moment = datetime.fromisoformat(clock.removeprefix("frozen:"))
    except ValueError:
        moment = None
    if not clock.startswith("frozen:") or moment is None or moment.tzinfo is None:
        raise ValueError(
            f"{clock!r} is no clock: expected shift, real, frozen or frozen:<RFC 3339 time>"
        )
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise ValueError(f"{clock!r} is not between the years {_FIRST_YEAR} and {_LAST_YEAR}")
    return clock


Clock = Annotated[str, AfterValidator(_is_clock)]


def _without_origin(fault: Fault) -> Fault:
    if fault.origin:
        raise ValueError("'origin' is filled in by the loader: leave it out")
    return fault


FaultList = tuple[Annotated[Fault, AfterValidator(_without_origin)], ...]


def with_origin(faults: tuple[Fault, ...], case: str) -> tuple[Fault, ...]:
    """The faults of a case, each with the place where it is written."""
    return tuple(
        fault.model_copy(update={"origin": f"{case} faults[{number}]"})
        for number, fault in enumerate(faults)
    )


class ReferenceTurnBlock(Frozen):
    """What a perfect agent does in one turn; calls may be written as bare names."""

    calls: tuple[Annotated[ReferenceCall, name_or_object("name", ReferenceCall)], ...] = ()
    reports: tuple[Annotated[ReferenceCall, name_or_object("name", ReferenceCall)], ...] = ()
    requests: tuple[Annotated[ReferenceRequest, name_or_object("url", ReferenceRequest)], ...] = ()
    answer: str = ""
    http_status: int | None = None
    data: Json = None
    metadata: JsonObject | None = None
    files: dict[str, str] = {}
    exit_code: int | None = None


ReferenceBlocks = Annotated[tuple[ReferenceTurnBlock, ...], single_or_list(ReferenceTurnBlock)]


def reference_turns(blocks: tuple[ReferenceTurnBlock, ...]) -> tuple[ReferenceTurn, ...]:
    """The turns that the oracle plays."""
    return tuple(ReferenceTurn.model_validate(dict(block)) for block in blocks)


def _of_kinds(weights: dict[str, float]) -> dict[str, float]:
    for kind in weights:
        if kind not in CHECKS:
            hint = did_you_mean(kind, CHECKS)
            raise ValueError(f"no check is of kind {kind!r}" + (f" ({hint})" if hint else ""))
    return weights


Weights = Annotated[dict[str, Annotated[float, Field(gt=0, le=1000)]], AfterValidator(_of_kinds)]


def _rule(value: Json) -> Json:
    return {"pass": value} if isinstance(value, str) else value


PolicyRule = Annotated[
    Policy, BeforeValidator(_rule, json_schema_input_type=Literal["all", "majority"] | Policy)
]


def request_text(request: JsonObject) -> str:
    """A request as an agent that is no service reads it, and as people see it.

    >>> request_text({"content": "Café"})
    '{"content": "Café"}'
    """
    return json.dumps(request, ensure_ascii=False)


def mode_of(mode: Mode | None, turns: int) -> Mode:
    """The mode of a case that may not name one."""
    return mode or ("multi-turn" if turns > 1 else "deterministic")


def implied_expectations(mode: Mode) -> tuple[Expectation, ...]:
    """What every case of a mode expects."""
    return (ServerState(unchanged=("*",)),) if mode == "how-to" else ()


def implied_end(
    user: SimulatedUser | None, written: Sequence[Expectation] = ()
) -> tuple[Expectation, ...]:
    """That a simulated user gets what it wants, unless a case says how its conversation ends."""
    if user is None or not user.reached or any(isinstance(each, Conversation) for each in written):
        return ()
    return (Conversation(),)


def contradiction(case: Case) -> str:
    """Why a case cannot be of its mode, or an empty string."""
    match case.mode:
        case "rubric" if not any(
            isinstance(item, Rubric) and item.required for item in case.expect
        ):
            return "mode 'rubric' needs a rubric"
        case "multi-turn" if len(case.turns) < 2 and case.user is None:
            return "mode 'multi-turn' needs at least two turns"
        case "comparison" if _count_markers(case.expect) < 2:
            return "mode 'comparison' needs at least two required markers: what is compared"
        case _:
            return ""


def _count_markers(expect: Sequence[Expectation]) -> int:
    found: set[str] = set()
    for item in expect:
        if isinstance(item, Evidence):
            found |= set(item.markers)
        elif isinstance(item, TextContains) and item.match == "all":
            found |= set(item.needles)
    return len(found)
