"""Credentials of a session, in the forms that Google's clients read."""

from typing import Any, get_args

import httpx
import pytest

from mockserver.errors import SessionError
from mockserver.http.application import Application
from mockserver.model import CredentialKind, CredentialsEnd, SessionSpec
from mockserver.sessions.credential_files import credential_urls, end_credentials, make_credentials
from mockserver.sessions.session import Session
from mockserver.state import first_token, refresh_token

SERVER = "http://127.0.0.1:8765"
SECRET = "5e" * 16
KINDS = get_args(CredentialKind)


@pytest.fixture
def session(app: Application) -> Session:
    return app.sessions.open(SessionSpec(id="s1", secret=SECRET))


def file(session: Session, kind: str, endpoint: str = "server") -> dict[str, Any]:
    return make_credentials(session, kind, credential_urls(session, SERVER, endpoint))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_names_its_session(session: Session, kind: str) -> None:
    assert "s1" in str(file(session, kind))


@pytest.mark.parametrize(
    ("kind", "field", "here", "there"),
    [
        (
            "service_account",
            "token_uri",
            f"{SERVER}/s/s1/oauth2.googleapis.com/token",
            "https://oauth2.googleapis.com/token",
        ),
        (
            "external_account",
            "token_url",
            f"{SERVER}/s/s1/sts.googleapis.com/v1/token",
            "https://sts.googleapis.com/v1/token",
        ),
        ("metadata", "GCE_METADATA_HOST", "127.0.0.1:8765/s/s1", "metadata.google.internal"),
    ],
)
def test_clients_ask_this_server_or_googles_own_names(
    session: Session, kind: str, field: str, here: str, there: str
) -> None:
    assert file(session, kind)[field] == here
    assert file(session, kind, "google")[field] == there


def test_the_default_session_needs_no_path(app: Application) -> None:
    default = app.sessions.get("default")
    assert file(default, "metadata")["GCE_METADATA_HOST"] == "127.0.0.1:8765"


@pytest.mark.parametrize(("kind", "endpoint"), [("servce_account", "server"), ("metadata", "x")])
def test_what_there_is_not_is_refused(session: Session, kind: str, endpoint: str) -> None:
    with pytest.raises(SessionError):
        file(session, kind, endpoint)


@pytest.mark.parametrize(
    ("asked", "ended"),
    [
        (CredentialsEnd(expire=True), 1),
        (CredentialsEnd(revoke="all"), 3),
        (CredentialsEnd(revoke=first_token("s1", SECRET)), 1),
        (CredentialsEnd(revoke=refresh_token("s1", SECRET)), 1),
    ],
)
def test_credentials_end_once(session: Session, asked: CredentialsEnd, ended: int) -> None:
    assert end_credentials(session, asked) == ended
    assert end_credentials(session, asked) == 0


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (CredentialsEnd(), 400),
        (CredentialsEnd(expire=True, revoke="all"), 400),
        (CredentialsEnd(revoke="ya29.mock~other~0"), 404),
        (CredentialsEnd(revoke="ya29.foreign"), 404),
    ],
)
def test_what_cannot_end_is_refused(session: Session, asked: CredentialsEnd, status: int) -> None:
    with pytest.raises(SessionError) as caught:
        end_credentials(session, asked)
    assert caught.value.status == status
    assert "ya29" not in str(caught.value)


async def test_the_control_api_hands_them_out_and_ends_them(client: httpx.AsyncClient) -> None:
    url = "/_mock/sessions/default/credentials"
    file = (await client.get(url, params={"kind": "authorized_user"})).json()
    assert file["refresh_token"].startswith("1//mock~default~")
    assert (await client.get(url)).json()["type"] == "service_account"
    assert (await client.get(url, params={"kind": "x"})).status_code == 400
    assert (await client.post(url, json={"expire": True})).json() == {"ended": 1}
    assert (await client.post(url, json={"expires": True})).status_code == 400
