"""What pydantic says of a file, as those who wrote the file read it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mockserver.storage.findings import Finding, invalid_fields, locate_findings


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Leg(_Strict):
    start: str
    miles: int = 0


class _Stay(_Strict):
    kind: Literal["stay"] = "stay"
    nights: int = Field(default=1, alias="nightCount")


class _Trip(_Strict):
    legs: list[_Leg] = []
    by_name: dict[str, _Leg] = {}
    stay: _Stay | None = None
    either: int | list[int] | None = None
    other: Annotated[_Leg | _Stay, Field()] | None = None


def found(value: Any) -> list[Finding]:
    with pytest.raises(ValidationError) as refused:
        _Trip.model_validate(value)
    return list(invalid_fields(_Trip, value, refused.value))


@pytest.mark.parametrize(
    ("value", "findings"),
    [
        ({"leg": 1}, [Finding(("leg",), "unknown field 'leg'", "did you mean 'legs'?")]),
        ({"legs": [{"start": "a", "mile": 1}]},
         [Finding(("legs", 0, "mile"), "unknown field 'mile'", "did you mean 'miles'?")]),
        ({"by_name": {"x": {"start": "a", "mile": 1}}},
         [Finding(("by_name", "x", "mile"), "unknown field 'mile'", "did you mean 'miles'?")]),
        ({"stay": {"nightCounts": 1}},
         [Finding(("stay", "nightCounts"), "unknown field 'nightCounts'",
                  "did you mean 'nightCount'?")]),
        ({"x" * 90: 1}, [Finding(("x" * 90,), f"unknown field '{'x' * 80}'",
                                 "known: by_name, either, legs, other, stay")]),
        ({"legs": [{"start": "a"}, {}]},
         [Finding(("legs", 1), "the field 'start' is missing")]),
        ({"legs": 1}, [Finding(("legs",), "must be a list")]),
        ({"legs": [{"start": 1}]}, [Finding(("legs", 0, "start"), "must be text")]),
        ({"either": "a"}, [Finding(("either",), "must be a whole number")]),
        ({"either": [1, "a"]}, [Finding(("either",), "must be a whole number"),
                                Finding(("either", 1), "must be a whole number")]),
    ],
)  # fmt: skip
def test_each_place_is_told_once_with_what_is_wrong(value: Any, findings: list[Finding]) -> None:
    assert found(value) == findings


@pytest.mark.parametrize(("many", "hints"), [(19, 19), (20, 19), (30, 19)])
def test_the_first_19_unknown_fields_have_a_hint(many: int, hints: int) -> None:
    wrong = found({f"zz{number}": 1 for number in range(many)})
    assert [bool(each.hint) for each in wrong] == [True] * hints + [False] * (many - hints)


def test_findings_are_told_with_file_and_line() -> None:
    wrong = [Finding(("legs", 0, "start"), "bad", "mend it"), Finding(("legs",), "worse")]
    told = locate_findings(Path("t.json"), '{"legs": [\n {"start": 1}]}', wrong)
    assert [(each.where, each.message, each.hint) for each in told] == [
        ("t.json:2#/legs/0/start", "bad", "mend it"),
        ("t.json:1#/legs", "worse", ""),
    ]


def test_the_first_20_findings_are_told() -> None:
    wrong = [Finding((number,), "bad") for number in range(30)]
    assert len(locate_findings(Path("t.json"), "[]", wrong)) == 20
