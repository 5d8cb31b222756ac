import pytest

from mockserver.apis.monitoring.promql import PromqlError
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
