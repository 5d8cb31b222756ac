import pytest

from harness.cases.modes import contradiction, implied, mode_of
from harness.model import (
    Case,
    Evidence,
    Expectation,
    Mode,
    Reference,
    Rubric,
    ServerState,
    TextContains,
    Turn,
)


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
    assert implied("how-to") == (ServerState(unchanged=("*",)),)
    assert implied("deterministic") == ()


@pytest.mark.parametrize(
    ("written", "turns", "mode"),
    [(None, 1, "deterministic"), (None, 2, "multi-turn"), ("how-to", 2, "how-to")],
)
def test_several_turns_make_a_case_multi_turn(written: Mode | None, turns: int, mode: Mode) -> None:
    assert mode_of(written, turns) == mode
