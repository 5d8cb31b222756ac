from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    all_member_ids,
    find_group,
    find_user,
    groups_of_member,
    is_inside,
    memberships,
)
from tests.tenants import NOW


def member(group: str, account: str) -> tuple[str, JsonObject]:
    row = {"groupId": group, "member": {"id": account, "email": f"{account}@example.com"}}
    return f"{group}/{account}", row


def make_world(*members: tuple[str, JsonObject]) -> World:
    users = {"1": {"id": "1", "primaryEmail": "Ann@example.com", "aliases": ["annie@example.com"]}}
    groups = {"g": {"id": "g", "email": "g@example.com", "nonEditableAliases": ["g@x.example"]}}
    tables = {"users": Store(users), "groups": Store(groups), "members": Store(members)}
    base = Base(tables=tables, times={}, captured_at=NOW)
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def test_a_user_is_found_by_id_address_and_alias() -> None:
    world = make_world()
    for key in ("1", "ann@EXAMPLE.com", "annie@example.com"):
        assert find_user(world, key) is world.table("users").get("1")
    assert find_user(world, "bo@example.com") is None


def test_a_group_is_found_by_every_address() -> None:
    world = make_world()
    assert find_group(world, "G@x.example") is find_group(world, "g")
    assert find_group(world, "x") is None


def test_members_are_ordered_by_address_and_seen_from_both_sides() -> None:
    world = make_world(member("g", "b"), member("g", "a"), member("h", "a"))
    assert [row["member"]["id"] for row in memberships(world, "g")] == ["a", "b"]
    assert groups_of_member(world, "a") == ("g", "h")
    assert groups_of_member(world, "z") == ()
    assert list(memberships(world, "z")) == []


def test_everyone_in_groups_of_groups_is_found_even_in_a_circle() -> None:
    world = make_world(member("g", "h"), member("h", "a"), member("h", "g"))
    assert all_member_ids(world, "g") == {"h", "a", "g"}
    assert all(is_inside(world, each, "g") for each in ("h", "a", "g"))
    assert not is_inside(world, "g", "a")
