from math import inf, isclose, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.series import (
    StoredSeries,
    bounds_of,
    counts_of,
    merge_distributions,
    percentile,
    point_value,
    points_of,
    read_duration,
    read_series,
    read_time,
    series_key,
    subtract_distribution,
    typed_value,
    write_time,
)
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import END, SERIES, listed, values
from tests.tenants import ask, world


@pytest.mark.parametrize(
    ("value", "kind", "answer"),
    [
        (7, "INT64", {"int64Value": "7"}),
        (6.6, "INT64", {"int64Value": "7"}),
        (0.5, "DOUBLE", {"doubleValue": 0.5}),
        (inf, "DOUBLE", {"doubleValue": "Infinity"}),
        (-inf, "DOUBLE", {"doubleValue": "-Infinity"}),
        (True, "BOOL", {"boolValue": True}),
        ("a", "STRING", {"stringValue": "a"}),
        ({"count": "1"}, "DISTRIBUTION", {"distributionValue": {"count": "1"}}),
    ],
)
def test_values_are_typed(value: Json, kind: str, answer: JsonObject) -> None:
    assert typed_value(value, kind) == answer


def test_values_are_read_back() -> None:
    assert isnan(point_value(typed_value(float("nan"), "DOUBLE")))
    assert point_value({"int64Value": "9007199254740993"}) == 9007199254740993
    assert point_value({}) == 0.0


def test_the_key_does_not_depend_on_the_order_of_labels() -> None:
    one, other = (
        {"metric": {"type": "m", "labels": labels}, "resource": {"type": "r", "labels": {"c": "3"}}}
        for labels in ({"a": "1", "b": "2"}, {"b": "2", "a": "1"})
    )
    assert series_key(one) == series_key(other) == "m{a=1,b=2}|r{c=3}"


def test_points_are_sorted_and_found_by_their_end(project: World) -> None:
    rows = list(project.table("timeSeries").rows().values())
    row = {**rows[2], "points": rows[2]["points"][::-1]}
    series = read_series(row)
    assert series.values == [100, 300, 200, 400]
    assert list(series.between(series.ends[0], series.ends[2])) == [1, 2]
    assert list(series.between(series.ends[3], series.ends[3])) == [3]
    assert list(series.between(0, series.ends[0] - 1)) == []


def test_types_are_listed_once(project: World) -> None:
    assert len(StoredSeries(project).types()) == 6


def test_what_a_session_writes_joins_what_the_snapshot_holds() -> None:
    kind = "custom.googleapis.com/x"
    row = {**SERIES[2], "metric": {"type": kind}}
    tenant = world(API, timeSeries=[row])
    for end, value in (("2026-03-02T08:59:30Z", "7"), (END, "8")):
        written = {
            "metric": {"type": kind},
            "resource": row["resource"],
            "points": [{"interval": {"endTime": end}, "value": {"int64Value": value}}],
        }
        body = {"timeSeries": [written]}
        ask(API, tenant, "monitoring.projects.timeSeries.create", {"name": "projects/shop"}, body)
    (found,) = listed(tenant, f'metric.type = "{kind}"')
    assert values(found) == ["8", "7", "200", "300", "100"]
    assert list(tenant.diff()) == ["writtenTimeSeries"]


@given(st.integers(min_value=0, max_value=10**16))
def test_what_is_written_is_read(moment: int) -> None:
    assert read_time(write_time(moment)) == moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02T10:00:00+01:00",
        "2026-03-02T09:00:00Z",
        "2026-03-02T09:00:00.000Z",
        "2026-03-02T09:00:00.000000000Z",
    ],
)
def test_every_form_of_a_timestamp_is_read(text: str) -> None:
    assert write_time(read_time(text)) == "2026-03-02T09:00:00Z"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-02T09:00:00Z", "2026-03-02"])
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_time(text)


