import pytest

from mockserver.apis.oauth import API
from mockserver.apis.oauth.methods import JWT_BEARER
from mockserver.googleapi import envelope, make_jwt, read_jwt
from mockserver.model import JsonObject, Profile
from mockserver.state import World, find_token, refresh_token, robot_email
from tests.mockserver.apis.oauth.conftest import claims_of, jwt
from tests.tenants import ask, refused

REFRESH = {"grant_type": "refresh_token", "refresh_token": "1//r", "client_id": "c"}


@pytest.mark.parametrize("method", ["oauth2.token", "oauth2.v4.token", "oauth2.accounts.token"])
def test_a_jwt_is_exchanged_for_a_token_of_its_subject(tenant: World, method: str) -> None:
    body = {"grant_type": JWT_BEARER, "assertion": jwt(sub="ann@example.com")}
    answer = ask(API, tenant, method, body=body)
    assert (answer["token_type"], answer["expires_in"]) == ("Bearer", 3599)
    found = find_token(tenant, answer["access_token"])
    assert found is not None
    assert found["email"] == "ann@example.com"
    assert found["scopes"][0] == "https://www.googleapis.com/auth/userinfo.email"


def test_without_a_subject_the_service_account_itself_is_meant(tenant: World) -> None:
    body = {"grant_type": JWT_BEARER, "assertion": jwt()}
    found = find_token(tenant, ask(API, tenant, "oauth2.token", body=body)["access_token"])
    assert found is not None
    assert found["email"] == "robot@project.example"


def test_a_refresh_token_is_exchanged_for_one_of_the_administrator(tenant: World) -> None:
    answer = ask(API, tenant, "oauth2.token", body={**REFRESH, "scope": "email"})
    assert answer["scope"] == "https://www.googleapis.com/auth/userinfo.email"
    found = find_token(tenant, answer["access_token"])
    assert found is not None
    assert found["email"] == "admin@example.com"
    assert "cloud-platform" in ask(API, tenant, "oauth2.token", body=REFRESH)["scope"]


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        pytest.param({}, "invalid_request", "missing: grant_type", id="nothing"),
        pytest.param(
            {"grant_type": "x"}, "unsupported_grant_type", "Invalid grant_type: x", id="grant"
        ),
        pytest.param(
            {"grant_type": JWT_BEARER}, "invalid_request", "missing: assertion", id="no JWT"
        ),
        pytest.param(
            {"grant_type": JWT_BEARER, "assertion": jwt(sub="eve@example.com")},
            "invalid_grant",
            "Invalid email or User ID",
            id="subject",
        ),
        pytest.param(
            {"grant_type": "refresh_token"}, "invalid_request", "refresh_token", id="no token"
        ),
        pytest.param({**REFRESH, "client_id": ""}, "invalid_request", "client ID", id="no client"),
    ],
)
def test_bad_grants_are_refused_in_oauths_own_words(
    tenant: World, body: JsonObject, reason: str, message: str
) -> None:
    error = refused(API, tenant, "oauth2.token", body=body)
    said = envelope(error, API.dialect)
    assert (error.status, said["error"]) == (400, reason)
    assert message in said["error_description"]


def test_a_revoked_refresh_token_is_worth_nothing(tenant: World) -> None:
    assert ask(API, tenant, "oauth2.revoke", {"token": "1//r"}) == {}
    error = refused(API, tenant, "oauth2.token", body=REFRESH)
    assert error.message == "Token has been expired or revoked."
    assert refused(API, tenant, "oauth2.revoke", body={"token": "1//r"}).reason == "invalid_token"
    assert refused(API, tenant, "oauth2.revoke").reason == "invalid_request"


@pytest.mark.parametrize("scope", [None, "email"])
def test_an_id_token_is_signed_for_who_asks_for_one(tenant: World, scope: str | None) -> None:
    """Node's client asks for scopes, too."""
    issuer = robot_email(tenant)
    asked = claims_of(iss=issuer, scope=scope, target_audience="https://app.example.com")
    body = {"grant_type": JWT_BEARER, "assertion": make_jwt(asked)}
    read = read_jwt(ask(API, tenant, "oauth2.token", body=body)["id_token"])
    assert read is not None
    assert read.is_ours
    assert (read.claims["aud"], read.claims["email"]) == ("https://app.example.com", issuer)
    assert read.claims["exp"] - read.claims["iat"] == 3600


def test_a_signature_that_is_not_the_accounts_is_refused(tenant: World) -> None:
    body = {"grant_type": JWT_BEARER, "assertion": jwt(iss=robot_email(tenant))}
    assert refused(API, tenant, "oauth2.token", body=body).message == "Invalid JWT Signature."


@pytest.mark.parametrize(
    ("token", "profile", "is_good"),
    [
        (refresh_token("s1", "0"), "strict", True),
        (refresh_token("s2", "0"), "lenient", False),
        (f"{refresh_token('s1', '0')}0", "google", False),
        ("1//0gForeign", "google", True),
        ("1//0gForeign", "strict", False),
    ],
)
def test_refresh_tokens_work_in_their_session_only(
    tenant: World, token: str, profile: Profile, is_good: bool
) -> None:
    body = {**REFRESH, "refresh_token": token}
    if is_good:
        assert ask(API, tenant, "oauth2.token", body=body, profile=profile)["access_token"]
    else:
        error = refused(API, tenant, "oauth2.token", body=body, profile=profile)
        assert (error.reason, error.message) == ("invalid_grant", "Bad Request")
