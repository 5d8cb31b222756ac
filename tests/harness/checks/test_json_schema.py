import pytest

from harness.checks.matchers import InvalidSchemaError, schema_errors
from harness.model import JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "required": ["diagnosis"],
    "properties": {
        "id": {"type": "string", "pattern": "^EC-"},
        "steps": {"items": {"type": "string"}},
    },
}


def test_errors_come_with_pointers_in_order() -> None:
    assert schema_errors(SCHEMA, {"steps": ["a", 2], "id": "X-1"}) == [
        "/: 'diagnosis' is a required property",
        "/id: 'X-1' does not match '^EC-'",
        "/steps/1: 2 is not of type 'string'",
    ]


def test_a_valid_document_has_none() -> None:
    assert schema_errors(SCHEMA, {"diagnosis": "x", "id": "EC-1"}) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        pytest.param({"type": "nonsense"}, "is invalid", id="not-a-schema"),
        pytest.param({"$ref": "https://example.com/s.json"}, "refers outside", id="elsewhere"),
        pytest.param({"pattern": "(?=a"}, "is not a .regex", id="pattern"),
    ],
)
def test_a_broken_schema_is_the_cases_fault(schema: JsonObject, message: str) -> None:
    with pytest.raises(InvalidSchemaError, match=message):
        schema_errors(schema, "ab")


def test_endless_nesting_is_an_error_of_the_document() -> None:
    document: JsonObject = {}
    for _ in range(5000):
        document = {"a": document}
    schema: JsonObject = {"properties": {"a": {"$ref": "#"}}}
    assert schema_errors(schema, document) == ["/: nested too deeply to be checked"]
