from collections.abc import Callable

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.conftest import Generic, world_of

Over = Callable[..., Generic]
ZURICH = "Europe/Zurich"


def at(text: str) -> JsonObject:
    return {"dateTime": text, "timeZone": ZURICH}


STANDUP: JsonObject = {
    "id": "standup",
    "summary": "Standup",
    "iCalUID": "s@example.com",
    "start": at("2026-03-02T09:00:00+01:00"),
    "end": at("2026-03-02T09:15:00+01:00"),
    "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO", f"EXDATE;TZID={ZURICH}:20260309T090000"],
    "attendees": [{"email": "ann@example.com", "displayName": "Ann"}],
    "updated": "2026-01-05T00:00:00Z",
}
MOVED: JsonObject = {
    "id": "moved",
    "summary": "Standup, later",
    "recurringEventId": "standup",
    "originalStartTime": at("2026-03-16T09:00:00+01:00"),
    "start": at("2026-03-16T14:00:00+01:00"),
    "end": at("2026-03-16T14:15:00+01:00"),
    "updated": "2026-01-04T00:00:00Z",
}
CANCELLED: JsonObject = {
    "id": "gone",
    "status": "cancelled",
    "recurringEventId": "standup",
    "originalStartTime": at("2026-03-23T09:00:00+01:00"),
    "updated": "2026-01-03T00:00:00Z",
}
HOLIDAY: JsonObject = {
    "id": "holiday",
    "summary": "Holiday",
    "start": {"date": "2026-03-19"},
    "end": {"date": "2026-03-20"},
    "eventType": "outOfOffice",
    "extendedProperties": {"private": {"kind": "rest"}, "shared": {"x": "1"}},
    "location": "the lake",
    "updated": "2026-01-02T00:00:00Z",
}
DROPPED: JsonObject = {
    "id": "dropped",
    "status": "cancelled",
    "summary": "Party",
    "updated": "2026-01-01T00:00:00Z",
    "start": at("2026-03-18T20:00:00+01:00"),
    "end": at("2026-03-18T23:00:00+01:00"),
}
EVENTS = [STANDUP, MOVED, CANCELLED, HOLIDAY, DROPPED]
MARCH = {"timeMin": "2026-03-01T00:00:00Z", "timeMax": "2026-04-01T00:00:00Z"}
FIRST, AFTER_CHANGE = "standup_20260302T080000Z", "standup_20260330T070000Z"


def ask(over: Over, events: list[JsonObject], **params: Json) -> list[JsonObject]:
    generic = over(**{"calendar:v3": {"calendars/primary/events": events}})
    answer = generic.get("calendar:v3", "calendar.events.list", calendarId="primary", **params)
    assert generic.ignored == []
    found: list[JsonObject] = answer.get("items", [])
    return found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["standup", "moved", "gone", "holiday"]),
        ({"showDeleted": True}, ["standup", "moved", "gone", "holiday", "dropped"]),
        ({"timeMin": "2026-03-19T12:00:00Z", "timeMax": "2026-03-20T12:00:00Z"}, ["holiday"]),
        ({"timeMin": "2026-03-16T13:15:00Z", "timeMax": "2026-03-19T00:00:00Z"}, []),
        ({"timeMin": "2030-01-01T00:00:00Z"}, ["standup"]),
        ({"timeMax": "2026-03-02T08:00:00Z"}, []),
        ({**MARCH, "singleEvents": True}, [FIRST, AFTER_CHANGE, "moved", "holiday"]),
        (
            {**MARCH, "singleEvents": True, "orderBy": "startTime"},
            [FIRST, "moved", "holiday", AFTER_CHANGE],
        ),
        (
            {**MARCH, "singleEvents": True, "showDeleted": True, "q": "standup"},
            [FIRST, AFTER_CHANGE, "moved"],
        ),
        ({"q": "ann STANDUP"}, ["standup"]),
        ({"q": '"the lake"'}, ["holiday"]),
        ({"q": "nothing of the kind"}, []),
        ({"iCalUID": "s@example.com"}, ["standup"]),
        ({"eventTypes": ["outOfOffice"]}, ["holiday"]),
        ({"eventTypes": ["default"]}, ["standup", "moved", "gone"]),
        ({"privateExtendedProperty": ["kind=rest"]}, ["holiday"]),
        ({"sharedExtendedProperty": ["x=1", "x=2"]}, []),
        ({"updatedMin": "2026-01-04T00:00:00Z"}, ["standup", "moved"]),
        (
            {"updatedMin": "2026-01-01T00:00:00Z", "orderBy": "updated"},
            ["dropped", "holiday", "gone", "moved", "standup"],
        ),
        (
            {"showHiddenInvitations": False, "singleEvents": False},
            ["standup", "moved", "gone", "holiday"],
        ),
    ],
)
def test_events_are_selected(over: Over, params: JsonObject, found: list[str]) -> None:
    assert [row["id"] for row in ask(over, EVENTS, **params)] == found


def test_an_instance_is_an_event_of_its_own(over: Over) -> None:
    first, later = ask(
        over,
        [STANDUP],
        singleEvents=True,
        timeMin="2026-03-20T00:00:00Z",
        timeMax="2026-03-31T00:00:00Z",
    )
    assert first["start"] == first["originalStartTime"] == at("2026-03-23T09:00:00+01:00")
    assert later["start"] == at("2026-03-30T09:00:00+02:00")
    assert later["end"] == at("2026-03-30T09:15:00+02:00")
    assert (later["recurringEventId"], "recurrence" in later) == ("standup", False)


