from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.series import bounds_of, counts_of, merged, percentile, without
from mockserver.model import JsonObject

OPTIONS = {"explicitBuckets": {"bounds": [10, 20, 40]}}


def distribution(*counts: int, mean: float = 0.0) -> JsonObject:
    total = sum(counts)
    return {
        "count": str(total),
        "mean": mean,
        "bucketOptions": OPTIONS,
        "bucketCounts": [str(count) for count in counts],
    }


@pytest.mark.parametrize(
    ("options", "bounds"),
    [
        (OPTIONS, [10.0, 20.0, 40.0]),
        ({"linearBuckets": {"numFiniteBuckets": 2, "width": 5, "offset": 1}}, [1.0, 6.0, 11.0]),
        (
            {"exponentialBuckets": {"numFiniteBuckets": 2, "growthFactor": 2, "scale": 3}},
            [3.0, 6.0, 12.0],
        ),
        ({}, []),
    ],
)
def test_bounds_come_from_any_kind_of_buckets(options: JsonObject, bounds: list[float]) -> None:
    assert bounds_of({"bucketOptions": options}) == bounds


def test_buckets_that_are_left_out_are_empty() -> None:
    assert counts_of(distribution(1, 2)) == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("counts", "percent", "expected"),
    [
        ((0, 4), 50, 15.0),
        ((0, 2, 2), 50, 20.0),
        ((0, 2, 2), 75, 30.0),
        ((4,), 99, 10.0),
        ((0, 0, 0, 4), 50, 40.0),
        ((), 50, 0.0),
    ],
)
def test_percentiles_are_interpolated(
    counts: tuple[int, ...], percent: float, expected: float
) -> None:
    assert percentile(distribution(*counts), percent) == expected


def test_a_distribution_without_buckets_has_its_mean_for_every_percentile() -> None:
    assert percentile({"count": "4", "mean": 7.5, "bucketCounts": ["4"]}, 99) == 7.5


def test_what_was_gained_is_the_difference() -> None:
    gained = without(distribution(3, 4, mean=10), distribution(1, 4, mean=4))
    assert gained == distribution(2, mean=25)
    assert without(distribution(1), distribution(2)) == distribution(1)


def test_other_buckets_are_put_in_by_their_middles() -> None:
    other = {
        "count": "2",
        "mean": 15.0,
        "bucketOptions": {"explicitBuckets": {"bounds": [12, 18]}},
        "bucketCounts": ["0", "2"],
    }
    assert counts_of(merged([distribution(1), other])) == [1, 2, 0, 0]
    assert merged([distribution(1), {"count": "1"}])["count"] == "2"


counts = st.lists(st.integers(min_value=0, max_value=50), min_size=4, max_size=4)


@given(st.lists(st.tuples(counts, st.floats(0, 100)), min_size=1, max_size=4))
def test_merging_keeps_every_value(several: list[tuple[list[int], float]]) -> None:
    found = merged(distribution(*each, mean=mean) for each, mean in several)
    total = sum(sum(each) * mean for each, mean in several)
    assert int(found["count"]) == sum(sum(each) for each, _ in several)
    assert isclose(float(found["mean"]) * int(found["count"]), total, abs_tol=1e-6)
