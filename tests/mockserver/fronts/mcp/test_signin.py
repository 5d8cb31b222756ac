"""The protected mode: a client of the SDK signs in, and what is refused on the way."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.mockserver.fronts.mcp.conftest import MODES, Serve, Served
from tests.mockserver.fronts.mcp.test_tools import TOOLS
from tests.patience import PATIENCE_S

MCP: dict[str, Any] = {"auth": {"scopes": ["weather"]}}
BACK = "http://127.0.0.1:1/callback"


class Storage:
    """Where a client keeps what it was given."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider(url: str, storage: Storage) -> OAuthClientProvider:
    """Signs in as a person would who consents at once."""
    led: list[str] = []

    async def follow(address: str) -> None:
        async with httpx2.AsyncClient() as http:
            led.append((await http.get(address)).headers["location"])

    async def come_back() -> AuthorizationCodeResult:
        query = parse_qs(urlsplit(led[-1]).query)
        return AuthorizationCodeResult(code=query["code"][0], state=query["state"][0])

    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [BACK], "client_name": "t", "token_endpoint_auth_method": "none"}
    )
    return OAuthClientProvider(url, metadata, storage, follow, come_back)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("of_session", [True, False])
async def test_a_client_finds_out_how_to_sign_in_and_does(
    serve: Serve, mode: str, of_session: bool
) -> None:
    served = await serve(tools=TOOLS, mcp=MCP)
    session = served.open() if of_session else None
    url, storage = served.endpoint(session), Storage()
    async with (
        httpx2.AsyncClient(auth=provider(url, storage), timeout=PATIENCE_S) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        answer = await client.call_tool("getWeather", {"city": "Rome"})
    assert answer.content[0].model_dump()["text"] == "sunny"
    assert storage.tokens is not None
    assert storage.tokens.scope == "weather"
    signed = [method for method, _, _ in served.calls(session, "mcp.oauth.")]
    assert signed == ["mcp.oauth.register", "mcp.oauth.authorize", "mcp.oauth.token"]
    journal = str(served.calls(session))
    assert storage.tokens.access_token not in journal


async def challenged(served: Served, token: str = "") -> httpx2.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient() as http:
        return await http.post(f"{served.url}/mcp", json={}, headers=headers)


async def test_without_a_good_token_nobody_is_served(serve: Serve) -> None:
    served = await serve(mcp=MCP)
    session = served.application.sessions.get("default")
    unsigned = await challenged(served)
    wrong = await challenged(served, "ya29.mock~default~0")
    own = await challenged(served, session.token)
    assert [each.status_code for each in (unsigned, wrong, own)] == [401, 401, 400]
    assert unsigned.headers["www-authenticate"] == (
        f'Bearer scope="weather", resource_metadata='
        f'"{served.url}/.well-known/oauth-protected-resource"'
    )
    assert wrong.headers["www-authenticate"].startswith('Bearer error="invalid_token"')


async def test_a_token_without_the_scopes_is_told_which(serve: Serve) -> None:
    served = await serve(mcp=MCP)
    token = (await signed_in(served, scope="other"))["access_token"]
    answer = await challenged(served, token)
    assert answer.status_code == 403
    assert 'error="insufficient_scope", scope="weather"' in answer.headers["www-authenticate"]


async def signed_in(
    served: Served, *, scope: str = "weather", verifier: str = "v" * 43, again: bool = False
) -> dict[str, Any]:
    """The answer for a code whose challenge is that of the verifier `vvv...`."""
    challenge = urlsafe_b64encode(sha256(b"v" * 43).digest()).rstrip(b"=").decode()
    async with httpx2.AsyncClient(base_url=served.url) as http:
        made = {"redirect_uris": [BACK], "token_endpoint_auth_method": "client_secret_basic"}
        client = (await http.post("/mcp/register", json=made)).json()
        asked = {
            "response_type": "code", "client_id": client["client_id"], "redirect_uri": BACK,
            "code_challenge": challenge, "code_challenge_method": "S256", "scope": scope,
        }  # fmt: skip
        back = urlsplit((await http.get("/mcp/authorize", params=asked)).headers["location"])
        form = {
            "grant_type": "authorization_code", "code": parse_qs(back.query)["code"][0],
            "redirect_uri": BACK, "code_verifier": verifier,
        }  # fmt: skip
        basic = (client["client_id"], client["client_secret"])
        answer = await http.post("/mcp/token", data=form, auth=basic)
        if again:
            answer = await http.post("/mcp/token", data=form, auth=basic)
        found: dict[str, Any] = answer.json()
        if "refresh_token" in found:
            refresh = {"grant_type": "refresh_token", "refresh_token": found["refresh_token"]}
            fresh = (await http.post("/mcp/token", data=refresh, auth=basic)).json()
            assert fresh["access_token"] != found["access_token"]
        return found


@pytest.mark.parametrize(
    ("options", "told"),
    [({"verifier": "w" * 43}, "code_verifier is not"), ({"again": True}, "unknown or was used")],
)
async def test_a_code_is_good_once_and_for_its_verifier(
    serve: Serve, options: dict[str, Any], told: str
) -> None:
    answer = await signed_in(await serve(mcp=MCP), **options)
    assert answer["error"] == "invalid_grant"
    assert told in answer["error_description"]


@pytest.mark.parametrize(
    ("verb", "path", "content", "status", "error"),
    [
        ("POST", "/mcp/register", {"json": {}}, 400, "invalid_redirect_uri"),
        (
            "POST",
            "/mcp/register",
            {"json": {"redirect_uris": ["javascript:x"]}},
            400,
            "invalid_redirect_uri",
        ),
        ("POST", "/mcp/register", {"content": b"{no"}, 400, "invalid_request"),
        ("GET", "/mcp/register", {}, 405, "invalid_request"),
        ("GET", "/mcp/authorize?client_id=x", {}, 400, "invalid_client"),
        ("POST", "/mcp/token", {"data": {"grant_type": "password"}}, 401, "invalid_client"),
        ("POST", "/mcp/token", {"content": b"\xff"}, 400, "invalid_request"),
    ],
)
async def test_what_is_no_sign_in_is_refused(
    serve: Serve, verb: str, path: str, content: dict[str, Any], status: int, error: str
) -> None:
    served = await serve(mcp=MCP)
    async with httpx2.AsyncClient(base_url=served.url) as http:
        answer = await http.request(verb, path, **content)
    assert (answer.status_code, answer.json()["error"]) == (status, error)


async def test_where_nobody_signs_in_there_is_nothing_to_find(serve: Serve) -> None:
    served = await serve()
    async with httpx2.AsyncClient(base_url=served.url) as http:
        answer = await http.get("/.well-known/oauth-protected-resource")
    assert answer.status_code == 404
