from datetime import timedelta

import pytest

from mockserver.apis.reports import API
from mockserver.apis.reports.methods import LONGEST_PERIOD, time_window
from mockserver.googleapi import ApiError, Catalog
from mockserver.model import JsonObject
from mockserver.state import Clock, Ids, World
from tests.mockserver.apis.reports.conftest import EVENTS
from tests.tenants import CUSTOMER, NOW, ask, refused, world

LIST = "reports.activities.list"
ALL = {"userKey": "all", "applicationName": "chrome"}


def days(answer: JsonObject) -> list[int]:
    return [int(item["id"]["time"][8:10]) for item in answer.get("items", ())]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        pytest.param({}, [27, 26, 25, 20], id="newest first"),
        pytest.param({"applicationName": "login"}, [28], id="application"),
        pytest.param({"applicationName": "drive"}, [], id="nothing"),
        pytest.param({"startTime": "2026-02-26T00:00:00Z"}, [27, 26], id="start"),
        pytest.param({"endTime": "2026-02-26T12:00:00Z"}, [25, 20], id="end is left out"),
        pytest.param({"userKey": "ann@example.com"}, [25, 20], id="user"),
        pytest.param({"customerId": CUSTOMER, "userKey": "1bo"}, [27, 26], id="profile"),
        pytest.param({"eventName": "LOGIN"}, [27, 20], id="event"),
        pytest.param({"eventName": "UPLOAD", "filters": "size>=12"}, [27, 25], id="number"),
        pytest.param({"eventName": "LOGIN", "filters": "size>=12"}, [], id="other event's"),
        pytest.param({"filters": "blocked==true"}, [25], id="truth"),
        pytest.param({"filters": "url==a,b"}, [25], id="comma"),
        pytest.param({"filters": "tags==y"}, [26], id="one of many"),
        pytest.param({"actorIpAddress": "2001:DB8:0::1"}, [26], id="address"),
        pytest.param({"orgUnitID": "id:03ph8a2z1eng"}, [25, 20], id="unit with those below"),
        pytest.param({"groupIdFilter": "id:01grp000000,id:x"}, [25, 20], id="group"),
    ],
)
def test_list_finds_activities(tenant: World, params: JsonObject, found: list[int]) -> None:
    assert days(ask(API, tenant, LIST, {**ALL, **params})) == found


def test_an_empty_report_has_no_items(tenant: World) -> None:
    answer = ask(API, tenant, LIST, {**ALL, "applicationName": "drive"})
    assert sorted(answer) == ["etag", "kind"]


def test_activities_are_answered_whole(tenant: World) -> None:
    item = ask(API, tenant, LIST, {**ALL, "maxResults": 1, "eventName": "UPLOAD"})["items"][0]
    assert [event["name"] for event in item["events"]] == ["LOGIN", "UPLOAD"]
    assert item["kind"] == "admin#reports#activity"
    assert item["id"]["customerId"] == CUSTOMER


def test_pages_joined_are_the_list(tenant: World) -> None:
    found, token = [], ""
    while True:
        more = {"pageToken": token} if token else {}
        answer = ask(API, tenant, LIST, {**ALL, "maxResults": 3, **more})
        found += days(answer)
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert found == [27, 26, 25, 20]


@pytest.mark.parametrize(
    ("params", "status", "message"),
    [
        pytest.param({"customerId": "C0other"}, 403, "Not Authorized", id="other customer"),
        pytest.param({"userKey": "an@example.com"}, 404, "Resource Not Found: userKey", id="user"),
        pytest.param({"startTime": "2027-01-01T00:00:00Z"}, 400, "startTime must", id="future"),
        pytest.param({"orgUnitID": "id:03none"}, 400, "Invalid Input: INVALID_OU_ID", id="unit"),
        pytest.param({"filters": "size"}, 400, "Invalid value 'size' for filters", id="filters"),
        pytest.param({"pageToken": "x"}, 400, "Invalid page token.", id="token"),
        pytest.param({"includeSensitiveData": True}, 403, "Sensitive data", id="sensitive"),
    ],
)
def test_bad_requests_are_refused(
    tenant: World, params: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, LIST, {**ALL, **params})
    assert error.status == status
    assert error.message.startswith(message)


