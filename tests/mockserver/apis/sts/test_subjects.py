from typing import Any

import pytest

from mockserver.apis.sts import API
from mockserver.apis.sts.methods import ACCESS_TOKEN, subject_of
from mockserver.googleapi import ApiError, Call, make_jwt
from mockserver.state import identity_pool
from tests.tenants import NOW, world

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
