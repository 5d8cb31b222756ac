"""A tenant with every emulated API, and calls of tools that reach them all."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.apis.tools import call_tool
from mockserver.googleapi import Call, Caller
from mockserver.model import JsonObject
from mockserver.snapshots.importer import Importer
from mockserver.state import Clock, Ids, World, first_token
from tests.tenants import CUSTOMER, ENG, NOW, ROOT, SALES

HANDLERS = {name: handler for api in APIS for name, handler in api.handlers.items()}
CONNECTOR = "chrome.users.OnFileAttachedEnterpriseConnector"


def _unit(bare: str, path: str, parent: str) -> JsonObject:
    unit = {"orgUnitId": f"id:{bare}", "orgUnitPath": path, "name": path.rpartition("/")[2]}
    return {**unit, "parentOrgUnitId": f"id:{parent}"} if parent else unit


RAW: JsonObject = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": CUSTOMER, "customerDomain": "example.com"},
    "orgUnits": [_unit(ROOT, "/", ""), _unit(ENG, "/Eng", ROOT), _unit(SALES, "/Sales", ROOT)],
    "users": [{"id": "1", "primaryEmail": "ada@example.com", "orgUnitPath": "/Eng"}],
    "auditEvents": [
        {
            "id": {
                "time": f"2026-03-0{day}T08:00:00Z",
                "uniqueQualifier": str(day),
                "applicationName": "chrome",
            },
            "actor": {"email": "ada@example.com"},
            "events": [{"type": "T", "name": "BAD_NAVIGATION"}],
        }
        for day in (1, 2)
    ],
    "policySchemas": [
        {"schemaName": "chrome.users.Incognito", "fieldDescriptions": [
            {"field": "mode", "defaultValue": "ALLOWED"}]},
        {"schemaName": CONNECTOR},
    ],
    "connectorPolicies": [
        {
            "targetKey": {"targetResource": f"orgunits/{SALES}"},
            "value": {"policySchema": CONNECTOR, "value": {"provider": "x"}},
        }
    ],
    "dlpRules": [{"name": "policies/akcards", "displayName": "No cards", "triggers": ["UPLOAD"],
                  "action": "BLOCK"}],
    "browsers": [{"deviceId": "d", "orgUnitPath": "/Eng", "browserVersion": "142.0"}],
    "tools": {
        "lookup": {
            "description": "Looks a ticket up.",
            "inputSchema": {
                "type": "object",
                "properties": {"id": {"type": "string", "pattern": "^T-"}},
                "required": ["id"],
            },
            "responses": [
                {"when": {"id": "T-1"}, "result": {"state": "open"}},
                {"when": {"id": {"regex": "T-5.."}}, "error": {"status": 503, "message": "down"}},
            ],
        },
        "bare": {},
        "typeless": {"inputSchema": {"required": ["id"]}},
    },
}  # fmt: skip

Tool = Callable[..., Any]


@pytest.fixture
def tenant() -> World:
    base, notes = Importer(APIS).import_snapshot(RAW)
    assert [problem for problem in notes.problems if problem.level == "error"] == []
    clock = Clock("frozen", captured_at=base.captured_at, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def _invoke(
    world: World, method_id: str, params: JsonObject, body: JsonObject | None = None
) -> JsonObject:
    caller = Caller(email="admin@example.com")
    call = Call(id=method_id, params=params, body=body or {}, world=world, caller=caller)
    return HANDLERS[method_id](call) or {}


@pytest.fixture
def tool(tenant: World) -> Tool:
    def use(name: str, **arguments: object) -> Any:
        call = Call(
            id=f"tools.{name}",
            params={},
            body=arguments,
            world=tenant,
            caller=Caller(first_token("s1", "0"), "admin@example.com", ("scope",)),
            invoke=partial(_invoke, tenant),
        )
        return call_tool(call)["result"]

    return use
