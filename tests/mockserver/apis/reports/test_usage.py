"""Usage reports: accounts as the Directory knows them, and what a snapshot says of a day."""

from typing import Any

import pytest

from mockserver.apis.reports import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, NOW, ask, world

_OLD: JsonObject = {"date": "2026-02-20"}
_USER, _CUSTOMER = "reports.userUsageReport.get", "reports.customerUsageReports.get"


def _ask(people: World, method: str, params: JsonObject) -> JsonObject:
    return ask(API, people, method, {**_OLD, **params})


def _values(report: JsonObject) -> dict[str, Any]:
    return {each["name"]: list(each.values())[1] for each in report["parameters"]}


@pytest.fixture
def people() -> World:
    given = {"name": "gmail:num_emails_sent", "intValue": "7"}
    entity = {"type": "USER", "userEmail": "Bo@example.com"}
    object_row = {"date": "2026-02-20", "entity": {"type": "OBJECT", "entityId": "c1"}}
    made = world(API, usageReports=[{**_OLD, "entity": entity, "parameters": [given]}, object_row])
    for name, suspended in (("ann", False), ("bo", True)):
        made.put("users", name, {
            "id": name, "primaryEmail": f"{name}@example.com", "suspended": suspended,
            "orgUnitPath": "/Sales" if suspended else "/Eng",
        })  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["ann@example.com", "bo@example.com"]),
        ({"userKey": "bo"}, ["bo@example.com"]),
        ({"filters": "accounts:is_suspended==true"}, ["bo@example.com"]),
        ({"filters": "gmail:num_emails_sent>5"}, ["bo@example.com"]),
        ({"orgUnitID": "id:03ph8a2z1eng"}, ["ann@example.com"]),
        ({"customerId": CUSTOMER, "maxResults": 1}, ["ann@example.com"]),
    ],
)
def test_users_that_are_asked_for_have_a_report(
    people: World, params: JsonObject, found: list[str]
) -> None:
    answer = _ask(people, _USER, {"userKey": "all", **params})
    assert [each["entity"]["userEmail"] for each in answer["usageReports"]] == found
    assert ("nextPageToken" in answer) is ("maxResults" in params)


def test_what_a_snapshot_says_of_a_day_is_told_beside_what_the_directory_knows(
    people: World,
) -> None:
    asked = "gmail:num_emails_sent,accounts:is_suspended,drive:num_items"
    [report] = _ask(people, _USER, {"userKey": "bo", "parameters": asked})["usageReports"]
    assert _values(report) == {"gmail:num_emails_sent": "7", "accounts:is_suspended": True}
    [other] = _ask(people, _USER, {"userKey": "bo", "date": "2026-02-19"})["usageReports"]
    assert "gmail:num_emails_sent" not in _values(other)


def test_the_customer_counts_its_users(people: World) -> None:
    [report] = _ask(people, _CUSTOMER, {})["usageReports"]
    assert _values(report)["accounts:num_users"] == "2"
    assert _values(report)["accounts:num_suspended_users"] == "1"
    assert report["entity"] == {"type": "CUSTOMER", "customerId": CUSTOMER}


def test_other_entities_are_those_of_the_snapshot(people: World) -> None:
    params = {"entityType": "gplus_communities", "entityKey": "all"}
    answer = _ask(people, "reports.entityUsageReports.get", params)
    assert [each["entity"]["entityId"] for each in answer["usageReports"]] == ["c1"]


@pytest.mark.parametrize(
    ("params", "status", "words"),
    [
        ({"date": str(NOW.date())}, 400, "is not yet available. Please check back later"),
        ({"date": "yesterday"}, 400, "Invalid value 'yesterday'"),
        ({"date": "2020-01-01"}, 400, "Start date can not be earlier than"),
        ({"parameters": "num_users"}, 400, "Invalid value 'num_users'"),
        ({"userKey": "bob@example.com"}, 404, "Resource Not Found: userKey"),
        ({"customerId": "C9other"}, 403, ""),
    ],
)
def test_what_has_no_report_is_refused(
    people: World, params: JsonObject, status: int, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        _ask(people, _USER, {"userKey": "all", **params})
    assert caught.value.status == status
    assert words in caught.value.message
