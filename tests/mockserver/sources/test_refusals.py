"""Requests that reach no world."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.model import SessionSpec
from mockserver.routing import Routes
from mockserver.sessions.session import Session
from mockserver.sources.exchange import refuse_call
from mockserver.sources.misses import (
    body_too_large_error,
    closed_session_error,
    unknown_session_error,
)
from mockserver.sources.response import error_response
from mockserver.state import Base

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROUTES = Routes(APIS)
UNITS = ROUTES.find(b"", "GET", b"/admin/directory/v1/customer/my_customer/orgunits")


def request(path: str = "/", token: str = "") -> Request:
    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    return Request(
        {"method": "GET", "raw_path": path.encode(), "query_string": b"", "headers": headers}
    )


def session() -> Session:
    base = Base(tables={}, times={}, captured_at=NOW)
    return Session("s1", SessionSpec(), base, real=lambda: NOW, journal_bytes=100_000)


def error(body: bytes) -> Any:
    return orjson.loads(body)["error"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (request(), "names no session of the mock server and there is no default one"),
        (request("/s/x/y"), "has no session 'x'"),
        (request("/s//y"), "has no session ''"),
        (request(token="ya29.mock~gone~0"), "has no session of this token"),
    ],
    ids=["none", "path", "empty", "token"],
)
def test_a_session_that_never_was_is_404(asked: Request, says: str) -> None:
    unknown = unknown_session_error(asked.session, asked.token)
    response = error_response(unknown, UNITS.dialect)
    assert (response.status, response.source) == (404, "none")
    assert says in error(response.body)["message"]
    assert error(response.body)["errors"][0]["reason"] == "sessionNotFound"


def test_a_closed_session_is_410_and_keeps_a_line() -> None:
    one = session()
    one.close()

    response = refuse_call(one, UNITS, b"", closed_session_error(one.id))

    assert (response.status, response.source) == (410, "none")
    assert error(response.body)["errors"][0]["reason"] == "sessionClosed"
    (entry,) = one.journal.as_json("s1")["entries"]
    assert (entry["status"], entry["after_close"]) == (410, True)


def test_too_large_a_body_is_413_and_ends_the_connection() -> None:
    one = session()
    response = refuse_call(one, UNITS, b"", body_too_large_error())
    assert (response.status, error(response.body)["code"]) == (413, 413)
    assert (b"connection", b"close") in response.headers
    assert one.journal.as_json("s1")["entries"][0]["method_id"] == "directory.orgunits.list"
