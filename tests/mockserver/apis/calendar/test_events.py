"""What is written for events: invitations, series and their exceptions, moves, syncs, access."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import ANN, BO, Workspace

TEAM, ROOM = "team@example.com", "c_1@resource.calendar.google.com"
RESOURCES: JsonObject = {
    "calendar:v3": {
        "calendars": [{"id": TEAM, "summary": "Team", "timeZone": "Europe/Zurich"}],
        "calendars/primary/events": [
            {
                "id": "revue",
                "start": {"dateTime": "2026-03-03T10:00:00Z"},
                "end": {"dateTime": "2026-03-03T11:00:00Z"},
            }
        ],
    }
}
DAILY = ["RRULE:FREQ=DAILY"]
NOWHERE: JsonObject = {
    "dateTime": "2026-03-04T09:00:00+01:00",
    "timeZone": "W. Europe Standard Time",
}


class Calendar:
    """Asks Calendar; `calendarId` is the caller's own where it is not told."""

    def __init__(self) -> None:
        self.space = Workspace("calendar", **RESOURCES)

    def __call__(self, name: str, body: Any = None, who: str = ANN, **params: Any) -> Any:
        if not name.startswith(("calendarList", "settings", "colors", "freebusy")):
            params = {"calendarId": "primary", **params}
        return self.space.ask("calendar:v3", f"calendar.{name}", body, who, **params)

    def add(self, summary: str = "Sync", **more: Any) -> Any:
        return self("events.insert", event(summary, **more))

    def ids(self, **params: Any) -> list[str]:
        return [each["id"] for each in self("events.list", **params)["items"]]


def event(summary: str, **more: Any) -> JsonObject:
    times = {"start": {"dateTime": "2026-03-04T09:00:00Z"},
             "end": {"dateTime": "2026-03-04T09:30:00Z"}}  # fmt: skip
    return {"summary": summary, **times, **more}


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


def test_every_event_tells_whose_it_is_and_what_it_is(calendar: Calendar) -> None:
    made = calendar.add(attendees=[{"email": BO}, {"email": ANN}])
    for read in (made, calendar("events.get", eventId="revue")):
        assert read["organizer"] == read["creator"] == {"email": ANN, "self": True}
        assert read["iCalUID"] == f"{read['id']}@google.com"
        assert read["htmlLink"].startswith("https://www.google.com/calendar/event?eid=")
        assert (read["status"], read["sequence"], bool(read["etag"])) == ("confirmed", 0, True)
    assert [each["responseStatus"] for each in made["attendees"]] == ["needsAction"] * 2
    assert made["start"] == {"dateTime": "2026-03-04T09:00:00Z", "timeZone": "UTC"}


def test_an_invitation_is_in_the_calendars_of_those_who_are_invited(calendar: Calendar) -> None:
    ident = calendar.add(attendees=[{"email": BO}, {"email": "sre@example.com"}])["id"]
    assert calendar.ids(calendarId="cy@example.com") == [ident]
    answer = [{"email": BO, "responseStatus": "accepted"}, {"email": "sre@example.com"}]
    calendar("events.patch", {"attendees": answer, "colorId": "3"}, who=BO, eventId=ident)
    seen = calendar("events.get", eventId=ident)
    assert (seen["attendees"][0]["responseStatus"], seen.get("colorId")) == ("accepted", "3")
    with pytest.raises(ApiError, match="only be changed by the organizer"):
        calendar("events.patch", {"summary": "Mine"}, who=BO, eventId=ident)
    calendar("events.delete", who=BO, eventId=ident)
    assert calendar("events.get", eventId=ident)["attendees"][0]["responseStatus"] == "declined"
    assert calendar.ids(calendarId=BO) == []
    calendar("events.delete", eventId=ident)
    assert calendar("events.get", eventId=ident)["status"] == "cancelled"
    with pytest.raises(ApiError, match="deleted") as caught:
        calendar("events.delete", eventId=ident)
    assert caught.value.status == 410


