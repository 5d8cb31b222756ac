"""Arguments against a tool's JSON Schema."""

from typing import Any

import pytest

from mockserver.apis.tools.arguments import (
    check_arguments,
    schema_problem,
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
