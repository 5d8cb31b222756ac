from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from harness.model import Event, Loops, Milestone, Milestones, Minefields, Routing


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Event, {}, "give exactly one of 'call', 'request', 'state', 'changed'"),
        (Event, {"call": {"name": "a"}, "request": {"method": "b"}}, "give exactly one of"),
        (Milestone, {"call": {"name": "a"}}, "name"),
        (Milestones, {"milestones": []}, "at least 1 item"),
        (Minefields, {"mines": []}, "at least 1 item"),
        (Routing, {"to": "a"}, "give either 'among' or 'field'"),
        (Routing, {"to": "a", "among": ["b"], "field": "c"}, "give either 'among' or 'field'"),
        (Loops, {"generate": "a", "evaluate": "b"}, "no trajectory could fail this"),
        (Loops, {"generate": "a", "evaluate": "b", "min": 2, "max": 1}, "'max' is below 'min'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_state_is_seen_at_the_end_alone() -> None:
    assert Event.model_validate({"state": {"collection": "users"}}).at_the_end
    assert Event.model_validate({"changed": {"collection": "users"}}).at_the_end
    assert not Event.model_validate({"call": {"name": "a"}}).at_the_end
