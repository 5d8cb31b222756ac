import pytest

from mockserver.apis.chromemanagement import LEGACY_API, SUPPLEMENT
from mockserver.apis.chromemanagement import LEGACY_API as API
from mockserver.googleapi.discovery import parse_document
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused

MINE = {"customer": "my_customer"}
BROWSERS, TOKENS = "directory.chromebrowsers", "directory.enrollmentTokens"


def listed(world: World, **params: object) -> list[str]:
    answer = ask(API, world, f"{BROWSERS}.list", {**MINE, **params})
    return [item["deviceId"] for item in answer.get("browsers", ())]


def test_a_browser_is_shown_with_the_path_of_its_org_unit(tenant: World) -> None:
    found = ask(API, tenant, f"{BROWSERS}.get", {**MINE, "deviceId": "dev-2"})
    assert found["orgUnitPath"] == "/Eng/Web"
    assert "orgUnitId" not in found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["dev-1", "dev-2", "dev-3"]),
        ({"query": "machine_name:eng"}, ["dev-1"]),
        ({"query": "user:grace"}, ["dev-2"]),
        ({"orgUnitPath": "/Eng"}, ["dev-1", "dev-2"]),
        ({"orderBy": "id", "sortOrder": "DESCENDING"}, ["dev-3", "dev-2", "dev-1"]),
        ({"orderBy": "machine_name"}, ["dev-1", "dev-3", "dev-2"]),
    ],
)
def test_browsers_are_listed(tenant: World, params: JsonObject, found: list[str]) -> None:
    assert listed(tenant, **params) == found


def test_browsers_and_tokens_come_in_pages(tenant: World) -> None:
    first = ask(API, tenant, f"{BROWSERS}.list", {**MINE, "maxResults": 2})
    assert listed(tenant, maxResults=2, pageToken=first["nextPageToken"]) == ["dev-3"]
    assert "nextPageToken" in ask(API, tenant, f"{TOKENS}.list", {**MINE, "pageSize": 1})


def test_an_update_changes_annotations(tenant: World) -> None:
    body = {"deviceId": "dev-1", "annotatedUser": "Ada", "machineName": "other"}
    found = ask(API, tenant, f"{BROWSERS}.update", {**MINE, "deviceId": "dev-1"}, body)
    assert (found["annotatedUser"], found["machineName"]) == ("Ada", "eng-lt-01")


def test_a_deleted_browser_is_gone(tenant: World) -> None:
    ask(API, tenant, f"{BROWSERS}.delete", {**MINE, "deviceId": "dev-1"})
    assert listed(tenant) == ["dev-2", "dev-3"]


def test_browsers_move_to_an_org_unit_by_its_path(tenant: World) -> None:
    body = {"orgUnitPath": "/Sales", "resourceIds": ["dev-1"]}
    ask(API, tenant, f"{BROWSERS}.moveChromeBrowsersToOu", MINE, body)
    assert listed(tenant, orgUnitPath="/Sales") == ["dev-1", "dev-3"]


@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        (f"{BROWSERS}.list", {"customer": "C0other"}, 400),
        (f"{BROWSERS}.list", {**MINE, "orgUnitPath": "/Nope"}, 400),
        (f"{BROWSERS}.get", {**MINE, "deviceId": "nope"}, 404),
        (f"{TOKENS}.revoke", {**MINE, "tokenPermanentId": "nope"}, 404),
    ],
)
def test_what_is_not_there_is_refused(
    tenant: World, method: str, params: JsonObject, status: int
) -> None:
    assert refused(API, tenant, method, params).status == status


def test_tokens_are_listed_by_org_unit_and_state(tenant: World) -> None:
    params = {**MINE, "orgUnitPath": "/Sales"}
    answer = ask(API, tenant, f"{TOKENS}.list", params)
    states = [item["state"] for item in answer["chromeEnrollmentTokens"]]
    assert states == ["revoked", "expired"]
    assert refused(API, tenant, f"{TOKENS}.list", {**params, "query": "x"}).status == 501


def test_a_token_made_here_can_be_revoked_here(tenant: World) -> None:
    body = {"orgUnitPath": "/Sales", "expireTime": "2026-04-01T00:00:00Z"}
    made = ask(API, tenant, f"{TOKENS}.create", MINE, body)
    assert (made["state"], made["expireTime"]) == ("active", "2026-04-01T00:00:00Z")
    params = {**MINE, "tokenPermanentId": made["tokenPermanentId"]}
    assert ask(API, tenant, f"{TOKENS}.revoke", params) == {}
    assert refused(API, tenant, f"{TOKENS}.revoke", params).status == 400


def test_one_active_token_for_an_org_unit_is_enough(tenant: World) -> None:
    assert refused(API, tenant, f"{TOKENS}.create", MINE, {"orgUnitPath": "/Eng"}).status == 409
    assert ask(API, tenant, f"{TOKENS}.create", MINE)["orgUnitPath"] == "/"


def test_the_supplement_is_a_document_of_exactly_the_emulated_methods() -> None:
    document = parse_document(SUPPLEMENT)
    assert document.host == "admin.googleapis.com"
    assert set(document.methods) == set(LEGACY_API.handlers)


def test_every_schema_that_is_named_is_there() -> None:
    document = parse_document(SUPPLEMENT)
    named = {method.request for method in document.methods.values()}
    named |= {method.response for method in document.methods.values()}
    assert named - {None} <= set(document.schemas)
