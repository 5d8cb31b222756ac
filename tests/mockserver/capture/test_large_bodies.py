"""Bodies that are kept in files: from the upstream to the client, to the file, and back."""

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from random import Random

import httpx
import pytest

from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import body_path, files_of, read_body
from mockserver.client import MockServer
from mockserver.model import Cassette, SessionSpec
from tests.wires import live, proxied

NOISE = Random(7).randbytes(1_300_000)
MAIL = "ada.lovelace@quillbrook.io"
DOCUMENT = json.dumps({
    "data": base64.b64encode(NOISE * 3).decode(), "password": "plum quartz walks", "owner": MAIL
}).encode()  # fmt: skip
TORN = NOISE + f"\0write to {MAIL} first\0".encode() + NOISE
ANSWERS = {
    b"/noise": (b"application/octet-stream", b"", NOISE),
    b"/again": (b"image/png", b"", NOISE),
    b"/coded": (b"application/octet-stream", b"gzip", gzip.compress(NOISE * 2)),
    b"/json": (b"application/json", b"", DOCUMENT),
    b"/torn": (b"application/octet-stream", b"", TORN),
    b"/small": (b"application/json", b"", b'{"a": "b"}'),
}
UPLOADS = ("/told", "/chunked")
PATHS = [path.decode() for path in ANSWERS]


UPLOAD = NOISE * 4


STORED = json.dumps({"size": len(UPLOAD), "right": True}).encode()


async def chunks() -> AsyncIterator[bytes]:
    for start in range(0, len(UPLOAD), 200_000):
        yield UPLOAD[start : start + 200_000]


async def store(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, chunked: bool
) -> None:
    """Say what came: how many bytes, and whether they are the right ones."""
    got = b""
    if chunked:
        while size := int(await reader.readline(), 16):
            got += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    else:
        got = await reader.readexactly(len(UPLOAD))
    content = json.dumps({"size": len(got), "right": got == UPLOAD}).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes) -> None:
    if target in {b"/told", b"/chunked"}:
        await store(reader, writer, chunked=target == b"/chunked")
        return
    media, coding, content = ANSWERS[target]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n" % media
    head += b"Content-Encoding: %b\r\n" % coding if coding else b""
    writer.write(head + b"Content-Length: %d\r\n\r\n" % len(content))
    for start in range(0, len(content), 100_000):
        writer.write(content[start : start + 100_000])
        await writer.drain()


Captured = tuple[Path, dict[str, bytes], list[str]]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    """A cassette with files, what the client got, and what was not recorded."""
    return asyncio.run(capture(tmp_path_factory.mktemp("large") / "a.yaml"))


async def capture(cassette: Path) -> Captured:
    got: dict[str, bytes] = {}
    async with live(answer) as api, proxied(api, cassette) as proxy:
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            for path in PATHS:
                got[path] = (await client.get(proxy.url + path)).content
            for path, content in (("/told", UPLOAD), ("/chunked", chunks())):
                got[path] = (await client.put(proxy.url + path, content=content)).content
        await proxy.stop()
        proxy.recorder.finish()
        unrecorded = [f"{each.request}: {each.reason}" for each in proxy.proxying.queue.unrecorded]
    return cassette, got, unrecorded


@pytest.mark.slow
def test_the_client_gets_every_byte(captured: Captured) -> None:
    plain = {b"/coded": NOISE * 2}
    assert captured[1] == {
        path.decode(): plain.get(path, content) for path, (_, _, content) in ANSWERS.items()
    } | dict.fromkeys(UPLOADS, STORED)


@pytest.mark.slow
def test_large_bodies_are_in_files_and_equal_ones_in_one(captured: Captured) -> None:
    cassette = read_cassette(captured[0])
    found = {each.request.url[-6:]: each.response for each in cassette.interactions}
    assert len(found) == len(ANSWERS) - 1 + len(UPLOADS)
    noise, again, coded = (found[path].file for path in ("/noise", "/again", "/coded"))
    assert noise is not None
    assert coded is not None
    assert noise == again
    assert (read_body(noise), read_body(coded)) == (NOISE, NOISE * 2)
    assert found["/coded"].coding == "gzip"
    assert found["/small"].body == b'{"a": "b"}'
    names = {body_path(file).name for file in files_of(cassette.interactions)}
    assert {path.name for path in (captured[0].parent / "a.bodies").iterdir()} == names
    assert len(names) == 4


