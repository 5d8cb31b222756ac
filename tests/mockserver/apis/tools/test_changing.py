from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, ROOT, SALES

Tool = Callable[..., Any]
CHANGE: JsonObject = {
    "policySchema": "chrome.users.Incognito",
    "targetUnit": "/Eng",
    "value": {"mode": "BLOCKED"},
}


def test_a_browser_is_enrolled_with_the_active_token_of_its_org_unit(tool: Tool) -> None:
    first = tool("enrollBrowser", orgUnit="/Sales")
    second = tool("enrollBrowser", orgUnit=SALES)
    assert (first["created"], second["created"]) == (True, False)
    assert first["enrollmentToken"] == second["enrollmentToken"]
    assert tool("enrollBrowser")["enrollmentToken"]["orgUnitId"] == ROOT


def test_a_draft_changes_nothing(tool: Tool, tenant: World) -> None:
    draft = tool("draftPolicyChange", **CHANGE, reasoning="Requested")["draft"]
    assert draft["currentValue"] == {"mode": "ALLOWED"}
    assert draft["reasoning"] == "Requested"
    assert set(tenant.diff()) == {"policyDrafts"}


def test_a_draft_is_applied_once(tool: Tool) -> None:
    draft = tool("draftPolicyChange", **CHANGE)["draft"]
    applied = tool("applyPolicyChange", draftId=draft["draftId"])
    assert applied["value"] == {"mode": "BLOCKED"}
    assert applied["targetResource"] == f"orgunits/{ENG}"
    with pytest.raises(ApiError, match="applied before"):
        tool("applyPolicyChange", draftId=draft["draftId"])


def test_a_whole_change_needs_confirmation(tool: Tool, tenant: World) -> None:
    with pytest.raises(ApiError, match="Nothing was changed"):
        tool("applyPolicyChange", **CHANGE)
    assert tenant.diff() == {}
    assert tool("applyPolicyChange", **CHANGE, confirm=True)["status"] == "APPLIED"


def test_a_confirmed_change_must_be_whole(tool: Tool) -> None:
    with pytest.raises(ApiError, match="'value' is required"):
        tool("applyPolicyChange", policySchema="a.b.C", targetUnit="/Eng", confirm=True)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({**CHANGE, "policySchema": "chrome.users.Nope"}, id="schema"),
        pytest.param({**CHANGE, "targetUnit": "/Nope"}, id="org unit"),
    ],
)
def test_a_draft_for_what_is_not_there_is_refused(tool: Tool, change: JsonObject) -> None:
    with pytest.raises(ApiError) as caught:
        tool("draftPolicyChange", **change)
    assert caught.value.status == 404


def test_an_unknown_draft_names_the_nearest(tool: Tool) -> None:
    known = tool("draftPolicyChange", **CHANGE)["draft"]["draftId"]
    with pytest.raises(ApiError) as caught:
        tool("applyPolicyChange", draftId=known[:-1])
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == known


def test_a_created_rule_is_listed(tool: Tool) -> None:
    made = tool(
        "createDLPRule",
        displayName="No printing",
        triggers=["PRINT"],
        action="WARN",
        orgUnit="/Eng",
        condition="all_content.contains('secret')",
    )["rule"]
    assert made["name"].startswith("policies/")
    assert made["orgUnit"] == f"orgUnits/{ENG}"
    assert made in tool("listDLPRules")["rules"]