@pytest.mark.parametrize("text", ["60", "1m", "xs"])
def test_a_duration_is_a_number_of_seconds(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_duration(text)


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
    gained = subtract_distribution(distribution(3, 4, mean=10), distribution(1, 4, mean=4))
    assert gained == distribution(2, mean=25)
    assert subtract_distribution(distribution(1), distribution(2)) == distribution(1)


def test_other_buckets_are_put_in_by_their_middles() -> None:
    other = {
        "count": "2",
        "mean": 15.0,
        "bucketOptions": {"explicitBuckets": {"bounds": [12, 18]}},
        "bucketCounts": ["0", "2"],
    }
    assert counts_of(merge_distributions([distribution(1), other])) == [1, 2, 0, 0]
    assert merge_distributions([distribution(1), {"count": "1"}])["count"] == "2"


counts = st.lists(st.integers(min_value=0, max_value=50), min_size=4, max_size=4)


@given(st.lists(st.tuples(counts, st.floats(0, 100)), min_size=1, max_size=4))
def test_merging_keeps_every_value(several: list[tuple[list[int], float]]) -> None:
    found = merge_distributions(distribution(*each, mean=mean) for each, mean in several)
    total = sum(sum(each) * mean for each, mean in several)
    assert int(found["count"]) == sum(sum(each) for each, _ in several)
    assert isclose(float(found["mean"]) * int(found["count"]), total, abs_tol=1e-6)


SAMPLE_END = "2026-03-02T09:00:00Z"


def spans(samples: JsonObject, kind: str) -> list[tuple[str, str]]:
    return [
        (point["interval"]["startTime"][11:16], point["interval"]["endTime"][11:16])
        for point in points_of({"endTime": SAMPLE_END, **samples}, kind, "DOUBLE")
    ]


def test_values_lie_at_even_steps_up_to_the_end() -> None:
    samples = {"values": [1, None, 3], "period": "300s"}
    assert spans(samples, "GAUGE") == [("08:50", "08:50"), ("09:00", "09:00")]
    assert spans(samples, "DELTA") == [("08:45", "08:50"), ("08:55", "09:00")]


def test_a_count_begins_where_it_is_said_and_anew_where_it_falls() -> None:
    assert spans({"values": [1, 2], "startTime": "2026-03-02T08:00:00Z"}, "CUMULATIVE") == [
        ("08:00", "08:59"),
        ("08:00", "09:00"),
    ]
    assert spans({"values": [5, 7, 2]}, "CUMULATIVE") == [
        ("08:57", "08:58"),
        ("08:57", "08:59"),
        ("08:59", "09:00"),
    ]


def test_a_distribution_is_a_list_of_counts() -> None:
    options = {"bucketOptions": {"explicitBuckets": {"bounds": [10, 20]}}}
    samples = {"endTime": SAMPLE_END, "values": [[1, 2, 1], {"count": "0"}, [0]], **options}
    first, second, third = points_of(samples, "GAUGE", "DISTRIBUTION")
    assert first["value"]["distributionValue"] == {
        "count": "4",
        "mean": (10 + 2 * 15 + 20) / 4,
        **options,
        "bucketCounts": ["1", "2", "1"],
    }
    assert second["value"]["distributionValue"] == {"count": "0"}
    assert third["value"]["distributionValue"]["mean"] == 0.0


@pytest.mark.parametrize(
    ("samples", "kind", "words"),
    [
        ({}, "DOUBLE", "at least one value"),
        ({"values": 3}, "DOUBLE", "must be an array"),
        ({"values": [1], "endTime": "now"}, "DOUBLE", "not an RFC 3339 timestamp"),
        ({"values": [1], "endTime": SAMPLE_END, "period": "1m"}, "DOUBLE", "not a duration"),
        ({"values": [1], "endTime": SAMPLE_END, "period": "0s"}, "DOUBLE", "longer than nothing"),
        ({"values": [[1]], "endTime": SAMPLE_END}, "DISTRIBUTION", "beside 'bucketOptions'"),
        (
            {"values": [[1, 2]], "endTime": SAMPLE_END, "bucketOptions": {}},
            "DISTRIBUTION",
            "2 counts for 1 buckets",
        ),
    ],
)
def test_samples_that_cannot_be_read_say_why(samples: JsonObject, kind: str, words: Json) -> None:
    with pytest.raises(ValueError, match=words):
        points_of(samples, "GAUGE", kind)
