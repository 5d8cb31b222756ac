"""Roles of administrators, their privileges, and who has them.

Source: reference pages; not verified against the live APIs: texts of refusals, ids and privileges
of system roles.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from mockserver.apis.administration.devices import require_unit
from mockserver.googleapi import (
    Call,
    Handler,
    LeftToConventionsError,
    bare_org_unit,
    duplicate,
    etag,
    invalid,
    not_found,
    precondition,
)
from mockserver.googleapi.collections import named_row, own_resource
from mockserver.googleapi.list_rules import field_of
from mockserver.googleapi.names import require_user
from mockserver.model import JsonObject
from mockserver.state import (
    ROLE_ASSIGNMENTS,
    ROLES,
    USERS,
    World,
    find_group,
    find_user,
)

_SCOPABLE = ("ORGANIZATION_UNITS", "USERS")
_HELD_PRIVILEGES = "admin:directory_v1/privileges"
_DIRECTORY_SERVICE = "00haapch16h1ysv"
_PRIVILEGES: Mapping[str, Sequence[str]] = {
    "ORGANIZATION_UNITS": ("CREATE", "RETRIEVE", "UPDATE", "DELETE"),
    "USERS": (
        "CREATE", "RETRIEVE", "UPDATE", "DELETE", "ALIAS", "MOVE", "SUSPEND", "RESET_PASSWORD",
        "FORCE_PASSWORD_CHANGE", "ADD_NICKNAME",
    ),
    "GROUPS": ("CREATE", "RETRIEVE", "UPDATE", "DELETE"),
    "USER_SECURITY": (),
    "SCHEMA": ("MANAGEMENT", "RETRIEVE"),
    "DOMAIN_MANAGEMENT": (),
    "LICENSING": ("READ",),
    "SUPPORT": (),
    "SERVICES": (),
    "SECURITY_SETTINGS": (),
    "MANAGE_DEVICES": (),
    "REPORTS_ACCESS": (),
    "DATATRANSFER": (),
    "BILLING": ("READ",),
}  # fmt: skip
"""Groups of privileges, and what is in them."""


@cache
def _privileges() -> Sequence[JsonObject]:
    """All privileges, each group with those in it."""
    found = []
    for name, verbs in _PRIVILEGES.items():
        children = [_privilege(f"{name}_{verb}", is_scopable=name in _SCOPABLE) for verb in verbs]
        top = _privilege(f"{name}_ALL" if children else name, is_scopable=name in _SCOPABLE)
        found.append({**top, "childPrivileges": children} if children else top)
    return found


def _privilege(name: str, *, is_scopable: bool) -> JsonObject:
    row: JsonObject = {
        "kind": "admin#directory#privilege",
        "serviceId": _DIRECTORY_SERVICE,
        "serviceName": "admin",
        "privilegeName": name,
        "isOuScopable": is_scopable,
    }
    return {**row, "etag": etag(row)}


def _list_privileges(call: Call) -> JsonObject | None:
    """Answers `privileges.list`: those of the snapshot, or those of every tenant."""
    if len(call.world.table(_HELD_PRIVILEGES)):
        found = call.answer_by_conventions()
        return {"etag": etag(found.get("items", [])), **found}
    rows = list(_privileges())
    return {"kind": "admin#directory#privileges", "etag": etag(list(rows)), "items": rows}


def _known_privileges(world: World) -> set[tuple[str, str]]:
    held = list(world.table(_HELD_PRIVILEGES).rows().values()) or list(_privileges())
    every = [*held, *(child for row in held for child in row.get("childPrivileges") or ())]
    return {(str(row.get("serviceId")), str(row["privilegeName"])) for row in every}


def _write_role(call: Call) -> JsonObject | None:
    """Answers `roles.insert`, `patch`, `update` and `delete`: system roles stay as they are.

    Raises:
        ApiError: 400 for a system role, an unknown privilege or no name, 409 for a name that is
            taken, 412 for the deletion of a role that somebody has.
    """
    world, body = call.world, call.body
    name, before = str(body.get("roleName") or ""), None
    key = ""
    if not call.id.endswith(".insert"):
        key, before = named_row(call)
        if before.get("isSystemRole"):
            raise invalid("System roles cannot be changed or deleted.")
    if call.id.endswith(".delete"):
        holders = field_of("roleId").equal(
            world.table(ROLE_ASSIGNMENTS), [str(call.params["roleId"])]
        )
        if len(holders.places()):
            raise precondition("The role is assigned, and cannot be deleted.")
    elif before is None and not name:
        raise invalid("Invalid Input: roleName")
    taken = field_of("roleName").equal(world.table(ROLES), [name.casefold()], folded=True).places()
    if name and any(entry[2] != key for entry in taken):
        raise duplicate()
    known = _known_privileges(world)
    for each in body.get("rolePrivileges") or ():
        if (str(each.get("serviceId")), str(each.get("privilegeName"))) not in known:
            raise invalid(f"Invalid Input: privilege {each.get('privilegeName')}")
    if before is None:
        call.body = {**body, "isSystemRole": False, "isSuperAdminRole": False}
    raise LeftToConventionsError


def _assign_role(call: Call) -> JsonObject | None:
    """Answers `roleAssignments.insert`, and marks the user as an administrator.

    Raises:
        ApiError: 404 for an unknown role, 400 for an account or org unit that is not there, 409 for
            what is assigned.
    """
    world, body = call.world, call.body
    roles = world.table(ROLES)
    role_id = str(body.get("roleId") or "")
    keys = field_of("roleId").equal(roles, [role_id]).places()
    if not keys:
        raise not_found("Resource Not Found: roleId", name=role_id)
    account = str(body.get("assignedTo") or "")
    user, group = find_user(world, account), find_group(world, account)
    if user is None and group is None and not account.isdecimal():
        raise invalid("Invalid Input: assignedTo")
    body = {
        "scopeType": "CUSTOMER",
        **body,
        "assignedTo": str((user or group or {}).get("id", account)),
    }
    body["assigneeType"] = "group" if user is None and group is not None else "user"
    if body["scopeType"] == "ORG_UNIT":
        body["orgUnitId"] = bare_org_unit(
            str(require_unit(world, str(body.get("orgUnitId")))["orgUnitId"])
        )
    table = world.table(ROLE_ASSIGNMENTS)
    same = ("roleId", "assignedTo", "scopeType", "orgUnitId")
    has = field_of("assignedTo").equal(table, [body["assignedTo"]]).places()
    rows = [table.rows()[entry[2]] for entry in has]
    if any(all(row.get(name) == body.get(name) for name in same) for row in rows):
        raise duplicate()
    call.body = body
    if user is not None:
        _mark_administrator(world, user, [roles.rows()[keys[0][2]], *_roles_of(world, rows)])
    raise LeftToConventionsError


def _take_role(call: Call) -> JsonObject | None:
    """Answers `roleAssignments.delete`, and takes the mark of an administrator without roles."""
    key, row = named_row(call)
    table = call.world.table(own_resource(call).collection)
    has = field_of("assignedTo").equal(table, [str(row["assignedTo"])]).places()
    rest = [table.rows()[entry[2]] for entry in has if entry[2] != key]
    user = find_user(call.world, str(row["assignedTo"]))
    if user is not None:
        _mark_administrator(call.world, user, _roles_of(call.world, rest))
    raise LeftToConventionsError


def _roles_of(world: World, assignments: Sequence[JsonObject]) -> Sequence[JsonObject]:
    table = world.table(ROLES)
    ids = [str(row["roleId"]) for row in assignments]
    return [table.rows()[entry[2]] for entry in field_of("roleId").equal(table, ids).places()]


def _mark_administrator(world: World, user: JsonObject, roles: Sequence[JsonObject]) -> None:
    is_super = any(role.get("isSuperAdminRole") for role in roles)
    flags = {"isAdmin": is_super, "isDelegatedAdmin": bool(roles) and not is_super}
    row = {**user, **flags}
    world.put(USERS, str(user["id"]), {**row, "etag": etag(row)})


def _list_assignments(call: Call) -> JsonObject | None:
    """Answers `roleAssignments.list`: `userKey` is a user or a group, by address too."""
    key = str(call.params.get("userKey") or "")
    if key:
        account = find_user(call.world, key) or find_group(call.world, key)
        if account is None and not key.isdecimal():
            require_user(call.world, key)
        call.params["userKey"] = str((account or {}).get("id", key))
    raise LeftToConventionsError


OF_ROLES: Mapping[str, Handler] = {
    "directory.privileges.list": _list_privileges,
    **{f"directory.roles.{verb}": _write_role for verb in ("insert", "patch", "update", "delete")},
    "directory.roleAssignments.insert": _assign_role,
    "directory.roleAssignments.delete": _take_role,
    "directory.roleAssignments.list": _list_assignments,
}
"""Method id to what answers it."""
