"""Which requests a page in a browser may have sent."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from mockserver.asgi.origins import OriginGuard, OwnOrigins, named_origin
from mockserver.http.control_responses import problem_of
from mockserver.settings import Settings

PORT = 8765
OWN = OwnOrigins("127.0.0.1", PORT, ("mock", "tools.example.com:9000", "https://mock.example.com"))
ANYWHERE = OwnOrigins("0.0.0.0", PORT)
HTTP = OwnOrigins("127.0.0.1", 80)


def status(own: OwnOrigins = OWN, verb: str = "GET", **headers: str) -> int:
    """The status of a request, 200 where it is let through."""
    told = {"host": "127.0.0.1:8765"} | headers
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in told.items()]
    refusal = own.refusal(verb, sent)
    return refusal.status if refusal else 200


@pytest.mark.parametrize(
    ("own", "host", "expected"),
    [
        (OWN, "127.0.0.1:8765", 200),
        (OWN, "LOCALHOST:8765", 200),
        (OWN, "[::1]:8765", 200),
        (OWN, "mock:8765", 200),
        (OWN, "tools.example.com:9000", 200),
        (OWN, "mock.example.com", 200),
        (OWN, "mock.example.com:443", 200),
        (OWN, "mock", 403),
        (OWN, "mock.example.com:8765", 403),
        (OWN, "tools.example.com:8765", 403),
        (OWN, "localhost", 403),
        (OWN, "localhost:3000", 403),
        (OWN, "localhost.:8765", 403),
        (OWN, "192.0.2.1:8765", 403),
        (OWN, "0.0.0.0:8765", 403),
        (OWN, "rebound.example.net:8765", 403),
        (OWN, "127.0.0.1.example.com:8765", 403),
        (OWN, "127.0.0.1:8765@example.com", 403),
        (OWN, "", 403),
        (OWN, "[::1", 403),
        (OWN, "[x]:8765", 403),
        (ANYWHERE, "192.0.2.1:8765", 200),
        (ANYWHERE, "192.0.2.1:80", 403),
        (ANYWHERE, "rebound.example.net:8765", 403),
        (HTTP, "localhost", 200),
        (HTTP, "localhost:80", 200),
        (HTTP, "localhost:8765", 403),
    ],
)
def test_a_server_answers_to_its_own_names_and_ports(
    own: OwnOrigins, host: str, expected: int
) -> None:
    assert status(own, host=host) == expected


@pytest.mark.parametrize(
    ("own", "host", "origin", "expected"),
    [
        (OWN, "127.0.0.1:8765", "http://127.0.0.1:8765", 200),
        (OWN, "127.0.0.1:8765", "http://127.0.0.1:3000", 403),
        (OWN, "127.0.0.1:8765", "http://127.0.0.1", 403),
        (OWN, "127.0.0.1:8765", "http://localhost:8765", 403),
        (OWN, "127.0.0.1:8765", "https://127.0.0.1:8765", 403),
        (OWN, "127.0.0.1:8765", "http://192.0.2.1:8765", 403),
        (OWN, "127.0.0.1:8765", "null", 403),
        (OWN, "127.0.0.1:8765", "", 403),
        (OWN, "127.0.0.1:8765", "http://[", 403),
        (OWN, "127.0.0.1:8765", "chrome-extension://127.0.0.1:8765", 403),
        (OWN, "mock.example.com", "https://mock.example.com", 200),
        (OWN, "mock.example.com", "https://mock.example.com:443", 200),
        (OWN, "mock.example.com", "http://mock.example.com", 403),
        (HTTP, "localhost", "http://localhost:80", 200),
        (HTTP, "localhost:80", "http://localhost", 200),
        (ANYWHERE, "192.0.2.1:8765", "http://192.0.2.2:8765", 403),
    ],
)
def test_an_origin_is_the_server_s_own_in_scheme_host_and_port(
    own: OwnOrigins, host: str, origin: str, expected: int
) -> None:
    assert status(own, host=host, origin=origin) == expected
    assert own.is_foreign_page({b"host": host.encode(), b"origin": origin.encode()}) == (
        expected == 403
    )


@pytest.mark.parametrize(
    ("verb", "headers", "expected"),
    [
        ("POST", {}, 200),
        ("DELETE", {}, 200),
        ("POST", {"content_length": "0"}, 200),
        ("POST", {"content_length": "2"}, 415),
        ("POST", {"transfer_encoding": "chunked"}, 415),
        ("POST", {"content_type": "application/json", "content_length": "2"}, 200),
        ("POST", {"content_type": "Application/JSON; charset=utf-8"}, 200),
        ("POST", {"content_type": "application/merge-patch+json"}, 200),
        ("POST", {"content_type": "text/plain; application/json"}, 415),
        ("POST", {"content_type": "application/json, text/plain"}, 415),
        ("POST", {"content_type": "text/plain"}, 415),
        ("POST", {"content_type": "multipart/form-data; boundary=x"}, 415),
        ("DELETE", {"content_type": "application/x-www-form-urlencoded"}, 415),
        ("POST", {"content_type": ""}, 415),
        ("GET", {"content_type": "text/plain"}, 200),
        ("GET", {"sec_fetch_site": "none"}, 200),
        ("POST", {"sec_fetch_site": "same-origin"}, 200),
        ("POST", {"sec_fetch_site": "same-site"}, 403),
        ("GET", {"sec_fetch_site": "cross-site"}, 403),
        (
            "GET",
            {
                "sec_fetch_site": "cross-site",
                "sec_fetch_mode": "navigate",
                "sec_fetch_dest": "document",
            },
            200,
        ),
        (
            "GET",
            {
                "sec_fetch_site": "cross-site",
                "sec_fetch_mode": "navigate",
                "sec_fetch_dest": "iframe",
            },
            403,
        ),
        (
            "POST",
            {
                "sec_fetch_site": "cross-site",
                "sec_fetch_mode": "navigate",
                "sec_fetch_dest": "document",
            },
            403,
        ),
    ],
    ids=str,
)
def test_what_a_page_can_send_without_asking_changes_nothing(
    verb: str, headers: dict[str, str], expected: int
) -> None:
    assert status(OWN, verb, **headers) == expected


@pytest.mark.parametrize("name", ["host", "origin", "content-type", "authorization"])
def test_a_header_that_decides_is_there_once(name: str) -> None:
    host = (b"host", b"127.0.0.1:8765")
    twice = [(name.encode(), b"127.0.0.1:8765")] * 2
    refusal = OWN.refusal("POST", [host, *twice])
    assert refusal is not None
    assert refusal.status == 400


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("rebound.example.net:8765", True),
        ("rebound.example.net", False),
        ("api.example.com:443", False),
        ("127.0.0.1:8765", False),
        ("192.0.2.1:8765", False),
        ("mock:8765", False),
        ("mock.internal:8765", False),
        ("mock.default.svc.cluster.local:8765", False),
        ("tools.example.com:9000", False),
    ],
)
def test_a_public_name_with_the_server_s_port_was_led_here_by_someone_else(
    host: str, expected: bool
) -> None:
    assert OWN.is_rebound(host) == expected


@pytest.mark.parametrize("name", ["", "a b", "ftp://mock", "mock:port", "mock/path", "[x]"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no host"):
        named_origin(name, PORT)


async def guard_status(headers: dict[str, str], verb: str = "GET", content: bytes = b"") -> int:
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
    assert await guard_status(headers) == expected


async def test_a_form_is_refused_and_json_is_not() -> None:
    form, json = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
    assert await guard_status({"content-type": form}, "POST", b"a=b") == 415
    assert await guard_status({"content-type": json}, "POST", b"{}") == 200
    assert await guard_status({}, "POST") == 200
