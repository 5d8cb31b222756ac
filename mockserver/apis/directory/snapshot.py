"""What the Directory makes of a snapshot: accounts, groups, memberships and the org unit tree."""

from collections.abc import Iterator, Mapping

from mockserver.apis.directory.collections import DELETED_USERS
from mockserver.apis.directory.state import (
    DOMAINS,
    FURTHER_ADDRESSES,
    all_emails,
    domain_row,
    membership_key,
    unit_row,
    with_kind_and_etag,
)
from mockserver.errors import Problem
from mockserver.googleapi import (
    Rows,
    SnapshotImport,
    bare_org_unit,
    each_object,
    json_kind,
    nearest,
    text_at,
)
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.state import (
    CUSTOMER,
    GROUPS,
    MEMBERS,
    ORG_UNITS,
    ROLES,
    USERS,
    fixed_base36,
    fixed_digits,
)

_UNITS = ("orgUnitId",)
_BY_ID = ("id",)


def _keep_live_user(user: JsonObject, call: AnsweredCall) -> JsonObject | None:
    return None if call.params.get("showDeleted") in {True, "true"} else user


def _keep_deleted_user(user: JsonObject, call: AnsweredCall) -> JsonObject | None:
    return user if _keep_live_user(user, call) is None else None


CAPTURES: Captures = {
    "directory.customers.get": (Capture("customer", shape="object"),),
    "directory.domains.list": (Capture("domains", "domains", ("domainName",)),),
    "directory.orgunits.list": (Capture("orgUnits", "organizationUnits", _UNITS),),
    "directory.orgunits.get": (Capture("orgUnits", "", _UNITS),),
    "directory.users.list": (
        Capture("users", "users", _BY_ID, reshape=_keep_live_user),
        Capture("deletedUsers", "users", _BY_ID, reshape=_keep_deleted_user),
    ),
    "directory.users.get": (Capture("users", "", _BY_ID),),
    "directory.groups.list": (Capture("groups", "groups", _BY_ID),),
    "directory.groups.get": (Capture("groups", "", _BY_ID),),
    "directory.members.list": (
        Capture("members", "members", _BY_ID, shape="lists", under="groupKey"),
    ),
}
"""Discovery id to what its answers fill."""


_ID_PREFIX = "03ph8a2z"
_KEY = ORG_UNITS


def import_org_units(found: SnapshotImport, *, root_name: str) -> None:
    """Fill the table of org units: ids in one form, paths and parents complete, the root included.

    A unit needs a path, or a name with its parent's path or id. Unknown parents and doubles are
    problems. `root_name` names a root that is added.
    """
    units = [_Unit(found, pointer, row) for pointer, row in each_object(found, _KEY)]
    _complete_paths(found, units)
    placed = [unit for unit in units if unit.path]
    root = next((unit for unit in placed if unit.path == "/"), None)
    root_id = root.id if root else _root_id(found, placed)
    rows: Rows = {}
    if root is None:
        rows[root_id] = unit_row(
            {"name": root_name, "orgUnitId": f"id:{root_id}", "orgUnitPath": "/"}
        )
        found.changes.append((f"/{_KEY}", f"the root is added, as id:{root_id}"))
    by_path = {unit.path.casefold(): unit.id for unit in placed} | {"/": root_id}
    seen_paths: set[str] = set()
    for unit in placed:
        if unit.id in rows or unit.path.casefold() in seen_paths:
            found.problems.append(Problem(unit.pointer, f"org unit {unit.path!r} is there twice"))
            continue
        seen_paths.add(unit.path.casefold())
        rows.update(_unit_row(found, unit, by_path))
    found.tables[ORG_UNITS] = rows


class _Unit:
    """One raw org unit with the id and path it was found to have."""

    def __init__(self, found: SnapshotImport, pointer: str, row: JsonObject) -> None:
        self.pointer = pointer
        self.row = row
        self.path = _path_of_row(row)
        self.parent_id = bare_org_unit(str(row.get("parentOrgUnitId") or ""))
        self.id = bare_org_unit(str(row.get("orgUnitId") or ""))
        if not self.id:
            self.id = _ID_PREFIX + fixed_base36(f"{self.path}{row.get('name')}", 7)
            found.changes.append((pointer, f"gets the id id:{self.id}"))
        elif row["orgUnitId"] != f"id:{self.id}":
            found.changes.append((f"{pointer}/orgUnitId", f"written as id:{self.id}"))


