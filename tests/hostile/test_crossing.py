"""Two hundred sessions asked at once, by every way to name one: none sees what another holds."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from mockserver.asgi.requests import PROXIED
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.sessions.session import Session
from mockserver.settings import Settings

SESSIONS, ROUNDS = 200, 50
NOW = datetime(2026, 3, 2, tzinfo=UTC)
UNITS = "/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
CUSTOMER = {"customer": {"id": "C01example", "customerDomain": "example.com"}}


def ways(session: Session) -> list[tuple[str, dict[str, str], dict[str, Any]]]:
    """Path prefix, headers and scope of a request that names a session, by each way and by all."""
    bearer = {"authorization": f"Bearer {session.token}"}
    header, baggage = {"x-mock-session": session.id}, {"baggage": f"mock.session={session.id}"}
    return [
        (f"/s/{session.id}", {}, {}),
        ("", header, {}),
        ("", bearer, {}),
        ("", baggage, {}),
        ("", {}, {PROXIED: session.id}),
        (f"/s/{session.id}", header | bearer | baggage, {PROXIED: session.id}),
    ]


async def ask(
    app: Application, way: tuple[str, dict[str, str], dict[str, Any]], content: bytes = b""
) -> tuple[int, dict[str, Any]]:
    prefix, headers, more = way
    sent = {**headers, "content-type": "application/json", "content-length": str(len(content))}
    scope = {
        "type": "http",
        "method": "POST" if content else "GET",
        "raw_path": f"{prefix}{UNITS}".encode(),
        "query_string": b"" if content else b"type=all",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        **more,
    }
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)  # whoever else is asked comes between head and body
        return {"type": "http.request", "body": content}

    async def send(message: Any) -> None:
        messages.append(message)

    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in messages)
    return messages[0]["status"], orjson.loads(body)


def names(answer: dict[str, Any]) -> Iterator[str]:
    return (unit["name"] for unit in answer.get("organizationUnits", ()))


@pytest.mark.slow
async def test_no_request_of_one_session_reaches_another() -> None:
    app = Application(Settings(max_sessions=SESSIONS), real=lambda: NOW)
    spec = SessionSpec(overrides=(CUSTOMER,))
    sessions = [app.sessions.open(spec) for _ in range(SESSIONS)]

    async def one(number: int, turn: int) -> None:
        session = sessions[number]
        way = ways(session)[turn % 6]
        unit = orjson.dumps({"name": f"{number}-{turn}", "parentOrgUnitPath": "/"})
        assert (await ask(app, way, unit))[0] == 200
        status, answer = await ask(app, way)
        assert status == 200
        assert {name.partition("-")[0] for name in names(answer)} == {str(number)}

    for turn in range(ROUNDS):
        await asyncio.gather(*(one(number, turn) for number in range(SESSIONS)))
    for number, session in enumerate(sessions):
        added = session.report()["diff"]["orgUnits"]["added"].values()
        assert {unit["name"] for unit in added} == {f"{number}-{turn}" for turn in range(ROUNDS)}
        assert len(session.journal) == 2 * ROUNDS
        assert session.tampering == []


@pytest.mark.parametrize(("first", "second"), [(a, b) for a in range(5) for b in range(5) if a < b])
async def test_a_request_that_names_two_sessions_is_refused_and_journalled_in_both(
    first: int, second: int
) -> None:
    app = Application(Settings(), real=lambda: NOW)
    one, other = (app.sessions.open(SessionSpec(overrides=(CUSTOMER,))) for _ in range(2))
    mine, theirs = ways(one)[first], ways(other)[second]
    way = (mine[0] or theirs[0], {**mine[1], **theirs[1]}, {**mine[2], **theirs[2]})
    status, answer = await ask(app, way, b'{"name": "Attic", "parentOrgUnitPath": "/"}')
    assert status == 400
    assert answer["error"]["errors"][0]["reason"] == "differentSessions"
    assert one.id not in str(answer)
    for session in (one, other):
        (entry,) = session.journal.as_json(session.id)["entries"]
        assert (entry["status"], entry["source"]) == (400, "none")
        assert session.report()["diff"] == {}
    accused = [session for session in (one, other) if session.tampering]
    assert len(accused) + len(app.sessions.strangers) == 1
