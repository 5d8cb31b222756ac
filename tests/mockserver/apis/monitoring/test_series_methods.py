import subprocess
import sys
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import (
    COUNT,
    END,
    LATENCY,
    MEMORY,
    PROJECT,
    SERIES,
    asked,
    listed,
    refusal,
    values,
)
from tests.tenants import NOW, ask, world

LIST = "projects.timeSeries.list"
TEXT = f'metric.type = "{MEMORY}"'
SPAN = {"interval__startTime": "2026-03-02T08:00:00Z", "interval__endTime": END}


def test_points_are_newest_first_and_their_interval_holds_its_end(project: World) -> None:
    first, second = listed(project, TEXT, interval__startTime="2026-03-02T08:58:00Z")
    assert values(first) == ["400", "200"]
    assert values(second) == ["40", "20"]
    assert first["points"][0]["interval"] == {"startTime": END, "endTime": END}
    assert first["resource"]["labels"] == {"project_id": "shop", "zone": "a", "pod": "p1"}


def test_without_a_start_only_the_end_is_asked_for(project: World) -> None:
    found = asked(project, LIST, filter=TEXT, interval__endTime="2026-03-02T08:59:00Z")
    assert [values(each) for each in found["timeSeries"]] == [["200"], ["20"]]
    assert asked(project, LIST, filter=TEXT, interval__endTime="2026-03-02T08:59:30Z") == {}


def test_headers_have_no_points_and_are_paged_by_series(project: World) -> None:
    first = asked(project, LIST, filter=TEXT, **SPAN, view="HEADERS", pageSize=1)
    assert "points" not in first["timeSeries"][0]
    token = first["nextPageToken"]
    rest = asked(project, LIST, filter=TEXT, **SPAN, view="HEADERS", pageSize=1, pageToken=token)
    assert [each["resource"]["labels"]["pod"] for each in rest["timeSeries"]] == ["p2"]


@given(st.integers(min_value=1, max_value=9))
def test_pages_joined_are_all_points(size: int) -> None:
    tenant = world(API, timeSeries=SERIES)
    found, token, sizes = [], "", []
    while True:
        page = asked(tenant, LIST, filter=TEXT, **SPAN, pageSize=size, pageToken=token)
        several = [values(each) for each in page["timeSeries"]]
        assert all(several)
        sizes.append(sum(map(len, several)))
        found += [value for each in several for value in each]
        token = page.get("nextPageToken", "")
        if not token:
            break
    assert found == ["400", "200", "300", "100", "40", "20", "30", "10"]
    assert all(each == size for each in sizes[:-1])


def test_parameters_may_come_as_messages_and_enums_as_numbers(project: World) -> None:
    params: JsonObject = {
        "name": PROJECT,
        "filter": TEXT,
        "interval": {"startTime": "2026-03-02T08:00:00Z", "endTime": END},
        "aggregation": {
            "alignmentPeriod": "240s",
            "perSeriesAligner": 11,
            "crossSeriesReducer": "4",
            "groupByFields": ["resource.type"],
        },
        "view": 0,
    }
    found = ask(API, project, "monitoring.projects.timeSeries.list", params)
    assert values(found["timeSeries"][0]) == ["440"]


def test_a_second_aggregation_works_on_the_first(project: World) -> None:
    (found,) = listed(
        project,
        f'metric.type = "{COUNT}"',
        aggregation__alignmentPeriod="60s",
        aggregation__perSeriesAligner="ALIGN_DELTA",
        aggregation__crossSeriesReducer="REDUCE_SUM",
        secondaryAggregation__alignmentPeriod="240s",
        secondaryAggregation__perSeriesAligner="ALIGN_MAX",
    )
    assert values(found) == ["44"]


