"""When values are as stubs and prepared responses want them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.stubs import argument_differences, compile_pattern


@pytest.mark.parametrize(
    ("when", "arguments"),
    [
        ({}, {"a": 1}),
        ({"a": 1}, {"a": 1.0, "b": 2}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": {"regex": "x+"}}}, {"a": {"b": "xx"}}),
        ({"a": {"any": True}}, {"a": None}),
        ({"a": {"present": False}}, {}),
        ({"a": {"in": [1, "x"]}}, {"a": "x"}),
        ({"a": {"regex": "/Eng(/.*)?"}}, {"a": "/Eng/Web"}),
        ({"a": [1, 2]}, {"a": [1, 2]}),
    ],
)
def test_arguments_match(when: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert argument_differences(when, arguments) == ()


@pytest.mark.parametrize(
    ("when", "arguments", "reason"),
    [
        ({"a": 1}, {}, "a: wanted 1, got nothing"),
        ({"a": 1}, {"a": True}, "a: wanted 1, got True"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b: wanted 1, got 2"),
        ({"a": {"b": 1}}, {"a": 2}, "a: wanted {'b': 1}, got 2"),
        ({"a": {"any": True}}, {}, "a: wanted {'any': True}, got nothing"),
        ({"a": {"present": False}}, {"a": 1}, "a: wanted {'present': False}, got 1"),
        ({"a": {"in": [1]}}, {"a": 2}, "a: wanted {'in': [1]}, got 2"),
        ({"a": {"regex": "x"}}, {"a": "xy"}, "a: wanted {'regex': 'x'}, got 'xy'"),
        ({"a": {"regex": "1"}}, {"a": 1}, "a: wanted {'regex': '1'}, got 1"),
        ({"a": [1, 2]}, {"a": [2, 1]}, "a: wanted [1, 2], got [2, 1]"),
    ],
)
def test_a_difference_says_what_was_wanted(
    when: dict[str, Any], arguments: dict[str, Any], reason: str
) -> None:
    assert argument_differences(when, arguments) == (reason,)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
_ARGUMENTS = st.dictionaries(st.sampled_from("abcd"), _VALUES)


@given(_ARGUMENTS)
def test_arguments_match_themselves(arguments: dict[str, Any]) -> None:
    assert argument_differences(arguments, arguments) == ()


@given(_ARGUMENTS, _ARGUMENTS)
def test_further_arguments_do_not_matter(when: dict[str, Any], more: dict[str, Any]) -> None:
    assert argument_differences(when, {**more, **when}) == ()


@pytest.mark.parametrize("text", ["(", r"(a)\1", 7])
def test_what_is_no_re2_expression_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="not an RE2 expression"):
        compile_pattern(text)
