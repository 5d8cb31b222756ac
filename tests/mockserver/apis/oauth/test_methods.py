from datetime import timedelta

import pytest

from mockserver.apis.oauth import API
from mockserver.apis.oauth.methods import JWT_BEARER
from mockserver.apis.oauth.state import long_scopes
from mockserver.googleapi import (
    ApiError,
    Call,
    Caller,
    Catalog,
    envelope,
    make_id_token,
    make_jwt,
    read_jwt,
    signing_key,
)
from mockserver.model import JsonObject, Profile
from mockserver.state import (
    World,
    find_token,
    first_token,
    issue_token,
    refresh_token,
    service_account_email,
)
from tests.mockserver.apis.oauth.conftest import claims_of, jwt
from tests.tenants import NOW, ask, refused

CATALOG = Catalog(preferred=API.documents, supplements=API.supplements)


@pytest.mark.parametrize("method_id", sorted(API.handlers))
def test_every_handler_has_a_route(method_id: str) -> None:
    assert CATALOG.method(method_id) is not None


def test_every_route_of_ours_has_a_handler() -> None:
    own = {name for document in API.supplements for name in document["methods"]}
    assert own <= set(API.handlers)


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
    issuer = service_account_email(tenant)
    asked = claims_of(iss=issuer, scope=scope, target_audience="https://app.example.com")
    body = {"grant_type": JWT_BEARER, "assertion": make_jwt(asked)}
    read = read_jwt(ask(API, tenant, "oauth2.token", body=body)["id_token"])
    assert read is not None
    assert read.is_ours
    assert (read.claims["aud"], read.claims["email"]) == ("https://app.example.com", issuer)
    assert read.claims["exp"] - read.claims["iat"] == 3600


def test_a_signature_that_is_not_the_accounts_is_refused(tenant: World) -> None:
    body = {"grant_type": JWT_BEARER, "assertion": jwt(iss=service_account_email(tenant))}
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


OLD = ["oauth2.tokeninfo", "oauth2.v1.tokeninfo", "oauth2.v2.tokeninfo"]
NEW = ["oauth2.tokeninfo.get", "oauth2.v3.tokeninfo"]


def token_of(tenant: World, *scopes: str) -> str:
    scopes = long_scopes(scopes)
    return issue_token(tenant, email="ann@example.com", scopes=scopes, lifetime_s=100)


def user(tenant: World, method: str, *scopes: str, email: str = "ann@example.com") -> JsonObject:
    caller = Caller(token="t", email=email, scopes=long_scopes(scopes))
    call = Call(id=method, params={}, body={}, world=tenant, caller=caller)
    return API.handlers[method](call) or {}


@pytest.mark.parametrize("method", OLD)
def test_the_older_family_says_numbers(tenant: World, method: str) -> None:
    params = {"access_token": token_of(tenant, "email", "x")}
    tenant.clock.advance(timedelta(seconds=40))
    answer = ask(API, tenant, method, params)
    assert answer["expires_in"] == 60
    assert answer["issued_to"] == answer["audience"]
    assert (answer["user_id"], answer["email"], answer["verified_email"]) == (
        "1ann",
        "ann@example.com",
        True,
    )
    assert answer["scope"].endswith("userinfo.email x")


@pytest.mark.parametrize("method", NEW)
def test_the_newer_family_says_text(tenant: World, method: str) -> None:
    answer = ask(API, tenant, method, {"access_token": token_of(tenant, "email")})
    assert answer["expires_in"] == "100"
    assert answer["exp"] == "1772442100"
    assert (answer["sub"], answer["email_verified"]) == ("1ann", "true")


@pytest.mark.parametrize("method", [*OLD, *NEW])
def test_the_address_is_shown_to_its_scope_only(tenant: World, method: str) -> None:
    assert "email" not in ask(API, tenant, method, {"access_token": token_of(tenant, "x")})


def test_the_first_token_of_a_session_is_the_administrators(tenant: World) -> None:
    params = {"access_token": first_token(tenant.session, tenant.secret)}
    assert ask(API, tenant, "oauth2.v1.tokeninfo", params)["email"] == "admin@example.com"


@pytest.mark.parametrize("method", [*OLD, *NEW])
def test_tokens_that_are_over_or_foreign_are_invalid(tenant: World, method: str) -> None:
    token = token_of(tenant)
    tenant.clock.advance(timedelta(seconds=100))
    for text in (token, "ya29.foreign"):
        error = refused(API, tenant, method, {"access_token": text})
        assert (error.status, error.reason, error.message) == (
            400,
            "invalid_token",
            "Invalid Value",
        )


def test_a_token_is_required(tenant: World) -> None:
    error = refused(API, tenant, "oauth2.v3.tokeninfo")
    assert error.reason == "invalid_request"
    assert "access_token" in error.message


@pytest.mark.parametrize(
    ("method", "key"),
    [("oauth2.userinfo.get", "id"), ("oauth2.openidconnect.userinfo", "sub")],
)
def test_userinfo_shows_what_the_scopes_allow(tenant: World, method: str, key: str) -> None:
    assert user(tenant, method, "openid") == {key: "1ann"}
    full = user(tenant, method, "email", "profile")
    assert full["email"] == "ann@example.com"
    assert (full["name"], full["given_name"], full["family_name"], full["hd"]) == (
        "Ann Zimmer",
        "Ann",
        "Zimmer",
        "example.com",
    )


def test_a_service_account_has_no_name(tenant: World) -> None:
    shown = user(tenant, "oauth2.v3.userinfo", "email", "profile", email="robot@x.example")
    assert sorted(shown) == ["email", "email_verified", "sub"]


def test_userinfo_needs_an_account(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        user(tenant, "oauth2.v3.userinfo", email="")
    assert caught.value.status == 401


def test_an_id_token_tells_its_header_and_claims_as_text(tenant: World) -> None:
    made: JsonObject = {
        "audience": "a",
        "address": "robot@example.com",
        "account_id": "7",
        "email": True,
    }
    token = make_id_token(**made, issued=int(NOW.timestamp()))
    info = ask(API, tenant, "oauth2.v3.tokeninfo", {"id_token": token})
    assert (info["sub"], info["email_verified"], info["alg"]) == ("7", "true", "RS256")
    assert info["exp"] == str(int(NOW.timestamp()) + 3600)
    late = make_id_token(**made, issued=int(NOW.timestamp()) - 3600)
    for bad in (late, f"{token}x", "nonsense"):
        error = refused(API, tenant, "oauth2.v3.tokeninfo", {"id_token": bad})
        assert error.reason == "invalid_token"


def test_id_tokens_are_checked_by_the_servers_key(tenant: World) -> None:
    key = signing_key()
    assert ask(API, tenant, "oauth2.v1.certs") == {key.id: key.certificate}
    assert ask(API, tenant, "oauth2.v3.certs") == {"keys": [key.jwk]}


@pytest.mark.parametrize("place", ["robot", "serviceAccounts"])
def test_so_are_signatures_of_the_sessions_own_account(tenant: World, place: str) -> None:
    account = {"account": service_account_email(tenant)}
    assert signing_key().id in ask(API, tenant, f"oauth2.{place}.x509", account)
    assert ask(API, tenant, f"oauth2.{place}.jwk", account) == {"keys": [signing_key().jwk]}


@pytest.mark.parametrize("form", ["x509", "jwk"])
def test_keys_of_other_accounts_are_not_known(tenant: World, form: str) -> None:
    other = {"account": "robot@project.example"}
    assert refused(API, tenant, f"oauth2.robot.{form}", other).status == 404
