"""google-api-python-client, unchanged but for its endpoint, does an administrator's work."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from mockserver.model import JsonObject, SessionInfo
from tests.acceptance.conftest import HEADERS, Mock, newer, older, pretty, refusal

MINE = {"customerId": "my_customer"}
CUSTOMER = "customers/my_customer"
SALES, EMEA = "orgunits/03ph8a2z3ngwap2", "orgunits/03ph8a2z9fnfmcn"
AMERICAS = "orgunits/03ph8a2zf1l3t71"
INCOGNITO, AVAILABILITY = "chrome.users.IncognitoMode", "incognitoModeAvailability"
QUOTA = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "RATE_LIMIT_EXCEEDED",
    "domain": "googleapis.com",
}


@pytest.fixture
def session(mock: Mock) -> SessionInfo:
    return mock.open()


def paths(answer: JsonObject) -> list[str]:
    return [unit["orgUnitPath"] for unit in answer.get("organizationUnits", [])]


def test_org_units_are_listed_made_moved_and_deleted(mock: Mock, session: SessionInfo) -> None:
    units = mock.google(session, "admin", "directory_v1").orgunits()
    assert paths(units.list(**MINE).execute()) == [
        "/Engineering", "/Finance", "/Kiosks", "/Labs", "/Quarantine", "/Sales", "/Support"
    ]  # fmt: skip
    everything = units.list(**MINE, type="all").execute()["organizationUnits"]
    assert len(everything) == 16

    body = {"name": "Night shift", "parentOrgUnitPath": "/Support"}
    made = units.insert(**MINE, body=body).execute()
    assert made["orgUnitPath"] == "/Support/Night shift"
    assert units.get(**MINE, orgUnitPath="Support/Night shift").execute() == made
    below = units.insert(
        **MINE, body={"name": "On call", "parentOrgUnitId": made["orgUnitId"]}
    ).execute()

    moved = units.patch(
        **MINE, orgUnitPath=made["orgUnitId"], body={"parentOrgUnitPath": "/Labs"}
    ).execute()
    assert (moved["orgUnitId"], moved["orgUnitPath"]) == (made["orgUnitId"], "/Labs/Night shift")
    assert units.get(**MINE, orgUnitPath=below["orgUnitId"]).execute()["orgUnitPath"] == (
        "/Labs/Night shift/On call"
    )
    assert paths(units.list(**MINE, orgUnitPath="/Support").execute()) == ["/Support/Contractors"]

    for path in ("Labs/Night shift/On call", "Labs/Night shift"):
        assert units.delete(**MINE, orgUnitPath=path).execute() == ""
    assert units.list(**MINE, type="all").execute()["organizationUnits"] == everything


def pages(collection: Any, key: str, **arguments: Any) -> Iterator[list[JsonObject]]:
    request = collection.list(**arguments)
    while request is not None:
        answer = request.execute()
        yield answer[key]
        request = collection.list_next(request, answer)


@pytest.mark.parametrize("order", [{}, {"orderBy": "email", "sortOrder": "DESCENDING"}], ids=str)
def test_users_are_paged_two_at_a_time(
    mock: Mock, session: SessionInfo, order: dict[str, str]
) -> None:
    users = mock.google(session, "admin", "directory_v1").users()
    whole = users.list(customer="my_customer", maxResults=500, **order).execute()["users"]
    found = list(pages(users, "users", customer="my_customer", maxResults=2, **order))
    assert [len(page) for page in found] == [2] * 12 + [1]
    assert [user for page in found for user in page] == whole


def test_a_page_token_is_for_the_query_it_was_made_for(mock: Mock, session: SessionInfo) -> None:
    users = mock.google(session, "admin", "directory_v1").users()
    first = users.list(customer="my_customer", maxResults=2).execute()
    again = {"maxResults": 2, "pageToken": first["nextPageToken"]}
    other = refusal(users.list(customer="my_customer", query="isSuspended=true", **again))
    forged = refusal(users.list(customer="my_customer", pageToken="Mi4wMDAw"))
    assert (other.status_code, forged.status_code) == (400, 400)


def resolved(policies: Any, target: str) -> JsonObject:
    body = {"policySchemaFilter": INCOGNITO, "policyTargetKey": {"targetResource": target}}
    answer = policies.resolve(customer=CUSTOMER, body=body).execute()
    (found,) = answer["resolvedPolicies"]
    value: JsonObject = found["value"]["value"]
    source = found["sourceKey"]["targetResource"] if "sourceKey" in found else ""
    return {"value": value[AVAILABILITY], "source": source}


def test_policies_are_resolved_and_modified_with_inheritance(
    mock: Mock, session: SessionInfo
) -> None:
    policies = mock.google(session, "chromepolicy", "v1").customers().policies()
    before = {target: resolved(policies, target) for target in (SALES, EMEA, AMERICAS)}
    assert before == {
        SALES: {"value": "UNAVAILABLE", "source": SALES},
        EMEA: {"value": "AVAILABLE", "source": EMEA},
        AMERICAS: {"value": "UNAVAILABLE", "source": SALES},
    }

    change = {
        "policyTargetKey": {"targetResource": AMERICAS},
        "policyValue": {"policySchema": INCOGNITO, "value": {AVAILABILITY: "FORCED"}},
        "updateMask": AVAILABILITY,
    }
    units = policies.orgunits()
    assert units.batchModify(customer=CUSTOMER, body={"requests": [change]}).execute() == {}
    assert resolved(policies, AMERICAS) == {"value": "FORCED", "source": AMERICAS}
    assert resolved(policies, SALES) == before[SALES]

    back = [
        {"policyTargetKey": {"targetResource": target}, "policySchema": INCOGNITO}
        for target in (AMERICAS, EMEA)
    ]
    assert units.batchInherit(customer=CUSTOMER, body={"requests": back}).execute() == {}
    assert resolved(policies, AMERICAS) == before[AMERICAS]
    assert resolved(policies, EMEA) == {"value": "UNAVAILABLE", "source": SALES}


def test_a_batch_with_one_bad_change_changes_nothing(mock: Mock, session: SessionInfo) -> None:
    policies = mock.google(session, "chromepolicy", "v1").customers().policies()
    good, bad = (
        {
            "policyTargetKey": {"targetResource": target},
            "policyValue": {"policySchema": INCOGNITO, "value": {AVAILABILITY: value}},
            "updateMask": AVAILABILITY,
        }
        for target, value in ((AMERICAS, "FORCED"), (EMEA, "SOMETIMES"))
    )
    request = policies.orgunits().batchModify(customer=CUSTOMER, body={"requests": [good, bad]})
    assert refusal(request).status_code == 400
    assert resolved(policies, AMERICAS)["source"] == SALES


def test_activities_are_filtered_by_time_relative_to_now(mock: Mock, session: SessionInfo) -> None:
    activities = mock.google(session, "admin", "reports_v1").activities()
    ask: JsonObject = {"userKey": "all", "applicationName": "chrome"}
    now = datetime.now(UTC)
    times = [
        datetime.fromisoformat(item["id"]["time"])
        for page in pages(activities, "items", **ask, maxResults=3)
        for item in page
    ]
    assert times == sorted(times, reverse=True)
    assert now - timedelta(days=2) < times[0] < now

    for start, end in ((7, 3), (3, 1), (1, 0)):
        since, until = now - timedelta(days=start), now - timedelta(days=end)
        bounds = {"startTime": since.isoformat(), "endTime": until.isoformat()}
        answer = activities.list(**ask, **bounds).execute()
        found = [datetime.fromisoformat(item["id"]["time"]) for item in answer.get("items", [])]
        assert found == [time for time in times if since <= time <= until]
        assert found, f"the suite has events {start} to {end} days back"


def test_activities_are_filtered_by_event_and_parameter(mock: Mock, session: SessionInfo) -> None:
    activities = mock.google(session, "admin", "reports_v1").activities()
    ask: JsonObject = {"userKey": "all", "applicationName": "chrome"}
    whole = activities.list(**ask).execute()["items"]
    event = whole[0]["events"][0]
    named = activities.list(**ask, eventName=event["name"]).execute()["items"]
    wanted = [item for item in whole if event["name"] in {each["name"] for each in item["events"]}]
    assert [item["id"] for item in named] == [item["id"] for item in wanted]


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_dlp_policies_are_listed_by_cel(mock: Mock, session: SessionInfo, version: str) -> None:
    policies = mock.google(session, "cloudidentity", version).policies()
    mine = f'customer == "{CUSTOMER}"'
    rules = list(
        pages(
            policies,
            "policies",
            pageSize=2,
            filter=f"{mine} && setting.type == 'settings/rule.dlp'",
        )
    )
    assert [len(page) for page in rules] == [2, 2, 1]
    assert {rule["setting"]["type"] for page in rules for rule in page} == {"settings/rule.dlp"}
    detectors = policies.list(filter=f"{mine} && setting.type.matches('detector')").execute()
    assert [item["setting"]["type"] for item in detectors["policies"]] == [
        "settings/detector.word_list"
    ]
    assert len(policies.list(filter=mine).execute()["policies"]) == 6
    wrong = refusal(policies.list(filter=f"{mine} AND setting.type.matches('dlp')"))
    assert wrong.content == pretty(newer(400, "INVALID_ARGUMENT", "Filter is invalid"))


def test_the_older_apis_refuse_in_their_words(mock: Mock, session: SessionInfo) -> None:
    directory = mock.google(session, "admin", "directory_v1")
    units, users = directory.orgunits(), directory.users()
    taken, nameless = {"name": "engineering", "parentOrgUnitPath": "/"}, {"description": "x"}
    forbidden = "Not Authorized to access this resource/api"
    expected = [
        (units.get(**MINE, orgUnitPath="No"), (404, "notFound", "Org unit not found")),
        (users.get(userKey="no@example.com"), (404, "notFound", "Resource Not Found: userKey")),
        (units.insert(**MINE, body=taken), (409, "duplicate", "Entity already exists.")),
        (units.insert(**MINE, body=nameless), (400, "invalid", "Invalid Ou Name")),
        (units.list(customerId="C0other"), (403, "forbidden", forbidden)),
    ]
    for request, (status, reason, message) in expected:
        error = refusal(request)
        assert error.resp.status == status
        assert error.content == pretty(older(status, reason, message))
        assert error.error_details == older(status, reason, message)["error"]["errors"]
        assert {name: error.resp.get(name) for name in HEADERS} == HEADERS


def test_the_newer_apis_refuse_in_theirs(mock: Mock, session: SessionInfo) -> None:
    policies = mock.google(session, "chromepolicy", "v1").customers().policies()
    schemas = mock.google(session, "chromepolicy", "v1").customers().policySchemas()
    identity = mock.google(session, "cloudidentity", "v1").policies()
    missing = newer(404, "NOT_FOUND", "Requested entity was not found.")
    target = {"policyTargetKey": {"targetResource": "orgunits/03ph8a2z0nowhere"}}
    expected = [
        (identity.get(name="policies/none"), missing),
        (
            schemas.list(parent="customers/C0other"),
            newer(403, "PERMISSION_DENIED", "The caller does not have permission"),
        ),
        (
            policies.resolve(customer=CUSTOMER, body={**target, "policySchemaFilter": INCOGNITO}),
            missing,
        ),
    ]
    for request, body in expected:
        error = refusal(request)
        assert (error.resp.status, error.content) == (body["error"]["code"], pretty(body))
        assert {name: error.resp.get(name) for name in HEADERS} == HEADERS


def test_a_quota_is_exceeded_twice_then_not(mock: Mock) -> None:
    session = mock.open(
        faults=[
            {"method": "reports.activities.list", "status": 429, "times": 2},
            {"method": "chromepolicy.*", "status": 429, "times": 1},
            {"method": "directory.users.*", "status": 403, "reason": "quotaExceeded"},
        ]
    )
    activities = mock.google(session, "admin", "reports_v1").activities()
    request = activities.list(userKey="all", applicationName="chrome")
    for _ in range(2):
        error = refusal(request)
        assert error.status_code == 429
        assert error.error_details[0].items() >= QUOTA.items()
        (item,) = error_body(error)["errors"]
        assert (item["domain"], item["reason"]) == ("usageLimits", "rateLimitExceeded")
    assert request.execute()["items"]

    schemas = mock.google(session, "chromepolicy", "v1").customers().policySchemas()
    body = error_body(refusal(schemas.list(parent=CUSTOMER)))
    assert (body["code"], body["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert body["message"].startswith("Quota exceeded for quota metric '")
    assert "errors" not in body

    users = mock.google(session, "admin", "directory_v1").users()
    said = "Request rate higher than configured."
    for _ in range(3):
        error = refusal(users.get(userKey="ada.lindqvist@example.com"))
        assert error.content == pretty(older(403, "quotaExceeded", said))
    assert [fault.met for fault in mock.close(session).faults] == [2, 1, 3]


def error_body(error: Any) -> JsonObject:
    body: JsonObject = orjson.loads(error.content)["error"]
    return body
