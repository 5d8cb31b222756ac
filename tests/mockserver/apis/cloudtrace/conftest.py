"""Three traces of a shop: a quick one, a slow one, a failed one."""

from typing import Any

import pytest

from mockserver.apis.cloudtrace import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import world

QUICK, SLOW, FAILED = "a" * 32, "b" * 32, "c" * 32


def span(ident: str, name: str, second: int, lasts_ms: int, **more: Any) -> JsonObject:
    return {
        "spanId": ident,
        "name": name,
        "startTime": f"2026-03-02T08:00:{second:02}.000Z",
        "endTime": f"2026-03-02T08:00:{second + lasts_ms // 1000:02}.{lasts_ms % 1000:03}Z",
        **more,
    }


def trace(ident: str, *spans: JsonObject, project: str = "shop") -> JsonObject:
    return {"projectId": project, "traceId": ident, "spans": list(spans)}


TRACES = [
    trace(
        QUICK,
        span("2", "cart.Get", 1, 50, parentSpanId="1", labels={"/http/method": "GET"}),
        span("1", "/cart", 1, 200, labels={"/http/url": "https://shop.example.com/cart"}),
    ),
    trace(SLOW, span("1", "/checkout", 10, 3500, labels={"tier": "gold one"})),
    trace(
        FAILED,
        span("1", "/checkout", 20, 900, labels={"/http/status_code": "503"}),
        span("2", "cart.Get", 20, 800, parentSpanId="1", labels={"error": "true"}),
    ),
]


@pytest.fixture
def shop() -> World:
    return world(API, traces=TRACES)
