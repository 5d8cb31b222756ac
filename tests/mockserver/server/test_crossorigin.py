"""Calls from pages of other origins."""

import httpx

from mockserver.server.application import Application
from tests.mockserver.server.conftest import UNITS
from tests.mockserver.server.test_emulation import entries

PAGE = {"origin": "https://app.example.com"}


async def test_a_preflight_is_allowed_and_is_no_call(
    client: httpx.AsyncClient, app: Application
) -> None:
    asked = {
        **PAGE,
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization,content-type",
    }
    answer = await client.options(UNITS, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == PAGE["origin"]
    assert "PATCH" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "authorization,content-type"
    assert "Origin" in answer.headers["vary"]
    assert entries(app) == []


async def test_an_answer_may_be_read_by_the_page_that_asked(client: httpx.AsyncClient) -> None:
    answer = await client.get(UNITS, headers=PAGE)
    assert answer.headers["access-control-allow-origin"] == PAGE["origin"]
    assert "ETag" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in (await client.get(UNITS)).headers


async def test_options_that_no_browser_asked_are_an_unknown_call(client: httpx.AsyncClient) -> None:
    assert (await client.options(UNITS)).status_code == 404


async def test_the_control_api_is_not_for_other_origins(client: httpx.AsyncClient) -> None:
    asked = {**PAGE, "access-control-request-method": "POST"}
    assert (await client.options("/_mock/sessions", headers=asked)).status_code in {403, 405}


async def test_jsonp_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get(UNITS, params={"callback": "steal"})
    assert answer.status_code == 400
    assert "JSONP" in answer.json()["error"]["message"]


async def test_head_answers_like_get_without_the_body(client: httpx.AsyncClient) -> None:
    got, head = await client.get(UNITS), await client.head(UNITS)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
