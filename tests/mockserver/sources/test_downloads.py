"""Downloads, whole and in ranges."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.mockserver.sources.test_emulation import client_of
from tests.mockserver.sources.test_uploads import FILES, UPLOAD, served

CONTENT = bytes(range(256)) * 10
MEDIA = {"alt": "media"}


@pytest.fixture
async def client(suite: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(served(suite)) as client:
        await client.patch(f"{UPLOAD}/f1?uploadType=media", content=CONTENT)
        yield client


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("bytes=0-9", CONTENT[:10]),
        ("bytes=2550-", CONTENT[2550:]),
        ("bytes=-5", CONTENT[-5:]),
        ("bytes=2500-9999", CONTENT[2500:]),
    ],
    ids=["first", "from", "last", "beyond"],
)
async def test_a_range_is_answered_alone(
    client: httpx.AsyncClient, span: str, expected: bytes
) -> None:
    answer = await client.get(f"{FILES}/f1", params=MEDIA, headers={"range": span})
    first = CONTENT.rindex(expected) if expected is not CONTENT[:10] else 0
    assert (answer.status_code, answer.content) == (206, expected)
    assert answer.headers["content-range"].endswith("/2560")
    assert first >= 0


@pytest.mark.parametrize("span", ["bytes=2560-", "bytes=9-3", "bytes=-0"], ids=str)
async def test_a_range_that_is_not_there_is_416(client: httpx.AsyncClient, span: str) -> None:
    answer = await client.get(f"{FILES}/f1", params=MEDIA, headers={"range": span})
    assert (answer.status_code, answer.headers["content-range"]) == (416, "bytes */2560")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"range": "bytes=-"},
        {"range": "lines=1-2"},
        {"range": "bytes=0-1,4-5"},
        {"range": "bytes=0-1", "if-range": '"other"'},
    ],
    ids=["none", "empty", "unit", "several", "changed since"],
)
async def test_the_whole_is_answered_where_no_range_is_to_be(
    client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await client.get(f"{FILES}/f1", params=MEDIA, headers=headers)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.headers["accept-ranges"] == "bytes"
    assert "content-encoding" not in answer.headers


async def test_what_has_no_content_says_so(suite: Path) -> None:
    async with client_of(served(suite)) as client:
        answer = await client.get(f"{FILES}/f1", params=MEDIA)
        other = await client.get(f"{FILES}/none", params=MEDIA)
        unfit = await client.get(FILES, params=MEDIA)
    assert answer.status_code == 403
    assert answer.json()["error"]["errors"][0]["reason"] == "fileNotDownloadable"
    assert (other.status_code, unfit.status_code) == (404, 400)
