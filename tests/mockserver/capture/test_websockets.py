"""WebSockets through the proxy, with a real client and server; requests that say two lengths."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import InvalidStatus

from mockserver.capture.server import PASSED_ON
from mockserver.cassettes.files import read_cassette
from tests.patience import until
from tests.wires import HEAD, forwarding, live, proxied

TEXTS = ["hello", "x" * 70_000, "good-bye"]


@contextlib.asynccontextmanager
async def echoing(tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A live API that says every message again; its `host:port`."""

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    async with serve(echo, "127.0.0.1", 0, ssl=tls) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"127.0.0.1:{port}"


async def said_again(
    url: str, *, proxy: str | None = None, tls: ssl.SSLContext | None = None
) -> list[str | bytes]:
    async with connect(url, proxy=proxy, ssl=tls) as client:
        got = []
        for text in TEXTS:
            await client.send(text)
            got.append(await client.recv())
        return got


async def test_a_websocket_passes_through_and_is_named_as_not_recorded(tmp_path: Path) -> None:
    async with echoing() as api, proxied(f"http://{api}", tmp_path / "a.yaml") as proxy:
        assert await said_again(proxy.url.replace("http", "ws") + "/live?x=1") == TEXTS
        [note] = proxy.proxying.queue.unrecorded
    assert (note.request, note.reason) == (f"WebSocket http://{api}/live?x=1", PASSED_ON)
    assert proxy.recorder.recorded == 0


async def test_a_websocket_goes_through_a_forward_proxy_with_and_without_tls(
    tmp_path: Path,
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "api-ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    async with (
        echoing() as plain,
        echoing(context) as secure,
        forwarding(tmp_path, tmp_path / "api-ca.pem") as proxy,
    ):
        trusting = ssl.create_default_context(cafile=proxy.trusted)
        assert await said_again(f"ws://{plain}/a", proxy=proxy.url) == TEXTS
        assert await said_again(f"wss://{secure}/b", proxy=proxy.url, tls=trusting) == TEXTS
        notes = [note.request for note in proxy.proxying.queue.unrecorded]
    assert notes == [f"WebSocket http://{plain}/a", f"WebSocket https://{secure}/b"]


@pytest.mark.slow
async def test_an_upstream_that_refuses_or_is_not_there_is_passed_on(tmp_path: Path) -> None:
    async def refuse(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    nowhere = contextlib.nullcontext("http://127.0.0.1:1")
    for upstream, status in ((live(refuse), 403), (nowhere, 502)):
        async with upstream as api, proxied(api, tmp_path / f"{status}.yaml") as proxy:
            with pytest.raises(InvalidStatus) as caught:
                await said_again(proxy.url.replace("http", "ws"))
            assert caught.value.response.status_code == status
            await until(lambda: proxy.proxying.queue.unrecorded)


@pytest.mark.slow
async def test_a_capture_that_only_plays_asks_for_no_websocket(tmp_path: Path) -> None:
    async def ok(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        writer.write(HEAD + b"Content-Length: 0\r\n\r\n")

    async with live(ok) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        await raw(proxy.url, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        await proxy.stop()
        proxy.recorder.finish()
    async with proxied(api, tmp_path / "a.yaml") as proxy:
        with pytest.raises(InvalidStatus) as caught:
            await said_again(proxy.url.replace("http", "ws"))
        assert caught.value.response.status_code == 424
        assert len(proxy.proxying.queue.refused) == 1


async def raw(url: str, request: bytes) -> bytes:
    host, _, port = url.partition("//")[2].partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


CHUNKED = b"3\r\nabc\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 6\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 13",
        b"Content-Length: 3\r\nContent-Length: 13",
        b"Transfer-Encoding: chunked, identity",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding : chunked\r\nContent-Length: 3",
    ],
)
async def test_a_request_that_says_its_length_in_two_ways_is_refused_and_named(
    tmp_path: Path, head: bytes
) -> None:
    asked: list[bytes] = []

    async def ok(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        asked.append(target)
        writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")

    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    async with live(ok) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        start = b"POST /a HTTP/1.1\r\nHost: a\r\n"
        answer = await raw(proxy.url, start + head + b"\r\n\r\n" + CHUNKED + smuggled)
        assert answer.startswith(b"HTTP/1.1 400 ")
        await until(lambda: proxy.proxying.queue.unrecorded)
        assert proxy.proxying.queue.unrecorded[0].request.endswith(" /a")
    assert asked == []


async def test_an_answer_that_says_two_lengths_has_that_of_its_chunks(tmp_path: Path) -> None:
    async def both(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(CHUNKED)

    async with live(both) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        answer = await raw(proxy.url, b"GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        [kept] = read_cassette(proxy.recorder.recording).interactions
    assert b"content-length" not in answer.lower()
    assert answer.endswith(CHUNKED)
    assert kept.response.body == b"abc"


async def test_trailers_are_named(tmp_path: Path) -> None:
    async def trailing(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
        writer.write(b"3\r\nabc\r\n0\r\nX-Sum: 12\r\n\r\n")

    head = b"POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTrailer: X-A\r\n"
    body = b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-A: 1\r\n\r\n"
    async with live(trailing) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        await raw(proxy.url, head + body)
        [note] = proxy.proxying.queue.partly
        [kept] = read_cassette(proxy.recorder.recording).interactions
    assert note.request == f"POST {api}/a"
    assert "X-A, X-Sum" in note.reason
    assert (kept.request.body, kept.response.body) == (b"abc", b"abc")
