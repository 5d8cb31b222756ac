from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from harness.model import Evidence, Expectation

KINDS = get_args(get_args(Expectation)[0])
ANY: TypeAdapter[Any] = TypeAdapter(Expectation)


def test_kinds_are_told_apart_by_name() -> None:
    names = [kind.model_fields["kind"].default for kind in KINDS]
    assert len(set(names)) == len(names)
    assert ANY.validate_python({"kind": "evidence", "markers": ["a1"]}) == Evidence(markers=("a1",))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_can_speak_of_a_turn_and_be_informational(kind: Any) -> None:
    assert {"turn", "required"} <= kind.model_fields.keys()
    assert kind.__doc__


@pytest.mark.parametrize(
    "written",
    [
        {"kind": "nothing"},
        {"markers": ["a1"]},
        {"kind": "evidence", "markers": []},
        {"kind": "evidence", "markers": [""]},
        {"kind": "evidence", "markers": ["a1"], "other": 1},
        {"kind": "rubric", "min_score": 0, "criteria": ["a1"]},
        {"kind": "reference", "text": "a1", "min_similarity": 0},
        {"kind": "budget", "rounds": -1},
    ],
    ids=str,
)
def test_an_expectation_that_decides_nothing_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ANY.validate_python(written)
