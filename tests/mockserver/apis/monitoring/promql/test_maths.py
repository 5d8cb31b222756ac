from math import inf, nan

import pytest

from mockserver.apis.monitoring.promql.functions import CALENDAR, MATHS, clamped, rounded
from tests.mockserver.apis.monitoring.promql.conftest import same


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("sqrt", 9, 3),
        ("sqrt", -1, nan),
        ("ln", 0, -inf),
        ("ln", -1, nan),
        ("log2", 8, 3),
        ("log10", 1000, 3),
        ("exp", 1000, inf),
        ("sinh", -1000, -inf),
        ("ceil", inf, inf),
        ("floor", nan, nan),
        ("sgn", 0, 0),
        ("sgn", nan, nan),
        ("acos", 2, nan),
        ("deg", 0, 0),
        ("rad", 0, 0),
    ],
)
def test_functions_answer_where_they_are_not_defined(
    name: str, value: float, expected: float
) -> None:
    assert same(MATHS[name](value), expected)


@pytest.mark.parametrize(
    ("value", "to", "expected"),
    [(2.5, 1, 3), (-2.5, 1, -2), (7, 5, 5), (inf, 1, inf), (1, 0, nan), (nan, 1, nan)],
)
def test_rounding(value: float, to: float, expected: float) -> None:
    assert same(rounded(value, to), expected)


def test_clamping() -> None:
    assert clamped(5, 1, 3) == 3
    assert same(clamped(nan, 1, 3), nan)
    assert same(clamped(1, nan, 3), nan)


@pytest.mark.parametrize("value", [nan, inf, 1e300])
def test_what_is_no_time_has_no_calendar(value: float) -> None:
    assert same(CALENDAR["hour"](value), nan)
