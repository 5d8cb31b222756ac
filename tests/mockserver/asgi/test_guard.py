"""Who may use the control API."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from mockserver.asgi.origins import OriginGuard, OwnOrigins
from mockserver.http.control_responses import problem_of
from mockserver.settings import Settings


async def status(headers: dict[str, str], verb: str = "GET", content: bytes = b"") -> int:
    settings = Settings()
    own = OwnOrigins(settings.host, settings.port)
    transport = httpx.ASGITransport(OriginGuard(PlainTextResponse("in"), own, problem_of))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        told = {"host": "127.0.0.1:8765"} | headers
        answer = await client.request(verb, "/_mock/health", content=content, headers=told)
    return answer.status_code


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),
        ({"host": "rebound.example.net:8765"}, 403),
        ({"origin": "http://127.0.0.1:8765"}, 200),
        ({"origin": "http://127.0.0.1:3000"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
    ids=str,
)
async def test_the_rules_for_pages_hold(headers: dict[str, str], expected: int) -> None:
    assert await status(headers) == expected


async def test_a_form_is_refused_and_json_is_not() -> None:
    form, json = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
    assert await status({"content-type": form}, "POST", b"a=b") == 415
    assert await status({"content-type": json}, "POST", b"{}") == 200
    assert await status({}, "POST") == 200
