from math import inf, isnan, nan

import pytest

from mockserver.apis.monitoring.promql.nodes import PromqlError
from tests.mockserver.apis.monitoring.promql.conftest import along, at, same, track

X = [track('x{a="1"}', 6), track('x{a="2"}', 8)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("7 % 4", 3),
        ("1 % 0", float("nan")),
        ("0 / 0", float("nan")),
        ("-1 / 0", float("-inf")),
        ("10 ^ 400", float("inf")),
        ("-8 ^ 0.5", -(8**0.5)),
        ("0 ^ -1", float("inf")),
        ("(0 - 8) ^ 0.5", float("nan")),
        ("1 atan2 1", 0.7853981633974483),
        ("1 == bool 1", 1),
        ("1 != bool 1", 0),
        ("1 <= bool 1", 1),
        ("2 < bool 1", 0),
    ],
)
def test_arithmetic(query: str, expected: float) -> None:
    found = at(query)
    assert isinstance(found, float)
    assert same(found, expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("x == 6", {"x{a=1}": 6}),
        ("6 != x", {"x{a=2}": 8}),
        ("x != bool 6", {"{a=1}": 0, "{a=2}": 1}),
        ("6 >= bool x", {"{a=1}": 1, "{a=2}": 0}),
        ("x > x", {}),
        ("x >= bool x", {"{a=1}": 1, "{a=2}": 1}),
        ("x and x > 6", {"x{a=2}": 8}),
        ("x or on () x", {"x{a=1}": 6, "x{a=2}": 8}),
        ("x unless x", {}),
    ],
)
def test_comparisons_and_sets(query: str, expected: dict[str, float]) -> None:
    assert at(query, *X) == expected


def test_lines_that_follow_each_other_are_one_counterpart() -> None:
    tracks = [
        track('x{a="1"}', *range(1, 8)),
        track('y{a="1",v="old"}', 10, None, None, None, None, None, None),
        track('y{a="1",v="new"}', None, None, None, None, None, None, 20),
    ]
    assert along("y * ignoring (v) group_left sum by (a) (y)", *tracks, minutes=[1, 7]) == {
        "{a=1,v=old}": "100 _",
        "{a=1,v=new}": "_ 400",
    }
    assert along("x + ignoring (v) y", *tracks, minutes=[1, 7]) == {"{a=1}": "11 27"}


def test_texts_are_not_combined() -> None:
    with pytest.raises(PromqlError, match="binary expression must contain only"):
        at('"a" + "b"')


N = [track('n{a="1"}', 1, nan), track('n{a="2"}', 5, 2), track('n{a="3"}', None, 3)]


def test_no_number_counts_last() -> None:
    assert along("topk(2, n)", *N, minutes=[1, 2]) == {
        "n{a=1}": "1 _",
        "n{a=2}": "5 2",
        "n{a=3}": "_ 3",
    }
    assert along("min(n)", *N, minutes=[1, 2]) == {"": "1 2"}
    assert along("max(n)", *N, minutes=[1, 2]) == {"": "5 3"}
    only = at("max(n)", track("n", nan), minute=1)
    assert isinstance(only, dict)
    assert isnan(only[""])


def test_parameters_may_change_from_step_to_step() -> None:
    assert along("quantile(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "": "5 3"
    }
    assert along("bottomk(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "n{a=2}": "_ 2"
    }


def test_infinities_add_up() -> None:
    rows = [track('n{a="1"}', inf), track('n{a="2"}', -inf)]
    found = at("sum(n)", *rows, minute=1)
    assert isinstance(found, dict)
    assert isnan(found[""])
    assert at("sum(n)", rows[0], minute=1) == {"": inf}


def test_values_are_counted_at_every_step() -> None:
    rows = [track('n{a="1"}', 1, 2), track('n{a="2"}', 1, None)]
    assert along('count_values("v", n)', *rows, minutes=[1, 2]) == {"{v=1}": "2 1", "{v=2}": "_ 1"}
    assert along('count_values by (a) ("v", n{a="1"})', *rows, minutes=[1]) == {"{a=1,v=1}": "1"}
