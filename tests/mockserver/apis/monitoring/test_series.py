from math import inf, isnan

import pytest

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.series import (
    Stored,
    point_value,
    read_series,
    series_key,
    typed_value,
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
    assert len(Stored(project).types()) == 6


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
