"""A month of three calendars, with every answer in whole."""

from datetime import timedelta
from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

TEAM, ROOM = "team@example.com", "c_1@resource.calendar.google.com"


def times(start: str, end: str, **more: Any) -> JsonObject:
    return {
        "start": {"dateTime": f"2026-03-{start}"},
        "end": {"dateTime": f"2026-03-{end}"},
        **more,
    }


EVENTS: list[JsonObject] = [
    {"id": "revue", **times("03T10:00:00Z", "03T11:00:00Z"), "summary": "Revue", "location": "Bern",
     "updated": "2026-03-01T00:00:00Z", "attendees": [{"email": ANN}, {"email": BO}],
     "extendedProperties": {"private": {"k": "v"}, "shared": {"s": "t"}}},
    {"id": "daily", "summary": "Stand up",
     **times("02T09:00:00+01:00", "02T09:15:00+01:00", recurrence=["RRULE:FREQ=DAILY;COUNT=5",
             "EXDATE;TZID=Europe/Zurich:20260304T090000", "RDATE:20260310T080000Z"]),
     "updated": "2026-02-01T00:00:00Z"},
    {"id": "daily_20260303T080000Z", "recurringEventId": "daily", "summary": "Sit down",
     "originalStartTime": {"dateTime": "2026-03-03T09:00:00+01:00"},
     **times("03T12:00:00Z", "03T12:15:00Z")},
    {"id": "fair", "summary": "Fair", "eventType": "outOfOffice", "transparency": "transparent",
     "start": {"date": "2026-03-05"}, "end": {"date": "2026-03-07"}},
    {"id": "gone", "status": "cancelled", **times("06T10:00:00Z", "06T11:00:00Z")},
]  # fmt: skip
EVENTS[1]["start"]["timeZone"] = EVENTS[1]["end"]["timeZone"] = "Europe/Zurich"
RESOURCES: JsonObject = {
    "calendars": [{"id": TEAM, "summary": "Team", "timeZone": "Europe/Zurich"}],
    "calendars/primary/events": EVENTS,
    f"calendars/{ROOM}/events": [{"id": "held", **times("09T09:00:00Z", "09T10:00:00Z")}],
    "users/me/calendarList": [
        {"id": TEAM, "colorId": "24", "hidden": True, "summaryOverride": "Us"}
    ],
}  # fmt: skip
HALL = "c_2@resource.calendar.google.com"
HALLS: JsonObject = {"calendars": [
    {"resourceId": "2", "resourceEmail": HALL, "resourceName": "Hall",
     "generatedResourceName": "H-1"},
]}  # fmt: skip
WEEK = {"timeMin": "2026-03-02T00:00:00Z", "timeMax": "2026-03-09T00:00:00Z"}
LISTS: tuple[JsonObject, ...] = (
    {}, WEEK, {**WEEK, "singleEvents": True}, {"orderBy": "size"},
    {**WEEK, "singleEvents": True, "orderBy": "startTime"},
    {"orderBy": "updated"}, {"orderBy": "startTime"}, {"showDeleted": True},
    {"singleEvents": True, "showDeleted": True}, {"maxResults": 2}, {"q": "stand"},
    {"q": '"stand up" bern'}, {"q": "bern revue bo admin"}, {"iCalUID": "none"},
    {"eventTypes": ["outOfOffice"]}, {"privateExtendedProperty": ["k=v"]}, {"timeMin": "soon"},
    {"privateExtendedProperty": ["k"]}, {"sharedExtendedProperty": ["s=x"]}, {"maxAttendees": 1},
    {"timeMin": "2026-03-03T10:59:59Z", "timeMax": "2026-03-03T12:00:00Z"},
    {"timeMin": "2026-03-03T11:00:00Z", "timeMax": "2026-03-03T12:00:01Z"},
    {"timeMin": "2026-03-03T11:00:00Z", "timeMax": "2026-03-03T11:00:00Z"},
    {"updatedMin": "2026-02-15T00:00:00Z"}, {"updatedMin": "x"}, {"showHiddenInvitations": True},
)  # fmt: skip


def scenario() -> Scenario:
    space = Workspace("calendar", "meet", **{"calendar:v3": RESOURCES, "admin:directory_v1": HALLS})

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        space.world.clock.advance(timedelta(minutes=1))
        if method.startswith(("events", "calendars", "acl")):
            params = {"calendarId": "primary", **params}
        answer = space.ask("calendar:v3", f"calendar.{method}", body, who, **params)
        if method == "events.list" and "maxResults" not in params:
            answer["items"] = " ".join(each["id"] for each in answer["items"])  # told by others
        return answer

    call = Scenario(ask, "legacy")
    _read(call)
    _write(call)
    _repeat(call)
    _invite(call)
    _arrange(call)
    return call


