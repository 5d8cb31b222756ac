"""Emulates Google Keep: notes of their owners, who shares them with whom, and the trash.

Source: the API's reference. Not verified against the live API: texts and codes of refusals.
"""

from collections.abc import Mapping, Sequence

from mockserver.collections import LAST, Index
from mockserver.collections.selections import ByIndex, Selection
from mockserver.googleapi import (
    Api,
    Call,
    Handler,
    caller_keys,
    invalid,
    not_found,
    parent_of,
    permission_denied,
)
from mockserver.googleapi.list_rules import ListCall, ListRules
from mockserver.model import JsonObject
from mockserver.state import admin_email, find_group, find_user

NOTES = "keep:v1/notes"


def _address(permission: JsonObject) -> str:
    user = permission.get("user") or permission.get("group") or {}
    return str(permission.get("email") or user.get("email") or "").casefold()


def _readers(row: JsonObject) -> dict[tuple[str], None]:
    told: Sequence[JsonObject] = row.get("permissions") or ({},)
    return dict.fromkeys((_address(each),) for each in told if not each.get("deleted"))


_BY_READER = Index(lambda _, row: _readers(row))
"""Notes by those who may read them; an empty text for notes that tell no permissions."""


def _require_note(call: Call, name: str, roles: Sequence[str] = ()) -> JsonObject:
    """A note that the caller may read, and has one of some roles for.

    Raises:
        ApiError: 404 for none that the caller sees, 403 for another role.
    """
    row = call.world.table(NOTES).get(name)
    told = [each for each in (row or {}).get("permissions") or () if not each.get("deleted")]
    mine = {str(each.get("role")) for each in told if _address(each) in caller_keys(call)}
    if row is None or (told and not mine):
        raise not_found(name=name)
    if told and roles and not mine.intersection(roles):
        raise permission_denied()
    return row


def _permission(call: Call, note: str, email: str, role: str) -> JsonObject:
    group = find_group(call.world, email)
    user = find_user(call.world, email)
    ident = str((group or user or {}).get("id") or call.world.ids.digits("permission", 21))
    kind = "group" if group else "user"
    return {"name": f"{note}/permissions/{ident}", "role": role, "email": email,
            kind: {"email": email}}  # fmt: skip


def _create_note(call: Call) -> JsonObject:
    if not (call.body.get("title") or call.body.get("body")):
        raise invalid("The note must have a title or a body.", location="note")
    name = str(call.answer_by_conventions()["name"])
    owner = call.caller.email or admin_email(call.world)
    permissions = [_permission(call, name, owner, "OWNER")]
    row = {**call.world.table(NOTES).rows()[name], "trashed": False, "permissions": permissions}
    call.world.put(NOTES, name, row)
    return row


def _read_note(call: Call) -> JsonObject:
    return _require_note(call, str(call.params["name"]))


def _delete_note(call: Call) -> JsonObject:
    row = _require_note(call, str(call.params["name"]), ("OWNER",))
    call.world.delete(NOTES, str(row["name"]))
    return {}


def _share(call: Call) -> JsonObject:
    """Answers `permissions.batchCreate`: all of them, or none; an address has one permission."""
    name = str(call.params["parent"])
    row, made = _require_note(call, name, ("OWNER", "WRITER")), list[JsonObject]()
    for each in call.body.get("requests") or ():
        given = each.get("permission") or {}
        if str(each.get("parent") or name) != name:
            raise invalid(f"The parent must be {name}.", location="requests.parent")
        if given.get("role") != "WRITER":
            raise invalid("Only the role WRITER can be granted.", location="permission.role")
        if not _address(given):
            raise invalid("One of email, user.email and group.email must be set.")
        made.append(_permission(call, name, _address(given), "WRITER"))
    new = {each["name"]: each for each in made}
    kept = [each for each in row.get("permissions") or () if each["name"] not in new]
    call.world.put(NOTES, name, {**row, "permissions": [*kept, *new.values()]})
    return {"permissions": made}


def _unshare(call: Call) -> JsonObject:
    """Answers `permissions.batchDelete`: owners and names that are not there are refused."""
    name = str(call.params["parent"])
    row, gone = _require_note(call, name, ("OWNER", "WRITER")), call.body.get("names") or ()
    told = {str(each["name"]): each for each in row.get("permissions") or ()}
    for each in gone:
        if each not in told or parent_of(each, 2) != name:
            raise not_found(name=each)
        if told[each].get("role") == "OWNER":
            raise invalid("The owner's permission cannot be deleted.", location="names")
    kept = [each for key, each in told.items() if key not in gone]
    call.world.put(NOTES, name, {**row, "permissions": kept})
    return {}


def _list_notes(call: Call) -> JsonObject:
    """Answers `notes.list`; without a filter the trash is left out."""
    if not str(call.params.get("filter") or "").strip():
        call.params["filter"] = "NOT trashed = true"
    return call.answer_by_conventions()


def _of_caller(asked: ListCall) -> Sequence[Selection]:
    bounds = [((each,), (each, LAST)) for each in ("", *sorted(caller_keys(asked.call)))]
    return [ByIndex(asked.table, _BY_READER, bounds, words="notes of the caller")]


LISTS: Mapping[str, ListRules] = {"keep.notes.list": ListRules(select=_of_caller)}
_HANDLERS: Mapping[str, Handler] = {
    "keep.notes.create": _create_note,
    "keep.notes.get": _read_note,
    "keep.notes.list": _list_notes,
    "keep.notes.delete": _delete_note,
    "keep.notes.permissions.batchCreate": _share,
    "keep.notes.permissions.batchDelete": _unshare,
}
API = Api(
    name="keep",
    documents=(("keep", "v1"),),
    handlers=_HANDLERS,
    beside_conventions=True,
    relies=(
        "Rely on: notes of their owners, who shares them with whom, and the trash. Not there: "
        "changes of a note's text, which the live API has not either. Proof: "
        "`tests/mockserver/apis/test_keep.py`."
    ),
)