def test_a_room_comes_where_nothing_else_is_in_it(calendar: Calendar) -> None:
    calendar.space.world.put("calendar:v3/calendars", f"calendars/{ROOM}", {"id": ROOM})
    answers = [
        calendar.add(attendees=[{"email": ROOM}])["attendees"][0]["responseStatus"]
        for _ in range(2)
    ]
    assert answers == ["accepted", "declined"]
    first, second = calendar("events.list", calendarId=ROOM)["items"]
    calendar("events.patch", {"summary": "Longer"}, eventId=first["id"])
    assert calendar("events.get", eventId=first["id"])["attendees"][0] == {
        "email": ROOM, "resource": True, "responseStatus": "accepted",
    }  # fmt: skip
    calendar("events.delete", eventId=first["id"])
    calendar("events.patch", {"summary": "Now"}, eventId=second["id"])
    seen = calendar("events.get", eventId=second["id"])
    assert seen["attendees"][0]["responseStatus"] == "accepted"


def test_a_series_has_instances_and_exceptions(calendar: Calendar) -> None:
    ident = calendar.add(recurrence=DAILY)["id"]
    week: dict[str, Any] = {"timeMin": "2026-03-09T00:00:00Z", "timeMax": "2026-03-12T00:00:00Z"}
    first, second, third = calendar("events.instances", eventId=ident, **week)["items"]
    calendar("events.patch", {"summary": "Long"}, eventId=first["id"])
    calendar("events.delete", eventId=second["id"])
    seen = calendar("events.list", singleEvents=True, orderBy="startTime", **week)["items"]
    assert [each["summary"] for each in seen] == ["Long", "Sync"]
    assert calendar("events.get", eventId=third["id"])["recurringEventId"] == ident
    one = calendar("events.instances", eventId=ident, originalStart="2026-03-09T09:00:00Z")
    assert [each["summary"] for each in one["items"]] == ["Long"]
    with pytest.raises(ApiError, match="Not Found"):
        calendar("events.get", eventId=f"{ident}_20260309T100000Z")
    calendar("events.delete", eventId=ident)
    assert calendar.ids(singleEvents=True, **week) == []


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("RRULE:FREQ=DAILY;INTERVAL=3", "2226-03-06"),
        ("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,FR", "2226-03-08"),
        ("RRULE:FREQ=MONTHLY;BYDAY=1SA", "2226-03-04"),
        ("RRULE:FREQ=YEARLY", "2226-03-04"),
    ],
)
def test_a_series_without_end_is_followed_from_near_the_window(
    calendar: Calendar, rule: str, found: str
) -> None:
    ident = calendar.add(recurrence=[rule])["id"]
    far = {"timeMin": "2226-03-03T10:00:00Z", "timeMax": "2226-04-01T00:00:00Z"}
    items = calendar("events.instances", eventId=ident, **far)["items"]
    assert items[0]["start"]["dateTime"][:10] == found


def test_a_sync_tells_what_changed(calendar: Calendar) -> None:
    token = calendar("events.list")["nextSyncToken"]
    made = calendar.add()
    calendar("events.delete", eventId="revue")
    changed = calendar("events.list", syncToken=token)
    told = [(each["id"], each["status"]) for each in changed["items"]]
    assert told == [(made["id"], "confirmed"), ("revue", "cancelled")]
    assert calendar("events.list", syncToken=changed["nextSyncToken"])["items"] == ()
    for params, status in (({"syncToken": "old"}, 410), ({"syncToken": token, "q": "x"}, 400)):
        with pytest.raises(ApiError) as caught:
            calendar("events.list", **params)
        assert caught.value.status == status


def test_an_event_moves_to_another_calendar(calendar: Calendar) -> None:
    calendar("events.move", eventId="revue", destination=TEAM)
    assert (calendar.ids(), calendar.ids(calendarId=TEAM)) == ([], ["revue"])
    (moved,) = calendar("events.list", calendarId=TEAM)["items"]
    assert moved["organizer"] == {"email": TEAM, "displayName": "Team", "self": True}


