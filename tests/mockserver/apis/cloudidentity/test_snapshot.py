from datetime import timedelta
from typing import Any

import pytest

from mockserver.apis.cloudidentity import API
from mockserver.apis.cloudidentity.snapshot import CAPTURES, import_snapshot
from mockserver.googleapi import SnapshotImport
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, NOW, SALES, world

UNITS = [
    {"orgUnitId": f"id:{ENG}", "orgUnitPath": "/Eng", "parentOrgUnitId": "id:03root"},
]


def imported(**raw: Any) -> SnapshotImport:
    found = SnapshotImport(raw=raw, customer="C0example")
    import_snapshot(found)
    return found


def only(found: SnapshotImport) -> JsonObject:
    assert found.problems == []
    [row] = found.tables["identityPolicies"].values()
    return row


def test_a_flat_rule_becomes_a_policy(tenant: World) -> None:
    policy = tenant.table("identityPolicies").get("policies/akcards")
    assert policy is not None
    assert policy["setting"]["type"] == "settings/rule.dlp"
    assert policy["policyQuery"]["orgUnit"] == f"orgUnits/{ENG}"
    assert policy["setting"]["value"] == {
        "displayName": "No card numbers",
        "description": "",
        "triggers": [
            "google.workspace.chrome.file.v1.upload",
            "google.workspace.chrome.file.v1.download",
        ],
        "action": {"chromeAction": {"blockContent": {}}},
        "state": "ACTIVE",
        "condition": {"contentCondition": "all_content.contains('4111')"},
        "createTime": "2026-03-01T09:00:00Z",
    }


def test_a_rule_without_org_unit_is_for_the_root() -> None:
    found = imported(orgUnits=UNITS, dlpRules=[{"displayName": "x", "triggers": ["PRINT"]}])
    assert only(found)["policyQuery"]["orgUnit"] == "orgUnits/03root"
    assert [where for where, _ in found.changes] == ["/dlpRules/0", "/dlpRules/0/policyQuery"]


def test_an_org_unit_may_be_given_by_its_path() -> None:
    found = imported(orgUnits=UNITS, dlpRules=[{"displayName": "x", "orgUnit": "/eng"}])
    assert only(found)["policyQuery"]["orgUnit"] == f"orgUnits/{ENG}"


def test_a_rule_may_be_a_policy_already() -> None:
    rule = {"setting": {"type": "rule.dlp", "value": {}}, "policyQuery": {"orgUnit": SALES}}
    found = imported(dlpRules=[rule])
    assert only(found)["setting"]["type"] == "settings/rule.dlp"
    assert found.changes[0] == (
        "/dlpRules/0/setting/type",
        "rule.dlp becomes settings/rule.dlp",
    )


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        pytest.param({"dlpRules": [{"triggers": []}]}, "/dlpRules/0/displayName", id="no name"),
        pytest.param(
            {"dlpRules": [{"displayName": "x", "triggers": "UPLOAD"}]},
            "/dlpRules/0/triggers",
            id="triggers",
        ),
        pytest.param(
            {"dlpRules": [{"displayName": "x", "triggers": ["UPLAOD"]}]},
            "/dlpRules/0/triggers/0",
            id="trigger word",
        ),
        pytest.param(
            {"dlpRules": [{"displayName": "x", "action": "EXPLODE"}]},
            "/dlpRules/0/action",
            id="action word",
        ),
        pytest.param(
            {"dlpRules": [{"displayName": "x", "orgUnit": "/Nope"}]}, "/dlpRules/0", id="path"
        ),
        pytest.param({"identityPolicies": [{}]}, "/identityPolicies/0/setting", id="no setting"),
        pytest.param({"identityPolicies": {}}, "/identityPolicies", id="no list"),
        pytest.param(
            {
                "identityPolicies": [
                    {"name": "policies/a", "setting": {"type": "settings/x"}},
                    {"name": "policies/a", "setting": {"type": "settings/y"}},
                ]
            },
            "/identityPolicies/1/name",
            id="twice",
        ),
    ],
)
def test_what_cannot_be_served_is_a_problem_in_its_place(raw: JsonObject, where: str) -> None:
    assert [problem.where for problem in imported(**raw).problems] == [where]


def test_creation_times_move_with_the_session_clock() -> None:
    rule = {"displayName": "x", "createTime": "2026-02-01T00:00:00Z"}
    shifted = world(API, clock="shift", captured=NOW - timedelta(days=1), dlpRules=[rule])
    [policy] = shifted.table("identityPolicies").rows().values()
    assert policy["setting"]["value"]["createTime"] == "2026-02-02T00:00:00Z"


def test_what_is_wrong_on_purpose_is_served_with_a_warning() -> None:
    """Unknown words and org units that are gone are what a case may be about."""
    rule = {"displayName": "x", "triggers": ["WEB_UPLOD"], "action": "BLOCK", "orgUnit": "/Gone"}
    found = imported(orgUnits=UNITS, dlpRules=[rule])
    [row] = found.tables["identityPolicies"].values()
    assert row["setting"]["value"]["triggers"] == ["WEB_UPLOD"]
    assert {item.level for item in found.problems} == {"warning"}


def test_listed_and_single_policies_are_one_collection() -> None:
    names = {capture.collection for captures in CAPTURES.values() for capture in captures}
    assert names == {"identityPolicies"}
