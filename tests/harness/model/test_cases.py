from typing import Any

import pytest
from pydantic import ValidationError

from harness.model import (
    Case,
    Event,
    Evidence,
    ExpectedRow,
    Milestone,
    Milestones,
    Minefield,
    Minefields,
    Policy,
    ServerState,
    StateEvent,
    TextContains,
    Turn,
    inspected_collections,
)
from tests.harness.records import case

CASE = Case(id="EC-001", turns=(Turn(user="Why?"),), expect=(Evidence(markers=("a1",)),))


@pytest.mark.parametrize("id_", ["EC-001", "a", "A.b_c-9", "x" * 64])
def test_ids_are_safe_in_paths_and_urls(id_: str) -> None:
    assert Case(id=id_, turns=(Turn(user="Why?"),)).id == id_


@pytest.mark.parametrize("id_", ["", "-a", "../a", "a/b", "a b", "x" * 65, "a\n"])
def test_other_ids_are_refused(id_: str) -> None:
    with pytest.raises(ValidationError):
        Case(id=id_, turns=(Turn(user="Why?"),))


@pytest.mark.parametrize(
    "change",
    [{"turns": ()}, {"repeat": 0}, {"timeout_s": 0}, {"mode": "other"}, {"turns": [{"user": ""}]}],
    ids=str,
)
def test_a_case_that_cannot_be_run_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Case.model_validate({**CASE.model_dump(), **change})


@pytest.mark.parametrize(
    "policy",
    [{"pass": "all"}, {"pass": "majority"}, {"rate": 1}, {"pass_hat": 3, "min": 0.7}],
    ids=str,
)
def test_a_policy_is_one_rule(policy: dict[str, Any]) -> None:
    assert Policy.model_validate(policy).model_dump(by_alias=True, exclude_none=True) == policy


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"pass": "all", "rate": 0.5},
        {"rate": 0},
        {"rate": 1.1},
        {"rate": 0.5, "pass_hat": 3, "min": 0.5},
        {"pass_hat": 3},
        {"pass_hat": 0, "min": 0.5},
        {"min": 0.5, "rate": 0.5},
        {"pass_hat": 3, "min": 0},
    ],
    ids=str,
)
def test_no_rule_two_rules_or_an_empty_rule_are_refused(policy: dict[str, Any]) -> None:
    """Pitfall 6: a gate that no value can fail, such as a least share of 0, is none."""
    with pytest.raises(ValidationError):
        Policy.model_validate(policy)


def test_a_case_survives_the_way_through_json() -> None:
    assert Case.model_validate_json(CASE.model_dump_json()) == CASE


def test_the_collections_that_expectations_look_into_are_asked_for_once() -> None:
    rows = (ExpectedRow(collection="orgUnits"), ExpectedRow(collection="users"))
    there = StateEvent(collection="users")
    asking = case(
        TextContains(needles=("a1",)),
        ServerState(rows=rows),
        Milestones(milestones=(Milestone(name="m", state=there),)),
        Minefields(
            mines=(
                Minefield(state=StateEvent(collection="groups")),
                Minefield.model_validate({"call": "x"}),
            )
        ),
    )
    assert inspected_collections(asking) == ("orgUnits", "users", "groups")
    assert Event(state=there).at_the_end
