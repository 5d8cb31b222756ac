from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.aggregation import ALIGNERS, REDUCERS, Window, align, label_at
from mockserver.apis.monitoring.series import SECOND, Series
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, CPU, LATENCY, MEMORY, listed, values


def metric(name: str) -> str:
    return f'metric.type = "{name}"'


@pytest.mark.parametrize(
    ("name", "aligner", "expected"),
    [
        (COUNT, "ALIGN_DELTA", ["70", "30"]),
        (COUNT, "ALIGN_RATE", [70 / 120, 30 / 120]),
        (COUNT, "ALIGN_SUM", ["70", "30"]),
        (COUNT, "ALIGN_MEAN", [35.0, 15.0]),
        (COUNT, "ALIGN_COUNT", ["2", "2"]),
        (MEMORY, "ALIGN_MIN", ["200", "100"]),
        (MEMORY, "ALIGN_MAX", ["400", "300"]),
        (MEMORY, "ALIGN_NEXT_OLDER", ["400", "300"]),
        (MEMORY, "ALIGN_INTERPOLATE", ["400", "300"]),
        (MEMORY, "ALIGN_STDDEV", [100.0, 100.0]),
        (MEMORY, "ALIGN_PERCENT_CHANGE", [25.0]),
        (CPU, "ALIGN_DELTA", [90.0, 120.0]),
        (CPU, "ALIGN_RATE", [0.75, 1.0]),
        ("custom.googleapis.com/up", "ALIGN_COUNT_TRUE", ["1", "2"]),
        ("custom.googleapis.com/up", "ALIGN_COUNT_FALSE", ["1", "0"]),
        ("custom.googleapis.com/up", "ALIGN_FRACTION_TRUE", [0.5, 1.0]),
        (LATENCY, "ALIGN_PERCENTILE_50", [20.0, 10.0]),
        (LATENCY, "ALIGN_COUNT", ["2", "2"]),
        (LATENCY, "ALIGN_MEAN", [(30 + 60 + 10 + 15 + 30 + 40) / 8, 12.5]),
    ],
)
def test_every_aligner_gives_what_is_computed_by_hand(
    project: World, name: str, aligner: str, expected: list[object]
) -> None:
    found = listed(
        project,
        metric(name),
        aggregation__perSeriesAligner=aligner,
        aggregation__alignmentPeriod="120s",
    )
    first = values(found[0])[: len(expected)]
    assert first == (pytest.approx(expected) if isinstance(expected[0], float) else expected)


def test_distributions_are_added_up_and_told_apart(project: World) -> None:
    found = listed(
        project,
        metric(LATENCY),
        aggregation__perSeriesAligner="ALIGN_DELTA",
        aggregation__alignmentPeriod="240s",
    )
    point = found[0]["points"][0]
    assert point["value"]["distributionValue"]["bucketCounts"] == ["5", "7", "3", "1"]
    assert point["interval"] == {
        "startTime": "2026-03-02T08:56:00Z",
        "endTime": "2026-03-02T09:00:00Z",
    }


def cumulative(counts: list[int]) -> Series:
    values = [
        {
            "count": str(count),
            "mean": 1.0,
            "bucketOptions": {"explicitBuckets": {"bounds": [2]}},
            "bucketCounts": [str(count)],
        }
        for count in counts
    ]
    ends = [60 * SECOND * at for at in range(1, len(counts) + 1)]
    return Series(
        "m", {}, "r", {}, {}, "CUMULATIVE", "DISTRIBUTION", "", [0] * len(counts), ends, values
    )


def test_cumulative_distributions_become_what_each_period_gained() -> None:
    window = Window(0, 180 * SECOND, 60 * SECOND)
    found = align(cumulative([3, 5, 9]), ALIGNERS["ALIGN_DELTA"], window)
    assert [value["count"] for value in found.values] == ["3", "2", "4"]


def test_periods_without_points_are_interpolated() -> None:
    minute = 60 * SECOND
    gauge = Series("m", {}, "r", {}, ends=[minute, 4 * minute], starts=[minute, 4 * minute])
    gauge.values = [10.0, 40.0]
    window = Window(0, 4 * minute, minute)
    assert align(gauge, ALIGNERS["ALIGN_INTERPOLATE"], window).values == [10, 20, 30, 40]
    assert align(gauge, ALIGNERS["ALIGN_INTERPOLATE"], Window(0, 0, minute)).values == []


def test_points_a_hundred_years_apart_are_not_interpolated_between() -> None:
    century = 100 * 365 * 86_400 * SECOND
    count = Series("m", {}, "r", {}, {}, "CUMULATIVE", "INT64", "", [0, 0], [60 * SECOND, century])
    count.values = [5, 65]
    found = align(count, ALIGNERS["ALIGN_DELTA"], Window(0, century, 60 * SECOND))
    assert len(found.ends) == 2


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=30),
    st.integers(1, 600),
    st.integers(1, 6),
)
def test_deltas_of_a_count_add_up_to_what_it_gained(
    steps: list[int], gap: int, periods: int
) -> None:
    ends = [gap * SECOND * at for at in range(1, len(steps) + 1)]
    totals = [float(sum(steps[: at + 1])) for at in range(len(steps))]
    series = Series("m", {}, "r", {}, {}, "CUMULATIVE", "DOUBLE", "", [0] * len(ends), ends, totals)
    window = Window(0, ends[-1], gap * SECOND * periods)
    found = align(series, ALIGNERS["ALIGN_DELTA"], window)
    assert isclose(sum(found.values), totals[-1], abs_tol=1e-6)


