import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from mockserver.capture.upstream import NoAnswerError, Upstream, trust_context
from mockserver.errors import MockServerError
from mockserver.model import RecordedRequest
from tests.wires import HEAD, live


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes) -> None:
    body = b"asked " + target
    writer.write(
        HEAD + b"Set-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    writer.write(body)


def get(url: str) -> RecordedRequest:
    host = url.partition("://")[2].partition("/")[0]
    return RecordedRequest("GET", url, (("host", host),))


async def body_of(upstream: Upstream, url: str) -> bytes:
    answer = await upstream.ask(get(url))
    content = b"".join([piece async for piece in answer.pieces()])
    await answer.close()
    return content


async def test_a_target_is_asked_to_the_character() -> None:
    async with live(ok) as api, Upstream(idle_s=1) as upstream:
        assert (
            await body_of(upstream, f"{api}/a%2fb/%7Ec?q={{x}}&r") == b"asked /a%2fb/%7Ec?q={x}&r"
        )


async def test_headers_come_as_they_were_sent_and_no_cookie_is_kept() -> None:
    async with live(ok) as api, Upstream(idle_s=1) as upstream:
        answer = await upstream.ask(get(api))
        await answer.close()
        again = await upstream.ask(get(api))
        await again.close()
    cookies = [item for item in answer.headers if item[0].lower() == "set-cookie"]
    assert cookies == [("Set-Cookie", "a=1"), ("set-cookie", "b=2")]
    assert answer.reason == "OK"


@pytest.mark.parametrize(
    ("url", "status", "reason"),
    [
        pytest.param("http://127.0.0.1:1/", 502, "nobody listens", id="refused"),
        pytest.param("http://nowhere.invalid/", 502, "DNS", id="no such name"),
        pytest.param("http://127.0.0.1:99999999/", 502, "cannot be asked", id="no URL"),
    ],
)
async def test_an_upstream_that_is_not_there_is_told_apart(
    url: str, status: int, reason: str
) -> None:
    async with Upstream(idle_s=1) as upstream:
        with pytest.raises(NoAnswerError, match=reason) as caught:
            await upstream.ask(get(url))
    assert caught.value.status == status


@contextlib.asynccontextmanager
async def greeting(content: bytes) -> AsyncIterator[str]:
    """Somebody who speaks first, whoever comes, then waits."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        with contextlib.suppress(OSError):
            await reader.read()  # until the other end gives up
        writer.close()
        gone.set()

    gone = asyncio.Event()
    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    await gone.wait()
    server.close()


async def test_an_upstream_without_tls_is_told_apart() -> None:
    async with greeting(b"220 mail.example.com\r\n") as url, Upstream(idle_s=1) as upstream:
        with pytest.raises(NoAnswerError, match="no TLS that we understand"):
            await upstream.ask(get(url))


async def test_a_connection_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockserver.capture.upstream.CONNECT_S", 0.2)
    async with greeting(b"") as url, Upstream(idle_s=1) as upstream:
        with pytest.raises(NoAnswerError) as caught:
            await upstream.ask(get(url))
    assert (caught.value.status, caught.value.reason) == (504, "no connection within 0.2 s")


def test_further_authorities_are_trusted_beside_the_public_ones(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(file)
    more, public = (len(each.get_ca_certs()) for each in (trust_context(file), trust_context(None)))
    assert more == public + 1
    assert trust_context(None).verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("content", [None, b"no certificate"], ids=["no file", "no certificate"])
def test_a_file_without_certificates_is_said(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(MockServerError, match="PEM"):
        trust_context(file)
