from base64 import b64decode, b64encode, urlsafe_b64encode

import orjson
import pytest

from mockserver.apis.iamcredentials import API
from mockserver.apis.iamcredentials.methods import (
    HANDLERS,
    account_id,
    find_account,
    required_field,
)
from mockserver.googleapi import ApiError, Call, Catalog, read_jwt, signing_key
from mockserver.model import JsonObject
from mockserver.state import World, find_token, service_account_email
from tests.mockserver.apis.iamcredentials.conftest import ACCOUNTS, NAME, ROBOT
from tests.tenants import NOW, ask, refused


def test_every_method_of_the_document_is_emulated() -> None:
    methods = Catalog(preferred=API.documents, supplements=()).methods()
    assert {method.id for method in methods} == set(HANDLERS)


PREFIX = "projects/-/serviceAccounts/"


def call(tenant: World, name: str) -> Call:
    return Call("x", {"name": name}, {"audience": "a"}, tenant)


def test_an_account_is_named_by_its_address(tenant: World) -> None:
    assert find_account(call(tenant, NAME)) == ROBOT


def test_the_sessions_own_one_by_its_id_too(tenant: World) -> None:
    own = service_account_email(tenant)
    assert find_account(call(tenant, PREFIX + account_id(own))) == own


@pytest.mark.parametrize(
    ("name", "status"),
    [(f"{PREFIX}123", 404), (f"projects/shop-prod/serviceAccounts/{ROBOT}", 400)],
)
def test_other_names_are_refused(tenant: World, name: str, status: int) -> None:
    with pytest.raises(ApiError) as caught:
        find_account(call(tenant, name))
    assert caught.value.status == status


def test_a_field_that_is_missing_is_named(tenant: World) -> None:
    assert required_field(call(tenant, NAME), "audience") == "a"
    with pytest.raises(ApiError) as caught:
        required_field(call(tenant, NAME), "payload")
    assert caught.value.details[0]["fieldViolations"][0]["field"] == "payload"


THEN = int(NOW.timestamp())
CONTENT = b"\xff\xfe\xfd"


@pytest.mark.parametrize("payload", [b64encode(CONTENT), urlsafe_b64encode(CONTENT)])
def test_a_blob_is_signed(tenant: World, payload: bytes) -> None:
    answer = ask(API, tenant, f"{ACCOUNTS}.signBlob", {"name": NAME}, {"payload": payload.decode()})
    assert answer["keyId"] == signing_key().id
    assert signing_key().has_signed(CONTENT, b64decode(answer["signedBlob"]))


def test_claims_are_signed(tenant: World) -> None:
    body = {"payload": orjson.dumps({"sub": "a", "exp": THEN + 60}).decode()}
    answer = ask(API, tenant, f"{ACCOUNTS}.signJwt", {"name": NAME}, body)
    read = read_jwt(answer["signedJwt"])
    assert read is not None
    assert read.is_ours
    assert read.claims["sub"] == "a"
    assert ask(API, tenant, f"{ACCOUNTS}.signJwt", {"name": NAME}, {"payload": "{}"})["signedJwt"]


@pytest.mark.parametrize(
    ("method", "body"),
    [
        pytest.param("signBlob", {}, id="nothing"),
        pytest.param("signBlob", {"payload": "*"}, id="no base64"),
        pytest.param("signJwt", {"payload": "x"}, id="no JSON"),
        pytest.param("signJwt", {"payload": "[]"}, id="a list"),
        pytest.param("signJwt", {"payload": '{"exp": "soon"}'}, id="no time"),
        pytest.param("signJwt", {"payload": '{"exp": true}'}, id="no number"),
        pytest.param("signJwt", {"payload": f'{{"exp": {THEN}}}'}, id="past"),
        pytest.param("signJwt", {"payload": f'{{"exp": {THEN + 43_201}}}'}, id="far"),
    ],
)
def test_what_cannot_be_signed_is_refused(tenant: World, method: str, body: JsonObject) -> None:
    error = refused(API, tenant, f"{ACCOUNTS}.{method}", {"name": NAME}, body)
    assert error.details[0]["fieldViolations"][0]["field"] == "payload"


SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


def test_a_token_is_the_accounts_and_lives_as_long_as_asked(tenant: World) -> None:
    body = {"scope": SCOPES, "lifetime": "600s"}
    answer = ask(API, tenant, f"{ACCOUNTS}.generateAccessToken", {"name": NAME}, body)
    assert answer["expireTime"] == "2026-03-02T09:10:00Z"
    found = find_token(tenant, answer["accessToken"])
    assert found is not None
    assert (found["email"], found["scopes"]) == (ROBOT, SCOPES)


def test_it_lives_for_an_hour_when_nothing_is_asked(tenant: World) -> None:
    answer = ask(API, tenant, f"{ACCOUNTS}.generateAccessToken", {"name": NAME}, {"scope": SCOPES})
    assert answer["expireTime"] == "2026-03-02T10:00:00Z"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "scope"),
        ({"scope": SCOPES, "lifetime": "3601s"}, "lifetime"),
        ({"scope": SCOPES, "lifetime": "0s"}, "lifetime"),
        ({"scope": SCOPES, "lifetime": "1h"}, "lifetime"),
    ],
)
def test_what_cannot_be_given_is_refused(tenant: World, body: JsonObject, field: str) -> None:
    error = refused(API, tenant, f"{ACCOUNTS}.generateAccessToken", {"name": NAME}, body)
    assert error.details[0]["fieldViolations"][0]["field"] == field


def test_an_id_token_tells_the_address_only_when_asked(tenant: World) -> None:
    method, params = f"{ACCOUNTS}.generateIdToken", {"name": NAME}
    full = ask(API, tenant, method, params, {"audience": "a", "includeEmail": True})
    bare = ask(API, tenant, method, params, {"audience": "a"})
    claims = [read.claims for read in (read_jwt(full["token"]), read_jwt(bare["token"])) if read]
    assert (claims[0]["aud"], claims[0]["email"]) == ("a", ROBOT)
    assert "email" not in claims[1]
    assert refused(API, tenant, method, params).status == 400


def test_an_account_may_be_used_everywhere(tenant: World) -> None:
    answer = ask(API, tenant, f"{ACCOUNTS}.getAllowedLocations", {"name": f"{NAME}"})
    assert answer == {"locations": [], "encodedLocations": "0x0"}
