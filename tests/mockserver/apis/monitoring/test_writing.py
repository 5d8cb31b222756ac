from datetime import timedelta

import pytest

from mockserver.apis.monitoring import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import END, asked, listed, refusal, values
from tests.tenants import ask

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
