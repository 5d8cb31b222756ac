import logging

import pytest

from mockserver.fronts.connection_journal import ConnectionJournal
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import Running, Start


async def test_a_connection_is_noted_under_its_session_or_the_default_one(running: Running) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    notes = ConnectionJournal(running.application.sessions)
    notes.note_refused("mine", "[2001:db8::1]:443", 403, "no")
    notes.note_refused(None, "a.example.com:443", 502, "broken")
    notes.note_tunnelled(None, "b.example.com:443")
    (mine,) = running.entries("mine")
    assert (mine["host"], mine["source"], mine["miss"]["reason"]) == ("2001:db8::1", "none", "no")
    assert [
        (entry["seq"], entry["status"], (entry["miss"] or {}).get("blame"))
        for entry in running.entries()
    ] == [(1, 502, "infrastructure"), (2, 200, None)]


async def test_after_the_end_it_is_noted_as_late(running: Running) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    running.application.sessions.close("mine")
    ConnectionJournal(running.application.sessions).note_refused(
        "mine", "a.example.com:443", 403, "no"
    )
    assert running.entries("mine")[0]["after_close"] is True


async def test_what_belongs_to_no_session_is_logged(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    running = await start(default=False)
    notes = ConnectionJournal(running.application.sessions)
    with caplog.at_level(logging.WARNING):
        notes.note_refused(None, "a.example.com:443", 403, "no")
        notes.note_tunnelled(None, "b.example.com:443")
    assert caplog.messages == ["a.example.com:443: no"]