def test_times_are_those_of_the_session() -> None:
    tenant = world(API, clock="shift", captured=NOW.replace(day=3), timeSeries=SERIES)
    day_before = "2026-03-01T09:00:00Z"
    found = asked(tenant, LIST, filter=TEXT, interval__endTime=day_before)["timeSeries"]
    interval = {"startTime": day_before, "endTime": day_before}
    assert found[0]["points"] == [{"interval": interval, "value": {"int64Value": "400"}}]
    assert listed(tenant, TEXT) == []


def test_what_lies_in_the_future_has_not_happened() -> None:
    tenant = world(API, clock="frozen:2026-03-02T08:58:30Z", timeSeries=SERIES)
    assert values(listed(tenant, TEXT)[0]) == ["300", "100"]


def test_units_are_told_once_when_they_agree() -> None:
    rows = [{**each, "unit": "By"} for each in SERIES[2:4]]
    tenant = world(API, timeSeries=rows)
    assert asked(tenant, LIST, filter=TEXT, **SPAN)["unit"] == "By"
    mixed = world(API, timeSeries=[rows[0], {**rows[1], "unit": "kBy"}])
    assert asked(mixed, LIST, filter=TEXT, **SPAN)["unit"] == "{not_a_unit}"


def test_metadata_is_answered_where_a_reduction_names_it() -> None:
    row = {**SERIES[2], "metadata": {"userLabels": {"app": "cart", "x": "y"}}}
    tenant = world(API, timeSeries=[row])
    plain = listed(tenant, f'{TEXT} AND metadata.user_labels.app = "cart"')
    grouped = listed(
        tenant,
        TEXT,
        aggregation__alignmentPeriod="60s",
        aggregation__perSeriesAligner="ALIGN_MEAN",
        aggregation__crossSeriesReducer="REDUCE_SUM",
        aggregation__groupByFields=["metadata.user_labels.app"],
    )
    assert "metadata" not in plain[0]
    assert grouped[0]["metadata"] == {"userLabels": {"app": "cart"}}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"interval__endTime": ""}, "end time of the interval is required"),
        ({"interval__startTime": "2027-01-01T00:00:00Z"}, "start time must not be after the end"),
        ({"interval__startTime": "soon"}, 'had an invalid value of "soon"'),
        ({"view": "HALF"}, "not one of the values of this enum"),
        ({"aggregation__perSeriesAligner": "ALIGN_MEAN"}, "at least 60 seconds"),
        (
            {
                "aggregation__perSeriesAligner": "ALIGN_MEAN",
                "aggregation__alignmentPeriod": "30s",
            },
            'aggregation.alignmentPeriod had an invalid value of "30s"',
        ),
        (
            {"aggregation__perSeriesAligner": "ALIGN_MEAN", "aggregation__alignmentPeriod": "1m"},
            "not a duration",
        ),
        ({"aggregation__crossSeriesReducer": "REDUCE_SUM"}, "A reducer needs an aligner"),
        (
            {
                "aggregation__perSeriesAligner": "ALIGN_RATE",
                "aggregation__alignmentPeriod": "60s",
            },
            "The aligner cannot be applied to metrics with kind GAUGE and value type INT64.",
        ),
        (
            {
                "aggregation__perSeriesAligner": "ALIGN_NEXT_OLDER",
                "aggregation__alignmentPeriod": "60s",
                "aggregation__crossSeriesReducer": "REDUCE_COUNT_TRUE",
            },
            "The reducer cannot be applied to metrics with kind GAUGE and value type INT64.",
        ),
        (
            {
                "aggregation__perSeriesAligner": "ALIGN_MEAN",
                "aggregation__alignmentPeriod": "60s",
                "aggregation__crossSeriesReducer": "REDUCE_SUM",
                "aggregation__groupByFields": ["pod"],
            },
            "It is not the name of a label.",
        ),
        ({"pageToken": "mine"}, "invalid argument"),
        ({"pageSize": -1}, "must not be negative"),
    ],
)
def test_what_cannot_be_is_refused(project: World, params: JsonObject, words: str) -> None:
    assert words in refusal(project, LIST, filter=TEXT, **{**SPAN, **params})