def _path_of_row(row: JsonObject) -> str:
    """The path of a raw unit, or an empty string while it is not known."""
    path = row.get("orgUnitPath")
    if not path and row.get("parentOrgUnitPath") and row.get("name"):
        path = f"{row['parentOrgUnitPath']}/{row['name']}"
    return "/" + "/".join(part for part in str(path).split("/") if part) if path else ""


def _complete_paths(found: SnapshotImport, units: list[_Unit]) -> None:
    """Find the paths of units that have only their parent's id."""
    by_id = {unit.id: unit for unit in units}
    waiting = [unit for unit in units if not unit.path]
    progress = True
    while waiting and progress:
        progress = False
        for unit in list(waiting):
            parent = by_id.get(unit.parent_id)
            if parent is not None and parent.path and unit.row.get("name"):
                unit.path = f"{parent.path.rstrip('/')}/{unit.row['name']}"
                found.changes.append((unit.pointer, f"gets the path {unit.path}"))
                waiting.remove(unit)
                progress = True
    found.problems += [
        Problem(
            unit.pointer, "org unit without a place", "give orgUnitPath, or name and its parent"
        )
        for unit in waiting
    ]


def _root_id(found: SnapshotImport, units: list[_Unit]) -> str:
    """The id of a root that the snapshot leaves out: what its children call it, or a fixed one."""
    named = (unit.parent_id for unit in units if unit.path.count("/") == 1 and unit.parent_id)
    return next(named, _ID_PREFIX + fixed_base36(found.customer, 7))


def _unit_row(
    found: SnapshotImport, unit: _Unit, by_path: dict[str, str]
) -> Iterator[tuple[str, JsonObject]]:
    known = {**unit.row, "orgUnitId": f"id:{unit.id}", "orgUnitPath": unit.path}
    name = unit.path.rpartition("/")[2]
    if unit.path == "/":
        yield unit.id, unit_row({**known, "name": unit.row.get("name") or "/"})
        return
    parent_path = unit.path.removesuffix(f"/{name}") or "/"
    parent = by_path.get(parent_path.casefold())
    if parent is None:
        hint = nearest(parent_path, by_path)
        found.problems.append(
            Problem(
                unit.pointer,
                f"org unit {unit.path!r} has no parent: no {parent_path!r}",
                f"nearest: {hint}" if hint else "add the parent",
            )
        )
        return
    said = unit.row.get("parentOrgUnitPath")
    if isinstance(said, str) and said.casefold().rstrip("/") != parent_path.casefold().rstrip("/"):
        found.problems.append(
            Problem(
                f"{unit.pointer}/parentOrgUnitPath",
                f"the parent of {unit.path!r} is {parent_path!r}, not {said!r}",
                "the path decides: write the parent that it has",
                "warning",
            )
        )
    if unit.row.get("name") not in (None, name):  # a tuple: it may be of any kind
        text = f"is named {name!r}, as the end of its path says"
        found.changes.append((f"{unit.pointer}/name", text))
    if unit.parent_id not in {"", parent}:
        text = f"written as id:{parent}, the id of {parent_path!r}"
        found.changes.append((f"{unit.pointer}/parentOrgUnitId", text))
    placed = {"name": name, "parentOrgUnitId": f"id:{parent}", "parentOrgUnitPath": parent_path}
    yield unit.id, unit_row({**known, **placed})


Accounts = dict[str, tuple[str, str]]
"""Case-folded address to the account's id and member type."""


