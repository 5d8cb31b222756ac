"""What both case formats write about a scenario besides expectations: faults, policy, reference."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from harness.cases.grammar.values import listed, named
from harness.model import (
    Expectation,
    Frozen,
    Json,
    JsonObject,
    Policy,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
)
from mockserver.model import Fault, did_you_mean


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

    calls: tuple[Annotated[ReferenceCall, named("name", ReferenceCall)], ...] = ()
    reports: tuple[Annotated[ReferenceCall, named("name", ReferenceCall)], ...] = ()
    requests: tuple[Annotated[ReferenceRequest, named("url", ReferenceRequest)], ...] = ()
    answer: str = ""
    http_status: int | None = None
    data: Json = None
    metadata: JsonObject | None = None
    files: dict[str, str] = {}
    exit_code: int | None = None


ReferenceBlocks = Annotated[tuple[ReferenceTurnBlock, ...], listed(ReferenceTurnBlock)]


def reference_turns(blocks: tuple[ReferenceTurnBlock, ...]) -> tuple[ReferenceTurn, ...]:
    """The turns that the oracle plays."""
    return tuple(ReferenceTurn.model_validate(dict(block)) for block in blocks)


def _of_kinds(weights: dict[str, float]) -> dict[str, float]:
    for kind in weights:
        if kind not in _KINDS:
            hint = did_you_mean(kind, _KINDS)
            raise ValueError(f"no check is of kind {kind!r}" + (f" ({hint})" if hint else ""))
    return weights


_KINDS = [kind.model_fields["kind"].default for kind in get_args(get_args(Expectation)[0])]
Weights = Annotated[dict[str, Annotated[float, Field(gt=0, le=1000)]], AfterValidator(_of_kinds)]


def _rule(value: Json) -> Json:
    return {"pass": value} if isinstance(value, str) else value


PolicyRule = Annotated[
    Policy, BeforeValidator(_rule, json_schema_input_type=Literal["all", "majority"] | Policy)
]
