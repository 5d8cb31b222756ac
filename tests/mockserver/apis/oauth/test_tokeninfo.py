from datetime import timedelta

import pytest

from mockserver.apis.oauth import API
from mockserver.apis.oauth.state import long_scopes
from mockserver.googleapi import ApiError, Call, Caller, make_id_token
from mockserver.model import JsonObject
from mockserver.state import World, first_token, issue_token
from tests.tenants import NOW, ask, refused

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
    made: JsonObject = {"audience": "a", "account": ("robot@example.com", "7"), "email": True}
    token = make_id_token(**made, issued=int(NOW.timestamp()))
    info = ask(API, tenant, "oauth2.v3.tokeninfo", {"id_token": token})
    assert (info["sub"], info["email_verified"], info["alg"]) == ("7", "true", "RS256")
    assert info["exp"] == str(int(NOW.timestamp()) + 3600)
    late = make_id_token(**made, issued=int(NOW.timestamp()) - 3600)
    for bad in (late, f"{token}x", "nonsense"):
        error = refused(API, tenant, "oauth2.v3.tokeninfo", {"id_token": bad})
        assert error.reason == "invalid_token"