def test_a_token_belongs_to_its_query(tenant: World) -> None:
    token = ask(API, tenant, LIST, {**ALL, "maxResults": 1})["nextPageToken"]
    params = {**ALL, "maxResults": 1, "pageToken": token, "eventName": "LOGIN"}
    assert refused(API, tenant, LIST, params).message == "Invalid page token."


def test_sensitive_parameters_are_answered_on_request_only() -> None:
    secret = {"name": "E", "sensitiveParameters": [{"name": "text", "value": "s"}]}
    made = world(API, auditEvents=[{**EVENTS[0], "events": [secret]}])
    row = next(iter(made.table("auditEvents").rows().values()))
    rules = {**row, "id": {**row["id"], "applicationName": "rules"}}
    made.put("auditEvents", "x", rules)
    params: JsonObject = {**ALL, "applicationName": "rules"}
    assert ask(API, made, LIST, params)["items"][0]["events"] == [{"name": "E"}]
    params["includeSensitiveData"] = True
    assert ask(API, made, LIST, params)["items"][0]["events"] == [secret]


def test_last_week_stays_last_week_in_a_shifted_session(tenant: World) -> None:
    later = NOW + timedelta(days=400)
    clock = Clock("shift", captured_at=NOW, real=lambda: later)
    moved = World(tenant.base, clock=clock, ids=Ids(1), session="s2")
    start = (later - timedelta(days=7)).isoformat().replace("+00:00", "Z")
    answer = ask(API, moved, LIST, {**ALL, "startTime": start})
    assert len(answer["items"]) == 3
    assert answer["items"][0]["id"]["time"] == "2027-04-03T12:00:00.000Z"


def test_the_handler_has_a_method_of_the_document() -> None:
    catalog = Catalog(preferred=API.documents, supplements=())
    assert all(catalog.method(method, "reports_v1") for method in API.handlers)


EARLY, LATE = "2026-02-01T00:00:00Z", "2026-02-08T00:00:00.000+00:00"


def test_without_times_a_report_ends_now_and_reaches_back_180_days() -> None:
    start, end = time_window({}, NOW)
    assert start == NOW - LONGEST_PERIOD
    assert start < NOW < end


def test_a_report_reaches_back_180_days_at_most() -> None:
    assert time_window({"startTime": "2020-01-01T00:00:00Z"}, NOW)[0] == NOW - LONGEST_PERIOD


def test_an_end_in_the_future_means_now() -> None:
    _, end = time_window({"endTime": "2030-01-01T00:00:00Z"}, NOW)
    assert end - NOW < timedelta(seconds=1)


def test_times_are_read_with_their_zones() -> None:
    start, end = time_window({"startTime": EARLY, "endTime": LATE}, NOW)
    assert end - start == timedelta(days=7)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        pytest.param({"startTime": "yesterday"}, "Invalid value 'yesterday'", id="no time"),
        pytest.param({"endTime": "2026-13-01T00:00:00Z"}, "Invalid value '2026-13", id="month 13"),
        pytest.param({"startTime": "2026-03-02T09:00:01Z"}, "before the current", id="future"),
        pytest.param({"startTime": LATE, "endTime": EARLY}, "before endTime", id="backwards"),
        pytest.param({"startTime": EARLY, "endTime": EARLY}, "before endTime", id="empty"),
        pytest.param({"applicationName": "gmail", "startTime": EARLY}, "required for", id="gmail"),
        pytest.param(
            {"applicationName": "gmail", "startTime": "2026-01-01T00:00:00Z", "endTime": LATE},
            "30 days",
            id="gmail's length",
        ),
    ],
)
def test_what_is_no_span_is_refused(params: dict[str, str], message: str) -> None:
    with pytest.raises(ApiError) as caught:
        time_window(params, NOW)
    assert caught.value.status == 400
    assert message in caught.value.message


def test_gmail_takes_a_month() -> None:
    params = {"applicationName": "gmail", "startTime": EARLY, "endTime": LATE}
    assert time_window(params, NOW)[0] < NOW
