from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from harness.cases.grammar import BudgetBlock, Expect, StopBlock, ToolsBlock


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"mode": "any_order"}, "no trajectory could fail this"),
        ({"calls": [{"name": "a", "optional": True}]}, "no trajectory could fail this"),
        ({"require_success": True}, "no trajectory could fail this"),
        ({"calls": [{"unordered": ["a"]}]}, "at least 2 items"),
        ({"mode": "exact", "extra": {"max": 1}}, "'exact' allows no extra calls"),
        ({"calls": ["deleteUser"], "forbidden": ["delete*"]}, "'deleteUser' is both expected"),
        ({"min": {"search": 1}, "forbidden": ["*"]}, "'search' is both expected and forbidden"),
        ({"min": {"search": 0}}, "greater than or equal to 1"),
        ({"mode": "subset", "calls": ["a"]}, "Input should be 'any_order', 'in_order' or 'exact'"),
    ],
    ids=str,
)
def test_tools_that_decide_nothing_are_refused(block: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        ToolsBlock.model_validate(block)


@pytest.mark.parametrize(
    "block",
    [
        {"mode": "exact", "calls": []},
        {"extra": {"max": 0}},
        {"forbidden": "delete_*"},
        {"calls": ["a"], "forbidden": ["b"]},
    ],
    ids=str,
)
def test_forbidding_is_enough(block: dict[str, Any]) -> None:
    assert ToolsBlock.model_validate(block).model_fields_set == set(block)


@pytest.mark.parametrize(
    ("model", "block", "error"),
    [
        (BudgetBlock, {}, "needs one of 'rounds', 'tokens', 'cost_usd', 'seconds'"),
        (BudgetBlock, {"rounds": 3, "input_price": 1}, "prices do nothing without 'cost_usd'"),
        (StopBlock, {}, "needs 'any' or 'all'"),
        (StopBlock, {"any": [{}]}, "give exactly one of 'content', 'tool', 'rounds', 'cost_usd'"),
        (StopBlock, {"any": [{"tool": "a", "rounds": 1}]}, "give exactly one of"),
        (StopBlock, {"all": [{"rounds": 1, "last": True}]}, "'last' needs 'tool'"),
    ],
    ids=str,
)
def test_limits_and_stops_that_say_nothing_are_refused(
    model: type[BaseModel], block: dict[str, Any], error: str
) -> None:
    """CEP-72 to CEP-76 as far as authors can get them wrong."""
    with pytest.raises(ValidationError, match=error):
        model.model_validate(block)


@pytest.mark.parametrize(
    ("phases", "error"),
    [
        ([{"first": 2, "last": 1, "tools": ["a"]}], "phase 0: 'last' is before 'first'"),
        (
            [{"first": 0, "last": 2, "tools": ["a"]}, {"first": 2, "tools": ["a"]}],
            "phase 1: phases must follow one another",
        ),
        (
            [{"first": 0, "tools": ["a"]}, {"first": 3, "tools": ["a"]}],
            "phase 0: phases must follow one another",
        ),
    ],
    ids=["reversed", "overlapping", "open in the middle"],
)
def test_phases_follow_one_another(phases: list[dict[str, Any]], error: str) -> None:
    """CEP-77."""
    with pytest.raises(ValidationError, match=error):
        Expect.model_validate({"phases": phases})


def test_phases_may_leave_steps_out() -> None:
    phases = [{"first": 0, "last": 2, "tools": ["get*"]}, {"first": 6, "tools": ["*"]}]
    assert len(Expect.model_validate({"phases": phases}).phases) == 2
