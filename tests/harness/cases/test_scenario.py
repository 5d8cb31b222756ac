from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from harness.cases.scenario import (
    Clock,
    FaultList,
    PolicyRule,
    ReferenceBlocks,
    reference_turns,
    with_origin,
)
from harness.model import ReferenceCall, ReferenceRequest, ReferenceTurn

_TURNS: TypeAdapter[Any] = TypeAdapter(ReferenceBlocks)
_FAULTS: TypeAdapter[Any] = TypeAdapter(FaultList)


@pytest.mark.parametrize(
    "written",
    [
        {"calls": ["a"], "requests": ["x/y"], "answer": "b"},
        [{"calls": [{"name": "a"}], "requests": [{"url": "x/y"}], "answer": "b"}],
    ],
    ids=["short", "long"],
)
def test_a_reference_may_be_one_turn_with_bare_names(written: Any) -> None:
    assert reference_turns(_TURNS.validate_python(written)) == (
        ReferenceTurn(
            calls=(ReferenceCall(name="a"),), requests=(ReferenceRequest(url="x/y"),), answer="b"
        ),
    )


def test_faults_are_told_where_they_are_written() -> None:
    faults = _FAULTS.validate_python([{"method": "a.*", "status": 503}, {"method": "b"}])
    assert [fault.origin for fault in with_origin(faults, "EC-001")] == [
        "EC-001 faults[0]",
        "EC-001 faults[1]",
    ]
    with pytest.raises(ValidationError, match="'origin' is filled in by the loader"):
        _FAULTS.validate_python([{"method": "a", "origin": "x"}])


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("all", {"pass": "all"}),
        ({"pass": "majority"}, {"pass": "majority"}),
        ({"rate": 0.8}, {"rate": 0.8}),
        ({"pass_hat": 3, "min": 0.7}, {"pass_hat": 3, "min": 0.7}),
    ],
    ids=str,
)
def test_a_policy_is_a_word_or_a_rate(written: Any, found: dict[str, Any]) -> None:
    policy = TypeAdapter(PolicyRule).validate_python(written)
    assert policy.model_dump(by_alias=True, exclude_none=True) == found


@pytest.mark.parametrize(
    "clock",
    ["shift", "real", "frozen", "frozen:2026-11-20T10:15:00Z", "frozen:2026-11-20T10:15:00+01:00"],
)
def test_clocks_are_taken(clock: str) -> None:
    assert TypeAdapter(Clock).validate_python(clock) == clock


@pytest.mark.parametrize(
    "clock", ["", "now", "2026-11-20T10:15:00Z", "frozen:", "frozen:2026-11-20T10:15:00"]
)
def test_other_clocks_are_refused(clock: str) -> None:
    with pytest.raises(ValidationError, match="is no clock"):
        TypeAdapter(Clock).validate_python(clock)