def import_accounts(found: SnapshotImport) -> None:
    """Fill the tables of users, deleted users, groups and memberships.

    Users with a `deletionTime` are deleted ones. Missing ids and fields are added. Doubles and
    members of unknown groups are problems; a user in an unknown org unit is a warning.
    """
    taken: dict[str, str] = {}
    paths = {str(row["orgUnitPath"]).casefold() for row in found.tables[ORG_UNITS].values()}
    sources = found.sources
    sources |= {USERS: {}, DELETED_USERS: {}, GROUPS: {}, MEMBERS: {}}
    for pointer, row in (*each_object(found, USERS), *each_object(found, DELETED_USERS)):
        address = _address_of_user(found, pointer, row)
        if address is None:
            continue
        key = _user_id(found, pointer, row, address)
        deleted = "deletionTime" in row or pointer.startswith(f"/{DELETED_USERS}/")
        if deleted or _is_free(found, pointer, address, taken):
            _warn_of_unit(found, pointer, str(row.get("orgUnitPath") or "/"), paths)
            sources[DELETED_USERS if deleted else USERS][key] = row
    for pointer, row in each_object(found, GROUPS):
        address = text_at(found, pointer, row, "email")
        if address is None:
            continue
        made = str(row.get("id") or "0" + fixed_base36(address.casefold(), 14))
        if not row.get("id"):
            found.changes.append((pointer, f"gets the id {made}"))
        if _is_free(found, pointer, address, taken):
            sources[GROUPS][made] = row
    _import_members(found)


def _address_of_user(found: SnapshotImport, pointer: str, row: JsonObject) -> str | None:
    """The address of a raw user; what cannot be one is noted as a problem, and None."""
    address = text_at(found, pointer, row, "primaryEmail")
    if address is None:
        return None
    if not isinstance(row.get("name", {}), dict):
        text = (
            f"'name' is {json_kind(row['name'])}, expected an object with givenName and familyName"
        )
        found.problems.append(Problem(f"{pointer}/name", text))
        return None
    if not FURTHER_ADDRESSES.isdisjoint(row):
        all_emails(row)  # raises now what making the row would raise when it is read
    return address


def _user_id(found: SnapshotImport, pointer: str, row: JsonObject, address: str) -> str:
    if row.get("id"):
        return str(row["id"])
    made = fixed_digits(address.casefold(), 21)
    found.changes.append((pointer, f"gets the id {made}"))
    return made


def _is_free(found: SnapshotImport, pointer: str, address: str, owners: dict[str, str]) -> bool:
    holder = owners.setdefault(address.casefold(), pointer)
    if holder != pointer:
        found.problems.append(Problem(pointer, f"{address!r} is already the address of {holder}"))
    return holder == pointer


def _warn_of_unit(found: SnapshotImport, pointer: str, unit: str, paths: set[str]) -> None:
    if unit.casefold() not in paths:
        where = f"{pointer}/orgUnitPath"
        text = f"no org unit {unit!r}"
        found.problems.append(Problem(where, text, "add it to orgUnits", "warning"))


def _import_members(found: SnapshotImport) -> None:
    given = found.raw.get(MEMBERS)
    if given is None:
        return
    if not isinstance(given, dict):
        text = f"expected an object of group addresses, found {json_kind(given)}"
        found.problems.append(Problem(f"/{MEMBERS}", text))
        return
    groups = {str(row["email"]).casefold(): key for key, row in found.sources[GROUPS].items()}
    accounts = _known_accounts(found)
    for address, members in given.items():
        pointer = f"/{MEMBERS}/{address.replace('~', '~0').replace('/', '~1')}"
        group_id = groups.get(address.casefold())
        if group_id is None:
            found.problems.append(Problem(pointer, f"no group {address!r}", "add it to groups"))
        elif not isinstance(members, list):
            found.problems.append(
                Problem(pointer, f"expected an array, found {json_kind(members)}")
            )
        else:
            for number, member in enumerate(members):
                _import_member(found, f"{pointer}/{number}", group_id, member, accounts)


def _known_accounts(found: SnapshotImport) -> Accounts:
    accounts: Accounts = {}
    for collection, address, member_type in (
        (GROUPS, "email", "GROUP"),
        (USERS, "primaryEmail", "USER"),
    ):
        for key, row in found.sources[collection].items():
            for name in (row[address], *row.get("aliases", ())):
                accounts[str(name).casefold()] = (key, member_type)
    return accounts


