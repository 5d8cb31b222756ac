"""Arguments against a tool's JSON Schema."""

from typing import Any

import pytest

from mockserver.apis.tools.arguments import (
    check_arguments,
    schema_problem,
    schema_violations,
)
from mockserver.googleapi import ApiError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^T-"},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
    },
    "required": ["id"],
    "$defs": {"tag": {"type": "string", "maxLength": 3}},
}


def violations(arguments: dict[str, Any], schema: dict[str, Any] | None = SCHEMA) -> dict[str, str]:
    with pytest.raises(ApiError) as caught:
        check_arguments(schema, arguments)
    assert caught.value.status == 400
    found = caught.value.details[0]["fieldViolations"]
    return {item.get("field", ""): item["description"] for item in found}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [(SCHEMA, {"id": "T-1", "tags": ["abc"]}), (None, {"what": "ever"}), ({}, {})],
    ids=["fits", "no schema", "empty schema"],
)
def test_arguments_that_the_schema_allows_pass(
    schema: dict[str, Any] | None, arguments: dict[str, Any]
) -> None:
    check_arguments(schema, arguments)


def test_every_violation_is_told_with_its_place() -> None:
    found = violations({"id": "X", "tags": ["abc", "abcd"]})
    assert found["id"] == "'X' does not match '^T-'"
    assert "too long" in found["tags[1]"]


def test_a_missing_argument_is_about_the_whole() -> None:
    assert violations({}) == {"": "'id' is a required property"}


def test_a_pattern_says_nothing_about_what_is_no_text() -> None:
    assert violations({"id": 1}) == {"id": "1 is not of type 'string'"}


def test_a_pattern_cannot_make_the_server_hang() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string", "pattern": "^(a+)+$"}}}
    assert set(violations({"id": "a" * 5000 + "!"}, schema)) == {"id"}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (SCHEMA, ""),
        ({"type": "objekt"}, "$.type: 'objekt' is not valid"),
        ({"allOf": [{"properties": {"a": {"pattern": "(?=x)"}}}]}, "not an RE2 expression"),
    ],
    ids=["sound", "type", "pattern"],
)
def test_a_schema_is_checked_before_it_is_used(schema: Any, says: str) -> None:
    problem = schema_problem(schema)
    assert problem.startswith(says)
    assert bool(problem) == bool(says)


def test_a_hundred_violations_of_a_thousand_arguments_are_enough() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    assert len(violations({f"a{number}": 1 for number in range(101)}, schema)) == 100
    many = {f"a{number}": 1 for number in range(1000)}
    check_arguments(None, many)
    assert violations({**many, "more": 1}, None) == {"": "there are more than 1000 arguments"}


def test_values_of_a_type_of_their_own_are_looked_at_as_well() -> None:
    assert schema_violations({"type": "integer"}, BigInt(3)) == []
    assert schema_violations({"type": "string"}, BigInt(3)) == [("", "3 is not of type 'string'")]


class BigInt(int):
    """A number that is no plain one."""
