"""How long one query over 100,000 points takes, of several kinds; the first, which reads, apart."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import orjson

from mockserver.apis.monitoring import API
from mockserver.collections import Store
from mockserver.googleapi import Call, SnapshotImport
from mockserver.model import JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.benchmarks.figures import Figure

SERIES, POINTS = 100, 1000
TARGET_MS = 200
ROUNDS = 5
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
CAPTURED = datetime(2026, 11, 19, 9, tzinfo=UTC)
END = "2026-11-20T09:00:00Z"
START = "2026-11-19T16:20:00Z"
METRIC = "custom.googleapis.com/requests"
NAME = "custom_googleapis_com:requests"

PROMQL = {
    "sum by (rate)": f"sum by (pod) (rate({NAME}[5m]))",
    "ratio of increases": f'sum(increase({NAME}{{code="1"}}[10m])) / sum(increase({NAME}[10m]))',
    "topk": f"topk(5, {NAME})",
    "max_over_time": f"max(max_over_time({NAME}[15m]))",
}
AGGREGATIONS: dict[str, JsonObject] = {
    "ALIGN_RATE, REDUCE_SUM": {
        "aggregation.alignmentPeriod": "300s",
        "aggregation.perSeriesAligner": "ALIGN_RATE",
        "aggregation.crossSeriesReducer": "REDUCE_SUM",
        "aggregation.groupByFields": ["metric.labels.code"],
    },
    "HEADERS": {"view": "HEADERS"},
}


def figures() -> Iterator[Figure]:
    world = _world()
    prometheus = "monitoring.projects.location.prometheus.api.v1.query_range"
    for name, query in PROMQL.items():
        span: JsonObject = {"start": START, "end": END, "step": "5m"}
        params = {"name": "projects/p", "location": "global", "query": query, **span}
        yield Figure(
            f"PromQL, 100,000: {name}", _median(world, prometheus, params), TARGET_MS, "ms"
        )
    for name, aggregation in AGGREGATIONS.items():
        params = {
            "name": "projects/p",
            "filter": f'metric.type = "{METRIC}" AND metric.labels.code != "x"',
            "interval.startTime": START,
            "interval.endTime": END,
            **aggregation,
        }
        took = _median(world, "monitoring.projects.timeSeries.list", params)
        yield Figure(f"timeSeries, 100,000: {name}", took, TARGET_MS, "ms")


def _median(world: World, method: str, params: JsonObject) -> float:
    took = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        answer = API.handlers[method](Call(method, params, {}, world))
        orjson.dumps(answer)
        took.append((time.perf_counter() - started) * 1000)
    # the first has to read the points
    return sorted(took[1:])[len(took) // 2]


def _world() -> World:
    found = SnapshotImport(raw={"timeSeries": [_series(number) for number in range(SERIES)]})
    if API.import_snapshot is not None:
        API.import_snapshot(found)
    base = Base(
        tables={name: Store(rows) for name, rows in found.tables.items()},
        times={item.name: item.times for item in API.collections if item.times},
        captured_at=CAPTURED,
    )
    clock = Clock("shift", captured_at=CAPTURED, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def _series(number: int) -> JsonObject:
    return {
        "metric": {"type": METRIC, "labels": {"code": str(number % 4)}},
        "resource": {"type": "k8s_pod", "labels": {"project_id": "p", "pod": f"p{number // 4}"}},
        "metricKind": "CUMULATIVE",
        "valueType": "DOUBLE",
        "samples": {
            "endTime": "2026-11-19T09:00:00Z",
            "period": "60s",
            "values": [float(at * (number + 1)) for at in range(POINTS)],
        },
    }
