from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.errorreporting import API
from mockserver.apis.errorreporting.methods import (
    HANDLERS,
    alignment,
    events_since,
    group_stats,
    message_field,
    period_start,
    service_test,
    timed_counts,
)
from mockserver.apis.errorreporting.state import events_of, group_id
from mockserver.googleapi import ApiError, Call
from mockserver.model import Json, JsonObject
from mockserver.state import World, rfc3339
from tests.mockserver.apis.errorreporting.conftest import NODE, PYTHON, SHOP, event
from tests.tenants import NOW, ask, refused


def test_projects_and_their_locations_have_the_same_methods() -> None:
    located = {name.replace(".locations", "") for name in HANDLERS if ".locations." in name}
    plain = {name for name in HANDLERS if ".locations." not in name}
    assert plain - located == {"clouderrorreporting.projects.events.report"}


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


WRITE_WEB = group_id("shop", NODE)


def counts(shop: World) -> dict[str, str]:
    answer = ask(API, shop, f"{PREFIX}groupStats.list", {"projectName": SHOP})
    return {each["group"]["groupId"]: each["count"] for each in answer.get("errorGroupStats", [])}


def report(shop: World, **body: JsonObject | str) -> None:
    assert ask(API, shop, f"{PREFIX}events.report", {"projectName": SHOP}, dict(body)) == {}


def test_a_reported_event_is_counted_with_its_like(shop: World) -> None:
    report(shop, **event(59))
    assert counts(shop)[WRITE_WEB] == "2"
    located: JsonObject = {"reportLocation": {"filePath": "a.go", "lineNumber": 1}}
    report(shop, message="failed", serviceContext={"service": "s"}, context=located)
    new = group_id("shop", "failed")
    assert counts(shop)[new] == "1"
    listed = ask(API, shop, f"{PREFIX}events.list", {"projectName": SHOP, "groupId": new})
    (found,) = listed["errorEvents"]
    assert found == {
        "eventTime": "2026-03-02T09:00:00.000Z",
        "serviceContext": {"service": "s", "resourceType": "global"},
        "message": "failed",
        "context": located,
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "ReportedErrorEvent.message cannot be empty."),
        ({"message": NODE}, "ReportedErrorEvent.service_context.service cannot be empty."),
        (
            {"message": "failed", "serviceContext": {"service": "s"}},
            "ReportedErrorEvent.context must contain a location unless `message` contain an "
            "exception or stacktrace.",
        ),
        (event(1, eventTime="noon"), "Invalid event time: 'noon'."),
    ],
    ids=["message", "service", "location", "time"],
)
def test_an_event_that_cannot_be_is_refused(shop: World, body: JsonObject, said: str) -> None:
    error = refused(API, shop, f"{PREFIX}events.report", {"projectName": SHOP}, body)
    assert (error.status, error.message) == (400, said)


def test_all_events_of_a_project_are_deleted(shop: World) -> None:
    elsewhere = {"projectName": f"{SHOP}/locations/eu"}
    assert ask(API, shop, f"{PREFIX}locations.deleteEvents", elsewhere) == {}
    assert counts(shop)
    ask(API, shop, f"{PREFIX}deleteEvents", {"projectName": SHOP})
    assert counts(shop) == {}


@pytest.mark.parametrize(
    ("status", "kept"),
    [("RESOLVED", "RESOLVED"), ("4", "MUTED"), ("", "OPEN"), ("0", "OPEN")],
    ids=repr,
)
def test_a_group_is_replaced(shop: World, status: str, kept: str) -> None:
    name = f"{SHOP}/groups/{WRITE_WEB}"
    issues = [{"url": "https://issues.example.com/1"}]
    body = {"resolutionStatus": status, "trackingIssues": issues}
    ask(API, shop, f"{PREFIX}groups.update", {"name": name}, body)
    found = ask(API, shop, f"{PREFIX}groups.get", {"groupName": name})
    assert (found["resolutionStatus"], found["trackingIssues"]) == (kept, issues)
    bare = ask(API, shop, f"{PREFIX}groups.update", {"name": name}, {})
    assert "trackingIssues" not in bare


def test_an_unknown_status_or_group_is_refused(shop: World) -> None:
    update = f"{PREFIX}groups.update"
    name = f"{SHOP}/groups/{WRITE_WEB}"
    assert refused(API, shop, update, {"name": name}, {"resolutionStatus": "DONE"}).status == 400
    assert refused(API, shop, update, {"name": f"{SHOP}/groups/none"}, {}).status == 404


START = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)


def row(minute: int, service: str = "a", **context: JsonObject | str) -> JsonObject:
    moment = rfc3339(START + timedelta(minutes=minute))
    return {
        "event": {
            "eventTime": moment,
            "serviceContext": {"service": service},
            "context": context,
        }
    }


def test_figures_of_a_group() -> None:
    rows = [row(9, user="u"), row(7, httpRequest={"remoteIp": "192.0.2.1"}), row(5, "b", user="u")]
    stats = group_stats({"groupId": "g"}, [*rows, row(1)], rows)
    assert (stats["count"], stats["affectedUsersCount"]) == ("3", "2")
    assert (stats["numAffectedServices"], len(stats["affectedServices"])) == (2, 2)
    assert (stats["firstSeenTime"], stats["lastSeenTime"]) == (
        "2026-03-02T06:31:00.000Z",
        "2026-03-02T06:39:00.000Z",
    )
    assert stats["representative"] == rows[0]["event"]


@given(
    st.lists(st.integers(0, 149), max_size=20),
    st.integers(1, 40),
    st.sampled_from(["ALIGNMENT_EQUAL_ROUNDED", "ALIGNMENT_EQUAL_AT_END"]),
)
def test_timed_counts_are_inside_in_order_and_apart(
    minutes: list[int], step: int, rule: str
) -> None:
    align = alignment(rule, None, NOW)
    counts = timed_counts(
        [row(minute) for minute in minutes], START, NOW, step=timedelta(minutes=step), align=align
    )
    edges = [(each["startTime"], each["endTime"]) for each in counts]
    assert all(rfc3339(START) <= start < end <= rfc3339(NOW) for start, end in edges)
    assert all(one[1] == two[0] for one, two in pairwise(edges))
    assert sum(int(each["count"]) for each in counts) <= len(minutes)


def test_steps_that_end_with_the_range_count_the_latest() -> None:
    counts = timed_counts([row(149), row(149)], START, NOW, step=timedelta(hours=1), align=NOW)
    assert counts[-1] == {
        "count": "2",
        "startTime": "2026-03-02T08:00:00.000Z",
        "endTime": "2026-03-02T09:00:00.000Z",
    }


@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=-1), timedelta(microseconds=1)])
def test_steps_that_cannot_be_are_refused(step: timedelta) -> None:
    with pytest.raises(ApiError):
        timed_counts([], START, NOW, step=step, align=NOW)


def test_steps_are_aligned_with_what_was_asked_for() -> None:
    assert alignment("1", START, NOW) == START
    assert alignment("", START, NOW) == NOW
    assert alignment("ALIGNMENT_EQUAL_ROUNDED", None, NOW).hour == 0


@pytest.mark.parametrize(
    ("period", "long"),
    [
        ("PERIOD_1_HOUR", timedelta(hours=1)),
        ("2", timedelta(hours=6)),
        ("", timedelta(days=30)),
        ("PERIOD_UNSPECIFIED", timedelta(days=30)),
    ],
    ids=repr,
)
def test_a_period_ends_now(shop: World, period: str, long: timedelta) -> None:
    assert period_start(Call("m", {"timeRange.period": period}, {}, shop)) == NOW - long


def test_an_unknown_period_is_refused(shop: World) -> None:
    with pytest.raises(ApiError, match="Invalid period 'PERIOD_2_DAYS'"):
        period_start(Call("m", {"timeRange.period": "PERIOD_2_DAYS"}, {}, shop))


@pytest.mark.parametrize(
    "params",
    [{"serviceFilter.service": "web"}, {"serviceFilter": {"service": "web", "version": "2"}}],
    ids=repr,
)
def test_a_service_is_asked_for_flat_or_nested(shop: World, params: dict[str, Json]) -> None:
    fits = service_test(Call("m", params, {}, shop))
    assert [fits(row) for row in events_of(shop, "shop")] == [True, False, False]
    assert message_field(Call("m", params, {}, shop), "serviceFilter", "resourceType") == ""


def test_events_after_a_moment(shop: World) -> None:
    assert len(events_since(events_of(shop, "shop"), NOW - timedelta(minutes=45))) == 2
