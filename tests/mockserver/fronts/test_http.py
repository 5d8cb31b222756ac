import asyncio

import pytest

from mockserver.asgi import server
from mockserver.fronts.connections import SessionProtocol
from tests.mockserver.fronts.conftest import ADMIN, UNITS, Running, asked, ending, tunnel
from tests.patience import PATIENCE_S, settle


def connection(running: Running) -> SessionProtocol:
    (found,) = running.server.server_state.connections
    assert isinstance(found, SessionProtocol)
    return found


async def until_idle(running: Running) -> SessionProtocol:
    await settle()
    return connection(running)


async def test_a_connection_is_used_again_and_again(running: Running) -> None:
    reader, writer = await tunnel(running, ADMIN)
    for _ in range(3):
        writer.write(f"GET {UNITS} HTTP/1.1\r\nHost: {ADMIN}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
    assert not connection(running).overdue(asyncio.get_running_loop().time() + 1000)
    writer.close()


async def test_too_large_a_head_is_refused(running: Running) -> None:
    reader, writer = await tunnel(running, ADMIN)
    writer.write(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000)
    async with asyncio.timeout(PATIENCE_S):
        assert (await reader.read()).startswith(b"HTTP/1.1 431 ")
    writer.close()


@pytest.mark.parametrize(
    ("sent", "patience"),
    [
        (b"", server.HEAD_S),
        (b"GET / HT", server.HEAD_S),
        (b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab", server.SILENCE_S),
    ],
    ids=["nothing", "half a head", "half a body"],
)
async def test_who_keeps_others_waiting_is_overdue(
    running: Running, sent: bytes, patience: float
) -> None:
    _, writer = await tunnel(running, ADMIN)
    writer.write(sent)
    found = await until_idle(running)
    now = asyncio.get_running_loop().time()
    assert not found.overdue(now)
    assert not found.overdue(now + patience / 2)
    assert found.overdue(now + patience + 1)
    writer.close()


async def test_an_idle_connection_is_dropped_when_the_server_stops(running: Running) -> None:
    reader, writer = await tunnel(running, ADMIN)
    (await until_idle(running)).shutdown()
    assert await ending(reader) == b""
    writer.close()


async def test_an_answer_in_flight_is_finished_when_the_server_stops(running: Running) -> None:
    reader, writer = await tunnel(running, ADMIN)
    writer.write(f"POST {UNITS} HTTP/1.1\r\nHost: {ADMIN}\r\nContent-Length: 2\r\n\r\n{{".encode())
    (await until_idle(running)).shutdown()
    writer.write(b"}")
    async with asyncio.timeout(PATIENCE_S):
        assert (await reader.read()).startswith(b"HTTP/1.1 ")
    writer.close()


async def test_the_scheme_is_https(running: Running) -> None:
    await asked(await tunnel(running, ADMIN), ADMIN)
    assert running.entries()[0]["host"] == ADMIN
