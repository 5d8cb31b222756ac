"""Groups of the Directory and of `resources`, without a server to ask the Directory through."""

from typing import Any

import pytest

from mockserver.apis.cloudidentity import API
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.tenants import CUSTOMER, NOW, TENANT, ask, refused

FORUM = {"cloudidentity.googleapis.com/groups.discussion_forum": ""}
HELD: JsonObject = {
    "name": "groups/held",
    "groupKey": {"id": "held@example.com"},
    "labels": FORUM,
    "displayName": "Held",
}
INSIDE: JsonObject = {
    "name": "groups/held/memberships/1",
    "preferredMemberKey": {"id": "z@example.com"},
}
OPS, ANN = "ops@example.com", "ann@example.com"
ROWS: dict[str, dict[str, JsonObject]] = {
    "users": {"u1": {"id": "u1", "primaryEmail": "ann@example.com"}},
    "groups": {
        "g1": {"id": "g1", "email": "all@example.com", "name": "All", "aliases": ["a@example.com"]},
        "g2": {"id": "g2", "email": "ops@example.com", "name": "Ops"},
    },
    "members": {
        "g1/g2": {"groupId": "g1", "member": {"id": "g2", "email": OPS, "type": "GROUP"}},
        "g2/u1": {"groupId": "g2", "member": {"id": "u1", "email": ANN, "role": "OWNER"}},
        "g2/c1": {"groupId": "g2", "member": {"id": "c1", "type": "CUSTOMER"}},
    },
    "cloudidentity:v1/groups": {"groups/held": HELD},
    "cloudidentity:v1/memberships": {INSIDE["name"]: INSIDE},
}  # fmt: skip
MEMBERS = "memberships"
IN_FORUMS = "'cloudidentity.googleapis.com/groups.discussion_forum' in labels"


@pytest.fixture
def tenant() -> World:
    tables = {**TENANT, **{name: Store(dict(rows)) for name, rows in ROWS.items()}}
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1")


def call(world: World, method: str, **params: Any) -> JsonObject:
    return ask(API, world, f"cloudidentity.groups.{method}", params)


def test_groups_of_both_are_listed_by_address(tenant: World) -> None:
    listed = call(tenant, "list", parent="customers/my_customer")["groups"]
    assert [row["name"] for row in listed] == ["groups/g1", "groups/held", "groups/g2"]
    assert "additionalGroupKeys" not in listed[0]
    full = call(tenant, "list", parent=f"customers/{CUSTOMER}", view="FULL", pageSize=1)
    assert full["groups"][0]["additionalGroupKeys"] == [{"id": "a@example.com"}]
    assert full["nextPageToken"]
    assert call(tenant, "lookup", **{"groupKey.id": "A@example.com"}) == {"name": "groups/g1"}


def test_members_are_told_with_their_roles_and_types(tenant: World) -> None:
    listed = call(tenant, f"{MEMBERS}.list", parent="groups/g2", view="FULL")["memberships"]
    assert [(row["type"], [each["name"] for each in row["roles"]]) for row in listed] == [
        ("OTHER", ["MEMBER"]),
        ("USER", ["OWNER", "MEMBER"]),
    ]
    found = call(
        tenant, f"{MEMBERS}.lookup", parent="groups/held", **{"memberKey.id": "z@example.com"}
    )
    assert found == {"name": INSIDE["name"]}


def test_membership_goes_through_groups(tenant: World) -> None:
    query = f"member_key_id == 'ann@example.com' && {IN_FORUMS}"
    above = call(tenant, f"{MEMBERS}.searchTransitiveGroups", parent="groups/-", query=query)
    assert [(row["group"], row["relationType"]) for row in above["memberships"]] == [
        ("groups/g1", "INDIRECT"),
        ("groups/g2", "DIRECT"),
    ]
    direct = call(
        tenant, f"{MEMBERS}.searchDirectGroups", parent="groups/-", query=query,
        orderBy="group_name desc",
    )  # fmt: skip
    assert [row["group"] for row in direct["memberships"]] == ["groups/g2"]
    inside = call(tenant, f"{MEMBERS}.searchTransitiveMemberships", parent="groups/g1")
    assert {row["member"]: row["relationType"] for row in inside["memberships"]} == {
        "groups/g2": "DIRECT", "users/u1": "INDIRECT", "groups/c1": "INDIRECT",
    }  # fmt: skip
    nobody = {"parent": "groups/g1", "query": "member_key_id == 'no@example.com'"}
    assert call(tenant, f"{MEMBERS}.checkTransitiveMembership", **nobody) == {
        "hasMembership": False
    }


@pytest.mark.parametrize(
    ("method", "params", "body", "status"),
    [
        ("list", {}, {}, 400),
        ("list", {"parent": "customers/C0other"}, {}, 403),
        ("search", {"query": "display_name == 'x'"}, {}, 400),
        ("search", {"query": "parent == 'customers/my_customer'", "orderBy": "no"}, {}, 400),
        ("get", {"name": "groups/no"}, {}, 404),
        ("lookup", {"groupKey.id": "no@example.com"}, {}, 404),
        ("create", {}, {}, 400),
        ("patch", {"name": "groups/held"}, {"displayName": "x"}, 501),
        ("delete", {"name": "groups/held"}, {}, 501),
        (f"{MEMBERS}.get", {"name": "groups/g1/memberships/no"}, {}, 404),
        (f"{MEMBERS}.lookup", {"parent": "groups/g1", "memberKey.id": "no@example.com"}, {}, 404),
        (f"{MEMBERS}.create", {"parent": "groups/g1"}, {}, 400),
        (f"{MEMBERS}.create", {"parent": "groups/g1"},
         {"preferredMemberKey": {"id": "x@example.com"}, "roles": [{"name": "NONE"}]}, 400),
        (f"{MEMBERS}.searchDirectGroups", {"parent": "groups/g1", "query": "x"}, {}, 400),
        (f"{MEMBERS}.searchDirectGroups", {"parent": "groups/-", "query": "x"}, {}, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused(
    tenant: World, method: str, params: JsonObject, body: JsonObject, status: int
) -> None:
    assert refused(API, tenant, f"cloudidentity.groups.{method}", params, body).status == status
