"""Who may use the control API."""

from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from mockserver.server.guard import Guard
from mockserver.server.settings import Settings


async def status(settings: Settings | None = None, **headers: str) -> int:
    guard = Guard(PlainTextResponse("in"), settings or Settings())
    transport = httpx.ASGITransport(guard)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get("/_mock/health", headers=headers)
    return answer.status_code


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8765",
        "localhost:8765",
        "LOCALHOST",
        "[::1]:8765",
        "192.0.2.1",
        "mock.example.com",
    ],
)
async def test_an_address_or_a_name_of_this_server_is_let_in(host: str) -> None:
    assert await status(Settings(allowed_hosts=("mock.example.com",)), host=host) == 200


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1.example.com", "", "[::1", "[x]"])
async def test_a_name_that_is_not_this_server_s_is_refused(host: str) -> None:
    """DNS rebinding: a page of any name may resolve to this machine."""
    assert await status(host=host) == 403


@pytest.mark.parametrize(
    ("origin", "expected"),
    [("http://127.0.0.1:3000", 200), ("http://localhost", 200), ("https://evil.example.com", 403),
     ("null", 403), ("http://[", 403)],
)  # fmt: skip
async def test_a_page_of_another_origin_is_refused(origin: str, expected: int) -> None:
    assert await status(origin=origin) == expected


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [("Bearer s3cret", 200), ("bearer  s3cret ", 200), ("Bearer other", 401),
     ("Basic s3cret", 401), (None, 401)],
)  # fmt: skip
async def test_a_token_is_asked_for_when_there_is_one(
    authorization: str | None, expected: int
) -> None:
    headers: dict[str, Any] = {} if authorization is None else {"authorization": authorization}
    assert await status(Settings(token="s3cret"), **headers) == expected
