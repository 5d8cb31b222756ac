"""Memberships that change because an account does."""

from mockserver.apis.directory.resources import member_row
from mockserver.state import MEMBERS, World, groups_with


def key_of(group_id: str, member_id: str) -> str:
    """The key of a membership in its table."""
    return f"{group_id}/{member_id}"


def leave_all(world: World, member_id: str) -> None:
    """Take a user or group out of all groups."""
    for group_id in groups_with(world, member_id):
        world.delete(MEMBERS, key_of(group_id, member_id))


def dissolve(world: World, group_id: str) -> None:
    """Remove a group's own memberships and those it has in other groups."""
    leave_all(world, group_id)
    for key, row in list(world.table(MEMBERS).rows().items()):
        if row["groupId"] == group_id:
            world.delete(MEMBERS, key)


def renamed(world: World, member_id: str, address: str) -> None:
    """Carry an account's new address into its memberships."""
    for group_id in groups_with(world, member_id):
        key = key_of(group_id, member_id)
        row = world.table(MEMBERS).rows()[key]
        world.put(MEMBERS, key, member_row(group_id, {**row["member"], "email": address}))
