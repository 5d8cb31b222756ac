import pytest

from mockserver.apis.directory import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused

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
