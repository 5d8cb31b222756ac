"""A project of two containers and one Cloud Run service; the present is 2026-03-02 09:00."""

from typing import Any

import pytest

from mockserver.apis.monitoring import API
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

PROJECT = "projects/shop"
COUNT = "run.googleapis.com/request_count"
MEMORY = "kubernetes.io/container/memory/used_bytes"
CPU = "kubernetes.io/container/cpu/core_usage_time"
LATENCY = "run.googleapis.com/request_latencies"
END = "2026-03-02T09:00:00Z"
BOUNDS = {"bucketOptions": {"explicitBuckets": {"bounds": [10, 20, 40]}}}


def series(metric: str, values: list[Any], kind: str, value_type: str, **labels: str) -> JsonObject:
    """A series of one value a minute up to the present; `of_` labels are the resource's."""
    inside = {"zone": "a", **{k[3:]: v for k, v in labels.items() if k.startswith("of_")}}
    own = {name: value for name, value in labels.items() if not name.startswith("of_")}
    samples: JsonObject = {"endTime": END, "period": "60s", "values": values}
    if value_type == "DISTRIBUTION":
        samples |= BOUNDS
    return {
        "metric": {"type": metric, "labels": own},
        "resource": {"type": "k8s_container", "labels": {"project_id": "shop", **inside}},
        "metricKind": kind,
        "valueType": value_type,
        "samples": samples,
    }


SERIES = [
    series(COUNT, [10, 20, 30, 40], "DELTA", "INT64", code="200"),
    series(COUNT, [1, 2, 3, 4], "DELTA", "INT64", code="500"),
    series(MEMORY, [100, 300, 200, 400], "GAUGE", "INT64", of_pod="p1"),
    series(MEMORY, [10, 30, 20, 40], "GAUGE", "INT64", of_pod="p2"),
    series(CPU, [60.0, 120.0, 30.0, 90.0], "CUMULATIVE", "DOUBLE"),
    series(LATENCY, [[4], [0, 4], [0, 2, 2], [1, 1, 1, 1]], "DELTA", "DISTRIBUTION"),
    series("custom.googleapis.com/up", [True, True, False, True], "GAUGE", "BOOL"),
    series("custom.googleapis.com/mode", ["a", "b"], "GAUGE", "STRING"),
]


@pytest.fixture
def project() -> World:
    return world(API, timeSeries=SERIES)


def asked(world: World, method: str, name: str = PROJECT, /, **params: Json) -> JsonObject:
    """Ask a method about a resource; parameters with their dots written `__`."""
    given = {key.replace("__", "."): value for key, value in params.items()}
    return ask(API, world, f"monitoring.{method}", {"name": name, "parent": name, **given})


def listed(world: World, text: str, /, **params: Json) -> list[JsonObject]:
    """The time series of the last hour that a filter selects."""
    span = {"interval.startTime": "2026-03-02T08:00:00Z", "interval.endTime": END}
    given = {key.replace("__", "."): value for key, value in params.items()}
    call = {"name": PROJECT, "filter": text, **span, **given}
    found = ask(API, world, "monitoring.projects.timeSeries.list", call)
    series: list[JsonObject] = found.get("timeSeries", [])
    return series


def refusal(world: World, method: str, body: JsonObject | None = None, /, **params: Json) -> str:
    """The status and text that a call is refused with."""
    given = {key.replace("__", "."): value for key, value in params.items()}
    error = refused(
        API, world, f"monitoring.{method}", {"name": PROJECT, "parent": PROJECT, **given}, body
    )
    return f"{error.status} {error.message}"


def values(series: JsonObject) -> list[Json]:
    """The values of a series' points, newest first."""
    return [next(iter(point["value"].values())) for point in series["points"]]
