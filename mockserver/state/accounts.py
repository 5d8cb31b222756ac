"""Users, groups and memberships, as every API of a tenant looks them up."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from mockserver.collections import LAST, Index, Range
from mockserver.model import JsonObject
from mockserver.state.world import TOKENS, World

USERS = "users"
GROUPS = "groups"
MEMBERS = "members"
ROLES, ROLE_ASSIGNMENTS = "admin:directory_v1/roles", "admin:directory_v1/roleAssignments"


_BELONGINGS = {
    ROLE_ASSIGNMENTS: ("assignedTo", "id"),
    "licensing:v1/licenseAssignments": ("userId", "primaryEmail"),
    TOKENS: ("email", "primaryEmail"),
}
"""Tables of what goes with an account: the field that names it, and the account's field."""


def _names(address: str) -> Callable[[str, JsonObject], Iterable[str]]:
    def names(key: str, row: JsonObject) -> Iterable[str]:
        found = [key, row.get(address, ""), *row.get("aliases", ())]
        found += row.get("nonEditableAliases", ())
        return dict.fromkeys(str(name).casefold() for name in found)

    return names


USER_NAMES = Index(_names("primaryEmail"))
"""Users by id, address and aliases, in lower case."""

GROUP_NAMES = Index(_names("email"))
"""Groups likewise."""

_BY_GROUP = Index(lambda _, row: ((str(row["groupId"]), _address(row["member"])),))
_BY_MEMBER = Index(lambda _, row: (str(row["member"]["id"]),))


def _address(member: JsonObject) -> str:
    return str(member.get("email", "")).casefold()


def find_user(world: World, key: str) -> JsonObject | None:
    """The user with this id, primary address or alias, or None."""
    table = world.table(USERS)
    return table.get(table.first(USER_NAMES, key.casefold()) or "")


def find_group(world: World, key: str) -> JsonObject | None:
    """The group with this id, address or alias, or None."""
    table = world.table(GROUPS)
    return table.get(table.first(GROUP_NAMES, key.casefold()) or "")


def memberships(world: World, group_id: str) -> Range:
    """The memberships of a group (`groupId`, `member`: Directory's resource), by address."""
    return world.table(MEMBERS).between(_BY_GROUP, (group_id,), (group_id, LAST))


def members_with_address(world: World, group_id: str, address: str) -> Range:
    """The memberships of a group that are of an address in lower case."""
    return world.table(MEMBERS).find(_BY_GROUP, (group_id, address))


def find_membership(world: World, group_id: str, member_id: str) -> JsonObject | None:
    """The membership of a user or group in a group, or None."""
    return world.table(MEMBERS).get(f"{group_id}/{member_id}")


def groups_of_member(world: World, member_id: str) -> tuple[str, ...]:
    """Ids of the groups that a user or group is a direct member of."""
    return tuple(row["groupId"] for row in world.table(MEMBERS).find(_BY_MEMBER, member_id))


def all_member_ids(world: World, group_id: str) -> frozenset[str]:
    """Ids of everyone in a group, directly or through groups in it."""
    found: set[str] = set()
    waiting = [group_id]
    while waiting:
        for row in memberships(world, waiting.pop()):
            member = row["member"]["id"]
            if member not in found:
                found.add(member)
                waiting.append(member)
    return frozenset(found)


def is_inside(world: World, member_id: str, group_id: str) -> bool:
    """Whether a user or group is in a group, directly or through groups in it."""
    above = dict.fromkeys(groups_of_member(world, member_id))
    waiting = list(above)
    while waiting and group_id not in above:
        more = [each for each in groups_of_member(world, waiting.pop()) if each not in above]
        above.update(dict.fromkeys(more))
        waiting += more
    return group_id in above


_MAILBOXES = ("sentMessages", *(f"gmail:v1/{name}" for name in ("messages", "labels", "drafts")))
_KEYED_MAILBOXES = ("filters", "delegates", "forwardingAddresses", "sendAs", "settings")
_NAMING = (
    TOKENS, *_MAILBOXES, *(f"gmail:v1/{name}" for name in _KEYED_MAILBOXES), "calendar:v3/events",
    "calendar:v3/calendars", "calendar:v3/calendarList", "calendar:v3/acl", "drive:v3/files",
    "licensing:v1/licenseAssignments",
)  # fmt: skip
"""Tables whose rows name users by their address."""


def rename_belongings(world: World, old: str, new: str) -> None:
    """Name a user whose address changes by the new one: mailbox, calendars, invitations, files.

    All rows of these tables are looked at. Messages keep what they say of senders and receivers.
    """
    for name in _NAMING:
        is_mailbox = name in _MAILBOXES
        for key, row in list(world.table(name).rows().items()):
            path = "/".join(new if part == old else part for part in key.split("/"))
            after = _renamed_owner(row, old, new) if is_mailbox else _renamed(row, old, new)
            if path != key:
                world.delete(name, key)
            if path != key or after is not row:
                world.put(name, path, after)


def _renamed_owner(row: JsonObject, old: str, new: str) -> JsonObject:
    return {**row, "user": new} if row.get("user") == old else row


def _renamed(value: Any, old: str, new: str) -> Any:
    """A value with one text in place of another; the same object where that changes nothing."""
    if value == old:
        return new
    if isinstance(value, dict):
        found: Any = {key: _renamed(each, old, new) for key, each in value.items()}
    elif isinstance(value, list):
        found = [_renamed(each, old, new) for each in value]
    else:
        return value
    return value if found == value else found


def remove_belongings(world: World, account: JsonObject) -> None:
    """Remove what goes with a user who is deleted: roles, licences, tokens."""
    for name, (field, own) in _BELONGINGS.items():
        hits = world.table(name).find(_by_text(field), str(account[own]).casefold())
        for key in list(hits.row_keys()):
            world.delete(name, key)


@cache
def _by_text(field: str) -> Index:
    return Index(lambda _, row: (str(row.get(field, "")).casefold(),))
