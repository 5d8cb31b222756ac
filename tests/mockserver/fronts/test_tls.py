import asyncio

from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import ADMIN, UNITS, Running, Start, asked


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
