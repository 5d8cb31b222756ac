"""How long one query over 100,000 log entries takes, page encoded, worst of several kinds."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from mockserver.apis.logging import API
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

ENTRIES = 100_000
TARGET_MS = 200
ROUNDS = 3
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)

QUERIES = {
    "severity": "severity>=ERROR",
    "labels": 'resource.type="k8s_container" AND resource.labels.pod_name="p-7" AND "nobody"',
    "text": 'textPayload:"user 99999"',
    "regular expression": 'textPayload=~"user 9{5} "',
    "payload number": "jsonPayload.attempt>=99999",
    "everywhere": '"user 99999"',
    "SEARCH": 'SEARCH("user 99999")',
    "OR, NOT": 'NOT severity=INFO AND (httpRequest.status>=599 OR textPayload:"user 99999")',
    "a minute": 'timestamp>="2026-11-20T08:00:00Z" AND timestamp<"2026-11-20T08:01:00Z"',
}


def figures() -> Iterator[Figure]:
    world = _world()
    for name, text in QUERIES.items():
        took = []
        for order in ["timestamp desc", "timestamp asc"] * ROUNDS:
            body: JsonObject = {"resourceNames": ["projects/p"], "filter": text, "orderBy": order}
            started = time.perf_counter()
            API.handlers["logging.entries.list"](Call("logging.entries.list", {}, body, world))
            took.append((time.perf_counter() - started) * 1000)
        # the first has to index the entries and is measured by itself
        yield Figure(f"logs, 100,000: {name}", sorted(took[1:])[len(took) // 2], TARGET_MS, "ms")


def _world() -> World:
    found = SnapshotImport(raw={"logEntries": [_entry(number) for number in range(ENTRIES)]})
    if API.import_snapshot is not None:
        API.import_snapshot(found)
    base = Base(
        tables={name: Store(rows) for name, rows in found.tables.items()},
        times={item.name: item.times for item in API.collections if item.times},
        captured_at=NOW,
    )
    clock = Clock("shift", captured_at=NOW, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def _entry(number: int) -> JsonObject:
    minute, second = divmod(number * 7 % 3600, 60)
    return {
        "logName": "projects/p/logs/stdout",
        "timestamp": f"2026-11-20T08:{minute:02}:{second:02}.{number % 1000:03}Z",
        "insertId": f"{number:06}",
        "severity": ("INFO", "INFO", "WARNING", "ERROR")[number % 4],
        "resource": {
            "type": "k8s_container",
            "labels": {"namespace_name": "shop", "pod_name": f"p-{number % 50}"},
        },
        "httpRequest": {"status": 200 + number % 400, "latency": "0.25s"},
        "labels": {"k8s-pod/app": "cart"},
        **_payload(number),
    }


def _payload(number: int) -> JsonObject:
    if number % 3:
        return {"textPayload": f"GET /cart for user {number} after 300 ms, upstream reset"}
    return {"jsonPayload": {"message": "request finished", "attempt": number, "path": "/cart"}}
