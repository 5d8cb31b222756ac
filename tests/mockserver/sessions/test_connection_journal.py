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


def test_what_belongs_to_no_session_is_logged(
    app: Application, caplog: pytest.LogCaptureFixture
) -> None:
    notes = ConnectionJournal(app.sessions)
    with caplog.at_level(logging.WARNING):
        notes.write("gone", ConnectionNote("a.example.com:443", 403, "no"))
        notes.write("gone", ConnectionNote("b.example.com:443"))
    assert caplog.messages == ["a.example.com:443: no"]
