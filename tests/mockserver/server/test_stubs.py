"""Literal answers: found by verb, address and query."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.server.stubs import CompiledStubs, find_stub, index
from mockserver.state import Base


def stub(url: str, **more: Any) -> dict[str, Any]:
    return {"method": "GET", "url": url, "status": 200, "headers": {}, "body": None, **more}


def status(stubs: list[dict[str, Any]], host: str, path: str, query: str = "") -> int | None:
    found = find_stub(index(stubs), "GET", host, path, query)
    return found.status if found else None


@pytest.mark.parametrize(
    ("url", "host", "path", "expected"),
    [
        ("api.example.com/v1/x", "api.example.com", "/v1/x", 200),
        ("https://api.example.com/v1/x", "api.example.com", "/v1/x", 200),
        ("http://api.example.com/v1/x", "api.example.com", "/v1/x", 200),
        ("api.example.com/v1/x", "127.0.0.1", "/api.example.com/v1/x", 200),
        ("/v1/x", "any.example.com", "/v1/x", 200),
        ("api.example.com/v1/x", "other.example.com", "/v1/x", None),
        ("/v1/x", "any.example.com", "/v1/x/", None),
    ],
    ids=["host", "https", "http", "host in path", "path", "other host", "other path"],
)
def test_a_stub_is_found_by_its_address(
    url: str, host: str, path: str, expected: int | None
) -> None:
    assert status([stub(url)], host, path) == expected


def test_a_stub_with_a_query_asks_for_it_in_any_order() -> None:
    stubs = [stub("/x?a=1&b=2", status=201), stub("/x", status=202)]
    assert status(stubs, "h", "/x", "b=2&a=1") == 201
    assert status(stubs, "h", "/x", "a=1") == 202


def test_what_every_client_adds_is_not_asked_for() -> None:
    stubs = [stub("/x?a=1", status=201), stub("/x?b=1&alt=media", status=202)]
    assert status(stubs, "h", "/x", "a=1&alt=json&prettyPrint=false") == 201
    assert status(stubs, "h", "/x", "a=1&c=2") is None
    assert status(stubs, "h", "/x", "b=1&alt=json") is None
    assert status(stubs, "h", "/x", "b=1&alt=media") == 202


def test_the_verb_counts() -> None:
    assert find_stub(index([stub("/x", method="post")]), "GET", "h", "/x", "") is None
    assert find_stub(index([stub("/x", method="post")]), "POST", "h", "/x", "") is not None


@pytest.mark.parametrize(
    ("body", "content", "kind"),
    [
        ({"a": 1}, b'{"a":1}', b"application/json; charset=UTF-8"),
        ("<p>", b"<p>", b"text/html; charset=UTF-8"),
        ("hi", b"hi", b"text/plain; charset=UTF-8"),
        (None, b"", b"application/json; charset=UTF-8"),
    ],
    ids=["json", "html", "text", "none"],
)
def test_a_body_is_sent_as_what_it_is(body: Any, content: bytes, kind: bytes) -> None:
    found = find_stub(index([stub("/x", body=body)]), "GET", "h", "/x", "")
    assert found is not None
    assert (found.body, found.content_type) == (content, kind)


def test_headers_are_those_of_the_stub() -> None:
    raw = stub("/x", headers={"Content-Type": "text/csv", "X-A": "b"}, body="a,b")
    found = find_stub(index([raw]), "GET", "h", "/x", "")
    assert found is not None
    assert (found.content_type, found.headers) == (b"text/csv", ((b"x-a", b"b"),))


def test_the_stubs_of_a_base_are_indexed_once() -> None:
    base = Base(tables={}, times={}, captured_at=datetime(2026, 1, 1, tzinfo=UTC),
                stubs=(stub("/x"),))  # fmt: skip
    compiled = CompiledStubs()
    assert compiled.of(base) is compiled.of(base)
