from collections.abc import Mapping

from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    TOKENS,
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
    remove_belongings,
    rename_belongings,
)
from tests.tenants import NOW


def member(group: str, account: str) -> tuple[str, JsonObject]:
    row = {"groupId": group, "member": {"id": account, "email": f"{account}@example.com"}}
    return f"{group}/{account}", row


def make_world(
    *members: tuple[str, JsonObject], more: Mapping[str, dict[str, JsonObject]] | None = None
) -> World:
    users = {"1": {"id": "1", "primaryEmail": "Ann@example.com", "aliases": ["annie@example.com"]}}
    groups = {"g": {"id": "g", "email": "g@example.com", "nonEditableAliases": ["g@x.example"]}}
    tables = {"users": Store(users), "groups": Store(groups), "members": Store(members)}
    tables |= {name: Store(rows) for name, rows in (more or {}).items()}
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
    for key in ("g", "g@example.com", "G@x.example"):
        assert find_group(world, key) is world.table("groups").get("g")
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


def test_what_names_a_user_by_an_address_names_the_new_one() -> None:
    ann, bo = "ann@example.com", "bo@example.com"
    rows: dict[str, dict[str, JsonObject]] = {
        "gmail:v1/messages": {f"{ann}/1": {"user": ann, "from": ann}, f"{bo}/1": {"user": bo}},
        "gmail:v1/sendAs": {f"{ann}/{ann}": {"sendAsEmail": ann}},
        "calendar:v3/events": {"c/1": {"to": [{"email": ann}, {"email": bo}], "text": f"by {ann}"}},
        "drive:v3/files": {"f": {"owners": [{"emailAddress": bo}]}},
    }
    world = make_world(more=rows)
    rename_belongings(world, ann, "eve@x.org")
    assert {name: dict(world.table(name).rows()) for name in rows} == {
        "gmail:v1/messages": {
            f"{bo}/1": {"user": bo}, "eve@x.org/1": {"user": "eve@x.org", "from": ann},
        },
        "gmail:v1/sendAs": {"eve@x.org/eve@x.org": {"sendAsEmail": "eve@x.org"}},
        "calendar:v3/events": {
            "c/1": {"to": [{"email": "eve@x.org"}, {"email": bo}], "text": f"by {ann}"},
        },
        "drive:v3/files": {"f": {"owners": [{"emailAddress": bo}]}},
    }  # fmt: skip
    assert world.table("drive:v3/files").get("f") is rows["drive:v3/files"]["f"]
    changed = [(one.collection, one.key, one.after is None) for one in world.history.since(0) or ()]
    assert changed == [
        ("gmail:v1/messages", f"{ann}/1", True), ("gmail:v1/messages", "eve@x.org/1", False),
        ("gmail:v1/sendAs", f"{ann}/{ann}", True),
        ("gmail:v1/sendAs", "eve@x.org/eve@x.org", False), ("calendar:v3/events", "c/1", False),
    ]  # fmt: skip


def test_roles_licences_and_tokens_go_with_their_account() -> None:
    account = {"id": "1", "primaryEmail": "Ann@example.com"}
    rows: dict[str, dict[str, JsonObject]] = {
        "admin:directory_v1/roleAssignments": {"a": {"assignedTo": "1"}, "b": {"assignedTo": "2"}},
        "licensing:v1/licenseAssignments": {"a": {"userId": "ann@Example.com"}, "b": {}},
        TOKENS: {"a": {"email": "ann@example.com"}, "b": {"email": "bo@example.com"}},
    }
    world = make_world(more=rows)
    remove_belongings(world, account)
    assert {name: list(world.table(name).rows()) for name in rows} == {key: ["b"] for key in rows}
