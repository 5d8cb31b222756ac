import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from mockserver.capture.redaction_process import UNREADABLE
from mockserver.cassettes.files import read_cassette
from mockserver.model import Cassette
from tests.patience import PATIENCE_S, settle
from tests.wires import HEAD, Proxied, live, proxied, reset

EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


FIRST = EVENTS + b"7\r\ndata: 1\r\n"
SAID = {
    b"/short": HEAD + b"Content-Length: 100\r\n\r\nhello",
    b"/long": HEAD + b"Content-Length: 5\r\n\r\nhello and more",
    b"/eof": HEAD + b"\r\nuntil the end",
    b"/empty": b"HTTP/1.1 204 No Content\r\n\r\n",
    b"/reset": FIRST,
    b"/endless": FIRST,
    b"/silent": b"",
    b"/status": b"HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n",
    b"/garbage": b"SSH-2.0-hello\r\n\r\n",
    b"/damaged": HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
}
"""What an upstream may do, by path."""


async def misbehave(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes
) -> None:
    writer.write(SAID.get(target, HEAD + b"Content-Length: 2\r\n\r\nok"))
    await writer.drain()
    if target == b"/reset":
        await settle()  # what was sent is read before the connection is broken off
        reset(writer)
    elif target in {b"/endless", b"/silent"}:
        await reader.read()


def recorded(proxy: Proxied) -> Cassette:
    return read_cassette(proxy.recorder.recording)


async def pieces(url: str) -> AsyncGenerator[bytes, None]:
    """What a client gets, as it comes."""
    async with (
        httpx.AsyncClient(trust_env=False) as client,
        client.stream("GET", url) as answer,
    ):
        async for piece in answer.aiter_raw():
            yield piece


async def outcome(url: str, content: bytes = b"") -> str:
    """The status and body that a client gets, or how it fails."""
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            answer = await client.request("POST" if content else "GET", url, content=content)
        except httpx.HTTPError as error:
            return type(error).__name__
        return f"{answer.status_code} {answer.text}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "client", "ended", "body"),
    [
        pytest.param("/short", "RemoteProtocolError", "short", b"hello", id="too little"),
        pytest.param("/long", "200 hello", "complete", b"hello", id="too much"),
        pytest.param("/eof", "200 until the end", "complete", b"until the end", id="no length"),
        pytest.param("/empty", "204 ", "complete", b"", id="nothing"),
        pytest.param("/reset", "ReadError", "reset", b"data: 1", id="broken off"),
        pytest.param("/endless", "RemoteProtocolError", "timeout", b"data: 1", id="no end"),
    ],
)
async def test_how_an_answer_ends_is_passed_on_and_recorded(
    tmp_path: Path, path: str, client: str, ended: str, body: bytes
) -> None:
    idle_s = 0.5 if ended == "timeout" else PATIENCE_S
    async with live(misbehave) as api, proxied(api, tmp_path / "a.yaml", idle_s=idle_s) as proxy:
        assert await outcome(proxy.url + path) == client
        [interaction] = recorded(proxy).interactions
    assert (interaction.response.ended, interaction.response.body) == (ended, body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        pytest.param("/silent", 504, "nothing came for 0.2 s", id="silence"),
        pytest.param("/garbage", 502, "not HTTP", id="another protocol"),
        pytest.param("/status", 502, "none of HTTP", id="a status that is none"),
    ],
)
async def test_no_answer_is_said_and_not_recorded(
    tmp_path: Path, path: str, status: int, reason: str
) -> None:
    idle_s = 0.2 if status == 504 else PATIENCE_S
    async with live(misbehave) as api, proxied(api, tmp_path / "a.yaml", idle_s=idle_s) as proxy:
        said = await outcome(proxy.url + path)
        assert said.startswith(str(status))
        assert reason in said
        assert reason in proxy.lines[0]
        assert proxy.recorder.recorded == 0
        [note] = proxy.proxying.queue.unrecorded
        assert note.request == f"GET {api}{path}"
        assert reason in note.reason


@pytest.mark.slow
async def test_what_cannot_be_opened_is_passed_on_and_not_recorded(tmp_path: Path) -> None:
    async with live(misbehave) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        assert [piece async for piece in pieces(f"{proxy.url}/damaged")] == [b"hello"]
        assert proxy.recorder.recorded == 0
        [note] = proxy.proxying.queue.unrecorded
        assert (note.request, note.reason) == (f"GET {api}/damaged", UNREADABLE)


