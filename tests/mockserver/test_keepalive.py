"""The transport against servers that answer as told, byte for byte."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from mockserver import keepalive
from mockserver.keepalive import KeepAlive
from tests.patience import PATIENCE_S

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
)
LAST = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"


class Server:
    """Answers each request with the next of some texts; an empty one closes the connection."""

    def __init__(self, *answers: bytes) -> None:
        self.connections = 0
        self.asked: list[bytes] = []
        self.heard = asyncio.Event()
        self._answers = list(answers)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = [line for line in head.lower().split(b"\r\n") if b"content-length" in line]
                body = await reader.readexactly(int(size[0].split(b":")[1])) if size else b""
                self.asked.append(head + body)
                self.heard.set()
                answer = self._answers.pop(0)
                writer.write(answer)
                if not answer:
                    break
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def talking(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with listening, httpx.AsyncClient(transport=KeepAlive(), base_url=url) as client:
        yield client


async def test_one_connection_carries_many_requests() -> None:
    server = Server(HELLO, CHUNKED, HELLO)
    async with talking(server) as client:
        first = await client.get("/a?b=%20c")
        second = await client.post("/d", content=b"body")
        third = await client.delete("/e")
    assert (first.text, second.text, third.text) == ("hello",) * 3
    assert (first.headers["x-a"], second.status_code) == ("b", 201)
    assert server.asked[0].startswith(b"GET /a?b=%20c HTTP/1.1\r\n")
    assert server.asked[1].endswith(b"\r\n\r\nbody")
    assert server.connections == 1


async def test_requests_at_a_time_have_connections_of_their_own() -> None:
    server = Server(HELLO, HELLO)
    async with talking(server) as client:
        await asyncio.gather(client.get("/"), client.get("/"))
    assert server.connections == 2


async def test_a_connection_that_the_server_ends_is_not_used_again() -> None:
    server = Server(LAST, HELLO)
    async with talking(server) as client:
        await client.get("/")
        await client.get("/")
    assert server.connections == 2


async def test_an_idle_connection_that_was_lost_is_left_out() -> None:
    server = Server(HELLO, HELLO)
    async with talking(server) as client:
        await client.get("/")
        transport = client._transport
        assert isinstance(transport, KeepAlive)
        transport._idle[0].end()
        await asyncio.sleep(0)
        await client.get("/")
    assert server.connections == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(b"", httpx.ReadError, id="closed"),
        pytest.param(b"no HTTP\r\n\r\n", httpx.ReadError, id="no HTTP"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", httpx.ReadTimeout, id="half"
        ),
    ],
)
async def test_what_is_no_answer_is_an_error_of_the_transport(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, error: type[Exception]
) -> None:
    server = Server(answer, HELLO)
    async with talking(server) as client:
        with monkeypatch.context() as patched:
            answer_s = 0.2 if error is httpx.ReadTimeout else PATIENCE_S
            patched.setattr(keepalive, "_ANSWER_S", answer_s)
            with pytest.raises(error):
                await client.get("/")
        assert (await client.get("/")).text == "hello"


async def test_nobody_there_is_an_error_of_the_connection(
    unused_tcp_port_factory: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with httpx.AsyncClient(transport=KeepAlive()) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://127.0.0.1:{unused_tcp_port_factory()}/")
        monkeypatch.setattr(keepalive, "_CONNECT_S", 0)
        with pytest.raises(httpx.ConnectTimeout):
            await client.get(f"http://127.0.0.1:{unused_tcp_port_factory()}/")


async def test_a_loop_that_was_blocked_is_no_server_that_is_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with talking(Server(HELLO)) as client:
        monkeypatch.setattr(keepalive, "_CONNECT_S", 0.05)
        monkeypatch.setattr(keepalive, "_LATE_S", 0.05)
        asyncio.get_running_loop().call_soon(time.sleep, 0.2)
        assert (await client.get("/")).text == "hello"


async def test_a_request_that_is_cancelled_ends_its_connection() -> None:
    server = Server(b"HTTP/1.1 200 OK\r\n", HELLO)
    async with talking(server) as client:
        asking = asyncio.create_task(client.get("/"))
        await server.heard.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert (await client.get("/")).text == "hello"
    assert server.connections == 2


async def test_a_connection_that_is_gone_refuses() -> None:
    with pytest.raises(ConnectionResetError):
        await keepalive._Connection().ask(b"")


async def test_a_connection_that_was_closed_while_it_was_idle_is_made_anew() -> None:
    server = Server(HELLO, b"", HELLO)
    async with talking(server) as client:
        await client.get("/")
        assert (await client.get("/")).text == "hello"
    assert server.connections == 2
