"""Rows that filters mean: looked up where an index knows them, the same as by a test of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Store
from mockserver.googleapi import ApiError
from mockserver.googleapi.row_filters import row_selection, row_test
from mockserver.model import JsonObject

SCALARS = st.sampled_from(
    ["a", "b*", "1", "1.0", "true", "TRUE", "2026-01-05T08:00:00Z", 1, 1.0, 2**53 + 1, True, None]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("b"), inner),
    max_leaves=3,
)
ROWS = st.lists(st.dictionaries(st.sampled_from("ac"), VALUES), max_size=5)
TERMS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["a", "c", "a.b"]),
    st.sampled_from(["=", "!=", ":", ">"]),
    st.sampled_from(
        ["a", "b*", '"b*"', "1", "nan", "9007199254740993", "True", '"2026-01-05T08:00:00Z"']
    ),
)
FILTERS = st.recursive(
    TERMS,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner)
        | st.builds("NOT {}".format, inner)
    ),
    max_leaves=4,
)


@given(FILTERS, ROWS)
def test_a_selection_has_the_rows_that_meet_the_test(text: str, rows: list[JsonObject]) -> None:
    store = Store({str(number): row for number, row in enumerate(rows)})
    test = row_test(text)
    found = [entry[2] for entry in row_selection(text, store).places()]
    assert found == [key for key, row in store.pairs() if test(row)]


def test_equal_values_are_looked_up() -> None:
    store = Store({str(number): {"n": number, "name": "a"} for number in range(9)})
    assert row_selection("n=7 name:a", store).explain() == (
        "index n = 7: 1 of 9 rows, then each row asked: filter n=7 name:a"
    )


@pytest.mark.parametrize("text", ["a=", "f(x)", "a" * 10_001])
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="Invalid filter"):
        row_selection(text, Store())
