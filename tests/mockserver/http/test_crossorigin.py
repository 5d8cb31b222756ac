"""Calls from pages of other origins."""

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.state import refresh_token
from tests.mockserver.conftest import UNITS
from tests.mockserver.sources.test_emulation import entries

PAGE = {"origin": "https://app.example.com"}


TOKEN_REQUEST = "/oauth2.googleapis.com/token"
FLAVOR = {"metadata-flavor": "Google"}


def bearing(app: Application) -> dict[str, str]:
    """The header of who knows the default session's token."""
    return {"authorization": f"Bearer {app.sessions.get('default').token}"}


@pytest.mark.parametrize(
    "sent",
    [
        PAGE,
        {"origin": "null"},
        {"origin": "http://127.0.0.1:3000"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site"},
        {"host": "rebound.example.net:8765"},
        PAGE | {"x-mock-session": "default"},
        PAGE | {"authorization": "Bearer of-someone-else"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("verb", "path", "more"),
    [
        ("GET", UNITS, {}),
        ("POST", UNITS, {"content-type": "text/plain"}),
        ("POST", "/s/default" + UNITS, {}),
        ("DELETE", UNITS + "/Eng", {}),
        ("POST", "/tools/enrollBrowser", {}),
        ("POST", TOKEN_REQUEST, {}),
        ("GET", "/computeMetadata/v1/instance/service-accounts/default/token", FLAVOR),
        ("POST", "/batch/admin/directory_v1", {"content-type": "multipart/mixed; boundary=x"}),
    ],
)
async def test_a_page_without_a_credential_of_the_session_reaches_no_session(
    client: httpx.AsyncClient,
    app: Application,
    sent: dict[str, str],
    verb: str,
    path: str,
    more: dict[str, str],
) -> None:
    answer = await client.request(verb, path, headers=more | sent, content=b"{}")
    assert answer.status_code == 403
    assert "must bear an access token" in answer.text
    assert entries(app) == []


@pytest.mark.parametrize(
    "sent",
    [
        {"sec-fetch-mode": "cors"},  # Node's fetch, which is no page
        {"sec-fetch-site": "none"},
        {"origin": "http://127.0.0.1:8765"},
        {"host": "mock.internal:8765"},
        {"host": "mock:8765"},
    ],
    ids=str,
)
async def test_who_is_no_page_of_another_origin_meets_the_default_session(
    client: httpx.AsyncClient, sent: dict[str, str]
) -> None:
    assert (await client.get(UNITS, headers=sent)).status_code == 200


async def test_an_emulated_host_may_have_the_server_s_port(client: httpx.AsyncClient) -> None:
    host = {"host": "admin.googleapis.com:8765"}
    path = UNITS.removeprefix("/admin.googleapis.com")
    assert (await client.get(path, headers=host)).status_code == 200


async def test_a_credential_in_the_body_names_its_session_for_a_page_too(
    client: httpx.AsyncClient, app: Application
) -> None:
    world = app.sessions.get("default").world
    form = {
        "grant_type": "refresh_token",
        "refresh_token": refresh_token("default", world.secret),
        "client_id": "c",
    }
    assert (await client.post(TOKEN_REQUEST, headers=PAGE, data=form)).status_code == 200


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


async def test_an_answer_may_be_read_by_the_page_that_asked(
    client: httpx.AsyncClient, app: Application
) -> None:
    answer = await client.get(UNITS, headers=PAGE | bearing(app))
    assert answer.status_code == 200
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