def _read(call: Scenario) -> None:
    for params in LISTS:
        call("events.list", **params)
    for ident in ("revue", "daily", "daily_20260305T080000Z", "daily_20260303T080000Z",
                  "daily_20260304T080000Z", "daily_x", "fair_20260305", "none"):  # fmt: skip
        call("events.get", eventId=ident)
    for params in ({}, {"originalStart": "2026-03-03T08:00:00Z"}, {"originalStart": "2026-03-02"},
                   {"timeMin": "2026-03-05T00:00:00Z"}, {"maxResults": 2},
                   {"showDeleted": True}):  # fmt: skip
        call("events.instances", eventId="daily", **params)
    call("events.instances", eventId="revue")
    items = [{"id": each} for each in (ANN, BO, ROOM, "sre@example.com", "none@example.org")]
    call("freebusy.query", {**WEEK, "items": items})
    for wrong in ({}, {**WEEK, "timeMax": WEEK["timeMin"]}, {**WEEK, "timeMin": "x"}):
        call("freebusy.query", wrong)
    call("freebusy.query", WEEK)
    call("settings.list")
    call("settings.list", syncToken="x")
    for name in ("timezone", "locale", "none"):
        call("settings.get", setting=name)


def _write(call: Scenario) -> None:
    token = call("events.list")["nextSyncToken"]
    lunch = times("10T12:00:00", "10T13:00:00", summary="Lunch")
    for place in ("start", "end"):
        lunch[place]["timeZone"] = "Europe/Zurich"
    made = call("events.insert", {**lunch, "kind": "x", "creator": {"email": BO}, "location": None})
    where = {"eventId": made["id"]}
    call("events.insert", {**lunch, "id": "lunch1"}, calendarId=TEAM)
    call("events.insert", {**lunch, "id": "lunch1"}, calendarId=TEAM)
    call("events.insert", lunch, calendarId="none@example.org")
    call("events.patch", {"summary": "Dinner", "etag": "x", "id": "y"}, **where)
    call("events.patch", {"start": {"date": "2026-03-10"}, "end": {"date": "2026-03-11"}}, **where)
    call("events.patch", {"location": "Here", "start": {"dateTime": None}}, **where)
    call("events.patch", times("10T12:00:00Z", "10T11:00:00Z"), **where)
    call("events.update", {**lunch, "description": "New"}, **where)
    call("events.update", {"summary": "No times"}, **where)
    call("events.patch", {"reminders": {"useDefault": False}}, **where)
    asked = {"conferenceData": {"createRequest": {"requestId": "1"}}}
    call("events.patch", asked, **where)
    call("events.patch", asked, **where, conferenceDataVersion=1)
    for uid in ("1@x", "1@x", ""):
        call("events.import", {**lunch, "iCalUID": uid, "organizer": {"email": CY}})
    call("events.move", **where, destination=TEAM)
    call("events.move", **where, destination=TEAM)
    call("events.move", eventId="daily_20260303T080000Z", destination=TEAM)
    call("events.move", eventId="daily", destination=TEAM)
    call("events.delete", eventId="lunch1", calendarId=TEAM)
    call("events.delete", eventId="lunch1", calendarId=TEAM)
    for text in ("Lunch with Bo on March 12 at 12:30", "Trip 2026-03-20", " "):
        call("events.quickAdd", text=text)
    changed = call("events.list", syncToken=token, maxResults=3)
    call("events.list", syncToken=token, maxResults=3, pageToken=changed["nextPageToken"])
    call("events.list", syncToken=token, q="x")
    call("events.list", syncToken="old")


def _repeat(call: Scenario) -> None:
    weekly = {"summary": "Week", **times("02T08:00:00Z", "02T08:30:00Z")}
    for place in ("start", "end"):
        weekly[place]["timeZone"] = "Europe/Zurich"
    rules = ["RRULE:FREQ=WEEKLY;UNTIL=20260330T063000Z"]
    ident = call("events.insert", {**weekly, "recurrence": rules})["id"]
    several = call("events.instances", eventId=ident)["items"]
    call("events.patch", {"summary": "Weak"}, eventId=several[1]["id"])
    call("events.delete", eventId=several[2]["id"])
    call("events.instances", eventId=ident)
    call("events.instances", eventId=ident, showDeleted=True)
    call("events.list", iCalUID=f"{ident}@google.com")
    call("events.list", singleEvents=True, timeMin="2026-03-09T00:00:00Z", orderBy="startTime")
    call("events.patch", {"recurrence": ["RRULE:FREQ=DAILY;COUNT=2"]}, eventId=ident)
    call("events.delete", eventId=ident)
    call("events.get", eventId=ident)
    holiday = {"start": {"date": "2026-03-02"}, "end": {"date": "2026-03-04"}}
    for rule in ("RRULE:FREQ=WEEKLY;COUNT=2", "RRULE:FREQ=YEARLY;UNTIL=20280302",
                 "RDATE;VALUE=DATE:20260401",
                 "EXRULE:FREQ=DAILY", "RRULE:FREQ=SOMETIMES", "RULE"):  # fmt: skip
        made = call("events.insert", {**holiday, "recurrence": [rule]})
        if "id" in made:
            call("events.instances", eventId=made["id"])


