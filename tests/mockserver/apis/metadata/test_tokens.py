from mockserver.apis.metadata.paths import SCOPES, access_token, identity_token
from mockserver.apis.oauth import API
from mockserver.googleapi import read_jwt
from mockserver.state import find_token, robot_email
from tests.tenants import world


def test_a_token_has_the_scopes_asked_for_or_the_machines_own() -> None:
    tenant = world(API)
    for asked, given in (((), list(SCOPES)), (("a",), ["a"])):
        answer = access_token(tenant, asked)
        found = find_token(tenant, answer["access_token"])
        assert found is not None
        assert (found["email"], found["scopes"]) == (robot_email(tenant), given)


def test_an_identity_is_signed_for_its_audience() -> None:
    tenant = world(API)
    full = read_jwt(identity_token(tenant, "a", full=True))
    bare = read_jwt(identity_token(tenant, "a", full=False))
    assert full is not None
    assert bare is not None
    assert (full.is_ours, full.claims["aud"]) == (True, "a")
    assert full.claims["email"] == robot_email(tenant)
    assert "email" not in bare.claims
