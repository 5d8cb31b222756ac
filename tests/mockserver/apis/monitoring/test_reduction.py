import pytest

from mockserver.apis.monitoring.aggregation import label_at
from mockserver.apis.monitoring.series import Series
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, LATENCY, MEMORY, listed, values

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
