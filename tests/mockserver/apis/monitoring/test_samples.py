import pytest

from mockserver.apis.monitoring.series import points_of
from mockserver.model import Json, JsonObject

END = "2026-03-02T09:00:00Z"


def spans(samples: JsonObject, kind: str) -> list[tuple[str, str]]:
    return [
        (point["interval"]["startTime"][11:16], point["interval"]["endTime"][11:16])
        for point in points_of({"endTime": END, **samples}, kind, "DOUBLE")
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
    samples = {"endTime": END, "values": [[1, 2, 1], {"count": "0"}, [0]], **options}
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
        ({"values": [1], "endTime": END, "period": "1m"}, "DOUBLE", "not a duration"),
        ({"values": [1], "endTime": END, "period": "0s"}, "DOUBLE", "longer than nothing"),
        ({"values": [[1]], "endTime": END}, "DISTRIBUTION", "beside 'bucketOptions'"),
        (
            {"values": [[1, 2]], "endTime": END, "bucketOptions": {}},
            "DISTRIBUTION",
            "2 counts for 1 buckets",
        ),
    ],
)
def test_samples_that_cannot_be_read_say_why(samples: JsonObject, kind: str, words: Json) -> None:
    with pytest.raises(ValueError, match=words):
        points_of(samples, "GAUGE", kind)
