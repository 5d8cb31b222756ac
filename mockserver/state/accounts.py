"""Users, groups and memberships, as every API of a tenant looks them up."""

from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state.world import (
    World,
)

USERS = "users"
GROUPS = "groups"
MEMBERS = "members"


def find_user(world: World, key: str) -> JsonObject | None:
    """The user with this id, primary address or alias, or None."""
    table = world.table(USERS)
    return table.get(table.derived(_user_ids).get(key.casefold(), ""))


def find_group(world: World, key: str) -> JsonObject | None:
    """The group with this id, address or alias, or None."""
    table = world.table(GROUPS)
    return table.get(table.derived(_group_ids).get(key.casefold(), ""))


def members_of(world: World, group_id: str) -> tuple[JsonObject, ...]:
    """The direct members of a group (Directory's member resources), by address."""
    return world.table(MEMBERS).derived(_by_group).get(group_id, ())


def groups_of_member(world: World, member_id: str) -> tuple[str, ...]:
    """Ids of the groups that a user or group is a direct member of."""
    return world.table(MEMBERS).derived(_by_member).get(member_id, ())


def all_member_ids(world: World, group_id: str) -> frozenset[str]:
    """Ids of everyone in a group, directly or through groups in it."""
    found: set[str] = set()
    waiting = [group_id]
    while waiting:
        for member in members_of(world, waiting.pop()):
            if member["id"] not in found:
                found.add(member["id"])
                waiting.append(member["id"])
    return frozenset(found)


def _user_ids(table: Store) -> dict[str, str]:
    return _ids_by_name(table, "primaryEmail")


def _group_ids(table: Store) -> dict[str, str]:
    return _ids_by_name(table, "email")


def _ids_by_name(table: Store, address: str) -> dict[str, str]:
    ids: dict[str, str] = {}
    for key, row in table.rows().items():
        names = [key, row.get(address, ""), *row.get("aliases", ())]
        names += row.get("nonEditableAliases", ())
        for name in names:
            ids.setdefault(str(name).casefold(), key)
    return ids


def _by_group(table: Store) -> dict[str, tuple[JsonObject, ...]]:
    groups: dict[str, list[JsonObject]] = {}
    for row in table.rows().values():
        groups.setdefault(row["groupId"], []).append(row["member"])
    return {
        group: tuple(sorted(members, key=lambda member: str(member.get("email", "")).casefold()))
        for group, members in groups.items()
    }


def _by_member(table: Store) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for row in table.rows().values():
        member = row["member"]["id"]
        groups[member] = (*groups.get(member, ()), row["groupId"])
    return groups