def _invite(call: Scenario) -> None:
    meeting = times("09T09:30:00Z", "09T10:30:00Z", summary="Meeting")
    guests = [{"email": each} for each in (BO, CY, ROOM, "x@example.org", "sre@example.com")]
    made = call("events.insert", {**meeting, "attendees": guests, "guestsCanModify": False})
    where = {"eventId": made["id"]}
    call("events.list", who=BO)
    call("events.patch", {"attendees": [{"email": BO, "responseStatus": "tentative"}],
                          "colorId": "3"}, who=BO, **where)  # fmt: skip
    call("events.patch", {"summary": "Mine"}, who=BO, **where)
    call("events.get", **where, maxAttendees=1)
    call("events.delete", who=CY, **where)
    call("events.get", **where)
    later = {"start": {"dateTime": "2026-03-09T10:00:00Z"}}
    call("events.patch", {**later, "attendees": [{"email": ROOM}, {"email": ANN}]}, **where)
    call("events.list", who=BO, showDeleted=True)
    call("events.list", calendarId=ROOM)
    for attendees in ([{"email": "x"}], [{"email": BO, "responseStatus": "perhaps"}], []):
        call("events.patch", {"attendees": attendees}, **where)
    call("events.delete", **where)
    call("events.list", calendarId=ROOM)


def _arrange(call: Scenario) -> None:
    call("calendarList.list")
    call("calendarList.list", showHidden=True, showDeleted=True)
    call("calendarList.list", who=BO, maxResults=1)
    for role in ("owner", "reader", "boss"):
        call("calendarList.list", minAccessRole=role)
    call("calendarList.list", showOwnOrganizationOnly=True)
    for ident in ("primary", TEAM, BO, HALL, "none"):
        call("calendarList.get", calendarId=ident)
        call("calendars.get", calendarId=ident)
    for color in ("0", "1", "24", "25", "x"):
        call("calendarList.patch", {"colorId": color}, calendarId=TEAM)
    call("calendarList.update", {"selected": False, "hidden": None}, calendarId=TEAM)
    call("calendarList.insert", {})
    call("calendarList.insert", {"id": "none@example.org"})
    made = call(
        "calendars.insert", {"summary": "Side", "location": "Ulm", "timeZone": "Asia/Tokyo"}
    )
    call("calendars.insert", {})
    where = {"calendarId": made["id"]}
    call("calendars.patch", {"description": "Text", "location": None, "id": "x"}, **where)
    for body in ({"role": "reader", "scope": {"type": "user", "value": BO}}, {"role": "king"},
                 {"role": "none", "scope": {"type": "default"}}, {"role": "reader"},
                 {"role": "writer", "scope": {"type": "domain"}}, {"role": "reader",
                  "scope": {"type": "domain", "value": "example.com"}}):  # fmt: skip
        call("acl.insert", body, **where)
    call("acl.list", **where)
    call("acl.list", **where, syncToken="x")
    for who in (BO, CY):
        call("calendarList.get", who=who, **where)
        call("calendars.patch", {"summary": "Mine"}, who=who, **where)
        call("events.insert", times("20T09:00:00Z", "20T10:00:00Z"), who=who, **where)
    for ident in (f"user:{BO}", "default", "user:none"):
        call("acl.get", **where, ruleId=ident)
        call("acl.patch", {"role": "writer"}, **where, ruleId=ident)
        call("acl.update", {"role": "king"}, **where, ruleId=ident)
        call("acl.delete", **where, ruleId=ident)
    call("acl.list", calendarId=TEAM)
    call("acl.get", calendarId=TEAM, ruleId=f"user:{ANN}")
    call("acl.insert", {"role": "freeBusyReader", "scope": {"type": "user", "value": CY}})
    call("acl.list")
    call("calendarList.delete", calendarId=TEAM)
    call("calendarList.get", calendarId=TEAM)
    call("calendarList.delete", calendarId="primary")
    call("calendars.delete")
    call("calendars.clear")
    call("events.list")
    call("calendars.delete", **where)
    call("calendars.get", **where)


def test_a_month_goes_as_it_was_written_down() -> None:
    check(__file__, scenario())
