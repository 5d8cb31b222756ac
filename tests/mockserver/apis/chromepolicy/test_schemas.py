from typing import Any

import pytest

from mockserver.apis.chromepolicy.schemas import allows, defaults, fields, violations
from mockserver.model import JsonObject


def of(kind: str, **more: Any) -> JsonObject:
    return {"name": "f", "type": kind, **more}


def schema(field: JsonObject, **definition: Any) -> JsonObject:
    messages = [{"name": "Leaf", "field": [field]}, *definition.pop("messages", [])]
    return {"schemaName": "a.b.Leaf", "definition": {"messageType": messages, **definition}}


INNER = {"name": "Inner", "field": [{"name": "x", "type": "TYPE_BOOL"}]}
MESSAGE = schema(of("TYPE_MESSAGE", typeName=".a.b.Inner"), messages=[INNER])
ENUM = schema(
    of("TYPE_ENUM", typeName="E"),
    enumType=[{"name": "E", "value": [{"name": "A", "number": 0}, {"name": "B", "number": 1}]}],
)
MANY = schema(of("TYPE_STRING", label="LABEL_REPEATED"))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (schema(of("TYPE_BOOL")), True),
        (schema(of("TYPE_STRING")), "x"),
        (schema(of("TYPE_INT64")), "12"),
        (schema(of("TYPE_INT32")), 12),
        (schema(of("TYPE_DOUBLE")), 1.5),
        (schema(of("TYPE_UNHEARD")), object()),
        (ENUM, "B"),
        (ENUM, 1),
        (schema(of("TYPE_ENUM", typeName="Elsewhere")), "ANY"),
        (MANY, ["x", "y"]),
        (MESSAGE, {"x": True}),
        (MESSAGE, None),
        (schema(of("TYPE_MESSAGE", typeName="Elsewhere")), {"y": 1}),
        ({}, "no definition"),
    ],
)
def test_values_of_the_right_type_are_right(row: JsonObject, value: Any) -> None:
    assert violations(row, "f", value) == ()


@pytest.mark.parametrize(
    ("row", "value", "path"),
    [
        (schema(of("TYPE_BOOL")), "true", "f"),
        (schema(of("TYPE_STRING")), 1, "f"),
        (schema(of("TYPE_INT64")), "x", "f"),
        (schema(of("TYPE_INT32")), 1.5, "f"),
        (schema(of("TYPE_INT32")), float("inf"), "f"),
        (schema(of("TYPE_INT32")), True, "f"),
        (schema(of("TYPE_DOUBLE")), "1", "f"),
        (ENUM, "C", "f"),
        (ENUM, True, "f"),
        (MANY, "x", "f"),
        (MANY, ["x", 1], "f[1]"),
        (MESSAGE, "x", "f"),
        (MESSAGE, {"y": 1}, "f.y"),
        (MESSAGE, {"x": 1}, "f.x"),
    ],
)
def test_values_of_another_type_are_wrong(row: JsonObject, value: Any, path: str) -> None:
    assert [where for where, _ in violations(row, "f", value)] == [path]


def test_enums_and_messages_may_be_nested() -> None:
    row = schema(of("TYPE_MESSAGE", typeName="Deep"))
    row["definition"]["messageType"][0]["nestedType"] = [
        {
            "name": "Deep",
            "enumType": [{"name": "N", "value": [{"name": "A"}]}],
            "field": [{"name": "n", "type": "TYPE_ENUM", "typeName": ".a.b.Leaf.Deep.N"}],
        }
    ]
    assert violations(row, "f", {"n": "A"}) == ()
    assert violations(row, "f", {"n": "B"}) != ()


def test_the_message_named_like_the_leaf_holds_the_fields() -> None:
    row = schema(of("TYPE_BOOL"), messages=[INNER])
    row["definition"]["messageType"].reverse()
    assert list(fields(row)) == ["f"]
    assert list(fields({**row, "schemaName": "a.b.Other"})) == ["x"]
    assert fields({}) == {}


def test_defaults_are_those_that_are_described() -> None:
    row = {"fieldDescriptions": [{"field": "a", "defaultValue": False}, {"field": "b"}]}
    assert defaults(row) == {"a": False}


def test_a_schema_without_valid_targets_allows_all() -> None:
    assert allows({}, "GROUP")
    assert not allows({"validTargetResources": ["ORG_UNIT"]}, "GROUP")
