import pytest

from mockserver.apis.directory import API
from mockserver.model import JsonObject
from mockserver.state import World
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
