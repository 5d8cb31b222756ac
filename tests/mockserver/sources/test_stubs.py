"""Literal answers: found by verb, address and query."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.asgi.requests import Request
from mockserver.googleapi import ApiError, Method
from mockserver.model import Json, JsonObject
from mockserver.routing import Route
from mockserver.sources import stubs as module
from mockserver.sources.stubs import (
    CompiledStubs,
    StubAnswer,
    StubIndex,
    find_direct_stub,
    find_stub,
)
from mockserver.state import Base
from tests.discoverydocs import method


def stub(url: str, **more: Any) -> dict[str, Any]:
    return {"method": "GET", "url": url, "status": 200, "headers": {}, "body": None, **more}


def status(stubs: list[dict[str, Any]], host: str, path: str, query: str = "") -> int | None:
    found = find_stub(StubIndex(stubs), "GET", host, path, query)
    return found.answers[0].status if found else None


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
    assert find_stub(StubIndex([stub("/x", method="post")]), "GET", "h", "/x", "") is None
    assert find_stub(StubIndex([stub("/x", method="post")]), "POST", "h", "/x", "") is not None


READ = method("secretmanager:v1", "secretmanager.projects.secrets.versions.access")
LISTED = method("secretmanager:v1", "secretmanager.projects.secrets.list")
VERSION = {"name": "projects/p/secrets/s/versions/1"}


@pytest.mark.parametrize(
    ("url", "of", "params", "is_found"),
    [
        (
            "secretmanager.googleapis.com/v1/projects/p/secrets/s/versions/1:access",
            READ,
            VERSION,
            True,
        ),
        (
            "secretmanager.googleapis.com/v1/projects/p/secrets/t/versions/1:access",
            READ,
            VERSION,
            False,
        ),
        (
            "/v1/projects/p/secrets?pageSize=5",
            LISTED,
            {"parent": "projects/p", "pageSize": 5},
            True,
        ),
        (
            "/v1/projects/p/secrets?pageSize=6",
            LISTED,
            {"parent": "projects/p", "pageSize": 5},
            False,
        ),
    ],
    ids=["path", "other path", "query", "other query"],
)
def test_a_call_without_http_finds_the_stub_of_the_same_meaning(
    url: str, of: Method, params: JsonObject, *, is_found: bool
) -> None:
    assert (find_direct_stub(StubIndex([stub(url)]), of, params) is not None) is is_found


@pytest.mark.parametrize(
    ("body", "payload"),
    [({"a": 1}, {"a": 1}), ([{"a": 1}, {}], [{"a": 1}, {}]), (None, {})],
    ids=["message", "messages of a stream", "none"],
)
def test_the_json_of_a_stub_is_a_message(body: Json, payload: Json) -> None:
    (made,) = StubIndex([stub("/x", body=body)]).stubs
    assert made.answers[0].payload() == payload


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (403, {"error": {"message": "no", "status": "PERMISSION_DENIED"}}, (403, "no")),
        (500, "broken", (500, "broken")),
        (200, "hello", (501, "only HTTP requests")),
        (200, [1], (501, "only HTTP requests")),
    ],
    ids=["error", "text of an error", "text", "no messages"],
)
def test_what_is_no_message_is_an_error(status: int, body: Json, expected: tuple[int, str]) -> None:
    (made,) = StubIndex([stub("/x", status=status, body=body)]).stubs
    with pytest.raises(ApiError) as caught:
        made.answers[0].payload()
    assert (caught.value.status, expected[1] in caught.value.message) == (expected[0], True)


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
    found = find_stub(StubIndex([stub("/x", body=body)]), "GET", "h", "/x", "")
    assert found is not None
    assert (found.answers[0].body, found.answers[0].content_type) == (content, kind)


def test_headers_are_those_of_the_stub() -> None:
    raw = stub("/x", headers={"Content-Type": "text/csv", "X-A": "b"}, body="a,b")
    found = find_stub(StubIndex([raw]), "GET", "h", "/x", "")
    assert found is not None
    (answer,) = found.answers
    assert (answer.content_type, answer.headers) == (
        b"text/csv",
        ((b"x-a", b"b"),),
    )


def test_the_stubs_of_a_base_are_indexed_once() -> None:
    base = Base(tables={}, times={}, captured_at=datetime(2026, 1, 1, tzinfo=UTC),
                stubs=(stub("/x"),))  # fmt: skip
    compiled = CompiledStubs()
    assert compiled.of(base) is compiled.of(base)


def test_the_stubs_of_requests_are_remembered_within_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_REQUESTS_KEPT", 2)
    monkeypatch.setattr(module, "_KEPT_OF_EACH", 0)
    index = StubIndex([stub("/x?a=1"), stub("/x"), stub("/{any}")])

    def found(path: str, query: str) -> list[int]:
        route = routes.setdefault(path, Route("GET", "", path))
        request = Request({
            "method": "GET", "raw_path": path.encode(), "query_string": query.encode(),
            "headers": [(b"host", b"h")],
        })  # fmt: skip
        return [each.number for each in index.of_request(route, request)]

    routes: dict[str, Route] = {}
    asked = [("/x", "a=1"), ("/x", ""), ("/y", ""), ("/x", "a=1"), ("/y" * 800, "")]
    for _ in range(2):
        assert [found(*each) for each in asked] == [[0, 1, 2], [1, 2], [2], [0, 1, 2], []]
    assert len(index._known) <= 2


def test_a_query_that_no_stub_asks_for_is_no_other_request() -> None:
    index, route = StubIndex([stub("/x"), stub("/y?a=1")]), Route("GET", "h", "/x")
    for query in (b"n=1", b"n=2", b""):
        scope = {"method": "GET", "raw_path": b"/x", "query_string": query, "headers": []}
        assert [each.number for each in index.of_request(route, Request(scope))] == [0]
    assert len(index._known) == 1


@pytest.mark.parametrize(
    ("url", "path", "query", "kept"),
    [("/{any}", 1024, 9, 1), ("/{any}", 1025, 0, 0), ("/{any}?a=1", 1000, 24, 1),
     ("/{any}?a=1", 1000, 25, 0)],
)  # fmt: skip
def test_only_short_requests_are_remembered(url: str, path: int, query: int, kept: int) -> None:
    index, route = StubIndex([stub(url)]), Route("GET", "h", "/".ljust(path, "x"))
    scope = {"method": "GET", "raw_path": b"", "query_string": b"y" * query, "headers": []}
    for _ in range(2):
        found = index.of_request(route, Request(scope))
        assert [each.number for each in found] == [0] * ("?" not in url)
        assert len(index._known) == kept


def stub_answer(body: bytes, status: int = 200) -> StubAnswer:
    return StubAnswer(status, body, b"application/json", ())


@pytest.mark.parametrize(
    ("body", "payload", "result"),
    [
        (b'{"a": 1}', {"a": 1}, {"result": {"a": 1}}),
        (b'{"result": 1}', {"result": 1}, {"result": 1}),
        (b'{"result": 1, "a": 2}', {"result": 1, "a": 2}, {"result": {"result": 1, "a": 2}}),
        (b'[{"a": 1}]', [{"a": 1}], {"result": [{"a": 1}]}),
        (b"", {}, {"result": None}),
        (b"[1]", 501, {"result": [1]}),
        (b"word", 501, {"result": "word"}),
    ],
)
def test_an_answer_without_http_is_a_message_or_the_result_of_a_tool(
    body: bytes, payload: Any, result: Any
) -> None:
    answer = stub_answer(body)
    assert answer.tool_result() == result
    if payload == 501:
        with pytest.raises(ApiError, match="answers no JSON object") as caught:
            answer.payload()
        assert caught.value.status == 501
    else:
        assert answer.payload() == payload


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        (b'{"error": {"message": "no", "status": "NOT_FOUND"}}', "no", "NOT_FOUND"),
        (b'{"error": "no"}', '{"error": "no"}', ""),
        (b"[1]", "[1]", ""),
        (b"no such thing", "no such thing", ""),
    ],
)
def test_an_answer_that_is_an_error_is_one_without_http_too(
    body: bytes, message: str, code: str
) -> None:
    for made in (stub_answer(body, 400).payload, stub_answer(body, 400).tool_result):
        with pytest.raises(ApiError) as caught:
            made()
        assert (caught.value.status, caught.value.message) == (400, message)
        assert (caught.value.code_name or "") == code
    assert stub_answer(b"{}", 399).payload() == {}
    assert stub_answer(b"{}", 399).tool_result() == {"result": {}}
