from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.validators import Draft202012Validator

from mockserver.declared.keywords import is_plain

WORDS = (
    "type", "enum", "const", "format", "pattern", "minLength", "maximum", "exclusiveMinimum",
    "multipleOf", "uniqueItems", "required", "default", "examples", "title", "$ref", "items",
    "additionalProperties", "not", "allOf", "anyOf", "prefixItems", "properties", "$defs",
)  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(("string", "object", "[a-", "x", "#/$defs/a")),
    st.lists(st.sampled_from(("string", "null", "x", "x")), max_size=3),
)  # fmt: skip
SCHEMAS = st.recursive(
    st.booleans() | st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=3),
    lambda inner: (
        st.dictionaries(st.sampled_from(("items", "not", "additionalProperties", "if")), inner)
        | st.dictionaries(st.sampled_from(("allOf", "oneOf")), st.lists(inner, max_size=2))
        | st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("ab"), inner)})
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_what_is_plain_is_sound(schema: Any) -> None:
    if is_plain(schema):
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("schema", "plain"),
    [
        ({"type": ["string", "null"], "enum": ["a"], "minLength": 1, "pattern": "a+"}, True),
        ({"required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}}, True),
        ({"allOf": [True, {"multipleOf": 2}], "additionalProperties": False}, True),
        ({"type": "text"}, False),
        ({"type": ["string", "string"]}, False),
        ({"pattern": "[a-"}, False),
        ({"pattern": 5}, False),
        ({"maximum": True}, False),
        ({"minLength": -1}, False),
        ({"required": ["a", "a"]}, False),
        ({"allOf": []}, False),
        ({"items": [{}]}, False),
        ({"$id": "x"}, False),
        ({"if": {}}, False),
    ],
)
def test_plain_keywords_have_values_of_their_form(schema: Any, plain: bool) -> None:
    assert is_plain(schema) is plain
