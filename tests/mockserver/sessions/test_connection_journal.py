import logging
from typing import Any

import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.sessions.connection_journal import ConnectionJournal, ConnectionNote


def entries(app: Application, name: str = "default") -> Any:
    session = app.sessions.find(name)
    assert session is not None
    return session.journal.as_json(name)["entries"]


def test_a_connection_is_noted_under_its_session_or_the_default_one(app: Application) -> None:
    app.sessions.open(SessionSpec(id="mine"))
    notes = ConnectionJournal(app.sessions)
    notes.write("mine", ConnectionNote("[2001:db8::1]:443", 403, "no"))
    notes.write(None, ConnectionNote("a.example.com:443", 502, "broken"))
    notes.write(None, ConnectionNote("b.example.com:443"))
    (mine,) = entries(app, "mine")
    assert (mine["host"], mine["source"], mine["miss"]["reason"]) == ("2001:db8::1", "none", "no")
    assert [
        (entry["seq"], entry["status"], (entry["miss"] or {}).get("blame"))
        for entry in entries(app)
    ] == [(1, 502, "infrastructure"), (2, 200, None)]


def test_after_the_end_it_is_noted_as_late(app: Application) -> None:
    app.sessions.open(SessionSpec(id="mine"))
    app.sessions.close("mine")
    ConnectionJournal(app.sessions).write("mine", ConnectionNote("a.example.com:443", 403, "no"))
    assert entries(app, "mine")[0]["after_close"] is True


async def test_a_connection_of_no_open_session_is_refused(app: Application) -> None:
    notes = ConnectionJournal(app.sessions)
    app.sessions.open(SessionSpec(id="mine"))
    assert await notes.refusal("mine") is None
    await notes.note("mine", ConnectionNote("a.example.com:443"))
    assert [entry["http_method"] for entry in entries(app, "mine")] == ["CONNECT"]
    app.sessions.close("mine")
    closed, unknown = [await notes.refusal(user) for user in ("mine", "gone")]
    assert closed == (410, "session 'mine' of the mock server is closed")
    assert unknown == (404, "the mock server has no session 'gone', the proxy's user")


@pytest.mark.parametrize(
    ("status", "blame"), [(200, None), (403, "not_emulated"), (502, "infrastructure")]
)
def test_who_is_to_blame_for_a_connection(status: int, blame: str | None) -> None:
    miss = ConnectionNote("a.example.com:443", status, "why").miss
    assert (miss.blame, miss.reason) == (blame, "why") if miss else blame is None


def test_what_belongs_to_no_session_is_logged(
    app: Application, caplog: pytest.LogCaptureFixture
) -> None:
    notes = ConnectionJournal(app.sessions)
    with caplog.at_level(logging.WARNING):
        notes.write("gone", ConnectionNote("a.example.com:443", 403, "no"))
        notes.write("gone", ConnectionNote("b.example.com:443"))
    assert caplog.messages == ["a.example.com:443: no"]
