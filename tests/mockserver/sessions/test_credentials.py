"""Who a credential says is asking."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.googleapi import ANONYMOUS, ApiError, make_jwt
from mockserver.model import Auth, SessionSpec
from mockserver.routing import Route, Routes
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.session import Session
from mockserver.state import (
    Base,
    expire_tokens,
    first_token,
    issue_token,
    mark_revoked,
    service_account_email,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BASE = Base(tables={}, times={}, captured_at=NOW)
ROUTES = Routes(APIS)
UNITS = ROUTES.find(b"", "GET", b"/admin/directory/v1/customer/my_customer/orgunits")
POLICIES = ROUTES.find(b"cloudidentity.googleapis.com", "GET", b"/v1/policies")
TOKEN = ROUTES.find(b"oauth2.googleapis.com", "POST", b"/token")
SCOPE = "https://www.googleapis.com/auth/admin.directory.orgunit"


def session(**spec: Any) -> Session:
    return Session("s1", SessionSpec(**spec), BASE, real=lambda: NOW, journal_bytes=1000)


def issued(within: Session, *scopes: str) -> str:
    return issue_token(within.world, email="ada@example.com", scopes=scopes, lifetime_s=60)


def refused(within: Session, token: str, route: Route = UNITS) -> ApiError:
    with pytest.raises(ApiError) as caught:
        caller_of(within, token, route)
    return caught.value


def test_the_session_s_own_token_is_the_administrator_s() -> None:
    caller = caller_of(session(), first_token("s1", "0"), UNITS)
    assert (caller.email, caller.token) == ("admin@example.com", "ya29.mock~s1~0")


def test_an_issued_token_is_its_account_s() -> None:
    one = session()
    caller = caller_of(one, issued(one, SCOPE), UNITS)
    assert (caller.email, caller.scopes) == ("ada@example.com", (SCOPE,))


@pytest.mark.parametrize("profile", ["lenient", "google"])
def test_a_foreign_token_is_an_anonymous_caller(profile: str) -> None:
    caller = caller_of(session(profile=profile), "ya29.a0Af", UNITS)
    assert (caller.email, caller.token) == ("", "ya29.a0Af")


@pytest.mark.parametrize("profile", ["lenient", "google"])
def test_no_token_is_accepted_where_the_profile_is_not_strict(profile: str) -> None:
    assert caller_of(session(profile=profile), "", UNITS) is ANONYMOUS


def test_no_token_is_401_where_the_profile_is_strict() -> None:
    error = refused(session(profile="strict"), "")
    assert error.status == 401
    assert error.message.startswith("Request is missing required authentication credential.")
    assert error.details[0]["reason"] == "CREDENTIALS_MISSING"
    assert error.details[0]["metadata"] == {
        "method": "directory.orgunits.list",
        "service": "admin.googleapis.com",
    }
    assert error.headers["WWW-Authenticate"] == 'Bearer realm="https://accounts.google.com/"'


@pytest.mark.parametrize("token", ["", "ya29.mock~s1~nothing", "ya29.mock~other~0"])
def test_where_tokens_are_issued_none_is_asked_for(token: str) -> None:
    caller = caller_of(session(profile="strict"), token, TOKEN)
    assert caller.email == ""


@pytest.mark.parametrize("token", ["ya29.mock~s1~nothing", "ya29.mock~other~0"])
def test_an_unknown_token_and_one_of_another_session_are_401(token: str) -> None:
    error = refused(session(), token)
    assert error.message.startswith("Request had invalid authentication credentials.")
    assert error.details[0]["reason"] == "ACCESS_TOKEN_TYPE_UNSUPPORTED"
    assert 'error="invalid_token"' in error.headers["WWW-Authenticate"]


def test_an_expired_token_is_401() -> None:
    one = session()
    token = issued(one)
    one.clock.advance(timedelta(seconds=60))
    assert refused(one, token).details[0]["reason"] == "ACCESS_TOKEN_EXPIRED"


def test_the_session_s_own_token_can_be_revoked_for_a_narrower_one() -> None:
    """Its entry in the session, once there is one, counts."""
    one = session()
    row = {"email": "bob@example.com", "scopes": [], "expires": "2026-03-01T00:00:00.000Z"}
    one.world.put("tokens", first_token("s1", "0"), row)
    assert refused(one, first_token("s1", "0")).details[0]["reason"] == "ACCESS_TOKEN_EXPIRED"


def test_scopes_are_asked_for_where_the_profile_is_strict() -> None:
    one = session(profile="strict")
    assert caller_of(one, issued(one, SCOPE), UNITS).email == "ada@example.com"

    error = refused(one, issued(one, "openid"))
    assert (error.status, error.reason) == (403, "insufficientPermissions")
    assert error.details[0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert f'scope="{" ".join(UNITS.scopes)}"' in error.headers["WWW-Authenticate"]


def test_the_session_s_own_token_has_every_scope() -> None:
    one = session(profile="strict")
    assert caller_of(one, first_token("s1", "0"), POLICIES).email == "admin@example.com"


def test_scopes_do_not_matter_where_the_profile_is_not_strict() -> None:
    one = session()
    assert caller_of(one, issued(one, "openid"), UNITS).scopes == ("openid",)


@pytest.mark.parametrize(
    ("spec", "auth"),
    [
        ({}, "off"),
        ({"profile": "lenient"}, "off"),
        ({"profile": "strict"}, "scopes"),
        ({"profile": "strict", "auth": "off"}, "off"),
        ({"auth": "token"}, "token"),
    ],
)
def test_what_is_asked_follows_the_profile_unless_it_is_said(
    spec: dict[str, Any], auth: Auth
) -> None:
    assert session(**spec).auth == auth


@pytest.mark.parametrize("token", ["", "ya29.a0Af"])
def test_a_session_that_asks_for_a_token_takes_its_own_only(token: str) -> None:
    one = session(auth="token")
    reason = "ACCESS_TOKEN_TYPE_UNSUPPORTED" if token else "CREDENTIALS_MISSING"
    assert refused(one, token).details[0]["reason"] == reason
    assert caller_of(one, issued(one, "openid"), UNITS).email == "ada@example.com"


def test_scopes_are_asked_for_in_any_profile_where_the_session_says_so() -> None:
    one = session(auth="scopes")
    assert refused(one, issued(one, "openid")).status == 403


def signed(within: Session, **claims: Any) -> str:
    now = int(NOW.timestamp())
    robot = service_account_email(within.world)
    return make_jwt({"iss": robot, "sub": robot, "iat": now, "exp": now + 3600} | claims)


def test_a_self_signed_token_is_the_service_accounts() -> None:
    one = session()
    assert caller_of(one, signed(one), UNITS).email == service_account_email(one.world)


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        pytest.param({"scope": SCOPE}, 0, id="scope"),
        pytest.param({"aud": "https://admin.googleapis.com/"}, 0, id="audience"),
        pytest.param({"scope": "openid"}, 403, id="other scope"),
        pytest.param({"aud": "https://logging.googleapis.com/"}, 403, id="other audience"),
        pytest.param({}, 403, id="neither"),
    ],
)
def test_it_is_good_for_its_scopes_or_its_api(claims: dict[str, Any], status: int) -> None:
    one = session(auth="scopes")
    if status:
        assert refused(one, signed(one, **claims)).status == status
    else:
        assert caller_of(one, signed(one, **claims), UNITS).email


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        pytest.param(lambda one: signed(one, exp=1), "ACCESS_TOKEN_EXPIRED", id="past"),
        pytest.param(
            lambda one: signed(one, exp=one.clock.client_now().timestamp()),
            "ACCESS_TOKEN_EXPIRED",
            id="now",
        ),
        pytest.param(lambda one: signed(one, exp=None), "ACCESS_TOKEN_EXPIRED", id="no end"),
        pytest.param(
            lambda one: f"{signed(one)}x", "ACCESS_TOKEN_TYPE_UNSUPPORTED", id="signature"
        ),
        pytest.param(
            lambda one: signed(one, iss="https://a", email=service_account_email(one.world)),
            "ACCESS_TOKEN_TYPE_UNSUPPORTED",
            id="ID token",
        ),
        pytest.param(
            lambda one: signed(one, iss=service_account_email(one.world).replace("s1", "s2")),
            "ACCESS_TOKEN_TYPE_UNSUPPORTED",
            id="session",
        ),
    ],
)
def test_other_signed_tokens_are_401(token: Callable[[Session], str], reason: str) -> None:
    one = session()
    assert refused(one, token(one)).details[0]["reason"] == reason


def test_a_self_signed_token_ends_with_the_others_and_with_the_key() -> None:
    one = session()
    token = signed(one)
    assert caller_of(one, token, UNITS).email
    expire_tokens(one.world)
    assert refused(one, token).details[0]["reason"] == "ACCESS_TOKEN_EXPIRED"
    assert caller_of(one, token, UNITS).email
    mark_revoked(one.world, service_account_email(one.world))
    assert refused(one, token).details[0]["reason"] == "ACCESS_TOKEN_TYPE_UNSUPPORTED"


def test_where_tokens_are_issued_a_signed_one_is_not_looked_at() -> None:
    one = session()
    assert caller_of(one, signed(one, exp=1), TOKEN).email == ""
