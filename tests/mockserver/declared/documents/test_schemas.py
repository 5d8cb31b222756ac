import pytest

from mockserver.declared.documents.schemas import SchemaExport, sample_value
from mockserver.declared.keywords import Schema
from mockserver.model import Json, JsonObject
from tests.mockserver.declared.documents.examples import SHOP


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "number"}, 1),
        ({"type": "boolean"}, False),
        ({"type": "string", "format": "date"}, "2026-01-01"),
        ({"type": "string", "enum": ["a", "b"]}, "a"),
        ({"type": "string", "default": "d"}, "d"),
        ({}, None),
        ({"items": {"type": "boolean"}}, [False]),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "text"),
        ({"anyOf": [{"type": ["null", "string"]}]}, "text"),
        ({"allOf": [{"properties": {"name": {"type": "string"}}}]}, {"name": "name"}),
    ],
)
def test_a_sample_is_always_the_same(schema: JsonObject, expected: Json) -> None:
    assert sample_value(Schema(schema)) == expected


def test_a_schema_that_refers_to_itself_has_a_sample() -> None:
    value = sample_value(Schema({"$ref": "#/components/schemas/Pet"}, SHOP))
    assert isinstance(value, dict)
    assert value["mother"]["mother"]["status"] == "free"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "file", "enum": [], "format": 1, "x-a": 1}, {}),
        ({"type": "string", "enum": ["a"], "nullable": True},
         {"type": ["string", "null"], "enum": ["a", None]}),
        ({"oneOf": [{"type": "string"}], "nullable": True},
         {"anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null"}]}),
        ({"pattern": "^a$", "minLength": -1, "maximum": "x"}, {"pattern": "^a$"}),
        ({"maximum": 5, "exclusiveMaximum": False}, {"maximum": 5}),
        ({"allOf": ["a text", {"minimum": 1}, True, 5]}, {"allOf": [{"minimum": 1}]}),
        ({"additionalProperties": False, "items": {"type": "string"}},
         {"additionalProperties": False, "items": {"type": "string"}}),
        ({"uniqueItems": True, "const": 1, "description": "d"},
         {"uniqueItems": True, "const": 1, "description": "d"}),
    ],
)  # fmt: skip
def test_schemas_become_json_schemas(schema: JsonObject, expected: JsonObject) -> None:
    assert SchemaExport().convert(Schema(schema)) == expected
