import pytest

from mockserver.apis.directory import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused

LIST, GET, HAS, INSERT, UPDATE, DELETE = (
    f"directory.members.{verb}"
    for verb in ("list", "get", "hasMember", "insert", "update", "delete")
)
ALL, SRE = {"groupKey": "all@example.com"}, {"groupKey": "sre@example.com"}


def names(answer: JsonObject) -> list[str]:
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
    assert names(ask(API, tenant, LIST, {**ALL, **params})) == found


def test_pages_joined_are_the_list(tenant: World) -> None:
    first = ask(API, tenant, LIST, {**ALL, "maxResults": 1})
    rest = ask(API, tenant, LIST, {**ALL, "maxResults": 1, "pageToken": first["nextPageToken"]})
    assert names(first) + names(rest) == ["dee", "sre"]


def test_a_member_has_the_type_of_its_account(tenant: World) -> None:
    listed = ask(API, tenant, LIST, ALL)["members"]
    assert [(member["type"], member["role"]) for member in listed] == [
        ("USER", "MANAGER"),
        ("GROUP", "MEMBER"),
    ]


@pytest.mark.parametrize(
    ("method", "params", "status", "message"),
    [
        pytest.param(LIST, {"groupKey": "x"}, 404, "Resource Not Found: groupKey", id="group"),
        pytest.param(LIST, {**ALL, "roles": "BOSS"}, 400, "Invalid Input: roles", id="role"),
        pytest.param(
            GET,
            {**ALL, "memberKey": "ann@example.com"},
            404,
            "Resource Not Found: memberKey",
            id="get",
        ),
        pytest.param(
            DELETE, {**ALL, "memberKey": "x"}, 404, "Resource Not Found: memberKey", id="delete"
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
    assert ask(API, tenant, GET, {**SRE, "memberKey": key})["id"] == "1ann"


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
    made = ask(API, tenant, INSERT, ALL, body)
    assert (made["type"], made["role"]) == (kind, body.get("role", "MEMBER"))
    assert made in ask(API, tenant, LIST, ALL)["members"]


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
    error = refused(API, tenant, INSERT, group, body)
    assert (error.status, error.message) == (status, message)


def test_a_members_role_changes_and_delivery_is_told_by_get_alone(tenant: World) -> None:
    params = {**ALL, "memberKey": "dee@example.com"}
    ask(API, tenant, UPDATE, params, {"role": "OWNER", "delivery_settings": "DIGEST"})
    assert ask(API, tenant, GET, params)["delivery_settings"] == "DIGEST"
    listed = ask(API, tenant, LIST, {**ALL, "roles": "OWNER"})["members"]
    assert "delivery_settings" not in listed[0]
    assert refused(API, tenant, UPDATE, params, {"role": "BOSS"}).status == 400


def test_a_deleted_member_is_gone(tenant: World) -> None:
    ask(API, tenant, DELETE, {**ALL, "memberKey": "1dee"})
    assert names(ask(API, tenant, LIST, ALL)) == ["sre"]
