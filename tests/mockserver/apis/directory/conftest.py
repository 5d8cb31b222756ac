"""A tenant with people: Ann (/Eng/Web) reports to Bo (/Eng), who reports to Cy (/)."""

from typing import Any

import pytest

from mockserver.apis.directory import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, ROOT, SALES, WEB, world


def user(name: str, path: str, **more: Any) -> JsonObject:
    given, family = name.split()
    return {
        "id": f"1{given.lower()}",
        "primaryEmail": f"{given.lower()}@example.com",
        "name": {"givenName": given, "familyName": family},
        "orgUnitPath": path,
        **more,
    }


def reports_to(address: str) -> JsonObject:
    return {"relations": [{"type": "manager", "value": address}]}


RAW: JsonObject = {
    "customer": {"id": CUSTOMER, "customerDomain": "example.com"},
    "orgUnits": [
        {"orgUnitId": f"id:{ROOT}", "orgUnitPath": "/", "name": "Example"},
        {"orgUnitId": f"id:{ENG}", "orgUnitPath": "/Eng", "description": "Builders"},
        {"orgUnitId": f"id:{WEB}", "orgUnitPath": "/Eng/Web"},
        {"orgUnitId": f"id:{SALES}", "orgUnitPath": "/Sales"},
    ],
    "users": [
        user(
            "Ann Zimmer", "/Eng/Web", **reports_to("bo@example.com"), aliases=["annie@example.com"]
        ),
        user("Bo Young", "/Eng", **reports_to("cy@example.com"), isAdmin=True),
        user("Cy Adams", "/", customSchemas={"job": {"level": 7, "remote": True}, "x": {"y": "z"}}),
        user("Dee Miller", "/Sales", suspended=True, includeInGlobalAddressList=False),
    ],
    "deletedUsers": [user("Old Timer", "/Sales", deletionTime="2026-02-01T00:00:00.000Z")],
    "groups": [
        {"id": "01all", "email": "all@example.com", "name": "Everyone"},
        {"id": "01sre", "email": "sre@example.com", "name": "Site reliability"},
    ],
    "members": {
        "all@example.com": ["sre@example.com", {"email": "dee@example.com", "role": "MANAGER"}],
        "sre@example.com": [{"email": "ann@example.com", "role": "OWNER"}],
    },
    "domains": [
        {"domainName": "example.com", "isPrimary": True},
        {"domainName": "labs.example.com", "verified": False},
    ],
}


@pytest.fixture
def tenant() -> World:
    return world(API, **RAW)
