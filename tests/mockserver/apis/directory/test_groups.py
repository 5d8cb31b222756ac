import pytest

from mockserver.apis.directory import API
from mockserver.apis.directory.groups import (
    remove_group_memberships,
    remove_member_everywhere,
    update_member_address,
)
from mockserver.apis.directory.state import membership_key
from mockserver.model import JsonObject
from mockserver.state import World, groups_of_member, memberships
from tests.tenants import ask, refused

LIST, GET, INSERT, UPDATE, DELETE = (
    f"directory.groups.{verb}" for verb in ("list", "get", "insert", "update", "delete")
)
MINE = {"customer": "my_customer"}


def names(answer: JsonObject) -> list[str]:
    return [group["email"].partition("@")[0] for group in answer.get("groups", ())]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        pytest.param(MINE, ["all", "sre"], id="customer"),
        pytest.param({"domain": "example.com"}, ["all", "sre"], id="domain"),
        pytest.param({"domain": "labs.example.com"}, [], id="empty domain"),
        pytest.param({"userKey": "ann@example.com"}, ["sre"], id="of a user"),
        pytest.param({"userKey": "sre@example.com"}, ["all"], id="of a group"),
        pytest.param(
            {**MINE, "orderBy": "email", "sortOrder": "DESCENDING"}, ["sre", "all"], id="descending"
        ),
        pytest.param({**MINE, "query": "name:reliab*"}, ["sre"], id="name"),
        pytest.param({**MINE, "query": "email=all@example.com"}, ["all"], id="address"),
        pytest.param({**MINE, "query": "memberKey=dee@example.com"}, ["all"], id="member"),
        pytest.param({**MINE, "query": "every"}, ["all"], id="word"),
    ],
)
def test_list_finds_groups(tenant: World, params: JsonObject, found: list[str]) -> None:
    assert names(ask(API, tenant, LIST, params)) == found


@pytest.mark.parametrize(
    ("params", "status", "message"),
    [
        pytest.param({}, 400, "Bad Request", id="no scope"),
        pytest.param({"customer": "C0other"}, 403, "Not Authorized", id="other customer"),
        pytest.param({"domain": "x.example"}, 404, "Domain not found.", id="other domain"),
        pytest.param({"userKey": "x"}, 404, "Resource Not Found: userKey", id="user"),
        pytest.param({**MINE, "query": "memberKey:x"}, 400, "Invalid query", id="query"),
        pytest.param({**MINE, "orderBy": "name"}, 400, "Invalid Input: orderBy", id="order"),
    ],
)
def test_bad_lists_are_refused(
    tenant: World, params: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, LIST, params)
    assert error.status == status
    assert error.message.startswith(message)


def test_pages_joined_are_the_list(tenant: World) -> None:
    first = ask(API, tenant, LIST, {**MINE, "maxResults": 1})
    token = first["nextPageToken"]
    rest = ask(API, tenant, LIST, {**MINE, "maxResults": 1, "pageToken": token})
    assert names(first) + names(rest) == ["all", "sre"]


def test_members_are_counted_when_answered_and_not_in_the_diff(tenant: World) -> None:
    assert ask(API, tenant, GET, {"groupKey": "all@example.com"})["directMembersCount"] == "2"
    params = {"groupKey": "01all", "memberKey": "dee@example.com"}
    ask(API, tenant, "directory.members.delete", params)
    assert ask(API, tenant, GET, {"groupKey": "01all"})["directMembersCount"] == "1"
    assert list(tenant.diff()) == ["members"]


def test_an_inserted_group_is_there(tenant: World) -> None:
    made = ask(API, tenant, INSERT, body={"email": "Ops@example.com", "description": "d"})
    assert (made["email"], made["name"]) == ("ops@example.com", "ops")
    assert made["directMembersCount"] == "0"
    assert ask(API, tenant, GET, {"groupKey": "ops@example.com"}) == made


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"email": "a@b.example"}, 404),
        ({"email": "all@example.com"}, 409),
        ({"email": "ann@example.com"}, 409),
    ],
    ids=["no address", "domain", "a group's", "a user's"],
)
def test_a_bad_group_is_not_inserted(tenant: World, body: JsonObject, status: int) -> None:
    assert refused(API, tenant, INSERT, body=body).status == status


