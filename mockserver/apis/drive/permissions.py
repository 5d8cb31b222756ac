"""Permissions of files: given, changed, taken away, and held against what a call wants to do.

A file's permissions are in its row; those of a folder are given to what is in it, as Drive does.
Source: the guide on sharing. Not verified: the words for permissions that cannot be.
"""

from collections.abc import Callable, Mapping

from mockserver.apis.drive.query import BY_FOLDER
from mockserver.googleapi import (
    ROLES,
    ApiError,
    Call,
    Handler,
    PageRule,
    SnapshotImport,
    check_file,
    invalid,
    list_page,
    missing_file,
    not_found,
)
from mockserver.model import JsonObject
from mockserver.state import World, admin_email, find_user, fixed_digits, rfc3339

FILES, DRIVES, PERMISSIONS = "drive:v3/files", "drive:v3/drives", "drive:v3/permissions"
_FOLDER = "application/vnd.google-apps.folder"
_PAGES = PageRule(default=100, maximum=100)
_ADDRESSED = {"user": "emailAddress", "group": "emailAddress", "domain": "domain"}


def complete_rows(found: SnapshotImport) -> None:
    """Put permissions into the rows of their files, and those of folders into what is in them."""
    files = found.tables.get(FILES, {})
    for key, row in found.tables.pop(PERMISSIONS, {}).items():
        owner = key.split("/")[1]
        for path in [each for each in files if owner in {"-", each.partition("/")[2]}]:
            several = [*(files[path].get("permissions") or ()), row]
            files[path] = {**files[path], "permissions": several}
    for path, row in files.items():
        if given := row.get("permissions") or _inherited(files, row):
            several = [{"id": _id_of(each, n), **each} for n, each in enumerate(given, 1)]
            files[path] = {**row, "permissions": several}


def _id_of(permission: JsonObject, number: int) -> str:
    return "anyoneWithLink" if permission.get("type") == "anyone" else f"{number:020d}"


def _inherited(files: Mapping[str, JsonObject], row: JsonObject) -> list[JsonObject]:
    seen, waiting = set[str](), [*map(str, row.get("parents") or ())]
    while waiting:
        ident = waiting.pop()
        folder = files.get(f"files/{ident}") or {}
        if folder.get("permissions"):
            return list(folder["permissions"])
        if ident not in seen:
            seen.add(ident)
            waiting += map(str, folder.get("parents") or ())
    return []


def named_file(call: Call, role: str) -> tuple[str, str, JsonObject]:
    """The file or shared drive that a call names: its table, its key, its row.

    Args:
        call: The call.
        role: The least role that may do what the call does.

    Raises:
        ApiError: 404 where there is none for the caller, 403 for too low a role.
    """
    ident = str(call.params["fileId"])
    for table in (FILES, DRIVES):
        key = f"{table.rpartition('/')[2]}/{ident}"
        if (row := call.world.table(table).get(key)) is not None:
            check_file(call, row, role)
            return table, key, row
    raise missing_file(ident)


def inherit_permissions(call: Call) -> None:
    """Give a file that is made in a folder the folder's permissions, another one to the caller.

    A folder whose permissions are not told gives none.
    """
    for ident in call.body.get("parents") or ():
        folder = call.world.table(FILES).get(f"files/{ident}") or {}
        if folder.get("permissions"):
            check_file(call, folder, "writer")
            call.body["permissions"] = list(folder["permissions"])
    if call.body.get("parents") in (None, [], ["root"]):
        mine = call.caller.email or admin_email(call.world)
        user, name = find_user(call.world, mine), display_name(call.world, mine)
        ident = str(user["id"]) if user else fixed_digits(mine, 20)
        told = {"displayName": name, "emailAddress": mine}
        call.body["permissions"] = [{"id": ident, "type": "user", "role": "owner", **told}]
        call.body["permissionIds"] = [ident]
        call.body["owners"] = [{"kind": "drive#user", "permissionId": ident, **told}]
        call.body |= {"shared": False, "parents": ["root"]}


def display_name(world: World, address: str) -> str:
    """What Drive calls an account: the name of a user, or what is before the domain."""
    user = find_user(world, address) or {}
    return str((user.get("name") or {}).get("fullName") or address.partition("@")[0])


def _change(
    call: Call, change: Callable[[list[JsonObject]], list[JsonObject]], role: str = "writer"
) -> None:
    """Change the permissions of a file, and of what is in a folder."""
    table, key, row = named_file(call, role)
    waiting, now = [(key, row)], rfc3339(call.world.clock.now())
    for path, each in waiting:
        after = change(permissions_of(call, each))
        told = {"shared": len(after) > 1, "permissionIds": [x["id"] for x in after]}
        if told["shared"]:
            told["sharedWithMeTime"] = each.get("sharedWithMeTime") or now
        call.world.put(table, path, {**each, **told, "permissions": after})
        if each.get("mimeType") == _FOLDER:
            below = call.world.table(FILES).find(BY_FOLDER, (str(each["id"]),))
            waiting += [(f"files/{x['id']}", x) for x in below]


