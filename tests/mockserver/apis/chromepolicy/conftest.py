from typing import Any

import pytest

from mockserver.apis.chromepolicy import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, GROUP, ROOT, world


def field(name: str, kind: str, **more: Any) -> JsonObject:
    return {"name": name, "number": 1, "label": "LABEL_OPTIONAL", "type": kind, **more}


SCHEMAS: list[JsonObject] = [
    {
        "schemaName": "chrome.users.Incognito",
        "policyDescription": "Whether private windows open.",
        "definition": {
            "messageType": [
                {
                    "name": "Incognito",
                    "field": [
                        field("mode", "TYPE_ENUM", typeName="ModeEnum"),
                        field("maxWindows", "TYPE_INT64"),
                    ],
                }
            ],
            "enumType": [
                {
                    "name": "ModeEnum",
                    "value": [{"name": "ALLOWED", "number": 0}, {"name": "BLOCKED", "number": 1}],
                }
            ],
        },
        "fieldDescriptions": [
            {"field": "mode", "description": "The mode", "defaultValue": "ALLOWED"},
            {
                "field": "maxWindows",
                "inputConstraint": "1 to 9",
                "fieldConstraints": {"numericRangeConstraint": {"minimum": "1", "maximum": "9"}},
            },
        ],
        "policyApiLifecycle": {"policyApiLifecycleStage": "API_CURRENT"},
        "accessRestrictions": ["Requires Premium"],
        "validTargetResources": ["ORG_UNIT"],
    },
    {
        "schemaName": "chrome.users.apps.InstallType",
        "policyDescription": "How an app is installed.",
        "additionalTargetKeyNames": [{"key": "app_id", "keyDescription": "The app"}],
        "definition": {
            "messageType": [
                {"name": "InstallType", "field": [field("appInstallType", "TYPE_STRING")]}
            ]
        },
        "validTargetResources": ["ORG_UNIT", "GROUP"],
    },
    {
        "schemaName": "chrome.users.apps.Pinned",
        "additionalTargetKeyNames": [{"key": "app_id"}],
        "definition": {
            "messageType": [{"name": "Pinned", "field": [field("pinned", "TYPE_BOOL")]}]
        },
    },
    {"schemaName": "chrome.devices.Reboot", "policyDescription": "When devices start again."},
]
APP = {"app_id": "chrome:aaaa"}


def value(unit: str, schema: str, content: JsonObject, **keys: str) -> JsonObject:
    key: JsonObject = {"targetResource": unit}
    if keys:
        key["additionalTargetKeys"] = keys
    return {"policyTargetKey": key, "value": {"policySchema": schema, "value": content}}


@pytest.fixture
def tenant() -> World:
    return world(
        API,
        policySchemas=SCHEMAS,
        policies=[
            value(f"orgunits/{ENG}", "chrome.users.Incognito", {"mode": "BLOCKED"}),
            value(
                f"orgunits/{ROOT}",
                "chrome.users.apps.InstallType",
                {"appInstallType": "FORCED"},
                **APP,
            ),
            value(
                f"orgunits/{ENG}",
                "chrome.users.apps.InstallType",
                {"appInstallType": "ALLOWED"},
                **APP,
            ),
            value(
                f"groups/{GROUP}",
                "chrome.users.apps.InstallType",
                {"appInstallType": "BLOCKED"},
                **APP,
            ),
        ],
    )
