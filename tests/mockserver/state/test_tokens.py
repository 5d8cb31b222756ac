import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Store
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    admin_email,
    find_token,
    find_waiting_device,
    first_token,
    identity_pool,
    issue_grant,
    issue_token,
    jwt_part,
    refresh_token,
    session_of,
)


def make_world(session: str, customer: dict[str, str] | None = None) -> World:
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    tables = {"customer": Store({"customer": customer})} if customer else {}
    base = Base(tables=tables, times={}, captured_at=moment)
    clock = Clock("frozen", captured_at=moment, real=lambda: moment)
    return World(base, clock=clock, ids=Ids(1), session=session)


def test_an_issued_token_names_its_session_and_expires_in_session_time() -> None:
    world = make_world("s1")
    token = issue_token(world, email="ann@example.com", scopes=("a",), lifetime_s=60)
    assert session_of(token) == "s1"
    found = find_token(world, token)
    assert found is not None
    assert (found["email"], found["scopes"], found["expired"]) == ("ann@example.com", ["a"], False)
    world.clock.advance(timedelta(seconds=60))
    expired = find_token(world, token)
    assert expired is not None
    assert expired["expired"]


def test_a_device_waits_under_its_user_code_until_it_is_answered() -> None:
    world = make_world("s1")
    issue_token(world, email="ann@example.com", scopes=(), lifetime_s=60)
    issue_grant(world, "code", {"user_code": "ABCD", "state": "new"})
    issue_grant(world, "device", {"user_code": "ABCD", "state": "granted"})
    issue_grant(world, "device", {"user_code": "WXYZ", "state": "new"})
    assert find_waiting_device(world, "ABCD") is None
    row = {"user_code": "ABCD", "state": "new"}
    device_code = issue_grant(world, "device", row)
    assert find_waiting_device(world, "ABCD") == (device_code, row)


def test_a_token_works_in_its_own_session_only() -> None:
    token = issue_token(make_world("s1"), email="a@example.com", scopes=(), lifetime_s=60)
    assert find_token(make_world("s2"), token) is None
    assert find_token(make_world("s2"), first_token("s1", "0")) is None


def test_the_first_token_stands_for_the_administrator() -> None:
    world = make_world("s1", {"id": "C01234567", "customerDomain": "corp.example.com"})
    assert find_token(world, first_token("s1", "0")) == {
        "email": "admin@corp.example.com",
        "scopes": [
            "https://www.googleapis.com/auth/cloud-platform",
            "https://www.googleapis.com/auth/userinfo.email",
            "https://www.googleapis.com/auth/userinfo.profile",
            "openid",
        ],
        "expires": "2026-11-01T01:00:00.000Z",
        "expired": False,
    }
    assert admin_email(make_world("s1", {"customerEmail": "it@example.com"})) == "it@example.com"


def jwt(**claims: object) -> str:
    parts = ({"alg": "RS256"}, claims)
    encoded = (urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return ".".join((*encoded, "c2ln"))


ROBOT = "mock~s1@example-com.iam.gserviceaccount.com"


@pytest.mark.parametrize(
    ("credential", "session"),
    [
        pytest.param(first_token("s1", "0"), "s1", id="access token"),
        pytest.param(refresh_token("s1", "0"), "s1", id="refresh token"),
        pytest.param(identity_pool("s1", "12"), "s1", id="identity pool"),
        pytest.param(jwt(iss=ROBOT, sub="ann@example.com"), "s1", id="signed by the account"),
        pytest.param(jwt(iss="https://a.example.com", email=ROBOT), "s1", id="signed for it"),
        pytest.param(jwt(iss=7, sub=ROBOT), "s1", id="about it"),
        pytest.param(jwt(iss="robot@example.com"), None, id="another account"),
        pytest.param(jwt(iss=ROBOT, padding="x" * 20_000), None, id="too long"),
        pytest.param("eyJ.eyJ", None, id="no JWT"),
        pytest.param("eyJ", None, id="one part"),
        pytest.param("eyJ.é.x", None, id="not ASCII"),
        pytest.param("eyJh.WzFd.x", None, id="a list"),
        pytest.param("1//0gAbc", None, id="foreign refresh token"),
        pytest.param("//iam.googleapis.com/projects/1/locations/global", None, id="foreign pool"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_credentials_name_their_session(credential: str, session: str | None) -> None:
    assert session_of(credential) == session


@given(st.text(max_size=60))
def test_no_credential_is_too_strange_to_read(text: str) -> None:
    assert session_of(f"eyJ{text}") is None
    assert isinstance(jwt_part(text, 1), dict)
