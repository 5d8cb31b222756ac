"""Log entries with stack traces of two services, an hour before the capture."""

from typing import Any

import pytest

from mockserver.apis.errorreporting import API
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    World,
)
from tests.tenants import world

SHOP = "projects/shop"
PYTHON = """Traceback (most recent call last):
  File "/app/pay.py", line {line}, in charge
    self.card.check()
ValueError: no card {line}"""
NODE = "TypeError: x is undefined\n    at render (/srv/cart.js:1:2)\n    at next (/srv/app.js:9:1)"


def logged(minute: int, **more: Any) -> JsonObject:
    return {
        "logName": f"{SHOP}/logs/stderr",
        "timestamp": f"2026-03-02T08:{minute:02}:00Z",
        "insertId": f"i{minute}",
        "severity": "ERROR",
        "resource": {"type": "k8s_container", "labels": {"container_name": "payments"}},
        **more,
    }


LOGS = [
    logged(10, textPayload=PYTHON.format(line=3)),
    logged(20, textPayload=PYTHON.format(line=4), httpRequest={"remoteIp": "192.0.2.1"}),
    logged(
        30,
        jsonPayload={"message": NODE, "serviceContext": {"service": "web", "version": "2"}},
        resource={"type": "gae_app", "labels": {"module_id": "old"}},
    ),
    logged(40, severity="INFO", textPayload=PYTHON.format(line=5)),
    logged(50, textPayload="just failed"),
]


def event(minute: int, message: str = NODE, **more: Any) -> JsonObject:
    return {
        "eventTime": f"2026-03-02T08:{minute:02}:00Z",
        "message": message,
        "serviceContext": {"service": "web"},
        **more,
    }


def with_logs(entries: list[JsonObject], **raw: Any) -> World:
    made = world(API, **raw)
    table = Store({row["insertId"]: row for row in entries})
    made.base.tables["logEntries"] = table  # type: ignore[index]
    return made


@pytest.fixture
def shop() -> World:
    return with_logs(LOGS)
