"""The client: in process where the wire does not matter, with a real server where it does."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver import client as module
from mockserver.client import MockServer, _client, merged_snapshot, snapshot_problems
from mockserver.errors import FormatError, ServerUnavailableError, SessionError
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings

NOW = datetime(2026, 3, 2, tzinfo=UTC)
URL = "http://127.0.0.1:8765"
BASE = {"capturedAt": "2026-03-01T00:00:00Z", "customer": {"id": "C01example"}}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name, content in (
        ("base/tenant.json", BASE),
        ("EC-001/overrides.json", {"errors": {"orgUnits": "INTERNAL: no"}}),
    ):
        path = tmp_path / "suite" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    return tmp_path / "suite"


@asynccontextmanager
async def inside(suite: Path, token: str = "") -> AsyncIterator[MockServer]:
    app = Application(Settings(fixtures=suite, token=token), real=lambda: NOW)
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL)
    async with MockServer(client, {}) as server:
        yield server


@pytest.fixture
async def server(suite: Path) -> AsyncIterator[MockServer]:
    async with inside(suite) as server:
        yield server


def answering(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response | Exception) -> None:
    """Let every server answer so."""

    def handle(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    def made(url: str, token: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url=url)

    monkeypatch.setattr(module, "_client", made)


async def test_a_session_is_opened_asked_for_and_closed(server: MockServer) -> None:
    info = await server.open(SessionSpec(id="a", case="EC-001", seed=3))
    assert (info.id, info.case, info.base_url) == ("a", "EC-001", f"{URL}/s/a")
    assert info.env["MOCK_SESSION"] == "a"

    assert await server.session("a") == info
    assert await server.merged("a") == {**BASE, "errors": {"orgUnits": "INTERNAL: no"}}

    report = await server.close_session("a", ["customer", "users"])
    assert (report.id, report.diff, report.journal.entries) == ("a", {}, ())
    assert set(report.state) == {"customer", "users"}
    assert (await server.session("a")).closed


async def test_credentials_are_handed_out(server: MockServer) -> None:
    await server.open(SessionSpec(id="a"))
    here = await server.credentials("a", "service_account")
    there = await server.credentials("a", "service_account", endpoint="google")
    assert here["token_uri"] == f"{URL}/s/a/oauth2.googleapis.com/token"
    assert there["token_uri"] == "https://oauth2.googleapis.com/token"


async def test_a_report_is_asked_for_without_state(server: MockServer) -> None:
    await server.open(SessionSpec(id="a"))
    assert (await server.close_session("a")).state == {}


async def test_what_the_server_refuses_is_told_with_its_status(server: MockServer) -> None:
    with pytest.raises(SessionError, match="unknown case 'EC-01'") as caught:
        await server.open(SessionSpec(case="EC-01"))
    assert (caught.value.status, caught.value.hint) == (404, "did you mean 'EC-001'?")
    with pytest.raises(SessionError) as caught:
        await server.close_session("nope")
    assert caught.value.status == 404


async def test_a_server_that_wants_its_token_is_told_apart(suite: Path) -> None:
    async with inside(suite, token="s3cret") as server:
        with pytest.raises(ServerUnavailableError, match="needs the server's token"):
            await server.open(SessionSpec())


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.ConnectError("refused"), "no mock server answers at"),
        (httpx.Response(200, text="<p>"), "no mock server answers at"),
        (httpx.Response(200, json=["ok"]), "is not a mock server"),
        (httpx.Response(200, json={"status": "green"}), "is not a mock server"),
        (httpx.Response(404, json={"status": "ok"}), "is not a mock server"),
        (httpx.Response(200, json={"status": "ok", "protected": True}), "needs its token"),
    ],
    ids=["nothing", "page", "list", "other", "404", "token"],
)
async def test_what_is_no_mock_server_is_not_attached_to(
    monkeypatch: pytest.MonkeyPatch, answer: Any, says: str
) -> None:
    answering(monkeypatch, answer)
    with pytest.raises(ServerUnavailableError, match=says):
        await MockServer.attach(URL)


@pytest.mark.parametrize("url", ["http://127.0.0.1:port", "not a url", "ftp://127.0.0.1"])
async def test_what_is_no_url_is_not_attached_to(url: str) -> None:
    with pytest.raises(ServerUnavailableError):
        await MockServer.attach(url)


@pytest.mark.parametrize("content", [b"<p>", b"[]", b'{"error": "text"}'])
async def test_a_refusal_in_other_words_is_one_too(content: bytes) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(500, content=content))
    async with MockServer(httpx.AsyncClient(transport=transport, base_url=URL), {}) as server:
        with pytest.raises(SessionError, match="the server answered 500"):
            await server.session("a")


async def test_a_server_that_is_gone_is_told_with_its_url() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("")

    transport = httpx.MockTransport(handle)
    async with MockServer(httpx.AsyncClient(transport=transport, base_url=URL), {}) as server:
        with pytest.raises(ServerUnavailableError, match=f"no answer from {URL}: ReadTimeout"):
            await server.session("a")


async def test_a_server_of_one_s_own_lives_as_long_as_it_is_used(
    suite: Path, tmp_path: Path
) -> None:
    log = tmp_path / "server.log"
    async with await MockServer.start(suite, log=log) as own:
        assert own.health["fixtures"] == str(suite)
        url = own.url
        for token in ("", "guessed"):
            with pytest.raises(ServerUnavailableError, match="needs its token"):
                await MockServer.attach(url, token=token)
        info = await own.open(SessionSpec(id="a"))
        assert await own.session("a") == info
        assert await own.tampering() == ()
        with pytest.raises(ServerUnavailableError, match="needs its token"):
            await MockServer.attach(url, token=info.token)
    with pytest.raises(ServerUnavailableError):
        await MockServer.attach(url)
    with pytest.raises(RuntimeError, match="closed"):
        await own.session("a")


async def test_a_server_that_dies_shows_the_end_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    own = await MockServer.start(None, log=log)
    assert own.health["fixtures"] is None
    assert own._process is not None
    await own._process.stop()
    log.write_text("out of memory\n")
    with pytest.raises(ServerUnavailableError, match="out of memory"):
        await own.open(SessionSpec())
    await own.close()


async def test_a_server_that_does_not_come_up_says_why(tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailableError, match="ended with status 2") as caught:
        await MockServer.start(tmp_path / "nothing", log=tmp_path / "server.log")
    assert "nothing" in str(caught.value)


async def test_a_server_that_does_not_answer_once_it_is_up_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answering(monkeypatch, httpx.ConnectError("refused"))
    with pytest.raises(ServerUnavailableError, match="no mock server answers"):
        await MockServer.start(None, log=tmp_path / "server.log")


def test_a_snapshot_is_resolved_without_a_server(suite: Path) -> None:
    assert merged_snapshot(suite, SessionSpec(overrides=())) == BASE
    assert "errors" in merged_snapshot(suite, SessionSpec(case="EC-001"))


def test_every_problem_of_a_suite_is_told_once(suite: Path) -> None:
    assert snapshot_problems(suite) == ()
    (suite / "base" / "tenant.json").write_text(json.dumps({**BASE, "orgUnit": []}))
    (problem,) = snapshot_problems(suite)
    assert "unknown collection 'orgUnit'" in problem.message


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        snapshot_problems(tmp_path / "nothing")


async def heads_of(base: str, *paths: str) -> list[bytes]:
    """What a server hears of a client that asks for some sessions, the token being `t`."""
    heard, ended = [], asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                heard.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()
        await writer.wait_closed()
        ended.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        client = _client(base.format(port=port), "t")
        async with MockServer(client, {}) as server:
            for path in paths:
                with pytest.raises(SessionError, match="the server answered 404"):
                    await server.session(path)
        await ended.wait()
    return [head.replace(b":%d" % port, b":1") for head in heard]


async def test_plain_requests_say_what_httpx_would_but_ask_for_no_coding() -> None:
    (plain,) = await heads_of("http://127.0.0.1:{port}", "a-1")
    (usual,) = await heads_of("http://user@127.0.0.1:{port}", "a-1")
    lines = set(usual.split(b"\r\n"))
    assert b"GET /_mock/sessions/a-1 HTTP/1.1" in lines
    assert {line for line in lines if not line.startswith(b"Accept-Encoding")} >= {
        line for line in plain.split(b"\r\n") if not line.lower().startswith(b"authorization")
    }
    assert b"Authorization: Bearer t" in plain or b"authorization: Bearer t" in plain


@pytest.mark.parametrize("name", ["a b", "\u00e4", 'a"b'])
async def test_other_paths_are_escaped(name: str) -> None:
    (head,) = await heads_of("http://127.0.0.1:{port}/below", name)
    line = head.partition(b"\r\n")[0]
    assert line.startswith(b"GET /below/_mock/sessions/")
    assert line.count(b" ") == 2
