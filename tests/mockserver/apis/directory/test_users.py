from datetime import timedelta

import pytest

from mockserver.apis.directory import API
from mockserver.apis.directory.users import user_filter
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused

LIST, GET = "directory.users.list", "directory.users.get"
MINE = {"customer": "my_customer"}


def names(answer: JsonObject) -> list[str]:
    return [user["primaryEmail"].partition("@")[0] for user in answer.get("users", ())]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        pytest.param(MINE, ["ann", "bo", "cy", "dee"], id="by address"),
        pytest.param({"domain": "example.com"}, ["ann", "bo", "cy", "dee"], id="domain"),
        pytest.param({"domain": "labs.example.com"}, [], id="empty domain"),
        pytest.param({**MINE, "orderBy": "familyName"}, ["cy", "dee", "bo", "ann"], id="family"),
        pytest.param(
            {**MINE, "orderBy": "givenName", "sortOrder": "DESCENDING"},
            ["dee", "cy", "bo", "ann"],
            id="descending",
        ),
        pytest.param({**MINE, "query": "isSuspended=true"}, ["dee"], id="query"),
        pytest.param({**MINE, "showDeleted": "true"}, ["old"], id="deleted"),
        pytest.param({**MINE, "viewType": "domain_public"}, ["ann", "bo", "cy"], id="public"),
    ],
)
def test_list_filters_and_orders(tenant: World, params: JsonObject, found: list[str]) -> None:
    assert names(ask(API, tenant, LIST, params)) == found


def test_pages_joined_are_the_list(tenant: World) -> None:
    first = ask(API, tenant, LIST, {**MINE, "maxResults": 3})
    token = first["nextPageToken"]
    rest = ask(API, tenant, LIST, {**MINE, "maxResults": 3, "pageToken": token})
    assert names(first) + names(rest) == ["ann", "bo", "cy", "dee"]
    assert "nextPageToken" not in rest


@pytest.mark.parametrize(
    ("params", "status", "message"),
    [
        pytest.param({}, 400, "Bad Request", id="neither customer nor domain"),
        pytest.param({"customer": "C0other"}, 403, "Not Authorized", id="other customer"),
        pytest.param({"domain": "other.example"}, 404, "Domain not found.", id="other domain"),
        pytest.param({**MINE, "query": "a=b=c"}, 400, "Invalid query", id="query"),
        pytest.param({**MINE, "orderBy": "age"}, 400, "Invalid Input: orderBy", id="order"),
        pytest.param({**MINE, "pageToken": "x"}, 400, "Invalid Input: pageToken", id="token"),
        pytest.param(
            {**MINE, "projection": "custom"}, 400, "Invalid Input: customFieldMask", id="no mask"
        ),
    ],
)
def test_bad_lists_are_refused(
    tenant: World, params: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, LIST, params)
    assert error.status == status
    assert error.message.startswith(message)


@pytest.mark.parametrize("key", ["1ann", "ann@example.com", "ANN@example.com", "annie@example.com"])
def test_a_user_has_several_keys(tenant: World, key: str) -> None:
    assert ask(API, tenant, GET, {"userKey": key})["id"] == "1ann"


def test_a_deleted_user_is_gone(tenant: World) -> None:
    error = refused(API, tenant, GET, {"userKey": "old@example.com"})
    assert (error.status, error.message) == (404, "Resource Not Found: userKey")


@pytest.mark.parametrize(
    ("params", "schemas"),
    [
        ({}, None),
        ({"projection": "full"}, {"job", "x"}),
        ({"projection": "custom", "customFieldMask": "job,nope"}, {"job"}),
        ({"projection": "custom", "customFieldMask": "nope"}, None),
    ],
    ids=["basic", "full", "custom", "none of them"],
)
def test_projection_chooses_schemas(
    tenant: World, params: JsonObject, schemas: set[str] | None
) -> None:
    user = ask(API, tenant, GET, {"userKey": "cy@example.com", **params})
    assert set(user.get("customSchemas", ())) == (schemas or set())
    assert ("customSchemas" in user) is (schemas is not None)


