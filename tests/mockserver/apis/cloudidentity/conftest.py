import pytest

from mockserver.apis.cloudidentity import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, world

PASSWORDS: JsonObject = {
    "name": "policies/akpasswords",
    "policyQuery": {"orgUnit": f"orgUnits/id:{ENG}"},
    "setting": {"type": "settings/security.password", "value": {"minimumLength": 12}},
    "type": "SYSTEM",
}
RULE: JsonObject = {
    "name": "policies/akcards",
    "displayName": "No card numbers",
    "triggers": ["UPLOAD", "file_download"],
    "action": "BLOCK",
    "orgUnit": f"orgUnits/{ENG}",
    "condition": "all_content.contains('4111')",
    "createTime": "2026-03-01T09:00:00Z",
}


@pytest.fixture
def tenant() -> World:
    return world(API, identityPolicies=[PASSWORDS], dlpRules=[RULE])
