from math import inf, isclose, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql.functions import RANGE_FUNCTIONS, predict_linear, quantile
from mockserver.apis.monitoring.promql.signatures import SIGNATURES
from tests.mockserver.apis.monitoring.promql.conftest import along, at, track


def same_up_to(found: object, expected: float) -> bool:
    return isinstance(found, dict) and isclose(found[""], expected)


def test_a_rate_over_one_sample_takes_the_one_before() -> None:
    count = track("n", 0, 30, 90)
    assert at("rate(n[1m])", count, minute=3) == {"": 1}
    assert at("increase(n[30s])", count, minute=3) == {"": 30}
    assert at("irate(n[1m])", count, minute=3) == {"": 1}
    assert at("rate(n[1m])", count, minute=1) == {}


def test_a_sample_that_is_long_gone_does_not_join() -> None:
    count = track("n", 0, None, None, None, None, None, None, 60)
    assert at("rate(n[1m])", count, minute=8) == {}


def test_a_counter_is_not_extrapolated_below_zero() -> None:
    count = track("n", None, None, 10, 70)
    # 10 of 60 a minute: it began ten seconds before the third minute
    assert same_up_to(at("increase(n[4m])", count, minute=4), 70)


def test_far_edges_are_extrapolated_by_half_a_step() -> None:
    gauge = track("g", None, None, 10, 20, None, None)
    assert same_up_to(at("delta(g[6m])", gauge, minute=6), 10 * (1 + 0.5 + 0.5))


@pytest.mark.parametrize("name", sorted(set(RANGE_FUNCTIONS) - {"absent_over_time"}))
def test_nothing_comes_of_no_samples(name: str) -> None:
    assert at(f"{name}(n[1m])", track("n", 1), minute=3) == {}
    assert name in SIGNATURES


@pytest.mark.parametrize(
    ("share", "values", "expected"),
    [
        (0.0, [3, 1, 2], 1),
        (1.0, [3, 1, 2], 3),
        (0.75, [1, 2, 3], 2.5),
        (-0.1, [1], -inf),
        (1.1, [1], inf),
    ],
)
def test_quantiles(share: float, values: list[float], expected: float) -> None:
    assert quantile(share, values) == expected


def test_quantiles_of_nothing_are_no_numbers() -> None:
    assert isnan(quantile(0.5, []))
    assert isnan(quantile(nan, [1]))


def test_a_line_needs_two_points() -> None:
    assert predict_linear(track("g", 1), 0, 1, (0, 60_000_000), 10) is None


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(14, 40))
def test_the_rate_of_a_steady_counter_is_its_slope(slope: int, span: int, count: int) -> None:
    counter = track("n", *(slope * (each + 20) for each in range(count)))
    found = along(f"rate(n[{span}m]) * 60", counter, minutes=[count - 0.5, count])
    assert all(isclose(float(each), slope) for each in found[""].split())


@given(st.lists(st.lists(st.integers(0, 100), min_size=5, max_size=5), min_size=1, max_size=4))
def test_sums_of_groups_add_up_to_the_sum(rows: list[list[int]]) -> None:
    tracks = [track(f'n{{a="{number % 2}",b="{number}"}}', *row) for number, row in enumerate(rows)]
    total = along("sum by () (n)", *tracks)
    assert along("sum(sum by (a) (n))", *tracks) == total
    assert along("avg(n) * count(n)", *tracks).keys() == total.keys()
    assert [int(each) for each in total[""].split()] == [
        sum(column) for column in zip(*rows, strict=True)
    ]