def test_the_public_view_shows_less(tenant: World) -> None:
    user = ask(API, tenant, GET, {"userKey": "1ann", "viewType": "domain_public"})
    assert "isAdmin" not in user
    assert user["primaryEmail"] == "ann@example.com"


CHANGE_GET, INSERT, UPDATE, DELETE, UNDELETE, MAKE_ADMIN = (
    f"directory.users.{verb}"
    for verb in ("get", "insert", "update", "delete", "undelete", "makeAdmin")
)
NEW: JsonObject = {
    "primaryEmail": "Eve@example.com",
    "name": {"givenName": "Eve", "familyName": "Stone"},
    "password": "s3cret-enough",
    "orgUnitPath": "/sales",
}


def test_an_inserted_user_is_there_without_its_password(tenant: World) -> None:
    made = ask(API, tenant, INSERT, body=NEW)
    assert made["primaryEmail"] == "eve@example.com"
    assert made["orgUnitPath"] == "/Sales"
    assert made["name"]["fullName"] == "Eve Stone"
    assert made["creationTime"] == "2026-03-02T09:00:00.000Z"
    assert len(made["id"]) == 21
    assert ask(API, tenant, CHANGE_GET, {"userKey": "eve@example.com"}) == made
    assert "s3cret" not in str(tenant.diff())


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        pytest.param(
            {"primaryEmail": None}, 400, "Invalid Input: primary_user_email", id="no address"
        ),
        pytest.param({"emails": "e@b.example"}, 400, "Invalid Input: emails", id="no list"),
        pytest.param({"emails": ["e@b.example"]}, 400, "Invalid Input: emails", id="no objects"),
        pytest.param({"primaryEmail": "e@b.example"}, 404, "Domain not found.", id="domain"),
        pytest.param({"primaryEmail": "bo@example.com"}, 409, "Entity already exists.", id="taken"),
        pytest.param(
            {"name": {"givenName": "E"}}, 400, "Invalid Given/Family Name: FamilyName", id="name"
        ),
        pytest.param({"name": None}, 400, "Invalid Given/Family Name: GivenName", id="no name"),
        pytest.param({"password": ""}, 400, "Invalid Password", id="password"),
        pytest.param({"orgUnitPath": "/No"}, 400, "Invalid Input: INVALID_OU_ID", id="unit"),
    ],
)
def test_a_bad_user_is_not_inserted(
    tenant: World, change: JsonObject, status: int, message: str
) -> None:
    error = refused(API, tenant, INSERT, body={**NEW, **change})
    assert (error.status, error.message) == (status, message)


def test_a_change_merges_names_clears_nulls_and_replaces_lists(tenant: World) -> None:
    body = {"name": {"familyName": "Berg"}, "relations": None, "phones": [{"value": "1"}]}
    user = ask(API, tenant, UPDATE, {"userKey": "1ann"}, body)
    assert user["name"] == {"givenName": "Ann", "familyName": "Berg", "fullName": "Ann Berg"}
    assert "relations" not in user
    assert user["phones"] == [{"value": "1"}]
    assert user["orgUnitPath"] == "/Eng/Web"


def test_output_only_fields_are_ignored_and_said_so(tenant: World) -> None:
    body = {"isAdmin": True, "id": "9", "suspended": True}
    call = Call(id=UPDATE, params={"userKey": "1ann"}, body=body, world=tenant)
    user = API.handlers[UPDATE](call)
    assert user is not None
    assert (user["id"], user["isAdmin"], user["suspended"]) == ("1ann", False, True)
    assert call.ignored == ["id", "isAdmin"]