def test_a_large_text_is_redacted_on_its_way(captured: Captured) -> None:
    response = next(
        each.response
        for each in read_cassette(captured[0]).interactions
        if each.request.url.endswith("/json")
    )
    assert response.file is not None
    made, given = json.loads(read_body(response.file)), json.loads(DOCUMENT)
    assert made["data"] == given["data"]
    assert made["password"] != given["password"]
    assert "quillbrook" not in made["owner"]
    assert dict(response.headers)["Content-Length"] == str(response.file.size)


def test_what_cannot_be_redacted_is_named_and_nowhere(captured: Captured) -> None:
    [note] = captured[2]
    assert "/torn: its answer: it is no text" in note
    for path in captured[0].parent.rglob("*"):
        assert path.is_dir() or MAIL.encode() not in path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("codings", ["gzip", "identity"])
def test_a_replay_sends_them_from_their_files(captured: Captured, codings: str) -> None:
    wanted = dict(captured[1])
    made = read_cassette(captured[0])
    for each in made.interactions:
        if each.response.file is not None and each.request.url.endswith("/json"):
            wanted["/json"] = read_body(each.response.file)

    async def played(client: httpx.AsyncClient, url: str, cassette: Cassette) -> None:
        origin = cassette.info.upstream.partition("://")[2]
        for path, content in wanted.items():
            if path != "/torn":
                found = await client.request(
                    "PUT" if path in UPLOADS else "GET",
                    f"{url}/{origin}{path}",
                    headers={"Accept-Encoding": codings},
                    content=UPLOAD if path in UPLOADS else None,
                )
                assert found.status_code == 200, found.text
                assert found.content == content
                coded = path == "/coded" and codings == "gzip"
                assert found.headers.get("content-encoding", "") == ("gzip" if coded else "")
                if not coded:
                    assert found.headers["content-length"] == str(len(content))

    asyncio.run(replaying(captured[0], played))


Play = Callable[[httpx.AsyncClient, str, Cassette], Awaitable[None]]


async def replaying(cassette: Path, play: Play) -> None:
    """Have a server play a cassette, and ask it."""
    async with (
        await MockServer.start(None, options=("--no-proxy", "--cassette", str(cassette))) as server,
        httpx.AsyncClient(trust_env=False, timeout=60) as client,
    ):
        spec = SessionSpec(cassettes=(cassette.stem,), sources=("cassette",))
        session = await server.open(spec)
        await play(client, session.base_url, read_cassette(cassette))


@pytest.mark.slow
def test_a_file_that_is_gone_or_altered_costs_only_its_own_answer(
    captured: Captured, tmp_path: Path
) -> None:
    for path in (captured[0], *(captured[0].parent / "a.bodies").iterdir()):
        target = tmp_path / path.relative_to(captured[0].parent)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    files = {
        each.request.url[-6:].strip("/"): body_path(each.response.file)
        for each in read_cassette(tmp_path / "a.yaml").interactions
        if each.response.file is not None
    }
    files["noise"].unlink()
    files["coded"].write_bytes(files["coded"].read_bytes()[:-1] + b"?")

    async def played(client: httpx.AsyncClient, url: str, cassette: Cassette) -> None:
        origin = cassette.info.upstream.partition("://")[2]
        for name, status in {"noise": 424, "coded": 424, "json": 200, "small": 200}.items():
            found = await client.get(f"{url}/{origin}/{name}")
            assert found.status_code == status
            if status != 200:
                assert files[name].name in found.json()["error"]["message"]

    asyncio.run(replaying(tmp_path / "a.yaml", played))
