"""Makes users, groups and memberships from a snapshot."""

from collections.abc import Iterator

from mockserver.apis.directory.memberships import key_of
from mockserver.apis.directory.resources import group_row, member_row, user_row
from mockserver.apis.directory.state import DELETED_USERS
from mockserver.errors import Problem
from mockserver.googleapi import Import, Rows, each_object, kind, text_at
from mockserver.model import JsonObject
from mockserver.state import GROUPS, MEMBERS, ORG_UNITS, USERS, fixed_base36, fixed_digits

Accounts = dict[str, tuple[str, str]]
"""Case-folded address to the account's id and member type."""


def import_accounts(found: Import) -> None:
    """Fill the tables of users, deleted users, groups and memberships.

    Users with a `deletionTime` are deleted ones. Missing ids and fields are added. Doubles and
    members of unknown groups are problems; a user in an unknown org unit is a warning.
    """
    taken: dict[str, str] = {}
    paths = {str(row["orgUnitPath"]).casefold() for row in found.tables[ORG_UNITS].values()}
    tables: dict[str, Rows] = {USERS: {}, DELETED_USERS: {}, GROUPS: {}, MEMBERS: {}}
    for pointer, row in (*each_object(found, USERS), *each_object(found, DELETED_USERS)):
        for user in _user(found, pointer, row):
            deleted = "deletionTime" in user or pointer.startswith(f"/{DELETED_USERS}/")
            if deleted or _is_free(found, pointer, str(user["primaryEmail"]), taken):
                _warn_of_unit(found, pointer, user, paths)
                tables[DELETED_USERS if deleted else USERS][user["id"]] = user
    for pointer, row in each_object(found, GROUPS):
        for group in _group(found, pointer, row):
            if _is_free(found, pointer, str(group["email"]), taken):
                tables[GROUPS][group["id"]] = group
    found.tables.update(tables)
    _import_members(found)


def _user(found: Import, pointer: str, row: JsonObject) -> Iterator[JsonObject]:
    address = text_at(found, pointer, row, "primaryEmail")
    if address is None:
        return
    if not isinstance(row.get("name", {}), dict):
        text = f"'name' is {kind(row['name'])}, expected an object with givenName and familyName"
        found.problems.append(Problem(f"{pointer}/name", text))
        return
    yield user_row({**row, "id": _id(found, pointer, row, address)}, found.customer)


def _id(found: Import, pointer: str, row: JsonObject, address: str) -> str:
    if row.get("id"):
        return str(row["id"])
    made = fixed_digits(address.casefold(), 21)
    found.changes.append((pointer, f"gets the id {made}"))
    return made


def _is_free(found: Import, pointer: str, address: str, taken: dict[str, str]) -> bool:
    holder = taken.setdefault(address.casefold(), pointer)
    if holder != pointer:
        found.problems.append(Problem(pointer, f"{address!r} is already the address of {holder}"))
    return holder == pointer


def _warn_of_unit(found: Import, pointer: str, user: JsonObject, paths: set[str]) -> None:
    if str(user["orgUnitPath"]).casefold() not in paths:
        where = f"{pointer}/orgUnitPath"
        text = f"no org unit {user['orgUnitPath']!r}"
        found.problems.append(Problem(where, text, "add it to orgUnits", "warning"))


def _group(found: Import, pointer: str, row: JsonObject) -> Iterator[JsonObject]:
    address = text_at(found, pointer, row, "email")
    if address is None:
        return
    made = row.get("id") or "0" + fixed_base36(address.casefold(), 14)
    if not row.get("id"):
        found.changes.append((pointer, f"gets the id {made}"))
    yield group_row({**row, "id": str(made)})


def _import_members(found: Import) -> None:
    given = found.raw.get(MEMBERS)
    if given is None:
        return
    if not isinstance(given, dict):
        text = f"expected an object of group addresses, found {kind(given)}"
        found.problems.append(Problem(f"/{MEMBERS}", text))
        return
    groups = {str(row["email"]).casefold(): key for key, row in found.tables[GROUPS].items()}
    accounts = _accounts(found)
    for address, members in given.items():
        pointer = f"/{MEMBERS}/{address.replace('~', '~0').replace('/', '~1')}"
        group_id = groups.get(address.casefold())
        if group_id is None:
            found.problems.append(Problem(pointer, f"no group {address!r}", "add it to groups"))
        elif not isinstance(members, list):
            found.problems.append(Problem(pointer, f"expected an array, found {kind(members)}"))
        else:
            for number, member in enumerate(members):
                _member(found, f"{pointer}/{number}", group_id, member, accounts)


def _accounts(found: Import) -> Accounts:
    accounts: Accounts = {}
    for collection, address, member_type in (
        (GROUPS, "email", "GROUP"),
        (USERS, "primaryEmail", "USER"),
    ):
        for key, row in found.tables[collection].items():
            for name in (row[address], *row.get("aliases", ())):
                accounts[str(name).casefold()] = (key, member_type)
    return accounts


def _member(found: Import, pointer: str, group_id: str, member: object, accounts: Accounts) -> None:
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
    row = member_row(group_id, {"type": member_type, **member, "id": member_id})
    found.tables[MEMBERS][key_of(group_id, member_id)] = row
