"""Calendars: which there are, whose they are, what their owners keep of them, who may see them.

The calendar `primary` is that of the session's first account, and of callers that are no users of
the session (service accounts); every other user has one of its address. A calendar whose rules of
access are not told is seen by all callers: a fixture that gives no rules hides nothing. Not
verified: the words of refusals.
"""

from collections.abc import Mapping

import orjson

from mockserver.apis.calendar.lists import expired_sync_token, zone_info
from mockserver.collections import LAST
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    by_parent,
    etag,
    invalid,
    list_page,
    not_found,
    not_honoured,
)
from mockserver.googleapi.list_rules import UnservedError, field_of
from mockserver.model import JsonObject
from mockserver.state import admin_email, find_user

CALENDARS, CALENDAR_LIST = "calendar:v3/calendars", "calendar:v3/calendarList"
ACL, EVENTS, SETTINGS = "calendar:v3/acl", "calendar:v3/events", "calendar:v3/settings"
_ROOMS = "admin:directory_v1/calendars"
PRIMARY = "primary"
_PAGES = PageRule(default=100, maximum=250, size="maxResults")
_ROLES = ("freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")
_SETTINGS = {
    "autoAddHangouts": "true", "dateFieldOrder": "MDY", "defaultEventLength": "60",
    "format24HourTime": "false", "hideInvitations": "false", "hideWeekends": "false",
    "locale": "en", "remindOnRespondedEventsOnly": "false", "showDeclinedEvents": "true",
    "timezone": "UTC", "useKeyboardShortcuts": "true", "weekStart": "0",
}  # fmt: skip
_EVENT_COLORS = [
    "a4bdfc",
    "7ae7bf",
    "dbadff",
    "ff887c",
    "fbd75b",
    "ffb878",
    "46d6db",
    "e1e1e1",
    "5484ed",
    "51b749",
    "dc2127",
]
_CALENDAR_COLORS = [
    "ac725e",
    "d06b64",
    "f83a22",
    "fa573c",
    "ff7537",
    "ffad46",
    "42d692",
    "16a765",
    "7bd148",
    "b3dc6c",
    "fbe983",
    "fad165",
    "92e1c0",
    "9fe1e7",
    "9fc6e7",
    "4986e7",
    "9a9cff",
    "b99aff",
    "c2c2c2",
    "cabdbf",
    "cca6ac",
    "f691b2",
    "cd74e6",
    "a47ae2",
]


def own_email(call: Call) -> str:
    """The address of the caller's primary calendar."""
    mine = call.caller.email
    return mine if find_user(call.world, mine) is not None else admin_email(call.world)


def key_of_user(call: Call, address: str) -> str:
    """The key of a user's primary calendar, or an empty text for somebody from elsewhere."""
    if address.casefold() == admin_email(call.world).casefold():
        return PRIMARY
    user = find_user(call.world, address)
    return "" if user is None else str(user["primaryEmail"])


def calendar_key(call: Call, ident: str) -> str:
    """The key of the calendar that an id of a call means."""
    return key_of_user(call, own_email(call) if ident == PRIMARY else ident) or ident


def address_of(call: Call, key: str) -> str:
    """The id that a calendar has in answers."""
    return admin_email(call.world) if key == PRIMARY else key


def time_zone(call: Call, key: str = PRIMARY) -> str:
    """The time zone of a calendar, or of the caller."""
    settings = call.world.table(SETTINGS)
    row = call.world.table(CALENDARS).get(f"calendars/{key}") or {}
    kept = call.world.table(CALENDAR_LIST).get(_entry_key(call, key)) or {}
    told = settings.get("users/me/settings/timezone") or {}
    return str(row.get("timeZone") or kept.get("timeZone") or told.get("value") or "UTC")


