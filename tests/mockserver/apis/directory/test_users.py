import pytest

from mockserver.apis.directory import API
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
