"""Forms are read as the JSON that they stand for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.declared.forms import nested_fields, typed_fields
from mockserver.googleapi import ApiError

NAMES = st.text("abc-_", min_size=1, max_size=3)
VALUES = st.recursive(
    st.text("xy1", max_size=3),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(NAMES, inner, min_size=1)
    ),
    max_leaves=8,
)


def pairs_of(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(name, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [pair for key, each in items for pair in pairs_of(f"{name}[{key}]", each)]


@pytest.mark.slow
@given(st.dictionaries(NAMES, VALUES))
def test_what_brackets_say_is_read_as_it_was_meant(value: dict[str, Any]) -> None:
    pairs = [pair for name, each in value.items() for pair in pairs_of(name, each)]
    assert nested_fields(pairs) == value


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "1"), ("a", "2")], {"a": ["1", "2"]}),
        ([("a[]", "1"), ("a[]", "2")], {"a": ["1", "2"]}),
        ([("a[][n]", "1"), ("a[][n]", "2")], {"a": [{"n": "1"}, {"n": "2"}]}),
        ([("a[9]", "1"), ("a[3]", "2")], {"a": ["2", "1"]}),
        ([("a[b", "1"), ("]", "2"), ("", "3")], {"a[b": "1", "]": "2", "": "3"}),
        ([("[a]", "1")], {"[a]": "1"}),
    ],
)
def test_lists_and_names_of_fields(pairs: list[tuple[str, str]], expected: Any) -> None:
    assert nested_fields(pairs) == expected


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "1"), ("a[b]", "2")], "is inside one that has a value"),
        ([("a[b]", "2"), ("a", "1")], "has a value and fields inside"),
        ([("a" + "[b]" * 21, "1")], "nested too deeply"),
    ],
)
def test_a_form_that_contradicts_itself_is_refused(
    pairs: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(ApiError, match=message):
        nested_fields(pairs)


@pytest.mark.parametrize(
    ("schema", "sent", "expected"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "number"}, "-0.5", -0.5),
        ({"type": "boolean"}, "true", True),
        ({"type": ["integer", "null"]}, "x", "x"),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"anyOf": [{"type": "integer"}, {"type": "string", "enum": [""]}]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["", "now"]}]}, "now", "now"),
        ({"$ref": "#/$defs/n"}, "5", 5),
        ({"$ref": "other.json#/n"}, "5", "5"),
        ({"$ref": "#/properties/v"}, "5", "5"),
        ({"items": {"type": "integer"}}, ["1", "2"], [1, 2]),
        ({"type": "object", "properties": {"0": {"type": "integer"}}}, ["1"], {"0": 1}),
        ({"additionalProperties": {"type": "integer"}}, {"a": "1"}, {"a": 1}),
        (True, "5", "5"),
    ],
)
def test_texts_become_what_the_schema_wants(schema: Any, sent: Any, expected: Any) -> None:
    root = {"properties": {"v": schema}, "$defs": {"n": {"type": "integer"}}}
    assert typed_fields({"v": sent}, root) == {"v": expected}


def test_a_schema_that_never_ends_is_followed_so_far() -> None:
    root = {"properties": {"v": {"$ref": "#"}}}
    value: Any = {"v": "x"}
    for _ in range(30):
        value = {"v": value}
    assert typed_fields(value, root) == value
