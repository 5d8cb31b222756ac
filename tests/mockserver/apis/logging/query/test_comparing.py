import pytest

from mockserver.apis.logging.query.values import Kind, free_test, matcher, number, value_test
from mockserver.googleapi import ApiError
from mockserver.googleapi.filters import Value
from mockserver.model import Json


@pytest.mark.parametrize(
    ("kind", "sign", "literal", "yes", "no"),
    [
        ("text", "=", "Ab", ["ab", "AB", "Ab"], ["abc", ""]),
        ("text", "!=", "ab", ["c"], ["AB"]),
        ("text", ":", "LL", ["hello"], ["help"]),
        ("text", "<", "m", ["a", "A"], ["z"]),
        ("text", "=~", "^a+$", ["aa"], ["A", "b"]),
        ("text", "!~", "a", ["b"], ["xax"]),
        ("number", ">=", "500", [500, 501, "503", 500.5], [499, "nan", "x"]),
        ("number", ":", "5", [5, "5"], [50]),
        ("number", "=~", "^5", [503], [400]),
        ("boolean", "=", "TRUE", [True], [False, "true"]),
        ("boolean", "=~", "tru", [True], [False]),
        ("duration", ">", "1s", ["1.5s", "2s"], ["0.9s", "soon"]),
        ("time", "<", "2026-01-02", ["2026-01-01T23:59:59.9Z"], ["2026-01-02T00:00:00Z", "x"]),
        ("severity", ">=", "error", ["ERROR", "ALERT"], ["INFO", "?"]),
        ("severity", "=", "500", ["ERROR"], ["CRITICAL"]),
        ("severity", "=~", "^E", ["ERROR", "EMERGENCY"], ["INFO"]),
        ("free", "=", "3", [3, 3.0, "3", [1, 3]], [4, True, None, "33"]),
        ("free", "=", "true", [True, "TRUE"], [False, 1, None]),
        ("free", ":", "ab", ["xABx", {"k": "ab"}, {"abc": 1}, ["ab"]], ["a", {"k": 1}, None]),
        ("free", ">", "2", [3, "3"], [1, "1", None]),
        ("free", "=~", "^a", ["ab", {"k": "ab"}, ["x", "a"]], ["b", 1]),
        ("labels", ":", "zone", [{"zone": "b"}, {"x": "zone"}], [{"a": "b"}]),
        ("message", "=", "b", [{"zone": "b"}], [{"b": "a"}]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_values_compare_by_their_type(
    kind: Kind, sign: str, literal: str, yes: list[Json], no: list[Json]
) -> None:
    test = value_test(kind, sign, Value(literal, quoted=False))
    assert [test(value) for value in yes] == [True] * len(yes)
    assert [test(value) for value in no] == [False] * len(no)


def test_null_is_a_value_only_without_quotes() -> None:
    null = Value("NULL_VALUE", quoted=False)
    assert [free_test("=", null)(value) for value in (None, "NULL_VALUE", 0)] == [
        True,
        False,
        False,
    ]
    assert free_test("!=", null)(0)
    assert free_test("=", Value("NULL_VALUE"))("null_value")


@pytest.mark.parametrize(
    ("kind", "literal", "said"),
    [
        ("number", "x", "invalid number value 'x'"),
        ("boolean", "yes", "invalid boolean value 'yes'"),
        ("time", "soon", "invalid time value 'soon'"),
        ("duration", "x", "invalid duration value 'x'"),
        ("severity", "FATAL", "invalid severity value 'FATAL'"),
        ("severity", "1.5", "invalid severity value '1.5'"),
    ],
    ids=repr,
)
def test_a_literal_of_another_type_is_refused(kind: Kind, literal: str, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        value_test(kind, "=", Value(literal))
    assert caught.value.message == f"Unparseable filter: {said}"


def test_a_regular_expression_that_is_none_is_refused() -> None:
    with pytest.raises(ApiError, match=r"invalid regular expression '\(': missing \)"):
        matcher("(")


def test_no_regular_expression_is_slow() -> None:
    assert not matcher("(a+)+$")("a" * 5_000 + "b")


def test_times_may_be_stored_earlier_than_they_are_asked_for() -> None:
    test = value_test("time", "=", Value("1970-01-01T00:00:05Z"), earlier_ns=3 * 10**9)
    assert test("1970-01-01T00:00:02Z")


def test_whole_numbers_stay_exact() -> None:
    assert number("9007199254740993") == 9007199254740993
    assert (number("1e3"), number("+.5"), number("0x1")) == (1000.0, 0.5, None)
