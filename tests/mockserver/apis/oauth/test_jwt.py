from datetime import timedelta

import pytest

from mockserver.apis.oauth.jwt import Claims, read_claims
from mockserver.googleapi import ApiError
from tests.mockserver.apis.oauth.conftest import encoded, jwt
from tests.tenants import NOW

THEN = int(NOW.timestamp())


def test_claims_are_read() -> None:
    assertion = jwt(sub="ann@example.com", scope="a b")
    assert read_claims(assertion, NOW) == Claims(
        "robot@project.example", "ann@example.com", ("a", "b")
    )


@pytest.mark.parametrize(
    "audience",
    [
        "https://oauth2.googleapis.com/token",
        "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token",
        "http://127.0.0.1:8765/s/s1/oauth2.googleapis.com/token",
    ],
)
def test_every_token_endpoint_is_an_audience(audience: str) -> None:
    assert read_claims(jwt(aud=audience), NOW).issuer


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        pytest.param("nonsense", "Invalid JWT", id="no parts"),
        pytest.param("a.b.c", "cannot be decoded", id="no JSON"),
        pytest.param("é.b.c", "cannot be decoded", id="no base64"),
        pytest.param(
            f"{encoded({})}.{encoded({})}", "a header, claims and a signature", id="unsigned"
        ),
        pytest.param(f"{encoded({})}.{encoded([])}.x", "a header, claims", id="list"),
        pytest.param(jwt(iss=None), "account not found", id="no issuer"),
        pytest.param(jwt(aud=None), "audience", id="no audience"),
        pytest.param(jwt(aud="https://example.com/"), "audience", id="other audience"),
        pytest.param(jwt(exp=None), "short-lived token", id="no end"),
        pytest.param(jwt(exp=THEN + 4000), "short-lived token", id="too long"),
        pytest.param(jwt(iat=THEN - 7200, exp=THEN - 3600), "reasonable timeframe", id="past"),
        pytest.param(jwt(iat=THEN + 900, exp=THEN + 1000), "reasonable timeframe", id="ahead"),
        pytest.param(jwt(iat=True), "short-lived token", id="no number"),
    ],
)
def test_what_may_not_be_granted_is_refused(assertion: str, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        read_claims(assertion, NOW)
    assert (caught.value.status, caught.value.reason) == (400, "invalid_grant")
    assert message in caught.value.message


def test_no_scope_is_an_error_of_its_own() -> None:
    with pytest.raises(ApiError) as caught:
        read_claims(jwt(scope=""), NOW)
    assert caught.value.reason == "invalid_scope"


def test_a_clock_that_is_a_little_off_is_forgiven() -> None:
    assert read_claims(jwt(), NOW - timedelta(seconds=60)).issuer