def test_a_hundred_years_are_as_fast_as_an_hour(project: World) -> None:
    found = listed(
        project,
        f'metric.type = "{LATENCY}"',
        interval__startTime="1926-03-02T08:00:00Z",
        aggregation__alignmentPeriod="60s",
        aggregation__perSeriesAligner="ALIGN_COUNT",
    )
    assert len(found[0]["points"]) == 4


def test_an_order_is_ignored_and_refused_by_the_strict(project: World) -> None:
    params = {"name": PROJECT, "filter": TEXT, "interval.endTime": END, "orderBy": "x"}
    found = ask(API, project, "monitoring.projects.timeSeries.list", params)
    assert len(found["timeSeries"]) == 2
    with pytest.raises(Exception, match="must be left blank"):
        ask(API, project, "monitoring.projects.timeSeries.list", params, profile="strict")


CREATE = "projects.timeSeries.create"
KIND = "custom.googleapis.com/orders"


def point(end: str = END, **value: object) -> JsonObject:
    return {"interval": {"endTime": end}, "value": value or {"int64Value": "3"}}


def row(*points: JsonObject, kind: str = KIND, **more: object) -> JsonObject:
    return {"metric": {"type": kind}, "points": list(points), **more}


def write(world: World, *rows: JsonObject) -> None:
    body = {"timeSeries": list(rows)}
    ask(API, world, f"monitoring.{CREATE}", {"name": "projects/shop"}, body)


def test_points_are_written_in_order_and_read_newest_first(project: World) -> None:
    write(project, row(point(), unit="1"))
    project.clock.advance(timedelta(minutes=1))
    write(project, row(point("2026-03-02T09:01:00Z", int64Value="4")))
    (found,) = listed(project, f'metric.type = "{KIND}"', interval__endTime="2026-03-02T09:02:00Z")
    assert values(found) == ["4", "3"]
    assert found["resource"] == {"type": "global", "labels": {"project_id": "shop"}}
    assert (found["metricKind"], found["valueType"]) == ("GAUGE", "INT64")


def test_the_metric_of_a_first_point_gets_a_descriptor(project: World) -> None:
    write(project, row(point(doubleValue=0.5), metricKind="CUMULATIVE", valueType="DOUBLE"))
    name = f"projects/shop/metricDescriptors/{KIND}"
    found = asked(project, "projects.metricDescriptors.get", name)
    assert (found["metricKind"], found["valueType"]) == ("CUMULATIVE", "DOUBLE")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "between 1 and 200"),
        ([row(point())] * 201, "between 1 and 200"),
        ([row(point(), kind="compute.googleapis.com/x")], "must start with one of"),
        ([row()], "exactly one point"),
        ([row(point(), point())], "exactly one point"),
        ([row(point(), resource=None), row(point())], "one at a time"),
        ([row({"interval": {"endTime": END}})], "points[0].value must be set"),
        ([row({"value": {"int64Value": "1"}})], "interval had an invalid value"),
        ([row(point("2026-02-28T00:00:00Z"))], "between 25 hours ago and 5 minutes from now"),
        ([row(point("2026-03-02T09:30:00Z"))], "between 25 hours ago and 5 minutes from now"),
    ],
    ids=range(10),
)
def test_what_cannot_be_written_is_refused_whole(
    project: World, rows: list[JsonObject], words: str
) -> None:
    assert words in refusal(project, CREATE, {"timeSeries": rows})


def test_a_point_comes_after_those_before_it(project: World) -> None:
    write(project, row(point()))
    text = refusal(project, CREATE, {"timeSeries": [row(point())]})
    assert "Points must be written in order." in text


def test_a_server_starts_without_it() -> None:
    code = "import sys, mockserver.apis; print(*(name for name in sys.modules if 'promql' in name))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == ""
