import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.matchers import Mode, difference, is_subset, is_subset_of_request
from harness.model import Json, literal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("expected", "found", "mode", "where"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "subset", None, id="further-keys"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "exact", "args.b", id="further-keys-exactly"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, "subset", None, id="deeper-keys"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, "subset", "args.a.b", id="deep-value"),
        pytest.param({"a": 1}, {}, "subset", "args.a", id="missing"),
        pytest.param({"a": None}, {}, "subset", "args.a", id="null-is-not-missing"),
        pytest.param([1, {"a": 1}], [1, {"a": 1, "b": 2}], "subset", None, id="in-arrays"),
        pytest.param([1], [1, 2], "subset", "args", id="array-length"),
        pytest.param([1, 2], [1, 3], "subset", "args[1]", id="array-item"),
        pytest.param(1, True, "subset", "args", id="true-is-not-one"),
        pytest.param(1, 1.0, "subset", None, id="one-is-one"),
        pytest.param({"a": 1, "b": 2}, {"b": 2}, "superset", None, id="superset-lacks-one"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, "superset", "args.b", id="superset-has-no-other"),
        pytest.param({"a": {"b": 1}}, {"a": {}}, "superset", None, id="superset-deeper"),
        pytest.param({"a": 1}, {"a": 2}, "superset", "args.a", id="superset-of-other-values"),
        pytest.param({"a": {"absent": True}}, {}, "subset", None, id="absent"),
        pytest.param({"a": {"absent": True}}, {"a": None}, "subset", "args.a", id="null-is-there"),
        pytest.param({"a": {"present": True}}, {}, "subset", "args.a", id="not-present"),
        pytest.param({"a": [{"glob": "x*"}]}, {"a": ["xy"]}, "exact", None, id="in-an-array"),
        pytest.param(
            {"a": {"equals": {"glob": "x"}}}, {"a": {"glob": "x"}}, "subset", None, id="as-is"
        ),
        pytest.param(
            {"a": {"equals": {"b": 1}}}, {"a": {"b": 1, "c": 2}}, "subset", "args.a.c", id="equal"
        ),
        pytest.param({"a": {"equals": 1}}, {}, "subset", "args.a", id="equal-and-absent"),
        pytest.param(
            {"a": {"any_of": [{"b": 1}]}}, {"a": {"b": 1, "c": 2}}, "subset", None, id="any-in-mode"
        ),
        pytest.param(
            {"a": {"any_of": [{"b": 1}]}},
            {"a": {"b": 1, "c": 2}},
            "exact",
            "args.a",
            id="any-exactly",
        ),
        pytest.param({"a": 1}, "text", "subset", "args", id="another-type"),
    ],
)
def test_the_first_difference_is_named(
    expected: Json, found: Json, mode: Mode, where: str | None
) -> None:
    differs = difference(expected, found, "args", mode)
    assert (differs and differs.where) == where


def test_a_difference_reads_well() -> None:
    assert str(difference({"a": 1}, {}, "args")) == "args.a is absent, expected 1"
    assert str(difference({"a": {"number": 3}}, {"a": 4}, "args")) == (
        "args.a is 4, expected 3 within 0"
    )
    long = difference("x" * 200, 1, "args")
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
    assert difference(value, value, "", "exact") is None


@given(VALUES, VALUES)
def test_what_is_exactly_so_is_also_a_subset(one: Json, other: Json) -> None:
    if difference(one, other, "", "exact") is None:
        assert is_subset(one, other)


@given(VALUES, VALUES)
def test_a_literal_is_compared_as_it_is(one: Json, other: Json) -> None:
    assert difference(literal(one), one, "", "exact") is None
    assert (difference(literal(one), other, "", "exact") is None) is (
        difference({"equals": one}, other, "", "exact") is None
    )
