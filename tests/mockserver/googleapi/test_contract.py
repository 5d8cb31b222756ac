from typing import Any

import pytest

from mockserver.googleapi import find_contradictions, parse_document
from mockserver.googleapi.contract import Contradiction

DOCUMENT = parse_document({
    "name": "things",
    "version": "v1",
    "rootUrl": "https://things.googleapis.com/",
    "schemas": {
        "Thing": {
            "id": "Thing",
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "size": {"type": "string", "format": "int64"},
                "count": {"type": "integer", "format": "int32"},
                "share": {"type": "number", "format": "double"},
                "on": {"type": "boolean"},
                "state": {"type": "string", "enum": ["ACTIVE", "DELETED"]},
                "parts": {"type": "array", "items": {"$ref": "Thing"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "extra": {"type": "object", "additionalProperties": {"type": "any"}},
                "open": {"type": "any"},
                "lost": {"$ref": "Nothing"},
            },
        }
    },
})  # fmt: skip


def found(value: Any) -> list[Contradiction]:
    return list(find_contradictions(DOCUMENT, "Thing", value))


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"name": None, "open": [1], "lost": 1},
        {"size": "12", "count": 3, "share": 0.5, "on": False, "state": "ACTIVE"},
        {"size": 12, "share": "NaN"},
        {"parts": [{"parts": []}], "labels": {"a/b": "c"}, "extra": {"x": [{}]}},
    ],
    ids=str,
)
def test_what_the_document_says_contradicts_nothing(value: Any) -> None:
    assert found(value) == []


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ({"nam": 1}, "/nam", "Thing has no field 'nam'"),
        ({"name": 1}, "/name", "expected text, found a number"),
        ({"size": "1.5"}, "/size", "expected a whole number, found text"),
        ({"count": "3"}, "/count", "expected a whole number, found text"),
        ({"count": True}, "/count", "expected a whole number, found a boolean"),
        ({"share": "much"}, "/share", "expected a number, found text"),
        ({"share": {}}, "/share", "expected a number, found an object"),
        ({"on": "true"}, "/on", "expected a boolean, found text"),
        ({"state": "ACTIV"}, "/state", "'ACTIV' is no value of this field"),
        ({"parts": {}}, "/parts", "expected an array, found an object"),
        ({"parts": [{"x~/y": 1}]}, "/parts/0/x~0~1y", "Thing has no field 'x~/y'"),
        ({"labels": {"a": []}}, "/labels/a", "expected text, found an array"),
        ([], "", "expected an object, found an array"),
    ],
    ids=str,
)
def test_each_contradiction_is_told_with_its_place(value: Any, pointer: str, message: str) -> None:
    (each,) = found(value)
    assert (each.pointer, each.message) == (pointer, message)


def test_the_nearest_name_is_a_hint() -> None:
    (field,), (word,) = found({"nam": ""}), found({"state": "ACTIV"})
    assert (field.hint, word.hint) == ("did you mean 'name'?", "did you mean 'ACTIVE'?")


def test_a_schema_that_is_not_there_holds_nothing_against_a_value() -> None:
    assert list(find_contradictions(DOCUMENT, "Nothing", {"x": 1})) == []


def test_nesting_without_end_is_left_alone() -> None:
    value: Any = {}
    for _ in range(300):
        value = {"parts": [value]}
    assert found(value) == []
