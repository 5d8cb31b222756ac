import asyncio
import base64
import socket
import ssl
from collections.abc import AsyncIterator

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.fronts import proxy
from mockserver.fronts.interception import InterceptionOptions
from mockserver.fronts.proxy_requests import (
    ProxyRequest,
    ProxyRequestError,
    authority,
    read_proxy_request,
)
from mockserver.model import SessionSpec
from tests.mockserver.fronts.conftest import ADMIN, UNITS, Running, Start, asked, said, tunnel
from tests.patience import PATIENCE_S, settle, until


def basic(user: str) -> bytes:
    return b"Proxy-Authorization: Basic " + base64.b64encode(user.encode()) + b"\r\n"


def connect(target: bytes, headers: bytes = b"") -> bytes:
    return b"CONNECT " + target + b" HTTP/1.1\r\n" + headers + b"\r\n"


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        (b"HELLO\r\n\r\n", 400, "the request line"),
        (b"CONNECT  HTTP/1.1\r\n\r\n", 400, "the request line"),
        (connect(b"admin.googleapis.com"), 400, "no host and port"),
        (connect(b"admin.googleapis.com:"), 400, "no host and port"),
        (connect(b"admin.googleapis.com:0"), 400, "no host and port"),
        (connect(b"admin.googleapis.com:99999"), 400, "no host and port"),
        (connect(b"http://admin.googleapis.com:443"), 400, "no host and port"),
        (connect(b"a\xffb:443"), 400, "no host and port"),
        (connect(b"admin.googleapis.com:443", b"nonsense\r\n"), 400, "a header line"),
        (b"CONNECT admin.googleapis.com:443 HTTP/2.0\r\n\r\n", 505, "HTTP/1.1"),
        (connect(b"admin.googleapis.com:443") + b"\x16\x03\x01", 400, "before the answer"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "this is a proxy"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000, 431, "over 16384 bytes"),
        (connect(b"a.com:443", b"Proxy-Authorization: Bearer x\r\n"), 407, "Basic"),
        (connect(b"a.com:443", b"Proxy-Authorization: Basic ?\r\n"), 407, "Basic"),
        (connect(b"admin.googleapis.com:443", basic("nope:x")), 404, "no session 'nope'"),
        (connect(b"api.example.com:443"), 403, "--tunnel api.example.com lets it through"),
        (connect(b"nope.googleapis.com:443"), 403, "--tunnel nope.googleapis.com lets it through"),
    ],
    ids=lambda value: None if isinstance(value, int) else str(value)[:90],
)
async def test_what_it_does_not_follow_is_refused_with_the_reason(
    running: Running, sent: bytes, status: int, says: str
) -> None:
    answer = await said(running.proxy, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert says in orjson.loads(body)["error"]["message"]
    assert says in head.split(b"\r\n")[0].decode()


async def test_an_emulated_host_is_answered_over_tls(running: Running) -> None:
    answer = await asked(await tunnel(running, ADMIN), ADMIN)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert [entry["method_id"] for entry in running.entries()] == ["directory.orgunits.list"]


@pytest.mark.parametrize("user", ["mine", "ya29.mock~mine~0"], ids=["id", "token"])
async def test_the_proxys_user_names_the_session(running: Running, user: str) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    await asked(await tunnel(running, ADMIN, user=user), ADMIN)
    assert [entry["status"] for entry in running.entries("mine")] == [200]
    assert running.entries() == []


async def test_a_path_of_another_session_than_the_proxys_user_is_refused(running: Running) -> None:
    mine = running.application.sessions.open(SessionSpec(id="mine"))
    answer = await asked(await tunnel(running, ADMIN, user="mine"), ADMIN, f"/s/default{UNITS}")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [running.entries(name)[0]["status"] for name in ("default", "mine")] == [400, 400]
    assert [(each.by, each.session) for each in mine.tampering] == [("proxy", "mine")]


async def test_a_closed_session_is_gone(running: Running) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    running.application.sessions.close("mine")
    answer = await said(running.proxy, connect(b"admin.googleapis.com:443", basic("mine:x")))
    assert answer.startswith(b"HTTP/1.1 410 ")


async def test_a_session_that_closes_while_it_is_connected_is_gone(running: Running) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    streams = await tunnel(running, ADMIN, user="mine")
    running.application.sessions.close("mine")
    assert (await asked(streams, ADMIN)).startswith(b"HTTP/1.1 410 ")


async def test_a_refused_host_is_journalled_under_the_session_that_asked(running: Running) -> None:
    running.application.sessions.open(SessionSpec(id="mine"))
    await said(running.proxy, connect(b"api.example.com:443", basic("mine:x")))
    (entry,) = running.entries("mine")
    assert (entry["http_method"], entry["path"]) == ("CONNECT", "api.example.com:443")
    assert (entry["host"], entry["status"]) == ("api.example.com", 403)
    assert entry["miss"]["blame"] == "not_emulated"


async def test_a_plain_request_for_an_emulated_host_is_answered(running: Running) -> None:
    sent = b"GET http://%s%s HTTP/1.1\r\nHost: other\r\nProxy-Connection: keep-alive\r\n\r\n"
    answer = await said(running.proxy, sent % (ADMIN.encode(), UNITS.encode()))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert running.entries()[0]["host"] == ADMIN


async def test_a_plain_request_may_have_a_body(running: Running) -> None:
    body = b'{"name": "Ops", "parentOrgUnitPath": "/"}'
    path = UNITS.partition("?")[0].encode()
    head = b"POST http://admin.googleapis.com%s HTTP/1.1\r\nContent-Length: %d\r\n\r\n"
    answer = await said(running.proxy, head % (path, len(body)) + body)
    assert b'"orgUnitPath": "/Ops"' in answer


async def test_a_tunnel_to_port_80_is_plain(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(connect(b"admin.googleapis.com:80"))
    await reader.readuntil(b"\r\n\r\n")
    assert (await asked((reader, writer), ADMIN)).startswith(b"HTTP/1.1 200 ")


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"<" + await reader.read() + b">")
    await writer.drain()
    writer.close()


@pytest.fixture
async def far() -> AsyncIterator[int]:
    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_a_listed_host_is_let_through_and_journalled(start: Start, far: int) -> None:
    running = await start(InterceptionOptions(0, None, tunnel=("127.0.0.*",)))
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(connect(b"127.0.0.1:%d" % far))
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    writer.write(b"x" * 500_000)
    writer.write_eof()
    assert await reader.read() == b"<" + b"x" * 500_000 + b">"
    writer.close()
    assert running.entries()[0]["status"] == 200
    assert running.entries()[0]["miss"] is None


async def test_who_speaks_before_the_far_side_is_there_is_heard_by_it(
    start: Start, far: int
) -> None:
    running = await start(InterceptionOptions(0, None, tunnel=("127.0.0.1",)))
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(connect(b"127.0.0.1:%d" % far))
    await asyncio.sleep(0)
    writer.write(b"early")
    await reader.readuntil(b"\r\n\r\n")
    writer.write_eof()
    assert await reader.read() == b"<early>"
    writer.close()


async def test_a_plain_request_for_a_listed_host_is_passed_on(start: Start, far: int) -> None:
    running = await start(InterceptionOptions(0, None, tunnel=("127.0.0.1",)))
    sent = (
        b"GET http://127.0.0.1:%d/a?b HTTP/1.1\r\nX-Y: z\r\nProxy-Authorization: Basic eDp5\r\n\r\n"
    )
    running.application.sessions.open(SessionSpec(id="x"))
    answer = await said(running.proxy, sent % far, end=True)
    host = b"Host: 127.0.0.1:%d\r\n" % far
    assert answer == b"<GET /a?b HTTP/1.1\r\n" + host + b"X-Y: z\r\nConnection: close\r\n\r\n>"


async def test_a_listed_host_that_does_not_answer_is_a_bad_gateway(start: Start) -> None:
    running = await start(InterceptionOptions(0, None, tunnel=("127.0.0.1",)))
    answer = await said(running.proxy, connect(b"127.0.0.1:1"))
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert b"127.0.0.1:1 cannot be reached" in answer
    assert running.entries()[0]["miss"]["blame"] == "infrastructure"


def distrusting(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(connect(b"admin.googleapis.com:443"))
        connection.recv(1000)
        ssl.create_default_context().wrap_socket(connection, server_hostname=ADMIN)


async def test_a_client_that_does_not_trust_us_is_told_what_to_do_in_the_journal(
    running: Running,
) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.to_thread(distrusting, running.proxy)
    await until(running.entries)
    (entry,) = running.entries()
    assert entry["status"] == 502
    assert "unknown ca; it must trust" in entry["miss"]["reason"]


async def test_who_hangs_up_in_the_handshake_may_not_trust_us(running: Running) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await tunnel(running, ADMIN, context=ssl.create_default_context())
    await until(running.entries)
    assert "it hung up; it must trust" in running.entries()[0]["miss"]["reason"]


async def test_what_is_no_tls_is_noted(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(connect(b"admin.googleapis.com:443"))
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"GET / HTTP/1.1\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        await reader.read()
    writer.close()
    assert "no TLS with the client" in running.entries()[0]["miss"]["reason"]


async def test_who_says_nothing_is_not_waited_for(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "HEAD_S", 0.05)
    assert (await said(running.proxy, b"CONNECT admin.goo")).startswith(b"HTTP/1.1 408 ")


async def test_a_handshake_that_never_comes_is_not_waited_for(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "HANDSHAKE_S", 0.05)
    answer = await said(running.proxy, connect(b"admin.googleapis.com:443"))
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"
    assert running.entries()[0]["status"] == 502


async def test_who_leaves_early_leaves_nothing_behind(running: Running) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    writer.write(b"CONNECT adm")
    writer.close()
    await settle()
    assert running.entries() == []
    assert (await said(running.proxy, b"x\r\n\r\n")).startswith(b"HTTP/1.1 400 ")


def head(*lines: str) -> bytes:
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def basic_line(text: str) -> str:
    return "Proxy-Authorization: Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("target", "host", "port", "shown"),
    [
        ("Logging.googleapis.com:443", "logging.googleapis.com", 443, "logging.googleapis.com:443"),
        ("example.com.:8443", "example.com", 8443, "example.com:8443"),
        ("[2001:db8::1]:443", "2001:db8::1", 443, "[2001:db8::1]:443"),
        ("192.0.2.1:1", "192.0.2.1", 1, "192.0.2.1:1"),
    ],
)
def test_connect_says_where_to(target: str, host: str, port: int, shown: str) -> None:
    found = read_proxy_request(head(f"CONNECT {target} HTTP/1.1", "Host: x"))
    assert found == ProxyRequest("CONNECT", host, port)
    assert found.authority == shown


@pytest.mark.parametrize(
    ("user", "session"),
    [("s1:x", "s1"), ("s1:", "s1"), ("s1", "s1"), ("ya29.mock~s2~0:x", "s2"), (":x", None)],
)
def test_the_user_is_a_session_or_a_token_of_one(user: str, session: str | None) -> None:
    assert read_proxy_request(head("CONNECT a.com:443 HTTP/1.1", basic_line(user))).user == session


def test_a_user_may_be_percent_encoded() -> None:
    found = read_proxy_request(
        head("CONNECT a.com:443 HTTP/1.0", basic_line("ya29.mock%7Es2%7E0:x"))
    )
    assert found.user == "s2"


@pytest.mark.parametrize(("port", "number"), [("", 80), (":8080", 8080)])
def test_a_plain_request_goes_to_port_80_unless_it_names_another(port: str, number: int) -> None:
    found = read_proxy_request(head(f"GET http://a.com{port}/x HTTP/1.1", "Host: a.com"))
    assert (found.host, found.port) == ("a.com", number)


def test_a_plain_request_is_made_one_for_the_origin() -> None:
    found = read_proxy_request(
        head(
            "GET http://me@Metadata.google.internal:8080?a=b HTTP/1.1",
            "Host: other",
            "Metadata-Flavor: Google",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive",
            basic_line("s1:x"),
        )
    )
    assert (found.host, found.port, found.user) == ("metadata.google.internal", 8080, "s1")
    assert found.origin == head(
        "GET /?a=b HTTP/1.1",
        "Host: Metadata.google.internal:8080",
        "Metadata-Flavor: Google",
        "Connection: close",
    )


def test_credentials_sent_twice_are_none() -> None:
    with pytest.raises(ProxyRequestError) as caught:
        read_proxy_request(head("CONNECT a.com:443 HTTP/1.1", basic_line("a"), basic_line("b")))
    assert caught.value.status == 407


@given(st.binary(max_size=200))
def test_whatever_is_sent_is_read_or_refused(data: bytes) -> None:
    for sent in (data, b"CONNECT " + data + b" HTTP/1.1", b"GET http://" + data + b" HTTP/1.1"):
        status, port = 400, 1
        try:
            port = read_proxy_request(sent + b"\r\n\r\n").port
        except ProxyRequestError as error:
            status = error.status
        assert status in {400, 407, 505}
        assert 0 < port < 65536


@given(st.text(max_size=60))
def test_an_authority_is_read_back_from_what_it_is_shown_as(text: str) -> None:
    try:
        host, port = authority(text)
    except ProxyRequestError:
        return
    assert authority(ProxyRequest("CONNECT", host, port).authority) == (host, port)