def test_a_new_address_keeps_the_old_one_and_its_place_in_other_groups(tenant: World) -> None:
    body = {"email": "ops@example.com", "name": "Ops", "description": None}
    changed = ask(API, tenant, UPDATE, {"groupKey": "sre@example.com"}, body)
    assert (changed["email"], changed["aliases"]) == ("ops@example.com", ["sre@example.com"])
    listed = ask(API, tenant, "directory.members.list", {"groupKey": "01all"})["members"]
    assert [member["email"] for member in listed] == ["dee@example.com", "ops@example.com"]
    error = refused(API, tenant, UPDATE, {"groupKey": "01all"}, {"email": "ops@example.com"})
    assert error.status == 409


def test_a_deleted_group_takes_its_memberships(tenant: World) -> None:
    ask(API, tenant, DELETE, {"groupKey": "sre@example.com"})
    assert refused(API, tenant, GET, {"groupKey": "01sre"}).status == 404
    assert set(tenant.diff()["members"]["removed"]) == {"01all/01sre", "01sre/1ann"}


MEMBER_LIST, MEMBER_GET, HAS, MEMBER_INSERT, MEMBER_UPDATE, MEMBER_DELETE = (
    f"directory.members.{verb}"
    for verb in ("list", "get", "hasMember", "insert", "update", "delete")
)
ALL, SRE = {"groupKey": "all@example.com"}, {"groupKey": "sre@example.com"}


def names_member(answer: JsonObject) -> list[str]:
    return [member["email"].partition("@")[0] for member in answer.get("members", ())]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        pytest.param({}, ["dee", "sre"], id="direct"),
        pytest.param({"roles": "MANAGER,OWNER"}, ["dee"], id="roles"),
        pytest.param({"includeDerivedMembership": True}, ["ann", "dee", "sre"], id="derived"),
        pytest.param({"roles": "OWNER"}, [], id="none"),
    ],
)
def test_list_finds_members(tenant: World, params: JsonObject, found: list[str]) -> None:
    assert names_member(ask(API, tenant, MEMBER_LIST, {**ALL, **params})) == found


def test_pages_joined_are_the_list_member(tenant: World) -> None:
    first = ask(API, tenant, MEMBER_LIST, {**ALL, "maxResults": 1})
    rest = ask(
        API, tenant, MEMBER_LIST, {**ALL, "maxResults": 1, "pageToken": first["nextPageToken"]}
    )
    assert names_member(first) + names_member(rest) == ["dee", "sre"]


def test_a_member_has_the_type_of_its_account(tenant: World) -> None:
    listed = ask(API, tenant, MEMBER_LIST, ALL)["members"]
    assert [(member["type"], member["role"]) for member in listed] == [
        ("USER", "MANAGER"),
        ("GROUP", "MEMBER"),
    ]


@pytest.mark.parametrize(
    ("method", "params", "status", "message"),
    [
        pytest.param(
            MEMBER_LIST, {"groupKey": "x"}, 404, "Resource Not Found: groupKey", id="group"
        ),
        pytest.param(MEMBER_LIST, {**ALL, "roles": "BOSS"}, 400, "Invalid Input: roles", id="role"),
        pytest.param(
            MEMBER_GET,
            {**ALL, "memberKey": "ann@example.com"},
            404,
            "Resource Not Found: memberKey",
            id="get",
        ),
        pytest.param(
            MEMBER_DELETE,
            {**ALL, "memberKey": "x"},
            404,
            "Resource Not Found: memberKey",
            id="delete",
        ),
        pytest.param(
            HAS, {**ALL, "memberKey": "x@y.example"}, 400, "Invalid Input: memberKey", id="has"
        ),
    ],
)
def test_what_is_not_there_is_refused(
    tenant: World, method: str, params: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, method, params)
    assert (error.status, error.message) == (status, message)


