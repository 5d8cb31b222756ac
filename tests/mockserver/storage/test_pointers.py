import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import MockServerError
from mockserver.storage.provenance import format_pointer, parse_pointer, value_at


@given(st.lists(st.text(alphabet="a~/0", max_size=4), max_size=4))
def test_a_path_and_its_pointer_are_the_same(path: list[str]) -> None:
    assert parse_pointer(format_pointer(tuple(path))) == tuple(path)


def test_a_value_that_is_not_there_is_the_default() -> None:
    assert value_at({"a": [1]}, ("a", "0")) == 1
    assert value_at({"a": [1]}, ("b",)) is None
    assert value_at({"a": [1]}, ("b",), []) == []


def test_text_that_is_no_pointer_is_refused() -> None:
    with pytest.raises(MockServerError, match="starts with /"):
        parse_pointer("a/b")