@given(st.integers(1, 100), st.integers(60, 600))
def test_the_rate_of_a_steady_count_is_its_slope(slope: int, period: int) -> None:
    ends = [60 * SECOND * at for at in range(1, 40)]
    totals = [float(slope * 60 * at) for at in range(1, 40)]
    series = Series("m", {}, "r", {}, {}, "CUMULATIVE", "DOUBLE", "", [0] * len(ends), ends, totals)
    window = Window(0, ends[-1], period * SECOND)
    found = align(series, ALIGNERS["ALIGN_RATE"], window)
    assert all(isclose(value, slope) for value in found.values[1:])


LAST = {"aggregation__alignmentPeriod": "60s", "aggregation__perSeriesAligner": "ALIGN_NEXT_OLDER"}


@pytest.mark.parametrize(
    ("reducer", "expected"),
    [
        ("REDUCE_SUM", "440"),
        ("REDUCE_MEAN", 220.0),
        ("REDUCE_MIN", "40"),
        ("REDUCE_MAX", "400"),
        ("REDUCE_COUNT", "2"),
        ("REDUCE_STDDEV", 180.0),
        ("REDUCE_PERCENTILE_50", 220.0),
        ("REDUCE_PERCENTILE_99", 396.4),
        ("REDUCE_PERCENTILE_05", 58.0),
    ],
)
def test_every_reducer_gives_what_is_computed_by_hand(
    project: World, reducer: str, expected: object
) -> None:
    text = f'metric.type = "{MEMORY}"'
    (found,) = listed(project, text, **LAST, aggregation__crossSeriesReducer=reducer)
    assert values(found)[0] == expected
    assert found["resource"]["labels"] == {"project_id": "shop"}


@pytest.mark.parametrize(
    ("percent", "values", "expected"),
    [("99", [7], 7), ("50", [5, 1, 9], 5), ("95", [40, 10, 30, 20, 0], 38), ("05", [0, 10], 0.5)],
)
def test_percentiles_lie_between_neighbours(
    percent: str, values: list[float], expected: float
) -> None:
    assert REDUCERS[f"REDUCE_PERCENTILE_{percent}"].make(values) == pytest.approx(expected)


def test_truth_is_counted_across_series(project: World) -> None:
    text = 'metric.type = "custom.googleapis.com/up"'
    for reducer, expected in (
        ("REDUCE_COUNT_TRUE", "1"),
        ("REDUCE_COUNT_FALSE", "0"),
        ("REDUCE_FRACTION_TRUE", 1.0),
    ):
        (found,) = listed(project, text, **LAST, aggregation__crossSeriesReducer=reducer)
        assert values(found)[0] == expected


def test_series_of_equal_labels_are_one_group(project: World) -> None:
    found = listed(
        project,
        f'metric.type = "{COUNT}"',
        aggregation__alignmentPeriod="240s",
        aggregation__perSeriesAligner="ALIGN_DELTA",
        aggregation__crossSeriesReducer="REDUCE_SUM",
        aggregation__groupByFields=["metric.labels.code", "resource.label.zone"],
    )
    assert [each["metric"].get("labels") for each in found] == [{"code": "200"}, {"code": "500"}]
    assert {each["resource"]["labels"]["zone"] for each in found} == {"a"}
    assert [values(each) for each in found] == [["100"], ["10"]]
    assert found[0]["metricKind"] == "DELTA"


def test_distributions_are_reduced_to_a_percentile(project: World) -> None:
    (found,) = listed(
        project,
        f'metric.type = "{LATENCY}"',
        aggregation__alignmentPeriod="240s",
        aggregation__perSeriesAligner="ALIGN_DELTA",
        aggregation__crossSeriesReducer="REDUCE_PERCENTILE_50",
    )
    assert values(found) == [pytest.approx(10 + 10 * 3 / 7)]


SERIES = Series(
    "m", {"code": "1"}, "r", {"a.b": "2"}, {"systemLabels": {"n": True}, "userLabels": {"t": "x"}}
)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        (("metric", "type"), "m"),
        (("resource", "type"), "r"),
        (("metric", "label", "code"), "1"),
        (("resource", "labels", "a", "b"), "2"),
        (("metadata", "system_labels", "n"), "True"),
        (("metadata", "user_labels", "t"), "x"),
        (("metadata", "user_labels", "none"), None),
        (("project",), None),
    ],
)
def test_a_selector_names_a_label(path: tuple[str, ...], label: str | None) -> None:
    assert label_at(SERIES, path) == label


@pytest.mark.parametrize(
    "path", [("metric",), ("metric", "labels"), ("group", "id"), ("x", "y", "z")]
)
def test_what_names_nothing_is_an_error(path: tuple[str, ...]) -> None:
    with pytest.raises(KeyError):
        label_at(SERIES, path)
