"""Credentials in a body name their session, and the body is there afterwards."""

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx
import pytest

from mockserver.asgi.requests import Message, Name
from mockserver.googleapi import make_jwt
from mockserver.http.application import Application
from mockserver.http.session_names import identify_caller, sessions_in, sessions_in_body
from mockserver.model import SessionSpec
from mockserver.state import identity_pool, refresh_token, service_account_email

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def receiving(messages: Sequence[Message]) -> Any:
    waiting = iter(messages)

    async def receive() -> Message:
        return next(waiting)

    return receive


@pytest.mark.parametrize(
    ("content", "sessions"),
    [
        pytest.param(b"refresh_token=1%2F%2Fmock~s1~0", ("s1",), id="refresh token"),
        pytest.param(b"token=ya29.mock~s2~0", ("s2",), id="token to revoke"),
        pytest.param(
            json.dumps({"audience": identity_pool("s3", "1")}).encode(), ("s3",), id="JSON"
        ),
        pytest.param(b'{"audience": 7}', (), id="number"),
        pytest.param(
            b"token=ya29.mock~s2~0&refresh_token=1%2F%2Fmock~s1~0&id_token=ya29.mock~s2~1",
            ("s1", "s2"),
            id="two",
        ),
        pytest.param(b"{", (), id="no JSON"),
        pytest.param(b"", (), id="nothing"),
        pytest.param(b"refresh_token=1%2F%2F0gForeign", (), id="foreign"),
    ],
)
def test_a_body_names_sessions_by_its_credentials(
    content: bytes, sessions: tuple[str, ...]
) -> None:
    assert sessions_in(content) == sessions


async def test_the_body_can_be_read_again() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"token=ya29.mo", "more_body": True},
        {"type": "http.request", "body": b"ck~s1~0", "more_body": False},
        {"type": "http.disconnect"},
    ]
    sessions, again = await sessions_in_body(receiving(messages))
    assert sessions == ("s1",)
    assert [await again() for _ in messages] == messages


async def test_a_caller_that_leaves_is_seen_to_have_left() -> None:
    messages: list[Message] = [{"type": "http.disconnect"}]
    sessions, again = await sessions_in_body(receiving(messages))
    assert sessions == ()
    assert await again() == messages[0]


@pytest.mark.parametrize(("most", "found"), [(16, ("s1",)), (15, ())])
async def test_so_much_of_a_body_is_looked_through(
    most: int, found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.http.session_names._LONGEST", most)
    parts = b"code=4/m", b"ock~s1~0"
    messages: list[Message] = [
        {"type": "http.request", "body": part, "more_body": part is parts[0]} for part in parts
    ]
    sessions, again = await sessions_in_body(receiving(messages))
    assert sessions == found
    assert [await again() for _ in messages] == messages


class Known(NamedTuple):
    """A session with one good token."""

    id: str
    closed: bool = False

    def has_issued(self, token: str) -> bool:
        return token == f"of {self.id}"


KNOWN = {each.id: each for each in (Known("a"), Known("b"), Known("over", closed=True))}


@pytest.mark.parametrize(
    ("names", "token", "caller"),
    [
        ([], "", (None, "")),
        ([("token", "a"), ("path", "b")], "of a", ("a", "token")),
        ([("path", "b"), ("token", "a")], "of a", ("a", "token")),
        ([("token", "a"), ("path", "b")], "of b", (None, "")),
        ([("proxy", "b"), ("token", "a")], "of a", ("a", "token")),
        ([("proxy", "b"), ("token", "a")], "", ("b", "proxy")),
        ([("path", "a"), ("proxy", "b")], "", ("b", "proxy")),
        ([("path", "a"), ("header", "a")], "", ("a", "path")),
        ([("path", "gone"), ("header", "b")], "", ("b", "header")),
        ([("proxy", "over"), ("header", "b")], "", ("b", "header")),
        ([("path", "over")], "", (None, "")),
    ],
)
def test_a_caller_is_known_by_token_then_proxy_then_the_one_name(
    names: list[Name], token: str, caller: tuple[str | None, str]
) -> None:
    sessions: Any = SimpleNamespace(find=KNOWN.get)
    found, way = identify_caller(sessions, names, token)
    assert (found and found.id, way) == caller


async def test_a_large_body_is_not_looked_through() -> None:
    messages: list[Message] = [
        {
            "type": "http.request",
            "body": b"token=ya29.mock~s1~0&x=" + b"x" * 2**18,
            "more_body": True,
        },
        {"type": "http.request", "body": b"x", "more_body": False},
    ]
    sessions, again = await sessions_in_body(receiving(messages))
    assert sessions == ()
    assert [await again() for _ in messages] == messages


async def test_an_assertion_leads_to_its_session(
    app: Application, client: httpx.AsyncClient
) -> None:
    session = app.sessions.open(SessionSpec(id="other"))
    now = int(session.clock.client_now().timestamp())
    claims = {
        "iss": service_account_email(session.world),
        "scope": "email",
        "aud": "https://oauth2.googleapis.com/token",
        "iat": now,
        "exp": now + 60,
    }
    form = {"grant_type": GRANT, "assertion": make_jwt(claims)}
    answer = await client.post("/token", data=form, headers={"Host": "oauth2.googleapis.com"})
    assert answer.json()["access_token"].startswith("ya29.mock~other~")


@pytest.mark.parametrize(("closed", "status"), [(True, 410), (False, 404)])
async def test_a_session_that_is_not_open_is_refused(
    app: Application, client: httpx.AsyncClient, closed: bool, status: int
) -> None:
    if closed:
        app.sessions.open(SessionSpec(id="gone"))
        app.sessions.close("gone")
    form = {
        "grant_type": "refresh_token",
        "refresh_token": refresh_token("gone", "0"),
        "client_id": "c",
    }
    answer = await client.post("/oauth2.googleapis.com/token", data=form)
    assert answer.status_code == status
    assert "gone" in answer.json()["error_description"]