async def test_pieces_are_passed_on_at_once_and_recorded_with_their_times(tmp_path: Path) -> None:
    passed_on = asyncio.Event()

    async def stream(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes
    ) -> None:
        writer.write(EVENTS + b"9\r\ndata: 1\n\n\r\n")
        await writer.drain()
        await passed_on.wait()  # the second piece is sent when the first was seen
        await asyncio.sleep(0.05)
        writer.write(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n")

    async with live(stream) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        async for _ in pieces(proxy.url):
            passed_on.set()
        [interaction] = recorded(proxy).interactions
    first, second = interaction.response.chunks
    assert (first.size, second.size) == (9, 9)
    assert second.at_ms - first.at_ms >= 50


async def test_a_stream_that_the_client_leaves_is_recorded_as_far_as_it_came(
    tmp_path: Path,
) -> None:
    async with live(misbehave) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        async with contextlib.aclosing(pieces(f"{proxy.url}/endless")) as coming:
            await anext(coming)
        await proxy.stop()
        [interaction] = recorded(proxy).interactions
    assert (interaction.response.body, interaction.response.ended) == (b"data: 1", "timeout")


@pytest.mark.slow
async def test_a_stream_that_goes_on_when_the_proxy_is_stopped_is_recorded(tmp_path: Path) -> None:
    async with live(misbehave) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        async with contextlib.aclosing(pieces(f"{proxy.url}/endless")) as coming:
            await anext(coming)
            await proxy.stop()
            with pytest.raises(httpx.RemoteProtocolError):
                await anext(coming)
        [interaction] = recorded(proxy).interactions
    assert interaction.response.body == b"data: 1"


async def test_absolute_urls_lead_to_the_proxy_and_are_recorded_as_they_were(
    tmp_path: Path,
) -> None:
    origin = ""

    async def pages(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes
    ) -> None:
        body = json.dumps({"next": f"{origin}/two"}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLink: <{origin}/two>\r\n"
        if target == b"/coded":
            body = gzip.compress(body)
            head += "Content-Encoding: gzip\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)

    async with live(pages) as api, proxied(api, tmp_path / "a.yaml") as proxy:
        origin = api
        async with httpx.AsyncClient(trust_env=False, base_url=proxy.url) as client:
            for path in ("/plain", "/coded"):
                answer = await client.get(path)
                assert answer.json() == {"next": f"{proxy.url}/two"}
                assert answer.headers["link"] == f"<{proxy.url}/two>"
        interactions = recorded(proxy).interactions
    assert [json.loads(one.response.body) for one in interactions] == [{"next": f"{api}/two"}] * 2
    assert [one.request.url for one in interactions] == [f"{api}/plain", f"{api}/coded"]
    assert [one.response.coding.partition(";")[0] for one in interactions] == ["", "gzip"]


@pytest.mark.slow
async def test_a_cassette_that_is_there_answers_and_nothing_live_is_asked(tmp_path: Path) -> None:
    cassette = tmp_path / "a.yaml"
    async with live(misbehave) as api, proxied(api, cassette) as proxy:
        assert await outcome(f"{proxy.url}/a") == "200 ok"
        await proxy.stop()
        proxy.recorder.finish()
    async with proxied(api, cassette) as proxy:  # nobody listens at the upstream any more
        assert await outcome(f"{proxy.url}/a") == "200 ok"
        refused = await outcome(f"{proxy.url}/b")
        queue = proxy.proxying.queue
    assert refused.startswith("424")
    assert "/a" in refused
    assert (queue.played, [note.request for note in queue.refused]) == (1, [f"GET {api}/b"])


@pytest.mark.slow
async def test_new_episodes_are_recorded_behind_the_old_ones(tmp_path: Path) -> None:
    cassette = tmp_path / "a.yaml"
    async with live(misbehave) as api:
        for path in ("/a", "/b"):
            async with proxied(api, cassette, mode="new_episodes") as proxy:
                assert await outcome(f"{proxy.url}/a") == "200 ok"
                assert await outcome(f"{proxy.url}{path}") == "200 ok"
                await proxy.stop()
                proxy.recorder.finish()
    urls = [one.request.url.removeprefix(api) for one in read_cassette(cassette).interactions]
    assert urls == ["/a", "/a", "/b"]


@pytest.mark.slow
async def test_a_request_that_is_too_large_to_be_held_against_recordings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.capture.proxy.MAX_BODY_BYTES", 10)
    async with live(misbehave) as api:
        async with proxied(api, tmp_path / "a.yaml") as proxy:
            assert await outcome(proxy.url, b"x" * 11) == "200 ok"
            await proxy.stop()
            proxy.recorder.finish()
        async with proxied(api, tmp_path / "a.yaml", mode="new_episodes") as proxy:
            assert (await outcome(proxy.url, b"x" * 11)).startswith("413")


async def test_an_answer_that_is_too_large_passes_and_is_named(tmp_path: Path) -> None:
    content = bytes(range(256)) * 8192

    async def large(_: object, writer: asyncio.StreamWriter, target: bytes) -> None:
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content)

    async with live(large) as api, proxied(api, tmp_path / "a.yaml", largest_body=1 << 20) as proxy:
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{proxy.url}/a")).content == content
        [note] = proxy.proxying.queue.unrecorded
    assert note == (f"GET {api}/a", "its answer: it has more than 1 MiB (--largest-body)")
    assert proxy.recorder.recorded == 0
