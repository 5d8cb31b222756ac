from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from harness.model import Count, ExpectedCall, ForbiddenTools, MinCalls, ToolCalls


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Count, {"min": 2, "max": 1}, "'max' is below 'min'"),
        (Count, {"max": 0}, "greater than or equal to 1"),
        (ExpectedCall, {"name": ""}, "at least 1 character"),
        (ExpectedCall, {"name": "a", "args_mode": "loose"}, "'ignore', 'exact', 'subset'"),
        (ForbiddenTools, {}, "needs 'globs' or 'calls'"),
        (MinCalls, {"counts": {}}, "at least 1 item"),
        (ToolCalls, {"mode": "set"}, "'any_order', 'subset' or 'superset'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_absent_arguments_are_ignored() -> None:
    assert ExpectedCall(name="a").args is None
    assert ExpectedCall(name="a").args_mode == "subset"
