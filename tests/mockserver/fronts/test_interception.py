import asyncio
import socket
from pathlib import Path

import pytest
from cryptography import x509

from mockserver.asgi import server
from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.fronts import interception
from mockserver.fronts.interception import InterceptionOptions, prepare_interception
from mockserver.http.server import real_time
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import ADMIN, UNITS, Running, Start, asked, ending, tunnel
from tests.patience import settle


def test_each_server_has_files_of_its_own(home: Path) -> None:
    one, files = prepare_interception(real_time)
    files.node_preload.write_text("older")
    other, again = prepare_interception(real_time)
    assert again.certificate != files.certificate
    assert again.node_preload.read_text().startswith("'use strict'")
    assert not files.certificate.exists(), "nobody was told of it yet"
    for each in (files, again):
        each.prepare()
    assert files.certificate.read_bytes() != again.certificate.read_bytes()
    for authority in (one, other):
        authority.close()
    assert not files.bundle.exists()


@pytest.mark.parametrize("by_variable", [False, True])
def test_an_authority_that_is_kept_is_shared(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_variable: bool
) -> None:
    kept = tmp_path / "kept"
    if by_variable:
        monkeypatch.setenv("MOCKSERVER_CA", str(kept))
    found = [
        prepare_interception(real_time, kept=None if by_variable else kept)[1] for _ in range(2)
    ]
    assert found[0] == found[1]
    assert found[0].certificate.parent == kept
    assert found[0].certificate.exists()


async def test_a_server_at_a_known_port_makes_its_files_for_clients_of_the_one_before(
    home: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interception, "_PREPARED_S", 0.0)
    running = await start(name="127.0.0.1-8765")
    await settle()
    assert running.files.certificate == home / "servers" / "127.0.0.1-8765" / "ca.pem"
    assert running.files.certificate.exists()


async def test_the_authority_of_a_server_is_for_its_hosts(start: Start) -> None:
    running = await start(InterceptionOptions(0, None, emulate=("*.bank.example",)))
    running.files.prepare()
    (made,) = x509.load_pem_x509_certificates(running.files.certificate.read_bytes())
    found = made.extensions.get_extension_for_class(x509.NameConstraints)
    names = {str(each.value) for each in found.value.permitted_subtrees or ()}
    assert found.critical
    assert names >= {"googleapis.com", "accounts.google.com", "bank.example", "169.254.169.254/32"}
    assert not names & {"com", "example.com", "google.com"}


def test_no_place_for_the_files_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(MockServerError, match="set UNDERSTUDY_HOME"):
        prepare_interception(real_time)


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


async def test_the_control_api_does_not_answer_in_googles_name(running: Running) -> None:
    answer = await asked(await connected(running, ADMIN), ADMIN, "/_mock/health")
    assert answer.startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("shared", [False, True])
async def test_of_several_processes_none_answers_for_hosts_that_others_do_not_know(
    start: Start, *, shared: bool
) -> None:
    running = await start(InterceptionOptions(None, 0), shared=shared)
    running.application.sessions.stub_hosts |= {"later.example.com"}
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", running.tls, ssl=running.blind(), server_hostname="later.example.com"
    )
    writer.write(b"GET / HTTP/1.1\r\nHost: later.example.com\r\nConnection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert (b"later.example.com is not emulated" in answer) == shared
