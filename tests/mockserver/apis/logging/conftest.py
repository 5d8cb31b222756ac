"""Log entries of a small shop: one cluster, one audit log, two projects."""

from typing import Any

import pytest

from mockserver.apis.logging import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import NOW, ask, world

SHOP, OTHER = "projects/shop", "projects/other"
AUDIT = f"{SHOP}/logs/cloudaudit.googleapis.com%2Factivity"
DATA_ACCESS = f"{SHOP}/logs/cloudaudit.googleapis.com%2Fdata_access"


def entry(minute: int, ident: str, **more: Any) -> JsonObject:
    """An entry of a minute of the hour before the capture."""
    return {
        "logName": f"{SHOP}/logs/stdout",
        "timestamp": f"2026-03-02T08:{minute:02}:00.500Z",
        "insertId": ident,
        "severity": "INFO",
        "resource": {
            "type": "k8s_container",
            "labels": {"project_id": "shop", "namespace_name": "shop", "pod_name": f"p-{ident}"},
        },
        **more,
    }


ENTRIES = [
    entry(1, "a", textPayload="GET /cart 200"),
    entry(5, "c", severity="ERROR", textPayload="OOMKilled: cart", trace=f"{SHOP}/traces/t1"),
    entry(5, "b", severity="ERROR", jsonPayload={"message": "timeout", "attempt": 3, "ok": False}),
    entry(9, "d", logName=AUDIT, severity="NOTICE", protoPayload={"methodName": "SetIamPolicy"}),
    entry(12, "e", logName=DATA_ACCESS, protoPayload={"methodName": "Get"}),
    entry(20, "f", severity="CRITICAL", httpRequest={"status": 503, "latency": "1.5s"}),
    entry(30, "x", logName=f"{OTHER}/logs/stdout", textPayload="elsewhere"),
]
PROJECTS = [
    {"name": "projects/111", "projectId": "shop"},
    {"name": "projects/222", "projectId": "other"},
    {"name": "projects/333", "projectId": "empty"},
]


def with_projects(made: World) -> World:
    for row in PROJECTS:
        made.put("projects", row["name"], row)
    return made


@pytest.fixture
def shop() -> World:
    return with_projects(world(API, captured=NOW, logEntries=ENTRIES, projects=PROJECTS))


def listed(made: World, text: str = "", **body: Any) -> str:
    """Insert ids of the entries that a filter finds."""
    given = {"resourceNames": [SHOP], "filter": text, **body}
    found = ask(API, made, "logging.entries.list", body=given)
    return "".join(row["insertId"] for row in found.get("entries", []))
