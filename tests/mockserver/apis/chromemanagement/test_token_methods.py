import pytest

from mockserver.apis.chromemanagement import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ROOT, SALES, ask, refused

OF = "chromemanagement.customers.enrollmentTokens"
MINE = {"parent": "customers/my_customer"}


def name(token: str) -> JsonObject:
    return {"name": f"customers/my_customer/enrollmentTokens/{token}"}


def test_a_token_is_made_for_an_org_unit(tenant: World) -> None:
    made = ask(API, tenant, f"{OF}.create", MINE, {"orgUnitId": SALES})
    assert made["state"] == "ENROLLMENT_TOKEN_STATE_ACTIVE"
    assert made["name"] == f"customers/{CUSTOMER}/enrollmentTokens/{made['tokenPermanentId']}"
    assert ask(API, tenant, f"{OF}.get", {"name": made["name"]}) == made


def test_without_an_org_unit_a_token_is_for_the_root(tenant: World) -> None:
    params = {**MINE, "enrollmentTokenId": "my-token"}
    made = ask(API, tenant, f"{OF}.create", params)
    assert (made["orgUnitId"], made["tokenPermanentId"]) == (ROOT, "my-token")


@pytest.mark.parametrize(
    ("params", "unit", "status"),
    [
        pytest.param({}, "03ph8a2z1eng", 409, id="active token there"),
        pytest.param({"enrollmentTokenId": "tok-old"}, SALES, 409, id="id taken"),
        pytest.param({"enrollmentTokenId": "no spaces"}, SALES, 400, id="form of the id"),
        pytest.param({}, "03nope", 400, id="org unit"),
        pytest.param({"parent": "customers/C0other"}, SALES, 403, id="customer"),
    ],
)
def test_what_cannot_be_made_is_refused(
    tenant: World, params: JsonObject, unit: str, status: int
) -> None:
    error = refused(API, tenant, f"{OF}.create", {**MINE, **params}, {"orgUnitId": unit})
    assert error.status == status


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["tok-eng", "tok-gone", "tok-old"]),
        ('token_state = "ACTIVE"', ["tok-eng"]),
        ('token_state = "EXPIRED"', ["tok-old"]),
        ('token_state = "REVOKED" AND org_unit_path = "/Sales"', ["tok-gone"]),
        ('token_state != "ACTIVE"', ["tok-gone", "tok-old"]),
        ('org_unit_id = "id:03ph8a2z1eng"', ["tok-eng"]),
        ('device_type = "CHROME_BROWSER"', ["tok-eng", "tok-gone", "tok-old"]),
    ],
)
def test_a_filter_chooses_tokens(tenant: World, text: str, found: list[str]) -> None:
    answer = ask(API, tenant, f"{OF}.list", {**MINE, "filter": text})
    assert [item["tokenPermanentId"] for item in answer["enrollmentTokens"]] == found


@pytest.mark.parametrize("text", ["colour = red", "(", "loose"])
def test_what_is_no_filter_is_refused(tenant: World, text: str) -> None:
    assert refused(API, tenant, f"{OF}.list", {**MINE, "filter": text}).status == 400


def test_tokens_come_in_pages(tenant: World) -> None:
    first = ask(API, tenant, f"{OF}.list", {**MINE, "pageSize": 2})
    params = {**MINE, "pageSize": 2, "pageToken": first["nextPageToken"]}
    assert len(ask(API, tenant, f"{OF}.list", params)["enrollmentTokens"]) == 1


def test_a_token_is_revoked_once(tenant: World) -> None:
    answer = ask(API, tenant, f"{OF}.revoke", name("tok-eng"))
    assert answer["state"] == "ENROLLMENT_TOKEN_STATE_REVOKED"
    assert answer["revokeTime"] == "2026-03-02T09:00:00.000Z"
    assert refused(API, tenant, f"{OF}.revoke", name("tok-eng")).status == 400


def test_an_unknown_token_is_not_found(tenant: World) -> None:
    assert refused(API, tenant, f"{OF}.revoke", name("nope")).status == 404
