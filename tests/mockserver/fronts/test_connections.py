import asyncio
from typing import Any

import orjson
import pytest

from mockserver.asgi import server
from mockserver.fronts.connections import SessionProtocol, WaitingConnection, refusal_head
from mockserver.fronts.http2 import PREFACE, frame
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import (
    ADMIN,
    BOTH,
    UNITS,
    Running,
    Start,
    asked,
    ending,
    tunnel,
)
from tests.patience import PATIENCE_S, settle, until

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
    await writer.start_tls(running.blind(*alpn), server_hostname="api.example.com")
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


def test_the_reason_is_in_the_status_line_and_in_the_body() -> None:
    head, _, body = refusal_head(403, "x is\r\nnot emulated").partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 403 Forbidden: x is not emulated"
    assert b"Content-Length: %d" % len(body) in lines
    assert b"Connection: close" in lines
    assert orjson.loads(body) == {"error": {"message": "x is\r\nnot emulated"}}


@pytest.mark.parametrize(("status", "asks"), [(407, True), (403, False)])
def test_only_407_asks_for_credentials(status: int, *, asks: bool) -> None:
    assert (b"Proxy-Authenticate: Basic" in refusal_head(status, "no")) is asks


def test_a_status_line_is_short_and_plain() -> None:
    line = refusal_head(400, "ü" * 5000).split(b"\r\n")[0]
    assert len(line) < 300
    assert line.isascii()


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
