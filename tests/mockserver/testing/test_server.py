"""The event loop of servers in this process."""

import asyncio
import json
from pathlib import Path

import pytest

from mockserver.cassettes.files import write_cassette
from mockserver.errors import MockServerError
from mockserver.fronts.hosts import Verdict
from mockserver.model import Cassette, CassetteInfo, SessionSpec
from mockserver.settings import Settings
from mockserver.testing import server
from mockserver.testing.server import EmulatorServer, ServerLoop
from tests.recordings import interaction


def test_a_loop_that_cannot_be_made_is_told_and_awaited_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> asyncio.AbstractEventLoop:
        raise RuntimeError("no sockets here")

    monkeypatch.setattr(server, "_new_loop", refuse)
    with pytest.raises(MockServerError, match="no sockets here") as raised:
        ServerLoop()
    assert "--allow-unix-socket" in raised.value.hint


def test_a_loop_ends_with_its_thread() -> None:
    loop = ServerLoop()

    async def answer() -> int:
        return 42

    assert loop.run(answer()) == 42
    assert loop.usable
    loop.stop()
    assert not loop.usable


def test_a_session_answers_for_apis_stubs_and_its_own_recordings(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    stub = {"http": [{"url": "plain.example.com/now", "body": "noon"}]}
    (tmp_path / "base" / "http.json").write_text(json.dumps(stub))
    tape = tmp_path / "tape.yaml"
    write_cassette(
        Cassette("tape", (interaction("https://tape.example.com/x"),), CassetteInfo()), tape
    )
    settings = Settings(fixtures=tmp_path, cassettes=(tape,))
    made = EmulatorServer(settings, tunnel=("*.example.org",))
    try:
        sessions = made.application.sessions
        found = {
            name: {
                host: made.hosts_of(sessions.open(SessionSpec(cassettes=cassettes))).verdict(host)
                for host in ("admin.googleapis.com", "plain.example.com", "mockserver.localhost",
                             "api.openai.com", "a.example.org", "tape.example.com", "x.example.com")
            }
            for name, cassettes in {"plays": ("tape",), "plays nothing": ()}.items()
        }  # fmt: skip
    finally:
        made.close()
    answered, refused = Verdict.EMULATED, Verdict.REFUSED
    everywhere = {
        "admin.googleapis.com": answered,
        "plain.example.com": answered,
        "mockserver.localhost": answered,
        "api.openai.com": answered,
        "a.example.org": Verdict.TUNNELLED,
        "x.example.com": refused,
    }
    assert found["plays"] == {**everywhere, "tape.example.com": answered}
    assert found["plays nothing"] == {**everywhere, "tape.example.com": refused}
