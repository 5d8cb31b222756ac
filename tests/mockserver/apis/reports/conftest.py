"""Chrome and login activities of a week; Ann is in /Eng/Web and in the group sre."""

from typing import Any

import pytest

from mockserver.apis.reports import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import GROUP, world


def activity(
    day: int, who: str, *events: JsonObject, app: str = "chrome", **more: Any
) -> JsonObject:
    """An activity at noon of a day of February 2026."""
    return {
        "id": {
            "time": f"2026-02-{day:02}T12:00:00.000Z",
            "uniqueQualifier": f"{day}{who}",
            "applicationName": app,
        },
        "actor": {"email": f"{who}@example.com", "profileId": f"1{who}"},
        "events": list(events),
        **more,
    }


def event(name: str, **parameters: str | bool | list[str]) -> JsonObject:
    kinds = {str: "value", bool: "boolValue", list: "multiValue"}
    named = [{"name": key, kinds[type(value)]: value} for key, value in parameters.items()]
    return {"type": "T", "name": name, "parameters": named}


EVENTS = [
    activity(20, "ann", event("LOGIN", device="d1")),
    activity(25, "ann", event("UPLOAD", size="12", url="a,b", blocked=True)),
    activity(26, "bo", event("UPLOAD", size="7", tags=["x", "y"]), ipAddress="2001:db8::1"),
    activity(27, "bo", event("LOGIN"), event("UPLOAD", size="100"), ipAddress="192.0.2.7"),
    activity(28, "ghost", event("LOGIN"), app="login"),
]


@pytest.fixture
def tenant() -> World:
    made = world(API, auditEvents={"items": EVENTS})
    for name, path in (("ann", "/Eng/Web"), ("bo", "/Sales")):
        row = {"id": f"1{name}", "primaryEmail": f"{name}@example.com", "orgUnitPath": path}
        made.put("users", row["id"], row)
    made.put("members", f"{GROUP}/1ann", {"groupId": GROUP, "member": {"id": "1ann"}})
    return made
