from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.drift.shapes import pointer, shape_of, type_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


def paths(value: Any) -> list[str]:
    return sorted(pointer(path) for path in shape_of([value]))


def test_items_and_entries_of_maps_share_a_path() -> None:
    value = {"users": [{"id": 1}, {"id": 2}], "by": {"a@example.com": 1, "2026": {"x": None}}}
    assert paths(value) == ["", "/by", "/by/*", "/by/*/x", "/users", "/users/*", "/users/*/id"]


def test_types_are_counted() -> None:
    shape = shape_of([{"a": 1}, {"a": 1.5}, {"a": None}, {}])
    assert shape["a",].types == {"integer": 1, "number": 1, "null": 1}
    assert (shape["a",].seen, shape[()].seen) == (3, 4)


def test_words_of_a_set_are_told_from_other_text() -> None:
    shape = shape_of([{"state": "ACTIVE", "kind": "admin#user", "name": "Ann"}])
    words = {pointer(path): found.words for path, found in shape.items() if path}
    assert words == {"/state": {"ACTIVE"}, "/kind": {"admin#user"}, "/name": None}


def test_too_many_words_are_no_set() -> None:
    assert shape_of([{"a": "WORD_" + chr(65 + n)} for n in range(20)])["a",].words is None


def test_nesting_without_end_ends() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    assert len(shape_of([value])) == 101


@given(st.lists(JSON, max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_order_of_values_makes_no_difference(values: list[Any]) -> None:
    forward, backward = shape_of(values), shape_of(list(reversed(values)))
    assert {path: found.types for path, found in forward.items()} == {
        path: found.types for path, found in backward.items()
    }


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_the_first_type_of_a_shape_is_that_of_the_value(value: Any) -> None:
    assert list(shape_of([value])[()].types) == [type_of(value)]
