import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.subsets import difference, is_subset, is_subset_of_request
from harness.model import Json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("expected", "found", "exact", "where"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, False, None, id="further-keys"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, True, "args.b", id="further-keys-exactly"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, False, None, id="deeper-keys"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, False, "args.a.b", id="deep-value"),
        pytest.param({"a": 1}, {}, False, "args.a", id="missing"),
        pytest.param({"a": None}, {}, False, "args.a", id="null-is-not-missing"),
        pytest.param([1, {"a": 1}], [1, {"a": 1, "b": 2}], False, None, id="in-arrays"),
        pytest.param([1], [1, 2], False, "args", id="array-length"),
        pytest.param([1, 2], [1, 3], False, "args[1]", id="array-item"),
        pytest.param(1, True, False, "args", id="true-is-not-one"),
        pytest.param(1, 1.0, False, None, id="one-is-one"),
        pytest.param({"a": 1}, "text", False, "args", id="another-type"),
    ],
)
def test_the_first_difference_is_named(
    expected: Json, found: Json, exact: bool, where: str | None
) -> None:
    differs = difference(expected, found, "args", exact=exact)
    assert (differs and differs.where) == where


def test_a_difference_reads_well() -> None:
    assert str(difference({"a": 1}, {}, "args", exact=False)) == "args.a is absent, expected 1"
    long = difference("x" * 200, 1, "args", exact=False)
    assert long is not None
    assert len(long.expected) == 80


@pytest.mark.parametrize(
    ("expected", "found", "holds"),
    [
        pytest.param(10, "10", True, id="number-as-text"),
        pytest.param("10", 10, True, id="text-as-number"),
        pytest.param(True, "true", True, id="boolean-as-text"),
        pytest.param("true", True, False, id="text-is-no-boolean"),
        pytest.param(10, "11", False, id="another-number"),
        pytest.param("a", "a", True, id="text"),
    ],
)
def test_queries_carry_text(expected: Json, found: Json, holds: bool) -> None:
    assert is_subset_of_request(expected, found) is holds


@given(VALUES)
def test_everything_is_a_subset_of_itself(value: Json) -> None:
    assert is_subset(value, value)
    assert difference(value, value, "", exact=True) is None


@given(VALUES, VALUES)
def test_what_is_exactly_so_is_also_a_subset(one: Json, other: Json) -> None:
    if difference(one, other, "", exact=True) is None:
        assert is_subset(one, other)
