import asyncio
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mockserver.asgi import server
from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.fronts.interception import InterceptionOptions, prepare_interception
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import ADMIN, UNITS, Running, Start, asked, ending, tunnel
from tests.patience import settle

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def test_the_files_are_made_once_and_kept_current(home: Path) -> None:
    _, files = prepare_interception(NOW)
    before = files.certificate.read_bytes()
    files.node_preload.write_text("older")
    _, again = prepare_interception(NOW)
    assert again == files
    assert files.certificate.read_bytes() == before
    assert files.node_preload.read_text().startswith("'use strict'")
    assert {path.parent for path in (files.certificate, files.bundle, files.node_preload)} == {home}


def test_no_place_for_the_files_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(MockServerError, match="set UNDERSTUDY_HOME"):
        prepare_interception(NOW)


@pytest.mark.parametrize(
    ("doors", "names"),
    [
        (InterceptionOptions(), {"proxy"}),
        (InterceptionOptions(None, 0), {"tls"}),
        (InterceptionOptions(0, 0), {"proxy", "tls"}),
    ],
    ids=["proxy", "TLS", "both"],
)
async def test_the_servers_fronts_are_those_that_were_asked_for(
    start: Start, doors: InterceptionOptions, names: set[str]
) -> None:
    assert set((await start(doors)).application.settings.fronts) == names


@pytest.mark.parametrize("option", ["--proxy-port", "--tls-port"])
async def test_a_port_in_use_is_told_with_its_option(start: Start, option: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        doors = (
            InterceptionOptions(port)
            if option == "--proxy-port"
            else InterceptionOptions(None, port)
        )
        with pytest.raises(ServerUnavailableError, match=f"another with {option}"):
            await start(doors)


async def test_connections_that_keep_others_waiting_are_swept_away(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_S", 0.0)
    running = await start()
    reader, writer = await tunnel(running, ADMIN)
    await settle()
    for _ in range(2):
        server.abort_overdue_connections(running.server.server_state.connections)
    assert await ending(reader) == b""
    writer.close()
    assert running.server.server_state.connections == set()


async def connected(
    running: Running, host: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(
        "127.0.0.1", running.tls, ssl=running.trust(), server_hostname=host
    )


async def test_an_emulated_host_is_answered(running: Running) -> None:
    assert (await asked(await connected(running, ADMIN), ADMIN)).startswith(b"HTTP/1.1 200 ")


async def test_a_path_or_a_token_names_the_session(running: Running) -> None:
    token = running.application.sessions.open(SessionSpec(id="mine")).token
    await asked(await connected(running, ADMIN), ADMIN, f"/s/mine{UNITS}")
    await asked(await connected(running, ADMIN), ADMIN, f"{UNITS}&access_token={token}")
    assert [entry["status"] for entry in running.entries("mine")] == [200, 200]


async def test_without_session_and_default_it_is_refused(start: Start) -> None:
    running = await start(default=False)
    answer = await asked(await connected(running, ADMIN), ADMIN)
    assert answer.startswith(b"HTTP/1.1 404 ")


async def test_another_host_is_refused_in_words(running: Running) -> None:
    answer = await asked(await connected(running, "api.example.com"), "api.example.com")
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert running.entries()[0]["host"] == "api.example.com"


async def test_the_control_api_does_not_answer_in_googles_name(running: Running) -> None:
    answer = await asked(await connected(running, ADMIN), ADMIN, "/_mock/health")
    assert answer.startswith(b"HTTP/1.1 403 ")
