import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import trustme

from mockserver.capture.server import AllHosts, ConnectionReports
from mockserver.cassettes.files import read_cassette
from mockserver.fronts.hosts import Verdict
from mockserver.sessions.connection_journal import ConnectionNote
from tests.patience import until
from tests.wires import HEAD, Forwarding, forwarding, live, proxied

SECURE = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\nsecure"


@contextlib.asynccontextmanager
async def secure_api(folder: Path) -> AsyncIterator[str]:
    """A live API under TLS; its authority is `api-ca.pem`."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "api-ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(SECURE)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


def client_of(proxy: Forwarding, *, trusts: bool = True) -> httpx.AsyncClient:
    verify = ssl.create_default_context(cafile=proxy.trusted) if trusts else True
    told = proxy.url.replace("//", "//anyone:x@")
    return httpx.AsyncClient(proxy=told, verify=verify, trust_env=False)


async def test_tls_is_ended_and_what_is_said_in_it_recorded(tmp_path: Path) -> None:
    trusted = tmp_path / "api-ca.pem"
    async with (
        secure_api(tmp_path) as api,
        forwarding(tmp_path, trusted) as proxy,
        client_of(proxy) as client,
    ):
        assert (await client.get(f"{api}/a?b=1")).text == "secure"
        [found] = read_cassette(tmp_path / "a.recording.yaml").interactions
    assert (found.request.url, found.response.body) == (f"{api}/a?b=1", b"secure")


async def test_an_upstream_that_nobody_vouches_for_is_not_asked(tmp_path: Path) -> None:
    async with (
        secure_api(tmp_path) as api,
        forwarding(tmp_path, None) as proxy,
        client_of(proxy) as client,
    ):
        answer = await client.get(api)
    assert answer.status_code == 502
    assert "not trusted" in answer.text
    assert "--upstream-ca" in answer.text


async def test_a_client_that_does_not_trust_the_proxy_is_told_of(tmp_path: Path) -> None:
    async with forwarding(tmp_path, None) as proxy, client_of(proxy, trusts=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("https://api.example.com/")
        await until(lambda: proxy.lines)
        assert "CONNECT api.example.com:443" in proxy.lines[0]


async def test_a_connection_that_is_let_through_is_said() -> None:
    lines: list[str] = []
    await ConnectionReports(lines.append).note(None, ConnectionNote("api.example.com:443"))
    assert "nothing of it is seen" in lines[0]


@pytest.mark.parametrize("host", ["api.example.com", "127.0.0.1"])
def test_every_host_is_answered_for(host: str) -> None:
    hosts = AllHosts()
    assert hosts.verdict(host) is Verdict.EMULATED
    assert host in hosts.reason(host)


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes) -> None:
    writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")


async def test_a_proxy_that_is_stopped_answers_no_more(tmp_path: Path) -> None:
    async with (
        live(ok) as api,
        proxied(api, tmp_path / "a.yaml") as proxy,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        assert (await client.get(proxy.url)).text == "ok"
        await proxy.stop()
        with pytest.raises(httpx.TransportError):
            await client.get(proxy.url)


async def test_nothing_of_the_proxy_itself_is_in_an_answer(tmp_path: Path) -> None:
    async with (
        live(ok) as api,
        proxied(api, tmp_path / "a.yaml") as proxy,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        answer = await client.get(proxy.url)
    assert sorted(answer.headers) == ["content-length", "content-type"]
