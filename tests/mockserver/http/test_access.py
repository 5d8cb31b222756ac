"""Who may use the control API of a server with a token, and what becomes of the others."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW

OWNER = {"authorization": "Bearer s3cret"}
URL = "http://127.0.0.1:8765"


@pytest.fixture
def app(suite: Path) -> Application:
    app = Application(Settings(fixtures=suite, token="s3cret"), real=lambda: NOW)
    for name in ("a", "b"):
        app.sessions.open(SessionSpec(id=name))
    return app


@pytest.fixture
async def client(app: Application) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL) as client:
        yield client


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [("Bearer s3cret", 200), ("bearer  s3cret ", 200), ("Bearer other", 401),
     ("Bearer \xff", 401), ("Basic s3cret", 401), ("", 401)],
)  # fmt: skip
async def test_the_control_token_opens_everything(
    client: httpx.AsyncClient, authorization: str, expected: int
) -> None:
    headers = {b"authorization": authorization.encode("latin-1")} if authorization else {}
    answer = await client.get("/_mock/sessions", headers=headers)
    assert answer.status_code == expected
    assert "s3cret" not in answer.text


async def test_health_tells_strangers_that_the_server_is_up(client: httpx.AsyncClient) -> None:
    told = (await client.get("/_mock/health")).json()
    assert told.keys() == {"status", "version", "protected"}
    assert (await client.get("/_mock/health", headers=OWNER)).json().keys() > told.keys()


async def test_the_files_of_the_suite_are_told_to_the_owner_alone(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.get("/_mock/problems")).status_code == 401
    assert (await client.get("/_mock/problems", headers=OWNER)).status_code == 200


async def test_no_session_is_suggested_to_strangers(
    app: Application, client: httpx.AsyncClient
) -> None:
    headers = {"authorization": f"Bearer {app.sessions.get('a').token}"}
    for path in ("/_mock/sessions/aa", "/s/aa/tools", "/_mock/sessions/bb/journal"):
        answer = await client.get(path, headers=headers)
        assert answer.status_code in {400, 403}
        assert "did you mean" not in answer.text


@pytest.mark.parametrize(
    ("verb", "path", "status", "accused"),
    [
        ("GET", "/_mock/sessions/a/journal", 401, False),
        ("GET", "/_mock/sessions/a/journal/", 401, True),
        ("GET", "/_mock/sessions/a/merged", 401, True),
        ("POST", "/_mock/sessions/a/reset", 401, True),
        ("POST", "/_mock/nothing", 401, False),
        ("GET", "/_mock/nothing", 401, False),
    ],
)
async def test_what_only_reads_ones_own_is_refused_without_an_accusation(
    app: Application, client: httpx.AsyncClient, verb: str, path: str, status: int, accused: bool
) -> None:
    assert (await client.request(verb, path)).status_code == status
    session = app.sessions.get("a")
    assert bool(session.tampering) == accused
    assert bool(app.sessions.strangers) == (path == "/_mock/nothing" and verb == "POST")
    entries = session.journal.as_json("a")["entries"]
    assert len(entries) == ("sessions" in path)
    assert all((each["status"], each["source"]) == (401, "control") for each in entries)


async def test_a_token_of_an_open_session_reads_nothing_else(
    app: Application, client: httpx.AsyncClient
) -> None:
    one, other = app.sessions.get("a"), app.sessions.get("b")
    headers = {"authorization": f"Bearer {one.token}"}
    assert (await client.get("/_mock/sessions/a/diff", headers=headers)).status_code == 200
    assert (await client.get("/_mock/sessions/b/diff", headers=headers)).status_code == 403
    assert (await client.post("/_mock/sessions/a/clock", headers=headers)).status_code == 403
    assert [each.attempt for each in one.tampering] == [
        "GET /_mock/sessions/b/diff",
        "POST /_mock/sessions/a/clock",
    ]
    assert other.tampering == []


async def test_attempts_after_the_end_are_those_of_strangers(
    app: Application, client: httpx.AsyncClient
) -> None:
    app.sessions.close("a")
    assert (await client.post("/_mock/sessions/a/reset")).status_code == 401
    (told,) = (await client.get("/_mock/tampering", headers=OWNER)).json()["attempts"]
    assert (told["attempt"], told["session"]) == ("POST /_mock/sessions/a/reset", "")