@pytest.mark.parametrize(
    ("group", "member", "found"),
    [
        ("all", "ann", True),
        ("all", "dee", True),
        ("all", "bo", False),
        ("all", "sre", True),
        ("sre", "all", False),
    ],
)
def test_has_member_looks_into_groups_of_groups(
    tenant: World, group: str, member: str, found: bool
) -> None:
    params = {"groupKey": f"{group}@example.com", "memberKey": f"{member}@example.com"}
    assert ask(API, tenant, HAS, params) == {"isMember": found}


@pytest.mark.parametrize("key", ["1ann", "ann@example.com", "annie@example.com"])
def test_get_takes_any_key_of_an_account(tenant: World, key: str) -> None:
    assert ask(API, tenant, MEMBER_GET, {**SRE, "memberKey": key})["id"] == "1ann"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"email": "bo@example.com", "role": "MANAGER"}, "USER"),
        ({"id": "1bo"}, "USER"),
        ({"email": "guest@elsewhere.example"}, "USER"),
    ],
    ids=["address", "id", "foreign"],
)
def test_an_inserted_member_is_there(tenant: World, body: JsonObject, kind: str) -> None:
    made = ask(API, tenant, MEMBER_INSERT, ALL, body)
    assert (made["type"], made["role"]) == (kind, body.get("role", "MEMBER"))
    assert made in ask(API, tenant, MEMBER_LIST, ALL)["members"]


@pytest.mark.parametrize(
    ("group", "body", "status", "message"),
    [
        pytest.param(ALL, {"email": "dee@example.com"}, 409, "Member already exists.", id="twice"),
        pytest.param(
            SRE, {"email": "all@example.com"}, 412, "Cyclic memberships not allowed", id="cycle"
        ),
        pytest.param(SRE, {"id": "01sre"}, 412, "Cyclic memberships not allowed", id="itself"),
        pytest.param(
            ALL, {"email": "bo@example.com", "role": "BOSS"}, 400, "Invalid Input: role", id="role"
        ),
        pytest.param(ALL, {}, 400, "Invalid Input: memberKey", id="nobody"),
        pytest.param(
            ALL, {"email": "eve@example.com"}, 404, "Resource Not Found: memberKey", id="unknown"
        ),
    ],
)
def test_a_bad_member_is_not_inserted(
    tenant: World, group: JsonObject, body: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, MEMBER_INSERT, group, body)
    assert (error.status, error.message) == (status, message)


def test_a_members_role_changes_and_delivery_is_told_by_get_alone(tenant: World) -> None:
    params = {**ALL, "memberKey": "dee@example.com"}
    ask(API, tenant, MEMBER_UPDATE, params, {"role": "OWNER", "delivery_settings": "DIGEST"})
    assert ask(API, tenant, MEMBER_GET, params)["delivery_settings"] == "DIGEST"
    listed = ask(API, tenant, MEMBER_LIST, {**ALL, "roles": "OWNER"})["members"]
    assert "delivery_settings" not in listed[0]
    assert refused(API, tenant, MEMBER_UPDATE, params, {"role": "BOSS"}).status == 400


def test_a_deleted_member_is_gone(tenant: World) -> None:
    ask(API, tenant, MEMBER_DELETE, {**ALL, "memberKey": "1dee"})
    assert names_member(ask(API, tenant, MEMBER_LIST, ALL)) == ["sre"]


def test_an_account_leaves_all_its_groups(tenant: World) -> None:
    remove_member_everywhere(tenant, "1dee")
    assert groups_of_member(tenant, "1dee") == ()
    found = [row["member"]["email"] for row in memberships(tenant, "01all")]
    assert found == ["sre@example.com"]


def test_a_dissolved_group_has_no_members_and_is_in_no_group(tenant: World) -> None:
    remove_group_memberships(tenant, "01sre")
    assert list(memberships(tenant, "01sre")) == []
    assert groups_of_member(tenant, "01sre") == ()
    assert groups_of_member(tenant, "1ann") == ()


def test_a_new_address_is_in_every_membership(tenant: World) -> None:
    update_member_address(tenant, "1ann", "anna@example.com")
    row = tenant.table("members").rows()[membership_key("01sre", "1ann")]
    assert row["member"]["email"] == "anna@example.com"