def test_free_and_busy_times_are_joined(calendar: Calendar) -> None:
    calendar.add(attendees=[{"email": BO}])
    calendar.add(
        start={"dateTime": "2026-03-04T09:30:00Z"}, end={"dateTime": "2026-03-04T10:00:00Z"}
    )
    calendar.add(transparency="transparent")
    calendar.add(attendees=[{"email": BO, "responseStatus": "declined"}])
    items = [{"id": each} for each in ("primary", BO, "sre@example.com", "who@example.org")]
    body = {"timeMin": "2026-03-04T00:00:00Z", "timeMax": "2026-03-05T00:00:00Z", "items": items}
    told = calendar("freebusy.query", body)
    busy = told["calendars"]
    assert busy["primary"]["busy"] == [
        {"start": "2026-03-04T09:00:00Z", "end": "2026-03-04T10:00:00Z"}
    ]
    assert busy[BO]["busy"][0]["end"] == "2026-03-04T09:30:00Z"
    assert told["groups"] == {"sre@example.com": {"calendars": ["cy@example.com"]}}
    body = {**body, "timeMin": "2026-03-08T00:00:00Z", "timeMax": "2026-03-09T00:00:00Z"}
    assert calendar("freebusy.query", body)["calendars"][BO] == {"busy": ()}
    assert busy["who@example.org"]["errors"] == [{"domain": "global", "reason": "notFound"}]


@pytest.mark.parametrize(
    ("text", "summary", "start", "end"),
    [
        ("Lunch with Bo tomorrow at 12:30pm", "Lunch with Bo", "2026-03-03T12:30", "13:30"),
        ("Call 3-4pm on Friday", "Call", "2026-03-06T15:00", "16:00"),
        ("Review March 5 10:00 for 30 minutes", "Review", "2026-03-05T10:00", "10:30"),
        ("Trip 2026-04-01", "Trip", "2026-04-01", "2026-04-02"),
        ("Party 5 January", "Party", "2027-01-05", "2027-01-06"),
        ("Tea at 8", "Tea", "2026-03-03T08:00", "09:00"),
        ("Ship it", "Ship it", "2026-03-02T09:00", "10:00"),
        ("May 40", "May 40", "2026-03-02T09:00", "10:00"),
    ],
)
def test_a_quick_text_is_read(
    calendar: Calendar, text: str, summary: str, start: str, end: str
) -> None:
    made = calendar("events.quickAdd", text=text)
    begins, ends = (made[name].get("dateTime") or made[name]["date"] for name in ("start", "end"))
    assert (made["summary"], begins.startswith(start), end in ends) == (summary, True, True), made


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"end": None}, "Missing end"),
        ({"start": {"dateTime": "2026-03-05T09:00:00Z"}}, "range is empty"),
        ({"start": {"dateTime": "2026-03-04T09:00:00"}}, "Missing time zone"),
        ({"start": {"dateTime": "noon"}}, "Invalid value for start"),
        ({"start": {"date": "soon"}}, "Bad Request"),
        ({"start": NOWHERE}, "Invalid time zone definition for start time"),
        ({"end": NOWHERE}, "Invalid time zone definition for end time"),
        ({"end": {"date": "2026-03-05", "timeZone": "Europe"}}, "Invalid time zone definition"),
        ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "Invalid recurrence rule"),
        ({"attendees": [{"email": "bo"}]}, "attendee email"),
        ({"attendees": [{"email": BO, "responseStatus": "maybe"}]}, "responseStatus"),
        ({"id": "NO"}, "Invalid resource id"),
        ({"id": "revue"}, "already exists"),
    ],
)
def test_events_that_cannot_be_are_refused(
    calendar: Calendar, body: JsonObject, words: str
) -> None:
    with pytest.raises(ApiError, match=words):
        calendar("events.insert", {**event("x"), "id": "revue1", **body})


def test_a_time_zone_that_is_none_is_refused(calendar: Calendar) -> None:
    sent = {"summary": "Side", "timeZone": NOWHERE["timeZone"]}
    for name in ("insert", "patch", "update"):
        with pytest.raises(ApiError, match="Invalid time zone") as caught:
            calendar(f"calendars.{name}", sent)
        assert (caught.value.status, caught.value.reason) == (400, "invalid")
    calendar("calendarList.patch", sent, calendarId="primary")
    assert calendar("calendarList.get", calendarId="primary")["timeZone"] == "UTC"


