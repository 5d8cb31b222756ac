from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.grammar import Expect

M = {"name": "m", "call": "a"}


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ({"milestones": [M, M]}, "milestone 'm' is there twice"),
        ({"milestones": [{**M, "after": "x"}]}, "'m' is after 'x', which is none"),
        ({"milestones": [{**M, "after": "m"}]}, "milestones wait for each other: m"),
        (
            {"milestones": [{"name": "end", "state": "users"}, {**M, "after": "end"}]},
            "'m' is after 'end', which is seen at the end alone",
        ),
        (
            {"milestones": [{"name": "m", "call": {"name": "a", "args": {"x": {"regex": "("}}}}]},
            "not a regular expression",
        ),
        (
            {"minefields": [{"call": {"name": "a", "args": {"type": 1}, "args_mode": "schema"}}]},
            "not a JSON Schema",
        ),
        ({"minefields": [{"request": {"method": "a", "params": {"x": {"any_of": 1}}}}]}, "any_of"),
        ({"minefields": [{"changed": {"collection": "a", "where": {"glob": ""}}}]}, "glob"),
        ({"minefields": [{"call": "a", "state": "b"}]}, "give exactly one of"),
        ({"grounding": {"patterns": ["("]}}, "not a regular expression"),
        ({"routing": {"to": "a"}}, "give either 'among' or 'field'"),
        ({"loops": {"generate": "a", "evaluate": "b"}}, "no trajectory could fail this"),
        ({"witnesses": {"tool": "a"}}, "Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_conduct_that_cannot_be_judged_is_refused(block: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=error):
        Expect.model_validate(block)


def test_a_text_stands_for_what_it_names() -> None:
    written = {
        "milestones": [
            M,
            {"name": "n", "request": "b.c", "after": "m"},
            {"name": "o", "state": "x"},
        ],
        "minefields": ["delete*", {"changed": "users"}],
    }
    found = Expect.model_validate(written)
    assert found.milestones[1].after == ("m",)
    assert [mine.call and mine.call.name for mine in found.minefields] == ["delete*", None]