def permissions_of(call: Call, row: JsonObject) -> list[JsonObject]:
    """The permissions of a file; where none are told, its owner's, who else is the caller."""
    if row.get("permissions"):
        return [_described(call, each) for each in row["permissions"]]
    owner = next((x["emailAddress"] for x in row.get("owners") or () if x.get("emailAddress")),
                 call.caller.email)  # fmt: skip
    told = {"type": "user", "role": "owner", "emailAddress": owner}
    return [_described(call, {"id": _permission_id(call, str(owner)), **told})]


def _described(call: Call, row: JsonObject) -> JsonObject:
    user = find_user(call.world, str(row.get("emailAddress", ""))) or {}
    name = (user.get("name") or {}).get("fullName")
    told = {"displayName": name} if name else {}
    return {"kind": "drive#permission", **told, "deleted": False, **row}


def _permission_id(call: Call, whom: str) -> str:
    user = find_user(call.world, whom)
    return str(user["id"]) if user else call.world.ids.digits("permission", 20)


def _create_permission(call: Call) -> JsonObject:
    """Answers `permissions.create`; whoever has one already has the new role."""
    sent = {name: each for name, each in call.body.items() if name not in {"id", "kind"}}
    kind, role = str(sent.get("type", "")), str(sent.get("role", ""))
    for name in ("type", "role"):
        if not sent.get(name):
            raise invalid(f"The permission {name} field is required.", reason="required")
    if role not in ROLES or kind not in {*_ADDRESSED, "anyone"}:
        raise invalid("The specified permission is invalid.", location="permission")
    field = _ADDRESSED.get(kind)
    whom = str(sent.get(field, "")) if field else "anyone"
    if not whom:
        raise invalid(f"The {field} field is required.", reason="required")
    if role == "owner" and call.params.get("transferOwnership") is not True:
        text = (
            "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        )
        raise ApiError(403, text, reason="forbidden", location="transferOwnership")
    ident = {"anyone": "anyoneWithLink"}.get(kind) or _permission_id(call, whom)
    made = _described(call, {"id": ident, **sent})
    new: list[JsonObject] = []

    def change(given: list[JsonObject]) -> list[JsonObject]:
        known = [each for each in given if _is_same(each, kind, whom)]
        new[:] = [{**known[0], "role": role} if known else made]
        rest = [each for each in given if each not in known]
        if role == "owner":
            rest = [{**x, "role": "writer"} if x.get("role") == "owner" else x for x in rest]
        return [*new, *rest]  # the latest comes first, the owner last

    _change(call, change)
    return new[0]


def _is_same(row: JsonObject, kind: str, whom: str) -> bool:
    field = _ADDRESSED.get(kind)
    mine = str(row.get(field, "")) if field else "anyone"
    return row.get("type") == kind and mine.casefold() == whom.casefold()


def _find_permission(call: Call, role: str) -> JsonObject:
    ident = str(call.params["permissionId"])
    for each in _permissions(call, role):
        if each.get("id") == ident:
            return each
    raise not_found(f"Permission not found: {ident}.", name=ident)


def _permissions(call: Call, role: str = "writer") -> list[JsonObject]:
    return permissions_of(call, named_file(call, role)[2])


def _update_permission(call: Call) -> JsonObject:
    """Answers `permissions.update`: the owner's changes by a transfer to another alone."""
    before, role = _find_permission(call, "writer"), str(call.body.get("role"))
    if before["role"] == "owner" != role:
        text = "Insufficient permissions for the specified file."
        raise ApiError(403, text, reason="forbidden")
    call.body.clear()
    call.body.update({**before, "role": role})
    return _create_permission(call)


def _delete_permission(call: Call) -> None:
    """Answers `permissions.delete`: the owner's stays; everybody may give up their own."""
    found = _find_permission(call, "reader")
    if found["role"] == "owner":
        text = "The owner of a file cannot be removed."
        raise ApiError(403, text, reason="cannotDeletePermission")
    own = str(found.get("emailAddress", "")).casefold() == call.caller.email.casefold()
    role = "reader" if own else "writer"
    _change(call, lambda given: [x for x in given if x.get("id") != found["id"]], role)


def _list_permissions(call: Call) -> JsonObject:
    head = {"kind": "drive#permissionList"}
    return list_page(call, "permissions", _permissions(call), _PAGES, None, head)


HANDLERS: Mapping[str, Handler] = {
    "drive.permissions.create": _create_permission,
    "drive.permissions.delete": _delete_permission,
    "drive.permissions.get": lambda call: _find_permission(call, "reader"),
    "drive.permissions.list": _list_permissions,
    "drive.permissions.update": _update_permission,
}