def test_a_fixture_with_a_time_zone_that_is_none_is_told(calendar: Calendar) -> None:
    world, series = calendar.space.world, event("x", id="lost", start=NOWHERE, recurrence=DAILY)
    world.put("calendar:v3/calendars", "calendars/primary", {"timeZone": NOWHERE["timeZone"]})
    world.put("calendar:v3/events", "calendars/primary/events/lost", series)
    week = {"timeMin": "2026-03-04T00:00:00Z", "timeMax": "2026-03-05T00:00:00Z"}
    asked: tuple[tuple[str, Any, JsonObject], ...] = (
        ("events.quickAdd", None, {"text": "Lunch at 9"}),
        ("events.get", None, {"eventId": "lost_20260304T080000Z"}),
        ("events.instances", None, {"eventId": "lost"}),
        ("events.list", None, {"singleEvents": True}),
        ("freebusy.query", {**week, "items": [{"id": "primary"}]}, {}),
    )
    for name, body, params in asked:
        with pytest.raises(ApiError, match="Time' is no time zone") as caught:
            calendar(name, body, **params)
        assert caught.value.status == 501


def test_a_conference_is_made_and_an_import_comes_once(calendar: Calendar) -> None:
    asked = {"createRequest": {"requestId": "1"}}
    made = calendar("events.insert", event("x", conferenceData=asked), conferenceDataVersion=1)
    assert made["hangoutLink"] == made["conferenceData"]["entryPoints"][0]["uri"]
    for summary in ("One", "Two"):
        calendar("events.import", event(summary, iCalUID="1@x"), calendarId=TEAM)
    assert [each["summary"] for each in calendar("events.list", calendarId=TEAM)["items"]] == [
        "Two"
    ]
    whole = calendar("events.update", event("Three"), eventId=made["id"])
    assert (whole["iCalUID"], "conferenceData" in whole) == (made["iCalUID"], False)


def test_calendars_are_listed_made_shared_and_removed(calendar: Calendar) -> None:
    listed = calendar("calendarList.list")["items"]
    assert [(each["id"], each.get("primary")) for each in listed] == [(ANN, True), (TEAM, None)]
    assert calendar("calendarList.get", calendarId="primary")["timeZone"] == "UTC"
    ident = calendar("calendars.insert", {"summary": "Side", "timeZone": "Asia/Tokyo"})["id"]
    with pytest.raises(ApiError, match="Not Found"):
        calendar("events.list", who=BO, calendarId=ident)
    rule = {"role": "reader", "scope": {"type": "user", "value": BO}}
    made = calendar("acl.insert", rule, calendarId=ident)
    assert len(calendar("acl.list", calendarId=ident)["items"]) == 2
    for shown in ("calendarList.get", "events.list"):
        assert calendar(shown, who=BO, calendarId=ident)["accessRole"] == "reader"
    several = calendar("calendarList.list", who=BO, minAccessRole="owner")["items"]
    assert ident not in {each["id"] for each in several}
    for name, value, words in (
        ("minAccessRole", "boss", "boss"),
        ("syncToken", "old", "full sync"),
    ):
        with pytest.raises(ApiError, match=words):
            calendar("calendarList.list", **{name: value})
    with pytest.raises(ApiError, match="writer access"):
        calendar("events.insert", event("x"), who=BO, calendarId=ident)
    calendar("acl.patch", {"role": "writer"}, calendarId=ident, ruleId=made["id"])
    calendar("events.insert", event("x"), who=BO, calendarId=ident)
    calendar("calendarList.patch", {"colorId": "2"}, calendarId=ident)
    assert calendar("calendarList.get", calendarId=ident)["backgroundColor"] == "#d06b64"
    calendar("calendarList.delete", calendarId=TEAM)
    assert TEAM not in {each["id"] for each in calendar("calendarList.list")["items"]}
    calendar("calendarList.insert", {"id": TEAM})
    calendar("calendars.patch", {"summary": "Other"}, calendarId=ident)
    assert calendar("calendars.get", calendarId=ident)["summary"] == "Other"
    calendar("acl.delete", calendarId=ident, ruleId=made["id"])
    calendar("calendars.delete", calendarId=ident)
    calendar("calendars.clear")
    assert calendar.ids() == []
    for refused in ("calendars.delete", "calendarList.delete"):
        with pytest.raises(ApiError, match="primary"):
            calendar(refused, calendarId="primary")


def test_settings_and_colors_are_told(calendar: Calendar) -> None:
    assert calendar("settings.get", setting="timezone")["value"] == "UTC"
    assert len(calendar("settings.list")["items"]) == 12
    assert calendar("colors.get")["event"]["11"]["background"] == "#dc2127"
    with pytest.raises(ApiError):
        calendar("settings.get", setting="none")
