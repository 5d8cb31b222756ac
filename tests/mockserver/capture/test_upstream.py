import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from mockserver.capture.upstream import (
    ForwardRoute,
    NoAnswerError,
    ReverseRoute,
    StreamRewriter,
    Upstream,
    UrlRewriter,
    may_hold_urls,
    parse_upstream,
    trust_context,
)
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


LIVE, OWN = "https://api.example.com", "http://127.0.0.1:8766"
REWRITING = UrlRewriter(LIVE, OWN)


@pytest.mark.parametrize(
    ("content", "rewritten"),
    [
        pytest.param(b"at https://api.example.com/v1 ", b"at http://127.0.0.1:8766/v1 ", id="path"),
        pytest.param(b'"https://api.example.com"', b'"http://127.0.0.1:8766"', id="end"),
        pytest.param(
            b"https:\\/\\/api.example.com\\/v1", b"http:\\/\\/127.0.0.1:8766\\/v1", id="escaped"
        ),
        pytest.param(b"at https://api.example.com. ", b"at http://127.0.0.1:8766. ", id="sentence"),
    ],
)
def test_urls_of_the_upstream_lead_to_the_proxy(content: bytes, rewritten: bytes) -> None:
    assert REWRITING.whole(content) == rewritten


@pytest.mark.parametrize(
    "content",
    [
        b"https://api.example.com.evil.example/",
        b"https://api.example.community/",
        b"https://api.example.com:8443/",
        b"http://api.example.com/",
    ],
)
def test_another_origin_stays(content: bytes) -> None:
    assert REWRITING.whole(content) == content


def test_headers_of_the_connection_stay() -> None:
    headers = (("Host", LIVE), ("Location", f"{LIVE}/a"))
    assert REWRITING.headers(headers) == (("Host", LIVE), ("Location", f"{OWN}/a"))


@given(
    st.lists(
        st.sampled_from([b"https://api.example.com", b"https://api.exam", b"/x", b" ", b"h", b"."])
    ),
    st.lists(st.integers(1, 9)),
)
def test_a_stream_is_rewritten_as_a_whole_would_be(parts: list[bytes], cuts: list[int]) -> None:
    content = b" ".join(parts)
    rewriter, passed, start = StreamRewriter(REWRITING), b"", 0
    for size in [*cuts, len(content)]:
        passed += rewriter.feed(content[start : start + size])
        start += size
    assert passed + rewriter.end() == REWRITING.whole(content)


def test_what_cannot_be_an_origin_is_passed_on_at_once() -> None:
    assert StreamRewriter(REWRITING).feed(b"data: hello\n\n") == b"data: hello\n\n"


@pytest.mark.parametrize(
    ("media", "found"), [("application/json", True), ("image/png", False), ("text/html", True)]
)
def test_only_texts_hold_urls(media: str, found: bool) -> None:
    assert may_hold_urls([("Content-Type", media)]) is found


REVERSE = ReverseRoute("https://api.example.com/base", "http://127.0.0.1:8766")


def scope(path: str = "/v1/a", query: str = "", **headers: str) -> dict[str, Any]:
    sent = {"host": "127.0.0.1:8766", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return {
        "method": "POST",
        "scheme": "https",
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }


def test_a_reverse_proxy_asks_its_upstream_to_the_character() -> None:
    request = REVERSE.request(scope("/v1/a%2Fb", "q=%20&r"), b"")
    assert request.url == "https://api.example.com/base/v1/a%2Fb?q=%20&r"
    assert ("host", "api.example.com") in request.headers


def test_urls_of_the_proxy_in_a_request_become_those_of_the_upstream() -> None:
    asked = scope(content_type="application/json", referer="http://127.0.0.1:8766/v1/x")
    request = REVERSE.request(asked, b'{"next": "http://127.0.0.1:8766/v1/x"}')
    assert request.body == b'{"next": "https://api.example.com/base/v1/x"}'
    assert ("referer", "https://api.example.com/base/v1/x") in request.headers
    assert ("content-length", str(len(request.body))) in request.headers


def test_headers_of_the_connection_end_at_the_proxy() -> None:
    asked = scope(connection="keep-alive, x-hop", x_hop="1", te="trailers", expect="100-continue")
    names = [name for name, _ in REVERSE.request(asked, b"").headers]
    assert names == ["host"]


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("gzip, deflate, sdch", "gzip, deflate"), ("sdch;q=1, exi", "identity"),
        ("gzip;q=0.5, identity", "gzip;q=0.5, identity"),
    ],
)  # fmt: skip
def test_no_coding_is_asked_for_that_could_not_be_opened(asked: str, sent: str) -> None:
    request = REVERSE.request(scope(accept_encoding=asked), b"")
    assert ("accept-encoding", sent) in request.headers


def test_a_forward_proxy_asks_what_it_is_told() -> None:
    asked = {**scope(), "headers": [(b"host", b"api.example.com:8443")]}
    assert ForwardRoute().request(asked, b"x").url == "https://api.example.com:8443/v1/a"


@pytest.mark.parametrize(
    "headers", [[], [(b"host", b"127.0.0.1:8766")]], ids=["no host", "the proxy itself"]
)
def test_a_forward_proxy_follows_no_request_to_nowhere(headers: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(NoAnswerError) as caught:
        ForwardRoute(frozenset({"127.0.0.1:8766"})).request({**scope(), "headers": headers}, b"")
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "text",
    ["api.example.com", "ftp://a.example", "https://u:p@a.example", "https://a.example/?q=1"],
)
def test_an_upstream_is_scheme_host_port_and_path(text: str) -> None:
    with pytest.raises(MockServerError, match="--upstream"):
        parse_upstream(text)
