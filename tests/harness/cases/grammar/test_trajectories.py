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
        ({"mode": "exact", "calls": [{"unordered": ["a"]}]}, "at least 2 items"),
        ({"mode": "exact", "extra": {"max": 1}}, "'exact' allows no extra calls"),
        ({"calls": ["deleteUser"], "forbidden": ["delete*"]}, "'deleteUser' is both expected"),
        ({"min": {"search": 1}, "forbidden": ["*"]}, "'search' is both expected and forbidden"),
        ({"min": {"search": 0}}, "greater than or equal to 1"),
        ({"mode": "set", "calls": ["a"]}, "'any_order', 'subset' or 'superset'"),
        ({"mode": "subset", "calls": ["a"], "extra": {"max": 1}}, "'subset' allows no extra calls"),
        ({"mode": "superset", "calls": ["a"], "extra": {"max": 1}}, "use 'any_order' to limit"),
        ({"ignore": ["a"]}, "no trajectory could fail this"),
        ({"calls": [{"name": "a", "count": {"min": 0}}]}, "no trajectory could fail this"),
        ({"calls": ["search"], "ignore": ["s*"]}, "'search' is both expected and ignored"),
        ({"calls": ["a"], "defaults": {"b": {}}}, "defaults of tools that are not expected: b"),
        ({"calls": [{"unordered": ["a", "b"]}]}, "'unordered' does nothing in mode 'any_order'"),
        ({"calls": [{"name": "a", "args_mode": "exact"}]}, "nothing without 'args'"),
        ({"calls": [{"name": "a", "args": {}, "args_mode": "ignore"}]}, "'args' does nothing with"),
        ({"calls": [{"name": "a", "optional": True, "count": 2}]}, "exclude each other"),
        ({"calls": [{"name": "a", "count": 0}]}, "greater than or equal to 1"),
        ({"calls": [{"name": "a", "count": True}]}, "Count"),
        ({"calls": [{"name": "a", "args": {"x": {"regex": "("}}}]}, "not a regular expression"),
        ({"calls": [{"name": "a", "result": {"number": "3"}}]}, "need numbers"),
        (
            {"calls": [{"name": "a", "args": {"type": "x"}, "args_mode": "schema"}]},
            "not a JSON Schema",
        ),
        ({"forbidden": [{"name": "a", "args": {"x": {"absent": 1}}}]}, "need true or false"),
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
        {"calls": ["a"], "forbidden": [{"name": "a", "args": {"force": True}}]},
        {"mode": "subset", "calls": []},
        {"calls": [{"name": "a", "count": {"min": 0, "max": 3}}]},
        {"mode": "in_order", "calls": ["a", {"unordered": ["b", "c"]}], "ignore": "think*"},
        {"calls": [{"name": "a", "args_mode": "ignore"}], "defaults": {"a": {"n": 1}}},
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
