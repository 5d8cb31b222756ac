import pytest

from mockserver.apis.iamcredentials import API
from mockserver.googleapi import read_jwt
from mockserver.model import JsonObject
from mockserver.state import World, find_token
from tests.mockserver.apis.iamcredentials.conftest import ACCOUNTS, NAME, ROBOT
from tests.tenants import ask, refused

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
