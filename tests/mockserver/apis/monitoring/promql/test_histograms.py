from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql.functions import bucket_quantile
from tests.mockserver.apis.monitoring.promql.conftest import at, same, track

BUCKETS = [(1.0, 10.0), (2.0, 30.0), (inf, 40.0)]


@pytest.mark.parametrize(
    ("share", "buckets", "expected"),
    [
        (0.5, BUCKETS, 1.5),
        (0.25, BUCKETS, 1.0),
        (0.125, BUCKETS, 0.5),
        (0.99, BUCKETS, 2.0),
        (0.0, BUCKETS, 0.0),
        (-1, BUCKETS, -inf),
        (2, BUCKETS, inf),
        (nan, BUCKETS, nan),
        (0.5, [(1.0, 10.0), (2.0, 30.0)], nan),
        (0.5, [(inf, 10.0)], nan),
        (0.5, [(1.0, 0.0), (inf, 0.0)], nan),
        (0.5, [(-1.0, 10.0), (inf, 10.0)], -1.0),
        (0.5, [(1.0, 30.0), (2.0, 10.0), (inf, 40.0)], 2 / 3),
        (0.5, [(1.0, 5.0), (1.0, 5.0), (inf, 10.0)], 0.5),
    ],
)
def test_quantiles_of_buckets(
    share: float, buckets: list[tuple[float, float]], expected: float
) -> None:
    assert same(bucket_quantile(share, buckets), expected)


def test_lines_without_a_bound_are_left_out() -> None:
    tracks = [
        track('b{le="1"}', 1),
        track('b{le="+Inf"}', 1),
        track("b", 5),
        track('b{le="x"}', 5),
    ]
    assert at("histogram_quantile(1, b)", *tracks, minute=1) == {"": 1}


@given(
    st.lists(st.integers(0, 100), min_size=3, max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_quantiles_rise_with_the_share(counts: list[int], one: float, other: float) -> None:
    bounds = [*(float(at) for at in range(1, len(counts))), inf]
    totals = [float(sum(counts[: at + 1])) for at in range(len(counts))]
    buckets = list(zip(bounds, totals, strict=True))
    low, high = sorted((one, other))
    if totals[-1]:
        assert bucket_quantile(low, buckets) <= bucket_quantile(high, buckets) + 1e-9
