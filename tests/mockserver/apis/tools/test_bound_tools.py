"""The table of bound tools."""

from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.tools import call_tool
from mockserver.apis.tools.arguments import schema_problem
from mockserver.apis.tools.bound_tools import TOOLS, Tool, ask_all, bare_id, find_unit
from mockserver.apis.tools.methods import HANDLERS
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.snapshots.lint import find_broken_texts
from mockserver.state import World
from tests.tenants import ENG, ROOT, SALES


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_s_schema_is_sound_and_complete(tool: Tool) -> None:
    assert schema_problem(tool.schema) == ""
    assert set(tool.required) <= set(tool.properties)
    assert tool.schema["additionalProperties"] is False
    assert tool.description.endswith(".")


def test_every_tool_is_a_method_of_the_tool_api() -> None:
    assert set(HANDLERS) == {f"tools.{name}" for name in TOOLS}
    assert set(HANDLERS.values()) == {call_tool}


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if not tool.required])
def test_no_tool_says_what_a_program_writes_by_mistake(name: str, tool: Callable[..., Any]) -> None:
    """CEPR-30: no `[object Object]`, `undefined` or `NaN` in the output of a tool."""
    try:
        output = tool(name)
    except ApiError as error:
        output = error.message
    assert list(find_broken_texts({"output": output})) == []


ReadTool = Callable[..., Any]


def test_org_units_are_listed_without_the_root(tool: ReadTool) -> None:
    assert [unit["orgUnitPath"] for unit in tool("listOrgUnits")["orgUnits"]] == ["/Eng", "/Sales"]


def test_org_units_below_a_path_are_listed(tool: ReadTool) -> None:
    assert tool("listOrgUnits", orgUnitPath="/Eng") == {"orgUnits": []}


def test_chrome_events_come_in_pages(tool: ReadTool) -> None:
    first = tool("getChromeEvents", maxResults=1)
    assert len(first["events"]) == 1
    second = tool("getChromeEvents", maxResults=1, pageToken=first["nextPageToken"])
    assert second["events"] != first["events"]
    assert "nextPageToken" not in second


def test_dlp_rules_are_flat(tool: ReadTool) -> None:
    [rule] = tool("listDLPRules")["rules"]
    assert (rule["displayName"], rule["triggers"], rule["action"]) == (
        "No cards",
        ["UPLOAD"],
        "BLOCK",
    )


def test_connectors_are_shown_wherever_they_are_set(tool: ReadTool) -> None:
    [policy] = tool("getChromeConnectorConfiguration")["policies"]
    assert policy["targetKey"] == {"targetResource": f"orgunits/{SALES}"}


def test_connectors_of_one_org_unit_are_those_that_hold_there(tool: ReadTool) -> None:
    assert tool("getChromeConnectorConfiguration", orgUnit="/Eng") == {"policies": []}
    assert len(tool("getChromeConnectorConfiguration", orgUnit=SALES)["policies"]) == 1


def test_an_unknown_org_unit_is_the_directorys_error(tool: ReadTool) -> None:
    with pytest.raises(ApiError) as caught:
        tool("getChromeConnectorConfiguration", orgUnit="/Nope")
    assert caught.value.status == 404


def test_the_overview_counts_the_fleet(tool: ReadTool) -> None:
    overview = tool("getFleetOverview")
    assert overview["browserCount"] == 1
    assert overview["browsers"][0]["orgUnitId"] == ENG
    assert overview["orgUnitCount"] == 2


def test_the_credential_is_shown_without_the_token(tool: ReadTool) -> None:
    answer = tool("debugAuth")
    assert answer["email"] == "admin@example.com"
    assert answer["expires"].startswith("2026-03-02T10")
    assert "token" not in str(answer)


ChangeTool = Callable[..., Any]
CHANGE: JsonObject = {
    "policySchema": "chrome.users.Incognito",
    "targetUnit": "/Eng",
    "value": {"mode": "BLOCKED"},
}


def test_a_browser_is_enrolled_with_the_active_token_of_its_org_unit(tool: ChangeTool) -> None:
    first = tool("enrollBrowser", orgUnit="/Sales")
    second = tool("enrollBrowser", orgUnit=SALES)
    assert (first["created"], second["created"]) == (True, False)
    assert first["enrollmentToken"] == second["enrollmentToken"]
    assert tool("enrollBrowser")["enrollmentToken"]["orgUnitId"] == ROOT


def test_a_draft_changes_nothing(tool: ChangeTool, tenant: World) -> None:
    draft = tool("draftPolicyChange", **CHANGE, reasoning="Requested")["draft"]
    assert draft["currentValue"] == {"mode": "ALLOWED"}
    assert draft["reasoning"] == "Requested"
    assert set(tenant.diff()) == {"policyDrafts"}


