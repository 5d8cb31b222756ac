"""Where requests would have gone, and what they would have looked like."""

import gzip
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.routing import Routes
from mockserver.sessions.recordings import KnownAddresses
from mockserver.sources.recorded_requests import RecordedAddress, addresses_of, recorded_request

ROUTES = Routes(APIS)
LINK = "http://127.0.0.1:1/s/a"
ADMIN = "admin.googleapis.com"
PATH = "/admin/directory/v1/customer/my_customer/orgunits"


def request(path: str, host: str = "127.0.0.1:1", **scope: Any) -> Request:
    headers = [(b"host", host.encode()), *scope.pop("headers", [])]
    return Request({"method": "GET", "raw_path": path.encode(), "query_string": b"q=1",
                    "headers": headers, **scope})  # fmt: skip


def places(
    asked: Request, *hosts: str, upstreams: tuple[str, ...] = ()
) -> tuple[RecordedAddress, ...]:
    known = KnownAddresses(frozenset(hosts), upstreams, hosts[0] if len(hosts) == 1 else "")
    route = ROUTES.find(asked.host, asked.verb, asked.path)
    return addresses_of(asked, known, route, LINK, ROUTES.catalog)


@pytest.mark.parametrize(
    ("asked", "hosts", "upstreams", "found"),
    [
        (request("/x", "API.example.com", scheme="https"), ["api.example.com"], (),
         [("https://api.example.com/x?q=1", "")]),
        (request("/api.example.com/x"), ["api.example.com"], (),
         [("https://api.example.com/x?q=1", f"{LINK}/api.example.com")]),
        (request("/x"), ["api.example.com", "b.example.com"], (), []),
        (request("/x"), ["api.example.com"], ("https://api.example.com/p",),
         [("https://api.example.com/p/x?q=1", LINK)]),
        (request(PATH), [ADMIN, "b.example.com"], (), [(f"https://{ADMIN}{PATH}?q=1", LINK)]),
        (request(PATH, "admin.mtls.googleapis.com"), [ADMIN], (),
         [(f"https://{ADMIN}{PATH}?q=1", LINK)]),
        (request(PATH), ["b.example.com"], (), []),
        (request(f"/{ADMIN}{PATH}"), ["b.example.com"], ("https://b.example.com",), []),
    ],
    ids=["host", "segment", "unclear", "upstream", "path of an api", "mtls", "of the state",
         "named api"],
)  # fmt: skip
def test_a_request_is_placed(
    asked: Request, hosts: list[str], upstreams: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    placed = places(asked, *hosts, upstreams=upstreams)
    assert [(place.url, place.base) for place in placed] == found


def test_a_request_is_recorded_plain_without_what_is_between_client_and_server() -> None:
    sent = [(b"content-encoding", b"gzip"), (b"connection", b"close"), (b"x-mock-session", b"a"),
            (b"accept", b"*/*")]  # fmt: skip
    asked = request("/x", headers=sent, method="PUT")
    made = recorded_request(asked, "https://api.example.com/x", gzip.compress(b"hi"))
    assert (made.method, made.body, made.headers) == ("PUT", b"hi", (("accept", "*/*"),))
    assert made.coding.startswith("gzip")


CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    ("path", "host", "found"),
    [
        (f"/models/openai{CHAT}", "127.0.0.1:1",
         [(f"https://api.openai.com{CHAT}?q=1", f"{LINK}/models/openai")]),
        ("/models/openai", "127.0.0.1:1", []),
        (f"/models/nobody{CHAT}", "127.0.0.1:1",
         [(f"http://127.0.0.1:1/models/nobody{CHAT}?q=1", "")]),
        (CHAT, "LLM.test:8", [(f"http://llm.test:8{CHAT}?q=1", "")]),
        ("/v1/things", "llm.test", []),
    ],
)  # fmt: skip
def test_a_call_of_a_model_is_placed_whatever_its_base_is(
    path: str, host: str, found: list[tuple[str, str]]
) -> None:
    asked = request(path, host, method="POST")
    known = KnownAddresses(frozenset(), (), "", frozenset({"openai"}))
    route = ROUTES.find(asked.host, asked.verb, asked.path)
    placed = addresses_of(asked, known, route, LINK, ROUTES.catalog)
    assert [(place.url, place.base) for place in placed] == found