def test_another_address_keeps_the_old_one_as_alias_and_the_memberships(tenant: World) -> None:
    body = {"primaryEmail": "annie@example.com"}
    user = ask(API, tenant, UPDATE, {"userKey": "ann@example.com"}, body)
    assert user["aliases"] == ["ann@example.com"]
    params = {"groupKey": "sre@example.com", "memberKey": "ann@example.com"}
    member = ask(API, tenant, "directory.members.get", params)
    assert (member["email"], member["role"]) == ("annie@example.com", "OWNER")


@pytest.mark.parametrize(
    ("body", "status"),
    [({"primaryEmail": "bo@example.com"}, 409), ({"orgUnitPath": "/No"}, 400)],
    ids=["taken", "unit"],
)
def test_a_bad_change_is_refused(tenant: World, body: JsonObject, status: int) -> None:
    assert refused(API, tenant, UPDATE, {"userKey": "1ann"}, body).status == status


def test_a_deleted_user_leaves_groups_and_comes_back_by_id(tenant: World) -> None:
    ask(API, tenant, DELETE, {"userKey": "ann@example.com"})
    assert refused(API, tenant, CHANGE_GET, {"userKey": "1ann"}).status == 404
    assert set(tenant.diff()) == {"users", "deletedUsers", "members"}
    ask(API, tenant, UNDELETE, {"userKey": "1ann"}, {"orgUnitPath": "/Sales"})
    user = ask(API, tenant, CHANGE_GET, {"userKey": "ann@example.com"})
    assert user["orgUnitPath"] == "/Sales"
    assert "deletionTime" not in user


def test_undelete_refuses_addresses_live_users_and_taken_names(tenant: World) -> None:
    assert refused(API, tenant, UNDELETE, {"userKey": "old@example.com"}).status == 404
    assert refused(API, tenant, UNDELETE, {"userKey": "1ann"}).status == 404
    bad = refused(API, tenant, UNDELETE, {"userKey": "1old"}, {"orgUnitPath": "/No"})
    assert bad.message == "Invalid Input: INVALID_OU_ID"
    ask(API, tenant, INSERT, body={**NEW, "primaryEmail": "old@example.com"})
    assert refused(API, tenant, UNDELETE, {"userKey": "1old"}).status == 409


@pytest.mark.parametrize("status", [True, False])
def test_make_admin_gives_and_takes(tenant: World, status: bool) -> None:
    ask(API, tenant, MAKE_ADMIN, {"userKey": "bo@example.com"}, {"status": status})
    assert ask(API, tenant, CHANGE_GET, {"userKey": "1bo"})["isAdmin"] is status


def test_make_admin_needs_a_status_and_a_user(tenant: World) -> None:
    assert refused(API, tenant, MAKE_ADMIN, {"userKey": "1bo"}).status == 400
    error = refused(API, tenant, MAKE_ADMIN, {"userKey": "eve@example.com"}, {"status": True})
    assert error.message == "Resource Not Found: userKey"


def test_sign_out_needs_a_user_and_changes_nothing(tenant: World) -> None:
    assert ask(API, tenant, "directory.users.signOut", {"userKey": "1ann"}) == {}
    assert refused(API, tenant, "directory.users.signOut", {"userKey": "x"}).status == 404
    assert tenant.diff() == {}