def series(*recurrence: str, **fields: Json) -> JsonObject:
    day = {"start": {"date": "2026-03-01"}, "end": {"date": "2026-03-02"}}
    return {"id": "s", **day, "recurrence": [*recurrence], **fields}


TIMED: JsonObject = {
    "start": {"dateTime": "2026-03-01T10:00:00", "timeZone": ZURICH},
    "end": {"dateTime": "2026-03-01T11:00:00", "timeZone": ZURICH},
}


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (series("RRULE:FREQ=DAILY;COUNT=3"), ["s_20260301", "s_20260302", "s_20260303"]),
        (series("RRULE:FREQ=DAILY;UNTIL=20260302"), ["s_20260301", "s_20260302"]),
        (series("RDATE;VALUE=DATE:20260305,20260307"), ["s_20260301", "s_20260305", "s_20260307"]),
        (
            series("RRULE:FREQ=DAILY;COUNT=3", "EXDATE;VALUE=DATE:20260302"),
            ["s_20260301", "s_20260303"],
        ),
        (series("RRULE:FREQ=DAILY;COUNT=3", "EXRULE:FREQ=DAILY;INTERVAL=2"), ["s_20260302"]),
        (
            series("RRULE:FREQ=DAILY;UNTIL=20260302T090000Z", **TIMED),
            ["s_20260301T090000Z", "s_20260302T090000Z"],
        ),
        (series("RRULE:FREQ=DAILY;UNTIL=20260302T095959", **TIMED), ["s_20260301T090000Z"]),
        (series("RDATE:20260303T120000Z", **TIMED), ["s_20260301T090000Z", "s_20260303T120000Z"]),
    ],
)
def test_series_are_followed(over: Over, event: JsonObject, found: list[str]) -> None:
    assert [row["id"] for row in ask(over, [event], singleEvents=True)] == found


def test_a_series_moves_with_its_times() -> None:
    rules = ["RRULE:FREQ=DAILY;UNTIL=20260304T080000Z", "EXDATE;TZID=UTC:20260303T080000"]
    begins = {"dateTime": "2026-03-01T08:00:00Z", "timeZone": "UTC"}
    event = {"id": "s", "start": begins, "end": begins, "recurrence": rules}
    days = {**series("RRULE:FREQ=DAILY;UNTIL=20260302"), "id": "d"}
    generic = Generic(world_of(7, resources={"calendar:v3": {"events": [event, days]}}))
    params: JsonObject = {"calendarId": "c", "singleEvents": True}
    found = generic.get("calendar:v3", "calendar.events.list", **params)["items"]
    moved = ["s_20260308T080000Z", "s_20260309T080000Z", "s_20260311T080000Z"]
    assert [row["id"] for row in found] == [*moved, "d_20260301", "d_20260302"]


def test_a_series_without_an_end_is_followed_for_a_while(over: Over) -> None:
    generic = over(**{"calendar:v3": {"events": [series("RRULE:FREQ=DAILY")]}})
    params: JsonObject = {"calendarId": "c", "singleEvents": True, "maxResults": 1000}
    assert len(generic.get("calendar:v3", "calendar.events.list", **params)["items"]) == 730


@pytest.mark.parametrize(
    ("event", "params", "status", "words"),
    [
        (STANDUP, {"orderBy": "startTime"}, 400, "not available"),
        (STANDUP, {"orderBy": "summary"}, 400, "Bad Request"),
        (STANDUP, {"timeMin": MARCH["timeMax"], "timeMax": MARCH["timeMin"]}, 400, "is empty"),
        (STANDUP, {"timeMin": "2026-03-01"}, 400, "Bad Request"),
        (STANDUP, {"privateExtendedProperty": ["kind"]}, 400, "Bad Request"),
        (STANDUP, {"syncToken": "old"}, 410, "full sync"),
        (STANDUP, {"showHiddenInvitations": True}, 501, "hidden"),
        (series("RRULE:FREQ=SOMETIMES"), {"singleEvents": True}, 501, "cannot be read"),
        (series("EVERY DAY"), {"singleEvents": True}, 501, "no rule"),
        (series("RRULE:FREQ=DAILY", end=None), {"singleEvents": True}, 501, "no start and end"),
        (
            series("RRULE:FREQ=DAILY", start={"date": "2026-03-01", "timeZone": "No/Where"}),
            {"singleEvents": True},
            501,
            "no time zone",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(
    over: Over, event: JsonObject, params: JsonObject, status: int, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        ask(over, [event], **params)
    assert (caught.value.status, words in caught.value.message) == (status, True), caught.value


def test_events_without_times_are_listed_where_no_time_is_asked_for(over: Over) -> None:
    event: JsonObject = {"id": "e", "summary": "Some day"}
    assert ask(over, [event]) == [event]
    assert ask(over, [event], timeMin="2026-03-01T00:00:00Z") == []


def test_a_search_keeps_the_exceptions_of_a_series(over: Over) -> None:
    daily = {**series("RRULE:FREQ=DAILY;COUNT=3"), "id": "daily", "summary": "Standup"}
    moved = {
        "id": "moved",
        "summary": "Elsewhere",
        "recurringEventId": "daily",
        "originalStartTime": daily["start"],
        "start": daily["start"],
        "end": daily["end"],
    }
    for text, count in (("standup", 2), ("ELSE", 1), ('"stand up"', 0), ("", 3)):
        found = ask(over, [daily, moved], q=text, singleEvents=True)
        assert len(found) == count, text
