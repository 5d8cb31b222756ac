from datetime import timedelta
from typing import Any

import pytest

from mockserver.apis.errorreporting import API
from mockserver.apis.errorreporting.state import group_id
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.errorreporting.conftest import NODE, PYTHON, SHOP
from tests.tenants import ask, refused

PREFIX = "clouderrorreporting.projects."
PAY, WEB = group_id("shop", PYTHON.format(line=0)), group_id("shop", NODE)


def events(shop: World, **params: Any) -> list[str]:
    answer = ask(API, shop, f"{PREFIX}events.list", {"projectName": SHOP, **params})
    return [each["eventTime"][11:16] for each in answer.get("errorEvents", [])]


def stats(shop: World, **params: Any) -> list[JsonObject]:
    answer = ask(API, shop, f"{PREFIX}groupStats.list", {"projectName": SHOP, **params})
    return list(answer.get("errorGroupStats", []))


def test_events_of_a_group_are_listed_newest_first(shop: World) -> None:
    assert events(shop, groupId=PAY) == ["08:20", "08:10"]
    assert events(shop, groupId="none") == []


def test_events_are_paged(shop: World) -> None:
    params: JsonObject = {"projectName": SHOP, "groupId": PAY, "pageSize": 1}
    first = ask(API, shop, f"{PREFIX}events.list", params)
    assert first["timeRangeBegin"] == "2026-01-31T09:00:00.000Z"
    token = first["nextPageToken"]
    assert events(shop, groupId=PAY, pageSize=1, pageToken=token) == ["08:10"]


def test_the_group_is_required_and_the_lenient_profile_forgives_it(shop: World) -> None:
    error = refused(API, shop, f"{PREFIX}events.list", {"projectName": SHOP})
    assert (error.status, error.location) == (400, "groupId")
    call = Call("m", {"projectName": SHOP}, {}, shop, profile="lenient")
    answer = API.handlers[f"{PREFIX}events.list"](call)
    assert answer is not None
    assert len(answer["errorEvents"]) == 3
    assert call.ignored == ["groupId (missing: the events of all groups)"]


def test_groups_are_counted_in_a_period(shop: World) -> None:
    assert [(each["group"]["groupId"], each["count"]) for each in stats(shop)] == [
        (PAY, "2"),
        (WEB, "1"),
    ]
    recent = {"timeRange.period": "PERIOD_1_HOUR"}
    shop.clock.advance(timedelta(minutes=15))
    (pay, web) = stats(shop, **recent)
    assert (pay["count"], pay["firstSeenTime"]) == ("1", "2026-03-02T08:10:00Z")
    assert web["count"] == "1"


@pytest.mark.parametrize(
    ("params", "groups"),
    [
        ({"order": "LAST_SEEN_DESC"}, [WEB, PAY]),
        ({"order": "3"}, [WEB, PAY]),
        ({"order": "AFFECTED_USERS_DESC"}, [PAY, WEB]),
        ({"order": "GROUP_ORDER_UNSPECIFIED"}, [PAY, WEB]),
        ({"groupId": [WEB]}, [WEB]),
        ({"serviceFilter.service": "payments"}, [PAY]),
        ({"projectName": f"{SHOP}/locations/eu"}, []),
        ({"projectName": f"{SHOP}/locations/-"}, [PAY, WEB]),
    ],
    ids=repr,
)
def test_groups_are_ordered_and_chosen(shop: World, params: JsonObject, groups: list[str]) -> None:
    assert [each["group"]["groupId"] for each in stats(shop, **params)] == groups


def test_groups_are_paged(shop: World) -> None:
    params: JsonObject = {"projectName": SHOP, "pageSize": 1}
    token = ask(API, shop, f"{PREFIX}groupStats.list", params)["nextPageToken"]
    assert len(stats(shop, pageSize=1, pageToken=token)) == 1


def test_counts_over_time_come_when_a_duration_is_asked_for(shop: World) -> None:
    pay = stats(shop, timedCountDuration="3600s", **{"timeRange.period": "PERIOD_6_HOURS"})[0]
    assert [each["count"] for each in pay["timedCounts"]] == ["0", "0", "0", "0", "0", "2"]
    rounded = {"alignment": "ALIGNMENT_EQUAL_ROUNDED", "alignmentTime": "2026-03-02T08:15:00Z"}
    pay = stats(shop, timedCountDuration="1800s", **rounded, **{"timeRange.period": "1"})[0]
    assert [each["count"] for each in pay["timedCounts"]] == ["1"]


@pytest.mark.parametrize(
    "params",
    [{"order": "SIZE"}, {"timedCountDuration": "x"}, {"timedCountDuration": "0s"},
     {"timedCountDuration": "60s", "alignmentTime": "noon"}],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_counted_is_refused(shop: World, params: JsonObject) -> None:
    method = f"{PREFIX}groupStats.list"
    assert refused(API, shop, method, {"projectName": SHOP, **params}).status == 400


def test_a_group_is_read_by_name(shop: World) -> None:
    name = f"{SHOP}/groups/{PAY}"
    found = ask(API, shop, f"{PREFIX}groups.get", {"groupName": name})
    assert found == {"name": name, "groupId": PAY, "resolutionStatus": "OPEN"}
    at = f"{SHOP}/locations/global/groups/{PAY}"
    assert ask(API, shop, f"{PREFIX}locations.groups.get", {"groupName": at}) == found
    for other in (f"{SHOP}/groups/none", f"{SHOP}/locations/eu/groups/{PAY}"):
        assert refused(API, shop, f"{PREFIX}groups.get", {"groupName": other}).status == 404