def test_a_deletion_is_dated_in_session_time(tenant: World) -> None:
    tenant.clock.advance(timedelta(days=1))
    ask(API, tenant, DELETE, {"userKey": "1ann"})
    row = tenant.table("deletedUsers").rows()["1ann"]
    assert row["deletionTime"] == "2026-03-03T09:00:00.000Z"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("email:ann*", {"ann"}),
        ("email=annie@example.com", {"ann"}),
        ("name:'Ann Zimmer'", {"ann"}),
        ("givenName=bo", {"bo"}),
        ("familyName:mil*", {"dee"}),
        ("isSuspended=true", {"dee"}),
        ("isAdmin=true isSuspended=false", {"bo"}),
        ("orgUnitPath=/Eng", {"ann", "bo"}),
        ("orgUnitPath='/'", {"ann", "bo", "cy", "dee"}),
        ("directManager=cy@example.com", {"bo"}),
        ("manager='cy@example.com'", {"ann", "bo"}),
        ("job.level>6", {"cy"}),
        ("job.remote=true", {"cy"}),
        ("orgTitle:boss", set()),
        ("zim", {"ann"}),
    ],
)
def test_queries_find_users(tenant: World, query: str, found: set[str]) -> None:
    test = user_filter(tenant, query)
    rows = tenant.table("users").rows().values()
    assert {row["name"]["givenName"].lower() for row in rows if test(row)} == found


@pytest.mark.parametrize(
    "query",
    ["colour=red", "isAdmin:true", "isAdmin=yes", "name>a", "orgUnitPath=/No", "orgUnitPath>/"],
)
def test_queries_on_what_users_do_not_have_are_refused(tenant: World, query: str) -> None:
    with pytest.raises(ApiError, match="Invalid query"):
        user_filter(tenant, query)


def test_nested_fields_of_users_are_searched(tenant: World) -> None:
    user = {
        "primaryEmail": "x@example.com",
        "name": {},
        "phones": [{"value": "+491"}],
        "addresses": [{"locality": "Berlin", "country": "DE"}],
        "customSchemas": {"s": {"tags": [{"value": "a"}, "b"]}},
    }
    for query in (
        "phone=+491",
        "addressLocality=berlin",
        "address:'Berlin DE'",
        "s.tags=a",
        "s.tags=b",
    ):
        assert user_filter(tenant, query)(user), query
    assert not user_filter(tenant, "other.tags=a")(user)


OWNERS = pytest.mark.parametrize(
    ("method", "params"),
    [
        ("directory.users.aliases", {"userKey": "ann@example.com"}),
        ("directory.groups.aliases", {"groupKey": "sre@example.com"}),
    ],
    ids=["user", "group"],
)


@OWNERS
def test_an_alias_names_its_account_until_it_is_deleted(
    tenant: World, method: str, params: JsonObject
) -> None:
    made = ask(API, tenant, f"{method}.insert", params, {"alias": "Other@example.com"})
    assert made["alias"] == "other@example.com"
    named = dict.fromkeys(params, "other@example.com")
    assert made in ask(API, tenant, f"{method}.list", named)["aliases"]
    ask(API, tenant, f"{method}.delete", {**named, "alias": "OTHER@example.com"})
    assert refused(API, tenant, f"{method}.list", named).status == 404
    assert tenant.diff() == {}


@OWNERS
@pytest.mark.parametrize(
    ("alias", "status"),
    [("", 400), ("a@b.example", 404), ("bo@example.com", 409)],
    ids=["none", "domain", "taken"],
)
def test_a_bad_alias_is_not_inserted(
    tenant: World, method: str, params: JsonObject, alias: str, status: int
) -> None:
    assert refused(API, tenant, f"{method}.insert", params, {"alias": alias}).status == status


@OWNERS
def test_an_unknown_alias_is_not_deleted(tenant: World, method: str, params: JsonObject) -> None:
    error = refused(API, tenant, f"{method}.delete", {**params, "alias": "x@example.com"})
    assert error.message == "Resource Not Found: alias"


def test_a_users_alias_is_one_of_its_addresses(tenant: World) -> None:
    user = ask(API, tenant, "directory.users.get", {"userKey": "1ann"})
    assert {"address": "annie@example.com"} in user["emails"]
    params = {"userKey": "1ann", "alias": "annie@example.com"}
    ask(API, tenant, "directory.users.aliases.delete", params)
    user = ask(API, tenant, "directory.users.get", {"userKey": "1ann"})
    assert user["emails"] == [{"address": "ann@example.com", "primary": True}]
    assert "aliases" not in user
