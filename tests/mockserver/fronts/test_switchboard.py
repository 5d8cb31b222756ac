import asyncio
from typing import Any

import pytest

from mockserver.fronts.connections import WaitingConnection
from mockserver.fronts.http2 import PREFACE, frame
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import ADMIN, BOTH, Running, Start, asked, tunnel
from tests.patience import PATIENCE_S, until

CALL = PREFACE + frame(1, 5, 1, b"\x10\x0ccontent-type\x10application/grpc")


async def heard(running: Running, host: str = ADMIN, **how: Any) -> bytes:
    """What is answered to a gRPC call within a moment."""
    reader, writer = await tunnel(running, host, context=running.trust("h2"), **how)
    writer.write(CALL)
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read(9)
        answer += await reader.read(10_000)
    writer.close()
    return answer


async def test_http2_without_a_listener_is_refused_in_words(running: Running) -> None:
    assert b"grpc-status\x0212" in await heard(running)


async def test_a_listener_that_is_gone_is_told(start: Start) -> None:
    async def gone(*_: Any) -> tuple[str, int]:
        return "127.0.0.1", 1

    answer = await heard(await start(BOTH, gone))
    assert b"the gRPC listener cannot be reached" in answer


@pytest.fixture
async def whose() -> asyncio.Queue[tuple[int, bytes]]:
    return asyncio.Queue()


async def test_http2_goes_to_the_listener_with_its_session(
    start: Start, whose: asyncio.Queue[tuple[int, bytes]]
) -> None:
    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = await reader.readexactly(len(CALL))
        whose.put_nowait((writer.get_extra_info("peername")[1], sent))
        writer.write(b"answer of the listener")
        await reader.read()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]

        async def address(*_: Any) -> tuple[str, int]:
            return "127.0.0.1", port

        running = await start(BOTH, address)
        running.application.sessions.open(SessionSpec(id="mine"))
        reader, writer = await tunnel(running, ADMIN, user="mine", context=running.trust("h2"))
        writer.write(CALL)
        peer, sent = await whose.get()
        assert sent == CALL
        assert running.peers.of(f"ipv4:127.0.0.1:{peer}") == "mine"
        assert await reader.read(100) == b"answer of the listener"
        writer.close()
        await until(lambda: len(running.peers) == 0)


async def test_http2_that_is_not_grpc_is_refused_in_words(start: Start) -> None:
    heard_there = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard_there.set_result(await reader.read())
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]

        async def address(*_: Any) -> tuple[str, int]:
            return "127.0.0.1", port

        running = await start(BOTH, address)
        reader, writer = await tunnel(running, ADMIN, context=running.trust("h2"))
        writer.write(PREFACE + frame(1, 5, 1, b"\x82\x86"))
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
            assert await heard_there == PREFACE
        writer.close()
    assert b"everything else it answers over HTTP/1.1" in answer


@pytest.mark.parametrize("alpn", [("http/1.1",), ("h2",)])
async def test_a_name_within_the_tunnel_that_is_not_emulated_is_refused_in_words(
    running: Running, alpn: tuple[str, ...]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(f"CONNECT {ADMIN}:443 HTTP/1.1\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    await writer.start_tls(running.trust(*alpn), server_hostname="api.example.com")
    writer.write(CALL if alpn == ("h2",) else b"")
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read(9)
        answer += await reader.read(10_000)
    writer.close()
    assert b"api.example.com is not emulated" in answer
    assert running.entries()[0]["path"] == "api.example.com:443"


async def test_what_came_with_the_handshake_is_not_lost(running: Running) -> None:
    streams = await tunnel(running, ADMIN)
    assert (await asked(streams, ADMIN)).startswith(b"HTTP/1.1 200 ")


def test_who_waits_keeps_what_comes() -> None:
    waiting = WaitingConnection()
    waiting.data_received(b"a")
    waiting.data_received(b"b")
    assert (waiting.early, waiting.lost) == (b"ab", False)
    waiting.connection_lost(None)
    assert waiting.lost