def _import_member(
    found: SnapshotImport, pointer: str, group_id: str, member: object, accounts: Accounts
) -> None:
    if isinstance(member, str):
        member = {"email": member}
    if not isinstance(member, dict) or not isinstance(member.get("email"), str):
        found.problems.append(Problem(pointer, "expected a member with its email"))
        return
    known = accounts.get(member["email"].casefold())
    member_id, member_type = known or (fixed_digits(member["email"].casefold(), 21), "USER")
    if known is None and member.get("id"):
        member_id = str(member["id"])
    if known is not None and member.get("id") not in {None, member_id}:
        found.changes.append((f"{pointer}/id", f"written as {member_id}, the account's id"))
    source = {"type": member_type, **member, "id": member_id, "groupId": group_id}
    found.sources[MEMBERS][membership_key(group_id, member_id)] = source


_DEFAULT_DOMAIN = "example.com"


def import_snapshot(found: SnapshotImport) -> None:
    """Fill the tables that all APIs of a tenant share: customer, org units, accounts, domains."""
    customer = _import_customer(found)
    found.tables[CUSTOMER] = {CUSTOMER: customer}
    import_org_units(found, root_name=str(customer["customerDomain"]))
    import_accounts(found)
    found.tables[DOMAINS] = _import_domains(found, str(customer["customerDomain"]))
    found.tables[ROLES] = _system_roles(found)


_SYSTEM_ROLES: Mapping[str, str] = {
    "_SEED_ADMIN_ROLE": "Google Workspace Administrator Seed Role",
    "_GROUPS_ADMIN_ROLE": "Groups Administrator",
    "_USER_MANAGEMENT_ADMIN_ROLE": "User Management Administrator",
    "_HELP_DESK_ADMIN_ROLE": "Help Desk Administrator",
    "_SERVICE_ADMIN_ROLE": "Services Administrator",
    "_MOBILE_ADMIN_ROLE": "Mobile Administrator",
    "_GCDS_DIRECTORY_MANAGEMENT_ROLE": "Google Cloud Directory Sync",
}


def _system_roles(found: SnapshotImport) -> Rows:
    """The roles that every customer has; none where the snapshot tells the customer's roles."""
    given = found.raw.get("resources")
    document = given.get("admin:directory_v1") if isinstance(given, dict) else None
    if isinstance(document, dict) and "roles" in document:
        return {}
    rows: Rows = {}
    for name, about in _SYSTEM_ROLES.items():
        ident = fixed_digits(f"{found.customer}/{name}", 17)
        row = {
            "roleId": ident,
            "roleName": name,
            "roleDescription": about,
            "rolePrivileges": [],
            "isSystemRole": True,
            "isSuperAdminRole": name == "_SEED_ADMIN_ROLE",
        }
        rows[f"customer/{found.customer}/roles/{ident}"] = with_kind_and_etag("role", row)
    return rows


def _import_customer(found: SnapshotImport) -> JsonObject:
    given = found.raw.get(CUSTOMER) or {}
    if not isinstance(given, dict):
        text = f"expected an object, found {json_kind(given)}"
        found.problems.append(Problem(f"/{CUSTOMER}", text))
        given = {}
    domain = given.get("customerDomain") or _DEFAULT_DOMAIN
    row = {**given, "id": found.customer, "customerDomain": domain}
    row.setdefault("customerEmail", f"admin@{domain}")
    added = [f"{key} {row[key]}" for key in row if key not in given]
    if added:
        found.changes.append((f"/{CUSTOMER}", "gets " + ", ".join(added)))
    return with_kind_and_etag("customer", row)


def _import_domains(found: SnapshotImport, primary: str) -> Rows:
    rows: Rows = {}
    for pointer, row in each_object(found, DOMAINS):
        name = text_at(found, pointer, row, "domainName")
        if name is not None:
            rows[name.casefold()] = domain_row(row)
    if primary.casefold() not in rows:
        own = domain_row({"domainName": primary, "isPrimary": True})
        rows = {own["domainName"]: own, **rows}
        found.changes.append((f"/{DOMAINS}", f"the primary domain {primary} is added"))
    return rows
