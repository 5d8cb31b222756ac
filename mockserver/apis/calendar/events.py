"""Events: what is written for them, their instances and exceptions, invitations, moves, free times.

Every attendee with a calendar in the session has a copy of the event there, as the live API keeps
it; an answer in one copy is seen in all. Not verified: the words of refusals, which changes count
in `sequence`, and how the text of `quickAdd` is read where it tells no time.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mockserver.apis.calendar.calendars import (
    EVENTS,
    PRIMARY,
    access_role,
    address_of,
    calendar_key,
    find_calendar,
    key_of_user,
    own_email,
    require_calendar,
    time_zone,
)
from mockserver.apis.calendar.free_busy import busy_spans
from mockserver.apis.calendar.lists import (
    Window,
    arrange_events,
    expired_sync_token,
    instances_of,
    moment_of,
    refuse_unreadable,
    zone_info,
)
from mockserver.apis.calendar.quick_add import read_quick_text
from mockserver.collections import Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    duplicate,
    etag,
    invalid,
    list_page,
    not_found,
    parent_of,
)
from mockserver.googleapi.list_rules import UnservedError
from mockserver.googleapi.lists import changed_since, sync_token
from mockserver.model import JsonObject
from mockserver.state import all_member_ids, find_group, parse_rfc3339, rfc3339

_PAGES = PageRule(default=250, maximum=2500, size="maxResults")
_OWN = ("kind", "etag", "created", "updated", "creator", "organizer", "htmlLink", "iCalUID",
        "hangoutLink", "recurringEventId", "originalStartTime")  # fmt: skip
"""Fields that stay what they are when an event is written again."""
_OF_ATTENDEE = frozenset({"attendees", "reminders", "colorId", "transparency", "visibility"})
_OF_COPY = ("reminders", "colorId", "transparency", "visibility")
"""What each calendar has of its own in its copy of an event."""
_COUNTED = ("start", "end", "recurrence", "location", "status")
_NOT_WITH_TOKEN = frozenset({"iCalUID", "orderBy", "privateExtendedProperty", "q", "timeMin",
                             "sharedExtendedProperty", "timeMax", "updatedMin"})  # fmt: skip
_ANSWERS = ("needsAction", "declined", "tentative", "accepted")
_BY_SERIES = Index(
    lambda key, row: (
        ((parent_of(key, 1), str(row["recurringEventId"])),) if "recurringEventId" in row else ()
    )
)
_BY_ICAL = Index(lambda key, row: ((parent_of(key, 1), str(row.get("iCalUID", ""))),))


def _path(key: str, ident: str) -> str:
    return f"calendars/{key}/events/{ident}"


def _event_view(call: Call, key: str, row: JsonObject) -> JsonObject:
    """An event as answers show it: with what a fixture leaves out."""
    ident, owner = str(row.get("id", "")), address_of(call, key)
    eid = urlsafe_b64encode(f"{ident} {owner}".encode()).decode().rstrip("=")
    usual: JsonObject = {
        "kind": "calendar#event",
        "status": "confirmed",
        "htmlLink": f"https://www.google.com/calendar/event?eid={eid}",
        "creator": {"email": owner, "self": True},
        "organizer": {"email": owner, "self": True},
        "iCalUID": f"{row.get('recurringEventId') or ident}@google.com",
        "sequence": 0,
        "reminders": {"useDefault": True},
        "eventType": "default",
    }
    made = {**usual, **row}
    for name in ("creator", "organizer"):
        person = {each: value for each, value in made[name].items() if each != "self"}
        is_own = str(person.get("email")).casefold() == owner.casefold()
        made[name] = {**person, "self": True} if is_own else person
    if isinstance(made.get("attendees"), list):
        made["attendees"] = [
            {**each, "self": True} if str(each.get("email")).casefold() == owner.casefold()
            else {name: value for name, value in each.items() if name != "self"}
            for each in made["attendees"]
        ]  # fmt: skip
    if call.params.get("maxAttendees") and made.get("attendees"):
        made["attendees"] = made["attendees"][: int(call.params["maxAttendees"])]
        made["attendeesOmitted"] = True
    return {"etag": etag(made), **made}


# reading


def _find_event(call: Call, key: str, ident: str) -> JsonObject:
    """An event of a calendar, or the instance of a series.

    Raises:
        ApiError: 404; there is none.
    """
    table = call.world.table(EVENTS)
    found = table.get(_path(key, ident)) or table.get(_path("-", ident))
    if found is not None:
        return found
    series, _, suffix = ident.rpartition("_")
    row = table.get(_path(key, series)) or table.get(_path("-", series))
    if row is not None and row.get("recurrence"):
        for each in _instances_at(row, suffix):
            return each
    raise not_found("Not Found", name=ident)


def _instances_at(row: JsonObject, suffix: str) -> Iterator[JsonObject]:
    """The instance of a series whose id ends so.

    Yields:
        It, or nothing.
    """
    form = "%Y%m%dT%H%M%SZ" if "T" in suffix else "%Y%m%d"
    try:
        at = datetime.strptime(suffix, form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return
    day = 86_400.0
    for each in instances_of(row, Window(at - day, at + day)):
        if str(each["id"]).endswith(f"_{suffix}"):
            yield each


def _get_event(call: Call) -> JsonObject:
    key = require_calendar(call)
    return _event_view(call, key, _find_event(call, key, str(call.params["eventId"])))


def _list_events(call: Call) -> JsonObject:
    """Answers `events.list`; the last page has the token of a later sync.

    Raises:
        ApiError: 410 for a token that is none, or whose changes are forgotten.
    """
    key = call.params["calendarId"] = require_calendar(call)
    latest = call.world.history.latest
    if token := str(call.params.get("syncToken") or ""):
        answer = list_page(call, "items", _changed_events(call, key, token), _PAGES)
    else:
        answer = call.answer_by_conventions()
    head = _head(call, key)
    answer = {
        **head,
        **answer,
        "items": [_event_view(call, key, row) for row in answer.get("items", ())] or (),
    }
    if "nextPageToken" not in answer:
        answer["nextSyncToken"] = sync_token(key, latest)
    return answer


def _head(call: Call, key: str) -> JsonObject:
    calendar = find_calendar(call, key) or {}
    reminders = [{"method": "popup", "minutes": 10}] if key == PRIMARY else []
    names = ("summary", "description", "timeZone")
    told: JsonObject = {name: calendar[name] for name in names if name in calendar}
    now = rfc3339(call.world.clock.now())
    return {"kind": "calendar#events", "etag": etag({"latest": call.world.history.latest}), **told,
            "updated": now, "accessRole": access_role(call, key),
            "defaultReminders": reminders}  # fmt: skip


def _changed_events(call: Call, key: str, token: str) -> list[JsonObject]:
    """The events that changed since a token was given out, also those that are cancelled."""
    if wrong := _NOT_WITH_TOKEN.intersection(call.params):
        text = f"Sync token cannot be used with {', '.join(sorted(wrong))}."
        raise invalid(text, location="syncToken")
    changed = changed_since(call, key, token)
    if changed is None:
        raise expired_sync_token()
    path, table = f"calendars/{key}/events/", call.world.table(EVENTS)
    rows = [
        row if ident in table else {**row, "status": "cancelled"}
        for (name, ident), row in changed.items()
        if name == EVENTS and ident.startswith(path)
    ]
    params = {"singleEvents": call.params.get("singleEvents"), "showDeleted": True}
    return list(arrange_events(replace(call, params=params), rows))


def _list_instances(call: Call) -> JsonObject:
    key = require_calendar(call)
    ident, params = str(call.params["eventId"]), call.params
    row = _find_event(call, key, ident)
    if not row.get("recurrence"):
        raise invalid("Requested event is not a recurring event.", reason="notRecurring")
    rows = [row, *_exceptions(call, key, ident)]
    names = ("timeMin", "timeMax", "showDeleted")
    asked: JsonObject = {name: params[name] for name in names if name in params}
    several = arrange_events(replace(call, params={**asked, "singleEvents": True}), rows)
    if start := params.get("originalStart"):
        at = parse_rfc3339(str(start)).timestamp() if "T" in str(start) else None
        several = [
            each for each in several
            if (moment_of(each["originalStartTime"]) == at if at is not None
                else each["originalStartTime"].get("date") == start)
        ]  # fmt: skip
    several = sorted(several, key=lambda each: moment_of(each["originalStartTime"]))
    answer = list_page(call, "items", several, _PAGES, lambda each: _event_view(call, key, each))
    return {**_head(call, key), "items": (), **answer}


def _exceptions(call: Call, key: str, ident: str) -> list[JsonObject]:
    table = call.world.table(EVENTS)
    return [
        each
        for whose in (key, "-")
        for each in table.find(_BY_SERIES, (f"calendars/{whose}/events", ident))
    ]


# writing


def _checked_times(call: Call, key: str, row: JsonObject) -> JsonObject:
    """An event with whole times.

    Raises:
        ApiError: 400 for times and rules that are missing or cannot be.
    """
    for name in ("start", "end"):
        place = row.get(name)
        if not isinstance(place, dict) or not (place.get("dateTime") or place.get("date")):
            raise invalid(f"Missing {name} time.", reason="required")
        row = {**row, name: _whole_time(call, key, row, name)}
    try:
        empty = moment_of(row["start"]) > moment_of(row["end"])
        if row.get("recurrence"):
            next(iter(instances_of(row, Window(None, None))), None)
    except UnservedError as error:
        raise invalid(f"Invalid recurrence rule: {error}", reason="invalid") from error
    except ValueError as error:
        raise invalid("Bad Request", reason="badRequest") from error
    if empty:
        raise invalid("The specified time range is empty.", reason="timeRangeEmpty")
    return row


def _whole_time(call: Call, key: str, row: JsonObject, name: str) -> JsonObject:
    place = {each: value for each, value in row[name].items() if value is not None}
    try:
        zone = zone_info(place)
    except UnservedError as error:
        raise invalid(f"Invalid time zone definition for {name} time.") from error
    if "dateTime" not in place:
        return place
    text, told = str(place["dateTime"]), place.get("timeZone")
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid(f"Invalid value for {name} time.") from error
    if at.tzinfo is None and not told:
        raise invalid(f"Missing time zone definition for {name} time.", reason="required")
    if at.tzinfo is None:
        text = at.replace(tzinfo=zone).isoformat(timespec="seconds")
    return {"dateTime": text.replace("+00:00", "Z"), "timeZone": told or time_zone(call, key)}


def _put_event(call: Call, key: str, row: JsonObject) -> JsonObject:
    """Keep an event, and its copies in the calendars of those who are invited."""
    row = {**row, "updated": _now(call)}
    row.pop("etag", None)
    row = {**row, "etag": etag(row)}
    call.world.put(EVENTS, _path(key, str(row["id"])), row)
    for other in _copies(call, key, row):
        path = _path(other, str(row["id"]))
        held = call.world.table(EVENTS).get(path) or {}
        own = {name: held[name] for name in _OF_COPY if name in held}
        call.world.put(EVENTS, path, {**row, **own})
    return _event_view(call, key, row)


def _now(call: Call) -> str:
    return call.world.clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _organizer_key(call: Call, address: str) -> str:
    """The calendar of an organizer; an empty text for one from elsewhere."""
    key = calendar_key(call, address) if address else ""
    return key if key and find_calendar(call, key) is not None else ""


def _copies(call: Call, key: str, row: JsonObject) -> Iterator[str]:
    """The other calendars that an event is in: its organizer's, and those of its attendees.

    Yields:
        Keys, each once; an attendee who is a group stands for its members.
    """
    organizer = str((row.get("organizer") or {}).get("email", ""))
    found = {_organizer_key(call, organizer): None}
    for each in row.get("attendees") or ():
        address = str(each.get("email", ""))
        found[key_of_user(call, address) or _room_key(call, address)] = None
        group = find_group(call.world, address)
        for member in sorted(all_member_ids(call.world, str(group["id"]))) if group else ():
            found[key_of_user(call, member)] = None
    yield from (other for other in found if other and other != key)


def _attendees(call: Call, row: JsonObject) -> JsonObject:
    """An event whose attendees have answers; ApiError 400 for one without an address."""
    if not row.get("attendees"):
        return {name: each for name, each in row.items() if name != "attendees"}
    organizer = str((row.get("organizer") or {}).get("email", "")).casefold()
    found = []
    for each in row["attendees"]:
        if "@" not in str(each.get("email", "")):
            raise invalid("Invalid attendee email.", reason="invalid")
        is_organizer = str(each["email"]).casefold() == organizer
        found.append({
            "responseStatus": "needsAction", **each, **({"organizer": True} if is_organizer else {})
        })  # fmt: skip
        if found[-1]["responseStatus"] not in _ANSWERS:
            raise invalid("Invalid attendee responseStatus.", reason="invalid")
        if room := _room_key(call, str(each["email"])):
            found[-1] |= {"resource": True, "responseStatus": _answer_of_room(call, room, row)}
    return {**row, "attendees": found}


def _room_key(call: Call, address: str) -> str:
    """The calendar of a room or a thing that can be booked; an empty text for anybody else."""
    is_room = address.endswith("@resource.calendar.google.com")
    return address if is_room and find_calendar(call, address) is not None else ""


def _answer_of_room(call: Call, room: str, row: JsonObject) -> str:
    """What a room answers to an invitation: it comes where nothing else is in it."""
    first, last = (datetime.fromtimestamp(moment_of(row[x]), UTC) for x in ("start", "end"))
    last = max(last, first + timedelta(seconds=1))
    is_taken = any(busy_spans(call, room, first, last, str(row.get("id", ""))))
    return "declined" if is_taken else "accepted"


def _insert_event(call: Call) -> JsonObject:
    key, is_import = require_calendar(call, role="writer"), call.id.endswith("import")
    body = {name: value for name, value in call.body.items() if value is not None}
    if is_import and not body.get("iCalUID"):
        raise invalid("Missing iCalUID.", reason="required")
    if is_import:
        path = f"calendars/{key}/events"
        for known in call.world.table(EVENTS).find(_BY_ICAL, (path, str(body["iCalUID"]))):
            return _write(call, key, known, {**known, **body})
    return _add_event(call, key, body)


def _add_event(call: Call, key: str, body: JsonObject) -> JsonObject:
    ident = str(body.get("id") or call.world.ids.hex("event", 26))
    if not re.fullmatch(r"[a-v0-9_]{5,1024}", ident):
        raise invalid("Invalid resource id value.", reason="invalid")
    if _path(key, ident) in call.world.table(EVENTS):
        raise duplicate("The requested identifier already exists.")
    owner, calendar = address_of(call, key), find_calendar(call, key) or {}
    name = {} if key_of_user(call, owner) else {"displayName": calendar.get("summary", owner)}
    row: JsonObject = {
        "id": ident,
        "kind": "calendar#event",
        "status": "confirmed",
        "created": _now(call),
        "creator": {"email": own_email(call)},
        "organizer": {"email": owner, **name},
        "iCalUID": f"{ident}@google.com",
        "sequence": 0,
        "reminders": {"useDefault": True},
        "eventType": "default",
    }
    kept = {each: value for each, value in body.items() if each not in {"kind", "etag", "created"}}
    if not call.id.endswith("import"):
        kept.pop("creator", None)
        kept.pop("organizer", None)
    row = _with_conference(call, _attendees(call, _checked_times(call, key, {**row, **kept})))
    return _put_event(call, key, row)


def _with_conference(call: Call, row: JsonObject) -> JsonObject:
    """An event with the conference that it asks for, where the call can show one."""
    asked = (row.get("conferenceData") or {}).get("createRequest")
    if not asked or not int(call.params.get("conferenceDataVersion") or 0):
        return {name: each for name, each in row.items() if name != "conferenceData" or not asked}
    space = call.ask("meet.spaces.create", {}, {})
    code, link = str(space["meetingCode"]), str(space["meetingUri"])
    data = {
        "createRequest": {**asked, "status": {"statusCode": "success"}},
        "entryPoints": [{"entryPointType": "video", "uri": link, "label": link[8:]}],
        "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
        "conferenceId": code,
    }
    return {**row, "hangoutLink": link, "conferenceData": data}


def _change_event(call: Call) -> JsonObject:
    """Answers `events.patch` and `update`; of an instance it makes an exception of its series."""
    key = require_calendar(call, role="writer")
    before = _find_event(call, key, str(call.params["eventId"]))
    sent = {name: value for name, value in call.body.items() if name not in {"id", "etag", "kind"}}
    if call.id.endswith("update"):
        kept = {name: before[name] for name in ("id", "sequence", "eventType", *_OWN)
                if name in before}  # fmt: skip
        after = {"status": "confirmed", "reminders": {"useDefault": True}, **kept, **sent}
    else:
        merged = {
            name: {**before[name], **value}
            for name, value in sent.items()
            if isinstance(value, dict) and isinstance(before.get(name), dict)
        }
        after = {**before, **sent, **merged}
    for name in ("start", "end"):
        place = after.get(name)
        if isinstance(place, dict) and isinstance(sent.get(name), dict):
            other = {"date": "dateTime", "dateTime": "date"}
            gone = {other[each] for each in other if sent[name].get(each)}
            after[name] = {each: value for each, value in place.items()
                           if each not in gone and value is not None}  # fmt: skip
    return _write(call, key, before, {k: each for k, each in after.items() if each is not None})


def _write(call: Call, key: str, before: JsonObject, after: JsonObject) -> JsonObject:
    organizer = str((before.get("organizer") or {}).get("email") or address_of(call, key))
    is_guest = key_of_user(call, organizer) not in {"", key} and not before.get("guestsCanModify")
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if is_guest and changed - _OF_ATTENDEE:
        text = "Shared properties can only be changed by the organizer of the event."
        raise ApiError(403, text, reason="forbiddenForNonOrganizer", domain="calendar")
    after = _with_conference(call, _attendees(call, _checked_times(call, key, after)))
    counted = any(before.get(name) != after.get(name) for name in _COUNTED if name in changed)
    after["sequence"] = int(before.get("sequence") or 0) + counted
    for other in set(_copies(call, key, before)) - set(_copies(call, key, after)):
        _cancel(call, other, before)
    return _put_event(call, key, after)


def _cancel(call: Call, key: str, row: JsonObject) -> None:
    """Mark the copy of an event in a calendar as cancelled; the exceptions of a series go."""
    for each in _exceptions(call, key, str(row["id"])):
        call.world.delete(EVENTS, _path(key, str(each["id"])))
    gone = {**row, "status": "cancelled", "updated": _now(call)}
    gone.pop("etag", None)  # of what it was
    call.world.put(EVENTS, _path(key, str(row["id"])), gone)


def _delete_event(call: Call) -> None:
    """Answers `events.delete`: the event is cancelled; an attendee has declined it.

    Raises:
        ApiError: 410; it was deleted before.
    """
    key, ident = require_calendar(call, role="writer"), str(call.params["eventId"])
    row = _find_event(call, key, ident)
    if row.get("status") == "cancelled":
        raise ApiError(410, "Resource has been deleted", reason="deleted")
    if _path("-", ident) in call.world.table(EVENTS):
        call.world.delete(EVENTS, _path("-", ident))
    organizer = _organizer_key(call, str((row.get("organizer") or {}).get("email", ""))) or key
    copies = list(_copies(call, key, row))
    if organizer != key and organizer in copies:
        owner = address_of(call, key).casefold()
        attendees = [
            {**each, "responseStatus": "declined"}
            if str(each.get("email")).casefold() == owner
            else each
            for each in row.get("attendees") or ()
        ]
        _put_event(call, organizer, {**row, "attendees": attendees})
        _cancel(call, key, row)
        return
    for other in (key, *copies):
        _cancel(call, other, row)


def _move_event(call: Call) -> JsonObject:
    """Answers `events.move`: the event has another organizer."""
    key = require_calendar(call, role="writer")
    target = require_calendar(call, str(call.params["destination"]), role="writer")
    row = _find_event(call, key, str(call.params["eventId"]))
    if row.get("recurringEventId"):
        raise invalid("Cannot change the organizer of an instance.",
                      reason="cannotChangeOrganizerOfInstance")  # fmt: skip
    owner = address_of(call, target)
    calendar = find_calendar(call, target) or {}
    name = {} if key_of_user(call, owner) else {"displayName": calendar.get("summary", owner)}
    for each in (row, *_exceptions(call, key, str(row["id"]))):
        call.world.delete(EVENTS, _path(key, str(each["id"])))
        _put_event(call, target, {**each, "organizer": {"email": owner, **name}})
    return _event_view(call, target, _find_event(call, target, str(row["id"])))


def _quick_add(call: Call) -> JsonObject:
    key = require_calendar(call, role="writer")
    text = str(call.params.get("text") or "")
    if not text.strip():
        raise invalid("Missing text.", reason="required")
    zone = time_zone(call, key)
    now = call.world.clock.now().astimezone(zone_info({"timeZone": zone}))
    return _add_event(call, key, read_quick_text(text, now, zone))


HANDLERS: Mapping[str, Handler] = {
    f"calendar.events.{name}": refuse_unreadable(handler)
    for name, handler in {
        "list": _list_events,
        "get": _get_event,
        "instances": _list_instances,
        "insert": _insert_event,
        "import": _insert_event,
        "patch": _change_event,
        "update": _change_event,
        "delete": _delete_event,
        "move": _move_event,
        "quickAdd": _quick_add,
    }.items()
}
