import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness.cases.scenario import (
    Clock,
    FaultList,
    PolicyRule,
    ReferenceBlocks,
    contradiction,
    implied_expectations,
    mode_of,
    reference_turns,
    request_text,
    with_origin,
)
from harness.model import (
    Case,
    Evidence,
    Expectation,
    Mode,
    Reference,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
    Rubric,
    ServerState,
    TextContains,
    Turn,
)

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


def case(mode: Mode, *expect: Expectation, turns: int = 1) -> Case:
    said = tuple(Turn(user=f"turn {number}") for number in range(turns))
    return Case(id="EC-001", mode=mode, turns=said, expect=expect)


@pytest.mark.parametrize(
    ("fine", "reason"),
    [
        (case("deterministic"), ""),
        (case("rubric", Rubric(min_score=1, criteria=("a1",))), ""),
        (case("rubric"), "needs a rubric"),
        (case("rubric", Rubric(min_score=1, criteria=("a1",), required=False)), "needs a rubric"),
        (case("multi-turn", turns=2), ""),
        (case("multi-turn"), "needs at least two turns"),
        (case("how-to"), ""),
        (case("reference", Reference(text="Restart.")), ""),
        (case("comparison", Evidence(markers=("a1", "b1"))), ""),
        (case("comparison", Evidence(markers=("a1",)), TextContains(needles=("b1",))), ""),
        (case("comparison", TextContains(needles=("a1", "b1"), match="any")), "at least two"),
    ],
)
def test_each_mode_has_its_condition(fine: Case, reason: str) -> None:
    """CEP-54, CEPR-06: a mode that changed nothing would be a lie."""
    found = contradiction(fine)
    assert bool(found) is bool(reason)
    assert reason in found


def test_how_to_do_something_is_not_to_do_it() -> None:
    assert implied_expectations("how-to") == (ServerState(unchanged=("*",)),)
    assert implied_expectations("deterministic") == ()


@pytest.mark.parametrize(
    ("written", "turns", "mode"),
    [(None, 1, "deterministic"), (None, 2, "multi-turn"), ("how-to", 2, "how-to")],
)
def test_several_turns_make_a_case_multi_turn(written: Mode | None, turns: int, mode: Mode) -> None:
    assert mode_of(written, turns) == mode


values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=6
)


@given(st.dictionaries(st.text(), values, max_size=5))
def test_the_text_of_a_request_is_the_request(request_: dict[str, Any]) -> None:
    assert json.loads(request_text(request_)) == request_
