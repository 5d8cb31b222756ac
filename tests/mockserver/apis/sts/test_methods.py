from typing import Any

import pytest

from mockserver.apis.sts import API
from mockserver.apis.sts.methods import ACCESS_TOKEN, GRANT_TYPE, subject_of
from mockserver.googleapi import ApiError, Call, make_jwt
from mockserver.model import JsonObject
from mockserver.state import World, find_token, identity_pool, issue_token
from tests.tenants import NOW, ask, refused, world

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def form(**fields: str) -> JsonObject:
    claims = {"sub": "robot-7", "exp": int(NOW.timestamp()) + 60}
    full = {
        "grant_type": GRANT_TYPE,
        "audience": identity_pool("s1", "415104041262"),
        "scope": SCOPE,
        "requested_token_type": ACCESS_TOKEN,
        "subject_token": make_jwt(claims),
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    }
    return {name: value for name, value in (full | fields).items() if value}


@pytest.fixture
def tenant() -> World:
    return world(API)


def test_a_token_of_elsewhere_is_exchanged_for_an_access_token(tenant: World) -> None:
    answer = ask(API, tenant, "sts.token", body=form())
    assert answer["issued_token_type"] == ACCESS_TOKEN
    assert (answer["token_type"], answer["expires_in"]) == ("Bearer", 3600)
    found = find_token(tenant, answer["access_token"])
    assert found is not None
    assert found["scopes"] == [SCOPE]
    assert found["email"] == (
        "principal://iam.googleapis.com/projects/415104041262/locations/global/"
        "workloadIdentityPools/mock~s1/subject/robot-7"
    )


def test_a_json_body_says_the_same(tenant: World) -> None:
    asked = form()
    body = {
        "grantType": asked["grant_type"],
        "audience": asked["audience"],
        "scope": asked["scope"],
        "requestedTokenType": asked["requested_token_type"],
        "subjectToken": asked["subject_token"],
        "subjectTokenType": asked["subject_token_type"],
    }
    assert "access_token" in ask(API, tenant, "sts.token", body=body)


def test_an_access_token_is_narrowed_and_ends_with_the_old_one(tenant: World) -> None:
    old = issue_token(tenant, email="ann@example.com", scopes=(SCOPE,), lifetime_s=60)
    body = form(subject_token=old, subject_token_type=ACCESS_TOKEN, audience="", scope="")
    answer = ask(API, tenant, "sts.token", body=body)
    assert "expires_in" not in answer
    new = find_token(tenant, answer["access_token"])
    assert new is not None
    assert new == find_token(tenant, old)


@pytest.mark.parametrize(
    ("fields", "reason", "message"),
    [
        pytest.param({"grant_type": ""}, "invalid_request", "grant_type", id="no grant"),
        pytest.param({"subject_token": ""}, "invalid_request", "subject_token", id="no subject"),
        pytest.param({"grant_type": "x"}, "unsupported_grant_type", "x", id="grant"),
        pytest.param({"requested_token_type": "x"}, "invalid_request", "x", id="requested"),
        pytest.param({"scope": ""}, "invalid_scope", "scope", id="scope"),
    ],
)
def test_what_cannot_be_exchanged_is_refused(
    tenant: World, fields: dict[str, str], reason: str, message: str
) -> None:
    error = refused(API, tenant, "sts.token", body=form(**fields))
    assert (error.status, error.reason) == (400, reason)
    assert message in error.message


TYPE = "urn:ietf:params:oauth:token-type:"
THEN = int(NOW.timestamp())
POOL = identity_pool("s1", "12")


def call() -> Call:
    return Call("sts.token", {}, {}, world(API))


def token(**claims: Any) -> str:
    return make_jwt({"sub": "a", "exp": THEN + 60} | claims)


@pytest.mark.parametrize("kind", ["jwt", "id_token"])
def test_a_jwt_stands_for_its_subject(kind: str) -> None:
    found = subject_of(call(), token(), TYPE + kind, audience=POOL)
    assert found.email.endswith("/workloadIdentityPools/mock~s1/subject/a")
    assert found.scopes == ()


@pytest.mark.parametrize("kind", [f"{TYPE}saml2", "urn:ietf:params:aws:token-type:aws4_request"])
def test_what_only_its_issuer_can_read_is_believed(kind: str) -> None:
    assert subject_of(call(), "x", kind, audience=POOL).email.endswith("/subject/external")


def test_a_pool_of_workers_is_an_audience_too() -> None:
    audience = "//iam.googleapis.com/locations/global/workforcePools/p/providers/q"
    found = subject_of(call(), token(), f"{TYPE}jwt", audience=audience)
    assert found.email == (
        "principal://iam.googleapis.com/locations/global/workforcePools/p/subject/a"
    )


@pytest.mark.parametrize(
    ("subject", "kind", "audience", "reason"),
    [
        pytest.param("ya29.x", ACCESS_TOKEN, "", "invalid_grant", id="foreign access token"),
        pytest.param("x", "x", POOL, "invalid_request", id="type"),
        pytest.param(token(), f"{TYPE}jwt", "", "invalid_target", id="no audience"),
        pytest.param(token(), f"{TYPE}jwt", "https://a", "invalid_target", id="audience"),
        pytest.param(
            token(), f"{TYPE}jwt", identity_pool("s2", "1"), "invalid_target", id="session"
        ),
        pytest.param("x", f"{TYPE}jwt", POOL, "invalid_grant", id="no JWT"),
        pytest.param(token(exp=THEN - 300), f"{TYPE}jwt", POOL, "invalid_grant", id="past"),
        pytest.param(token(exp="soon"), f"{TYPE}jwt", POOL, "invalid_grant", id="no time"),
        pytest.param(token(sub=None), f"{TYPE}jwt", POOL, "invalid_grant", id="no subject"),
    ],
)
def test_what_stands_for_nobody_is_refused(
    subject: str, kind: str, audience: str, reason: str
) -> None:
    with pytest.raises(ApiError) as caught:
        subject_of(call(), subject, kind, audience=audience)
    assert (caught.value.status, caught.value.reason) == (400, reason)
