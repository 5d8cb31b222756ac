from datetime import timedelta

import pytest

from mockserver.apis.oauth.assertions import Claims, check_signature, read_claims
from mockserver.googleapi import ApiError, make_jwt
from mockserver.model import Profile
from mockserver.state import World, mark_revoked, service_account_email
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
        pytest.param(jwt(iat=THEN, exp=THEN), "short-lived token", id="no time"),
        pytest.param(jwt(exp=THEN + 3601), "short-lived token", id="a second too long"),
        pytest.param(jwt(iat=THEN - 900, exp=THEN - 300), "timeframe", id="a second too late"),
        pytest.param(jwt(iat=THEN + 301, exp=THEN + 900), "timeframe", id="a second too early"),
        pytest.param(jwt(iat=True), "short-lived token", id="no number"),
    ],
)
def test_what_may_not_be_granted_is_refused(assertion: str, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        read_claims(assertion, NOW)
    assert (caught.value.status, caught.value.reason) == (400, "invalid_grant")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("issued", "expires"), [(0, 3600), (300, 900), (-900, -299)], ids=["an hour", "early", "late"]
)
def test_a_time_is_granted_up_to_its_limit(issued: int, expires: int) -> None:
    assert read_claims(jwt(iat=THEN + issued, exp=THEN + expires), NOW).issuer


def test_no_scope_is_an_error_of_its_own() -> None:
    with pytest.raises(ApiError) as caught:
        read_claims(jwt(scope=""), NOW)
    assert caught.value.reason == "invalid_scope"


def test_an_id_token_needs_an_audience_instead_of_scopes() -> None:
    claims = read_claims(jwt(scope=None, target_audience="https://app.example.com"), NOW)
    assert (claims.scopes, claims.audience) == ((), "https://app.example.com")


def signature_problem(
    world: World, assertion: str, issuer: str, profile: Profile = "google"
) -> str:
    try:
        check_signature(world, assertion, issuer, profile)
    except ApiError as error:
        return f"{error.reason}: {error.message}"
    return ""


def test_the_sessions_own_account_is_held_to_its_key(tenant: World) -> None:
    issuer = service_account_email(tenant)
    assert signature_problem(tenant, make_jwt({}), issuer, "strict") == ""
    for assertion in (jwt(iss=issuer), "nonsense"):
        assert (
            signature_problem(tenant, assertion, issuer) == "invalid_grant: Invalid JWT Signature."
        )
    mark_revoked(tenant, issuer)
    assert (
        signature_problem(tenant, make_jwt({}), issuer) == "invalid_grant: Invalid JWT Signature."
    )


def test_accounts_of_other_sessions_are_unknown(tenant: World) -> None:
    other = service_account_email(tenant).replace("~s1@", "~s2@")
    assert "account not found" in signature_problem(tenant, make_jwt({}), other)


@pytest.mark.parametrize("profile", ["lenient", "google", "strict"])
def test_other_accounts_are_believed_unless_strict(tenant: World, profile: Profile) -> None:
    said = signature_problem(tenant, jwt(), "robot@project.example", profile)
    assert said == (
        "invalid_grant: Invalid grant: account not found" if profile == "strict" else ""
    )


def test_a_clock_that_is_a_little_off_is_forgiven() -> None:
    assert read_claims(jwt(), NOW - timedelta(seconds=60)).issuer
