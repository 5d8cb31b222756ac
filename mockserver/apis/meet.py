"""Emulates Google Meet: spaces by name and by code, their conferences, and who was there.

Spaces that events of calendars name are there, too. Source: the API's reference. Not verified
against the live API: texts and codes of refusals.
"""

import re
from collections.abc import Mapping
from datetime import timedelta

from mockserver.collections import Index
from mockserver.googleapi import (
    Api,
    Call,
    Handler,
    duplicate,
    failed_precondition,
    invalid,
    not_found,
)
from mockserver.googleapi.names import nearest
from mockserver.model import JsonObject
from mockserver.state import fixed_base36, rfc3339

SPACES, RECORDS, MEMBERS, EVENTS = (
    "meet:v2/spaces", "meet:v2/conferenceRecords", "meet:v2/members", "calendar:v3/events",
)  # fmt: skip
_KEPT_DAYS = 30
_USUAL = {"accessType": "TRUSTED", "entryPointAccess": "ALL", "moderation": "OFF"}
_BY_CODE = Index(lambda _, row: (str(row["meetingCode"]),) if row.get("meetingCode") else ())
_BY_CONFERENCE = Index(lambda _, row: _names_of(row))
"""Events by the codes and the names of their spaces."""
_BY_ADDRESS = Index(
    lambda key, row: ((key.rpartition("/members/")[0], str(row.get("email", "")).casefold()),)
)
_NULL = re.compile(r"(\w+)\s+IS\s+(NOT\s+)?NULL", re.IGNORECASE)
_SPACE = re.compile(r'space\.(name|meeting_code)\s*=\s*"?([^"\s()]+)"?')


def _code_of(event: JsonObject) -> str:
    return str((event.get("conferenceData") or {}).get("conferenceId") or "").casefold()


def _names_of(event: JsonObject) -> tuple[str, ...]:
    code = _code_of(event)
    return (code, fixed_base36(code, 12)) if code else ()


def _meeting(code: str) -> JsonObject:
    return {"meetingCode": code, "meetingUri": f"https://meet.google.com/{code}"}


def _find_space(call: Call, name: str) -> JsonObject | None:
    """A space by its name or its code; that of an event is made of its code."""
    table, code = call.world.table(SPACES), name.removeprefix("spaces/").casefold()
    row = table.get(name) or table.get(table.first(_BY_CODE, code) or "")
    if row is not None:
        return row
    events = call.world.table(EVENTS)
    event = events.get(events.first(_BY_CONFERENCE, code) or "")
    if event is None:
        return None
    code = _code_of(event)
    return {"name": f"spaces/{fixed_base36(code, 12)}", **_meeting(code), "config": _USUAL}


def _require_space(call: Call, name: str) -> JsonObject:
    row = _find_space(call, name)
    if row is None:
        raise not_found(name=name, nearest=nearest(name, call.world.table(SPACES)))
    return row


def _create_space(call: Call) -> JsonObject:
    ids = call.world.ids
    letters = re.sub(r"[^a-z]", "", ids.base36("meeting", 40))[:10].ljust(10, "x")
    code = f"{letters[:3]}-{letters[3:7]}-{letters[7:]}"
    config = {**_USUAL, **(call.body.get("config") or {})}
    row = {"name": f"spaces/{ids.base36('space', 12)}", **_meeting(code), "config": config}
    call.world.put(SPACES, str(row["name"]), row)
    return row


def _read_space(call: Call) -> JsonObject:
    return _require_space(call, str(call.params["name"]))


def _change_space(call: Call) -> JsonObject:
    row = _require_space(call, str(call.params["name"]))
    call.params["name"] = row["name"]
    call.body = {"config": call.body["config"]} if "config" in call.body else {}
    call.world.put(SPACES, str(row["name"]), row)
    return call.answer_by_conventions()


def _end_conference(call: Call) -> JsonObject:
    """Answers `endActiveConference`; raises ApiError: 400 where nobody meets, 404."""
    row = _require_space(call, str(call.params["name"]))
    name = str((row.get("activeConference") or {}).get("conferenceRecord", ""))
    if not name:
        raise failed_precondition(f"The space {row['name']} has no active conference.")
    now = call.world.clock.now()
    record = call.world.table(RECORDS).get(name)
    if record is not None:
        ends = {"endTime": rfc3339(now), "expireTime": rfc3339(now + timedelta(days=_KEPT_DAYS))}
        call.world.put(RECORDS, name, {**record, **ends})
    left = {key: each for key, each in row.items() if key != "activeConference"}
    call.world.put(SPACES, str(row["name"]), left)
    return {}


def _list_by_filter(call: Call) -> JsonObject:
    """Answers lists of conferences and participants, whose filters name spaces by two fields."""
    text = str(call.params.get("filter") or "")

    def space(hit: re.Match[str]) -> str:
        row = _find_space(call, hit[2] if hit[1] == "name" else f"spaces/{hit[2]}")
        return f'space = "{hit[2] if row is None else row["name"]}"'

    text = _SPACE.sub(space, text)
    text = _NULL.sub(lambda hit: f"{'' if hit[2] else 'NOT '}{hit[1]}:*", text)
    if text:
        call.params["filter"] = text
    return call.answer_by_conventions()


def _in_space(call: Call) -> None:
    """Have a call of members name its space by its name, and not by its code."""
    key = "name" if "name" in call.params else "parent"
    head, slash, rest = str(call.params[key]).partition("/members")
    call.params[key] = f"{_require_space(call, head)['name']}{slash}{rest}"


def _add_member(call: Call) -> JsonObject:
    _in_space(call)
    email = str(call.body.get("email") or "").casefold()
    if "@" not in email:
        raise invalid("The email of the member must be set.", location="member.email")
    if call.world.table(MEMBERS).first(_BY_ADDRESS, (str(call.params["parent"]), email)):
        raise duplicate(f"{email} is a member already.")
    call.body.setdefault("role", "ROLE_UNSPECIFIED")
    return call.answer_by_conventions()


def _by_name(call: Call) -> JsonObject:
    _in_space(call)
    return call.answer_by_conventions()


_HANDLERS: Mapping[str, Handler] = {
    "meet.spaces.create": _create_space,
    "meet.spaces.get": _read_space,
    "meet.spaces.patch": _change_space,
    "meet.spaces.endActiveConference": _end_conference,
    "meet.spaces.members.create": _add_member,
    **{f"meet.spaces.members.{verb}": _by_name for verb in ("get", "list", "patch", "delete")},
    "meet.conferenceRecords.list": _list_by_filter,
    "meet.conferenceRecords.participants.list": _list_by_filter,
    "meet.conferenceRecords.participants.participantSessions.list": _list_by_filter,
}
API = Api(
    name="meet",
    documents=(("meet", "v2"),),
    handlers=_HANDLERS,
    reads=frozenset({SPACES, RECORDS, MEMBERS}),
    beside_conventions=True,
    relies=(
        "Rely on: spaces by name and by code, also those that events of calendars name, "
        "members, the conference in a space that is ended; conferences, participants and "
        "recordings are those of fixtures, by filters. Not there: calls. Proof: "
        "`tests/mockserver/apis/test_meet.py`."
    ),
)
