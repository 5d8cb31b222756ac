from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.tenants import ENG, SALES

Tool = Callable[..., Any]


def test_org_units_are_listed_without_the_root(tool: Tool) -> None:
    assert [unit["orgUnitPath"] for unit in tool("listOrgUnits")["orgUnits"]] == ["/Eng", "/Sales"]


def test_org_units_below_a_path_are_listed(tool: Tool) -> None:
    assert tool("listOrgUnits", orgUnitPath="/Eng") == {"orgUnits": []}


def test_chrome_events_come_in_pages(tool: Tool) -> None:
    first = tool("getChromeEvents", maxResults=1)
    assert len(first["events"]) == 1
    second = tool("getChromeEvents", maxResults=1, pageToken=first["nextPageToken"])
    assert second["events"] != first["events"]
    assert "nextPageToken" not in second


def test_dlp_rules_are_flat(tool: Tool) -> None:
    [rule] = tool("listDLPRules")["rules"]
    assert (rule["displayName"], rule["triggers"], rule["action"]) == (
        "No cards",
        ["UPLOAD"],
        "BLOCK",
    )


def test_connectors_are_shown_wherever_they_are_set(tool: Tool) -> None:
    [policy] = tool("getChromeConnectorConfiguration")["policies"]
    assert policy["targetKey"] == {"targetResource": f"orgunits/{SALES}"}


def test_connectors_of_one_org_unit_are_those_that_hold_there(tool: Tool) -> None:
    assert tool("getChromeConnectorConfiguration", orgUnit="/Eng") == {"policies": []}
    assert len(tool("getChromeConnectorConfiguration", orgUnit=SALES)["policies"]) == 1


def test_an_unknown_org_unit_is_the_directorys_error(tool: Tool) -> None:
    with pytest.raises(ApiError) as caught:
        tool("getChromeConnectorConfiguration", orgUnit="/Nope")
    assert caught.value.status == 404


def test_the_overview_counts_the_fleet(tool: Tool) -> None:
    overview = tool("getFleetOverview")
    assert overview["browserCount"] == 1
    assert overview["browsers"][0]["orgUnitId"] == ENG
    assert overview["orgUnitCount"] == 2


def test_the_credential_is_shown_without_the_token(tool: Tool) -> None:
    answer = tool("debugAuth")
    assert answer["email"] == "admin@example.com"
    assert answer["expires"].startswith("2026-03-02T10")
    assert "token" not in str(answer)