def test_a_draft_is_applied_once(tool: ChangeTool) -> None:
    draft = tool("draftPolicyChange", **CHANGE)["draft"]
    applied = tool("applyPolicyChange", draftId=draft["draftId"])
    assert applied["value"] == {"mode": "BLOCKED"}
    assert applied["targetResource"] == f"orgunits/{ENG}"
    with pytest.raises(ApiError, match="applied before"):
        tool("applyPolicyChange", draftId=draft["draftId"])


def test_a_whole_change_needs_confirmation(tool: ChangeTool, tenant: World) -> None:
    with pytest.raises(ApiError, match="Nothing was changed"):
        tool("applyPolicyChange", **CHANGE)
    assert tenant.diff() == {}
    assert tool("applyPolicyChange", **CHANGE, confirm=True)["status"] == "APPLIED"


def test_a_confirmed_change_must_be_whole(tool: ChangeTool) -> None:
    with pytest.raises(ApiError, match="'value' is required"):
        tool("applyPolicyChange", policySchema="a.b.C", targetUnit="/Eng", confirm=True)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({**CHANGE, "policySchema": "chrome.users.Nope"}, id="schema"),
        pytest.param({**CHANGE, "targetUnit": "/Nope"}, id="org unit"),
    ],
)
def test_a_draft_for_what_is_not_there_is_refused(tool: ChangeTool, change: JsonObject) -> None:
    with pytest.raises(ApiError) as caught:
        tool("draftPolicyChange", **change)
    assert caught.value.status == 404


def test_an_unknown_draft_names_the_nearest(tool: ChangeTool) -> None:
    known = tool("draftPolicyChange", **CHANGE)["draft"]["draftId"]
    with pytest.raises(ApiError) as caught:
        tool("applyPolicyChange", draftId=known[:-1])
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == known


def test_a_created_rule_is_listed(tool: ChangeTool) -> None:
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


class Pages:
    """An API of three pages; keeps what it was asked."""

    def __init__(self, pages: int = 3) -> None:
        self.asked: list[tuple[JsonObject, JsonObject | None]] = []
        self.pages = pages

    def __call__(
        self, method_id: str, params: JsonObject, body: JsonObject | None = None
    ) -> JsonObject:
        self.asked.append((params, body))
        number = len(self.asked)
        answer: JsonObject = {"items": [{"n": number}]} if number != 2 else {}
        return {**answer, "nextPageToken": f"p{number}"} if number < self.pages else answer


def call(world: World, invoke: Any) -> Call:
    return Call(id="tools.x", params={}, body={}, world=world, invoke=invoke)


def test_all_pages_are_asked_for_by_parameter(tenant: World) -> None:
    pages = Pages()
    assert ask_all(call(tenant, pages), "a.list", "items", {"q": "1"}) == [{"n": 1}, {"n": 3}]
    assert [params for params, _ in pages.asked] == [
        {"q": "1"},
        {"q": "1", "pageToken": "p1"},
        {"q": "1", "pageToken": "p2"},
    ]


def test_all_pages_are_asked_for_in_the_body_when_there_is_one(tenant: World) -> None:
    pages = Pages(pages=2)
    ask_all(call(tenant, pages), "a.resolve", "items", {"c": "x"}, {"f": 1})
    assert pages.asked == [({"c": "x"}, {"f": 1}), ({"c": "x"}, {"f": 1, "pageToken": "p1"})]


def test_pages_without_end_are_not_followed_for_ever(tenant: World) -> None:
    pages = Pages(pages=10**9)
    ask_all(call(tenant, pages), "a.list", "items", {})
    assert len(pages.asked) == 100


def test_a_transport_that_cannot_call_others_says_so(tenant: World) -> None:
    with pytest.raises(ApiError, match="needs a transport") as caught:
        call(tenant, None).ask("a.list", {})
    assert caught.value.status == 500


@pytest.mark.parametrize(
    ("name", "asked"),
    [("/Eng", "/Eng"), ("03x", "id:03x"), ("id:03x", "id:03x"), ("orgunits/03x", "id:03x"),
     ("orgUnits/03x", "id:03x")],
)  # fmt: skip
def test_an_org_unit_is_found_by_path_or_id(tenant: World, name: str, asked: str) -> None:
    pages = Pages(pages=1)
    find_unit(call(tenant, pages), name)
    assert pages.asked[0][0]["orgUnitPath"] == asked


def test_an_id_loses_its_prefix() -> None:
    assert bare_id({"orgUnitId": "id:03x"}) == "03x"
