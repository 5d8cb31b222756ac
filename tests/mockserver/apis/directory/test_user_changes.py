from datetime import timedelta

import pytest

from mockserver.apis.directory import API
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused

GET, INSERT, UPDATE, DELETE, UNDELETE, MAKE_ADMIN = (
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
    assert ask(API, tenant, GET, {"userKey": "eve@example.com"}) == made
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
    assert refused(API, tenant, GET, {"userKey": "1ann"}).status == 404
    assert set(tenant.diff()) == {"users", "deletedUsers", "members"}
    ask(API, tenant, UNDELETE, {"userKey": "1ann"}, {"orgUnitPath": "/Sales"})
    user = ask(API, tenant, GET, {"userKey": "ann@example.com"})
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
    assert ask(API, tenant, GET, {"userKey": "1bo"})["isAdmin"] is status


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
