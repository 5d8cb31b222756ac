"""Requests that upload, through the whole application."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from mockserver.googleapi import write_multipart
from mockserver.http.application import Application
from tests.mockserver.sources.test_emulation import application, client_of, entries

WWW = "/www.googleapis.com"
UPLOAD = f"{WWW}/upload/drive/v3/files"
FILES = f"{WWW}/drive/v3/files"
FILE = {"id": "f1", "name": "old.txt", "kind": "drive#file"}
SERVED = [{"resources": {"drive:v3": {"files": [FILE]}}}]


def served(suite: Path, **spec: Any) -> Application:
    return application(suite, overrides=SERVED, **spec)


async def begin(client: httpx.AsyncClient, **headers: str) -> str:
    query = {"uploadType": "resumable"}
    answer = await client.post(UPLOAD, params=query, json={"name": "big"}, headers=headers)
    assert answer.status_code == 200
    return answer.headers["location"]


async def test_media_alone_make_a_file(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        answer = await client.post(
            UPLOAD,
            params={"uploadType": "media", "fields": "*"},
            content=b"hello",
            headers={"content-type": "text/plain"},
        )
        made = answer.json()
        found = await client.get(f"{FILES}/{made['id']}", params={"alt": "media"})
    assert (made["mimeType"], made["size"]) == ("text/plain", "5")
    assert (found.content, found.headers["content-type"]) == (b"hello", "text/plain")


async def test_metadata_and_media_make_a_file_and_replace_one(suite: Path) -> None:
    content = write_multipart(
        [
            ({"Content-Type": "application/json"}, b'{"name": "new.bin"}'),
            ({"Content-Type": "application/x-test"}, b"\x00\r\n--x\xff"),
        ],
        "b1",
    )
    headers = {"content-type": "multipart/related; boundary=b1"}
    app = served(suite)
    async with client_of(app) as client:
        params = {"uploadType": "multipart"}
        made = (await client.post(UPLOAD, params=params, content=content, headers=headers)).json()
        await client.patch(f"{UPLOAD}/f1", params=params, content=content, headers=headers)
        for name in (made["id"], "f1"):
            assert (await client.get(f"{FILES}/{name}")).json()["name"] == "new.bin"
            found = await client.get(f"{FILES}/{name}", params={"alt": "media"})
            assert found.content == b"\x00\r\n--x\xff"
    assert [entry["method_id"] for entry in entries(app)][:2] == [
        "drive.files.create",
        "drive.files.update",
    ]
    assert entries(app)[0]["body"] == {"name": "new.bin"}


async def test_a_resumable_upload_comes_in_pieces_and_can_be_asked_about(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        link = await begin(client, **{"x-upload-content-type": "text/csv"})
        assert urlsplit(link).path == f"/s/default{UPLOAD}"
        first = await client.put(link, content=b"abc", headers={"content-range": "bytes 0-2/6"})
        asked = await client.put(link, headers={"content-range": "bytes */6"})
        gap = await client.put(link, content=b"f", headers={"content-range": "bytes 5-5/6"})
        last = await client.put(link, content=b"def", headers={"content-range": "bytes 3-5/6"})
        again = await client.put(link, headers={"content-range": "bytes */6"})
        found = await client.get(f"{FILES}/{last.json()['id']}", params={"alt": "media"})
    assert (first.status_code, first.headers["range"]) == (308, "bytes=0-2")
    assert (asked.status_code, asked.headers["range"]) == (308, "bytes=0-2")
    assert gap.status_code == 400
    assert (last.status_code, last.json()["name"]) == (200, "big")
    assert again.json() == last.json()
    assert (found.content, found.headers["content-type"]) == (b"abcdef", "text/csv")


async def test_an_api_called_by_its_own_name_is_gone_on_with_there(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        answer = await client.post(
            "/resumable/upload/drive/v3/files?uploadType=resumable",
            json={"name": "n"},
            headers={"host": "www.googleapis.com"},
        )
    link = urlsplit(answer.headers["location"])
    assert (link.netloc, link.path) == ("www.googleapis.com", "/resumable/upload/drive/v3/files")


async def test_a_cancelled_upload_is_gone(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        link = await begin(client)
        assert (await client.delete(link)).status_code == 499
        answer = await client.put(link, content=b"x")
    assert answer.status_code == 404


async def test_a_piece_that_a_reset_took_is_sent_again(suite: Path) -> None:
    fault = {"method": "drive.files.create", "kind": "reset", "calls": [2]}
    async with client_of(served(suite, faults=[fault])) as client:
        link = await begin(client)
        span = {"content-range": "bytes 0-1/2"}
        with pytest.raises(ConnectionResetError):
            await client.put(link, content=b"ab", headers=span)
        asked = await client.put(link, headers={"content-range": "bytes */2"})
        assert (asked.status_code, "range" in asked.headers) == (308, False)
        assert (await client.put(link, content=b"ab", headers=span)).status_code == 200


@pytest.mark.parametrize(
    ("query", "content", "kind", "says"),
    [
        ("uploadType=multipart", b"x", "multipart/related; boundary=b", "Malformed multipart"),
        ("uploadType=multipart", b"x", "multipart/related", "no boundary"),
        ("uploadType=multipart", b"--b\r\n\r\n{}\r\n--b--", "a; boundary=b", "1 parts, not two"),
        ("uploadType=pigeon", b"x", "text/plain", "Unknown uploadType 'pigeon'"),
        ("", b"x", "text/plain", "Unknown uploadType ''"),
    ],
    ids=["boundary", "none", "one part", "type", "no type"],
)
async def test_an_upload_that_cannot_be_read_is_refused(
    suite: Path, query: str, content: bytes, kind: str, says: str
) -> None:
    async with client_of(served(suite)) as client:
        headers = {"content-type": kind}
        answer = await client.post(f"{UPLOAD}?{query}", content=content, headers=headers)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]


async def test_a_method_without_media_has_no_path_of_uploads(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        answer = await client.post(f"{WWW}/upload/drive/v3/about?uploadType=media", content=b"x")
    assert answer.status_code == 404