def find_calendar(call: Call, key: str) -> JsonObject | None:
    """A calendar; that of a user, and one that has events, need not be in the snapshot."""
    table, ident = call.world.table(CALENDARS), address_of(call, key)
    row = table.get(f"calendars/{key}") or table.get(f"calendars/{ident}")
    if row is None and not key_of_user(call, ident):
        kept = call.world.table(CALENDAR_LIST).get(_entry_key(call, key))
        events = call.world.table(EVENTS)
        held = [("calendars/-/events",), (f"calendars/{key}/events",)]
        row = kept or _room(call, ident)
        if row is None and not any(events.find(by_parent(1), each) for each in held):
            return None
    names = ("summary", "description", "location", "timeZone", "conferenceProperties")
    told = {name: (row or {})[name] for name in names if name in (row or {})}
    usual = {"conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]}}
    made = {"kind": "calendar#calendar", "id": ident, "summary": ident,
            "timeZone": time_zone(call, key), **usual, **told}  # fmt: skip
    return {"etag": etag(made), **made}


def _room(call: Call, address: str) -> JsonObject | None:
    """The calendar of a room or a thing that the Directory has; None for another address."""
    rooms = call.world.table(_ROOMS)
    found = field_of("resourceEmail").equal(rooms, [address]).places()
    if not found:
        return None
    room = rooms.get(found[0][2]) or {}
    return {"summary": room.get("generatedResourceName") or room.get("resourceName") or address}


def require_calendar(call: Call, ident: str = "", *, role: str = "freeBusyReader") -> str:
    """The key of the calendar that a call names.

    Raises:
        ApiError: 404; there is none, or the caller may not know of it. 403 for too low a role.
    """
    ident = ident or str(call.params["calendarId"])
    key = calendar_key(call, ident)
    if find_calendar(call, key) is None or not (own := access_role(call, key)):
        raise not_found("Not Found", name=ident)
    if _ROLES.index(own) < _ROLES.index(role):
        text = "You need to have writer access to this calendar."
        raise ApiError(403, text, reason="requiredAccessLevel", domain="calendar")
    return key


def access_role(call: Call, key: str) -> str:
    """What the caller may do with a calendar; an empty text for nothing."""
    mine = own_email(call)
    if key == key_of_user(call, mine):
        return "owner"
    rules = {
        (str(scope.get("type")), str(scope.get("value", "")).casefold()): str(row.get("role"))
        for row in call.world.table(ACL).find(by_parent(1), (f"calendars/{key}/acl",))
        if isinstance(scope := row.get("scope"), dict)
    }
    if not rules:  # others' calendars are told to all of a domain, where anybody asks who may
        is_others = call.permits and key_of_user(call, address_of(call, key))
        return "reader" if is_others else "owner"
    wanted = (("user", mine.casefold()), ("domain", mine.partition("@")[2].casefold()),
              ("default", ""))  # fmt: skip
    found = [rules[each] for each in wanted if rules.get(each) in _ROLES]
    return max(found, key=_ROLES.index, default="")


# calendars


def _get_calendar(call: Call) -> JsonObject:
    return find_calendar(call, require_calendar(call)) or {}


def _insert_calendar(call: Call) -> JsonObject:
    """Answers `calendars.insert`: the calendar is the caller's, and in the caller's list."""
    if not call.body.get("summary"):
        raise invalid("Missing title.", reason="required")
    _check_zone(call)
    key = f"c_{call.world.ids.hex('calendar', 32)}@group.calendar.google.com"
    row = {**call.body, "id": key}
    call.world.put(CALENDARS, f"calendars/{key}", row)
    _put_rule(call, key, {"role": "owner", "scope": {"type": "user", "value": own_email(call)}})
    return find_calendar(call, key) or {}


def _check_zone(call: Call) -> None:
    try:
        zone_info(call.body)
    except UnservedError as error:
        raise invalid("Invalid time zone.") from error


def _change_calendar(call: Call) -> JsonObject:
    key = require_calendar(call, role="owner")
    _check_zone(call)
    path = f"calendars/{key}"
    before = call.world.table(CALENDARS).get(path) or {"id": address_of(call, key)}
    row = {**before, **call.body, "id": before["id"]}
    call.world.put(CALENDARS, path, {name: each for name, each in row.items() if each is not None})
    return find_calendar(call, key) or {}


def _remove_calendar(call: Call) -> None:
    """Answers `calendars.delete` and `clear`: of a primary calendar only the events can go."""
    key = require_calendar(call, role="owner")
    is_user = bool(key_of_user(call, address_of(call, key)))
    if call.id.endswith("delete") and is_user:
        raise invalid("Cannot delete a primary calendar.", reason="cannotDeletePrimaryCalendar")
    tables = [EVENTS] if call.id.endswith("clear") else [EVENTS, ACL]
    for name in tables:
        path = f"calendars/{key}/{name.rpartition('/')[2]}"
        for each in list(call.world.table(name).find(by_parent(1), (path,)).row_keys()):
            call.world.delete(name, each)
    if call.id.endswith("delete"):
        call.world.delete(CALENDARS, f"calendars/{key}")
        call.world.delete(CALENDAR_LIST, _entry_key(call, key))


# lists of calendars


def _entry_key(call: Call, key: str) -> str:
    mine = key_of_user(call, own_email(call))
    own = "me" if mine == PRIMARY else mine
    return f"users/{own}/calendarList/{key}"


def _entry(call: Call, key: str) -> JsonObject | None:
    """A calendar as it is in the caller's list; None where it is not there."""
    found, role = find_calendar(call, key), access_role(call, key)
    kept = call.world.table(CALENDAR_LIST).get(_entry_key(call, key)) or {}
    if found is None or not role or (kept.get("deleted") and not call.params.get("showDeleted")):
        return None
    color = str(kept.get("colorId") or "14")
    more = {name: each for name, each in kept.items() if name not in {"etag", "kind", "id"}}
    is_own = key == key_of_user(call, own_email(call))
    reminders = [{"method": "popup", "minutes": 10}] if is_own else []
    number = int(color) if color.isdecimal() and 0 < int(color) <= len(_CALENDAR_COLORS) else 14
    entry: JsonObject = {
        **found,
        "kind": "calendar#calendarListEntry",
        "colorId": color,
        "backgroundColor": f"#{_CALENDAR_COLORS[number - 1]}",
        "foregroundColor": "#000000",
        "selected": True,
        "accessRole": role,
        "defaultReminders": reminders,
        **({"primary": True} if is_own else {}),
        **more,
    }
    return {**entry, "etag": etag(entry)}


def _list_entries(call: Call) -> JsonObject:
    """Answers `calendarList.list`: the primary calendar, and those that the caller may see."""
    params = call.params
    if params.get("syncToken"):
        raise expired_sync_token()
    if params.get("showOwnOrganizationOnly"):
        url = "www.googleapis.com/calendar/v3/users/me/calendarList?showOwnOrganizationOnly=true"
        body = {"items": [{"id": "example"}]}
        stub = orjson.dumps({"http": [{"method": "GET", "url": url, "body": body}]}).decode()
        why = "'showOwnOrganizationOnly' cannot be honoured: calendars tell no organization"
        raise not_honoured(call.id, why, stub)
    mine = key_of_user(call, own_email(call))
    own = _entry_key(call, "")
    kept = call.world.table(CALENDAR_LIST).rows()
    keys = {mine: None, **{key.removeprefix(own): None for key in kept if key.startswith(own)}}
    for path in call.world.table(CALENDARS).rows():
        key = calendar_key(call, path.removeprefix("calendars/"))
        if key == mine or not key_of_user(call, address_of(call, key)):
            keys[key] = None
    wanted = str(params.get("minAccessRole") or _ROLES[0])
    if wanted not in _ROLES:
        raise invalid(f"Invalid value: {wanted}", location="minAccessRole")
    least = _ROLES.index(wanted)
    rows = [
        row
        for key in keys
        if (row := _entry(call, key)) is not None
        and (params.get("showHidden") is True or not row.get("hidden"))
        and _ROLES.index(str(row["accessRole"])) >= least
    ]
    head = {"kind": "calendar#calendarList", "etag": etag(rows)}
    answer = list_page(call, "items", rows, _PAGES, None, head)
    return {"items": (), **answer}


def _get_entry(call: Call) -> JsonObject:
    ident = str(call.params["calendarId"])
    found = _entry(call, calendar_key(call, ident))
    if found is None:
        raise not_found("Not Found", name=ident)
    return found


def _put_entry(call: Call) -> JsonObject:
    """Answers `calendarList.insert`, `patch` and `update`: what the caller keeps of a calendar."""
    ident = str(call.params.get("calendarId") or call.body.get("id") or "")
    key = require_calendar(call, ident) if ident else ""
    if not key:
        raise invalid("Missing calendar id.", reason="required")
    path = _entry_key(call, key)
    before = {} if call.id.endswith("update") else call.world.table(CALENDAR_LIST).get(path) or {}
    sent = {name: each for name, each in call.body.items() if name != "timeZone"}  # the calendar's
    row = {**before, **sent, "id": address_of(call, key)}
    row = {name: each for name, each in row.items() if each is not None and name != "deleted"}
    call.world.put(CALENDAR_LIST, path, row)
    return _entry(call, key) or {}


def _delete_entry(call: Call) -> None:
    """Answers `calendarList.delete`: the calendar stays, and is no longer in the list."""
    ident = str(_get_entry(call)["id"])
    key = calendar_key(call, ident)
    if key == key_of_user(call, own_email(call)):
        text = "Cannot delete a primary calendar from the list."
        raise invalid(text, reason="cannotDeletePrimaryCalendar")
    call.world.put(CALENDAR_LIST, _entry_key(call, key), {"id": ident, "deleted": True})


# rules of access


def _rule_id(scope: JsonObject) -> str:
    kind = str(scope.get("type"))
    return kind if kind == "default" else f"{kind}:{scope.get('value', '')}"


def _put_rule(call: Call, key: str, row: JsonObject) -> JsonObject:
    made = {"kind": "calendar#aclRule", "id": _rule_id(row["scope"]), **row}
    made = {**made, "etag": etag(made)}
    call.world.put(ACL, f"calendars/{key}/acl/{made['id']}", made)
    return made


def _insert_rule(call: Call) -> JsonObject:
    key, scope = require_calendar(call, role="owner"), call.body.get("scope") or {}
    if call.body.get("role") not in {*_ROLES, "none"}:
        raise invalid("Invalid role.", location="role")
    if not scope.get("type") or (scope["type"] != "default" and not scope.get("value")):
        raise invalid("Missing scope.", reason="required")
    _keep_owner(call, key)
    return _put_rule(call, key, {name: call.body[name] for name in ("role", "scope")})


def _keep_owner(call: Call, key: str) -> None:
    """Write down that whoever gives access to a calendar is its owner."""
    if not call.world.table(ACL).find(by_parent(1), (f"calendars/{key}/acl",)):
        owner = address_of(call, key) if key_of_user(call, address_of(call, key)) else ""
        scope = {"type": "user", "value": owner or own_email(call)}
        _put_rule(call, key, {"role": "owner", "scope": scope})


def _list_rules(call: Call) -> JsonObject:
    key = require_calendar(call)
    if call.params.get("syncToken"):
        raise expired_sync_token()
    path = f"calendars/{key}/acl"
    found = call.world.table(ACL).between(by_parent(1), (path,), (path, LAST))
    rows = found or [_owner_rule(call, key)]
    head = {"kind": "calendar#acl", "etag": etag({"id": path, "count": len(rows)})}
    return list_page(call, "items", rows, _PAGES, None, head)


def _owner_rule(call: Call, key: str) -> JsonObject:
    owner = address_of(call, key) if key_of_user(call, address_of(call, key)) else own_email(call)
    made: JsonObject = {"kind": "calendar#aclRule", "id": f"user:{owner}", "role": "owner",
                        "scope": {"type": "user", "value": owner}}  # fmt: skip
    return {**made, "etag": etag(made)}


def _get_rule(call: Call) -> JsonObject:
    key, ident = require_calendar(call), str(call.params["ruleId"])
    found = call.world.table(ACL).get(f"calendars/{key}/acl/{ident}")
    owner = _owner_rule(call, key)
    if found is None and ident != owner["id"]:
        raise not_found("Not Found", name=ident)
    return found or owner


def _change_rule(call: Call) -> JsonObject:
    key, row = require_calendar(call, role="owner"), _get_rule(call)
    if "role" in call.body and call.body["role"] not in {*_ROLES, "none"}:
        raise invalid("Invalid role.", location="role")
    kept = {name: row[name] for name in ("role", "scope")}
    return _put_rule(call, key, {**kept, "role": call.body.get("role", row["role"])})


def _delete_rule(call: Call) -> None:
    key, row = require_calendar(call, role="owner"), _get_rule(call)
    call.world.delete(ACL, f"calendars/{key}/acl/{row['id']}")


# settings and colours


def _setting(call: Call, name: str) -> JsonObject | None:
    row = call.world.table(SETTINGS).get(f"users/me/settings/{name}")
    value = (row or {}).get("value", _SETTINGS.get(name))
    value = time_zone(call) if name == "timezone" else value
    if value is None:
        return None
    made: JsonObject = {"kind": "calendar#setting", "id": name, "value": value}
    return {**made, "etag": etag(made)}


def _list_settings(call: Call) -> JsonObject:
    if call.params.get("syncToken"):
        raise expired_sync_token()
    rows = [_setting(call, name) for name in _SETTINGS]
    head = {"kind": "calendar#settings", "etag": etag(rows)}
    return list_page(call, "items", rows, _PAGES, None, head)


def _get_setting(call: Call) -> JsonObject:
    name = str(call.params["setting"])
    found = _setting(call, name)
    if found is None:
        raise not_found("Not Found", name=name)
    return found


def _get_colors(call: Call) -> JsonObject:
    def colors(values: list[str], ink: str) -> JsonObject:
        return {
            str(number): {"background": f"#{each}", "foreground": ink}
            for number, each in enumerate(values, 1)
        }

    return {
        "kind": "calendar#colors",
        "updated": "2012-02-14T00:00:00.000Z",
        "calendar": colors(_CALENDAR_COLORS, "#1d1d1d"),
        "event": colors(_EVENT_COLORS, "#1d1d1d"),
    }


HANDLERS: Mapping[str, Handler] = {
    "calendar.calendars.get": _get_calendar,
    "calendar.calendars.insert": _insert_calendar,
    **dict.fromkeys(("calendar.calendars.patch", "calendar.calendars.update"), _change_calendar),
    **dict.fromkeys(("calendar.calendars.delete", "calendar.calendars.clear"), _remove_calendar),
    "calendar.calendarList.list": _list_entries,
    "calendar.calendarList.get": _get_entry,
    **{f"calendar.calendarList.{verb}": _put_entry for verb in ("insert", "patch", "update")},
    "calendar.calendarList.delete": _delete_entry,
    "calendar.acl.list": _list_rules,
    "calendar.acl.get": _get_rule,
    "calendar.acl.insert": _insert_rule,
    "calendar.acl.patch": _change_rule,
    "calendar.acl.update": _change_rule,
    "calendar.acl.delete": _delete_rule,
    "calendar.settings.list": _list_settings,
    "calendar.settings.get": _get_setting,
    "calendar.colors.get": _get_colors,
}
