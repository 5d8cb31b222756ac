"""Who a credential says is asking."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.googleapi import ANONYMOUS, ApiError
from mockserver.model import SessionSpec
from mockserver.server.credentials import caller_of
from mockserver.server.routes import Route, Routes
from mockserver.server.sessions import Session
from mockserver.state import Base, first_token, issue_token

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
    caller = caller_of(session(), first_token("s1"), UNITS)
    assert (caller.email, caller.token) == ("admin@example.com", "ya29.mock~s1~0")


def test_an_issued_token_is_its_account_s() -> None:
    one = session()
    caller = caller_of(one, issued(one, SCOPE), UNITS)
    assert (caller.email, caller.scopes) == ("ada@example.com", (SCOPE,))


@pytest.mark.parametrize("profile", ["lenient", "google", "strict"])
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
    one.world.put("tokens", first_token("s1"), row)
    assert refused(one, first_token("s1")).details[0]["reason"] == "ACCESS_TOKEN_EXPIRED"


def test_scopes_are_asked_for_where_the_profile_is_strict() -> None:
    one = session(profile="strict")
    assert caller_of(one, issued(one, SCOPE), UNITS).email == "ada@example.com"

    error = refused(one, issued(one, "openid"))
    assert (error.status, error.reason) == (403, "insufficientPermissions")
    assert error.details[0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert f'scope="{" ".join(UNITS.scopes)}"' in error.headers["WWW-Authenticate"]


def test_the_session_s_own_token_has_every_scope() -> None:
    one = session(profile="strict")
    assert caller_of(one, first_token("s1"), POLICIES).email == "admin@example.com"


def test_scopes_do_not_matter_where_the_profile_is_not_strict() -> None:
    one = session()
    assert caller_of(one, issued(one, "openid"), UNITS).scopes == ("openid",)
