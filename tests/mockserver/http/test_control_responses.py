"""How the control API answers."""

from types import SimpleNamespace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mockserver.errors import MockServerError, SessionError
from mockserver.http.control_responses import (
    encode_in_pieces,
    http_problem,
    json_response,
    mock_server_problem,
    problem,
)
from mockserver.model import Json

REQUEST = Request({"type": "http", "method": "PUT", "path": "/_mock/x", "headers": [],
                   "query_string": b"", "server": ("127.0.0.1", 80)})  # fmt: skip


def message(response: Response) -> str:
    return str(orjson.loads(response.body)["error"]["message"])


def test_answers_are_json() -> None:
    response = json_response({"a": 1}, 201)
    assert (response.status_code, response.body) == (201, b'{"a":1}')
    assert response.headers["content-type"] == "application/json"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner),
)


@given(JSON)
def test_pieces_make_the_same_json(value: Json) -> None:
    assert encode_in_pieces(value) == orjson.dumps(value)


def test_large_values_make_the_same_json_in_pieces() -> None:
    rows: Json = {f"r{number}": {"a": [number]} for number in range(1000)}
    for value in (rows, {"c": rows}, {"c": {"added": rows}}, {"entries": list(range(1000))}):
        assert encode_in_pieces(value) == orjson.dumps(value)


def test_no_piece_of_a_report_has_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder holds all threads for as long as a piece takes."""
    rows: Json = {f"r{number}": {"before": {"a": 1}, "after": {"a": 2}} for number in range(10_000)}
    report: Json = {"diff": {"logEntries": {"changed": rows}}, "state": {"logEntries": rows}}
    pieces: list[bytes] = []

    def dumps(value: Json) -> bytes:
        pieces.append(orjson.dumps(value))
        return pieces[-1]

    monkeypatch.setattr("mockserver.http.control_responses.orjson", SimpleNamespace(dumps=dumps))
    assert encode_in_pieces(report) == orjson.dumps(report)
    assert max(map(len, pieces)) < 10_000


@pytest.mark.parametrize(("status", "again"), [(409, None), (503, "1"), (504, None)])
def test_an_error_says_what_and_what_to_do_and_when_it_passes(
    status: int, again: str | None
) -> None:
    response = problem(status, "taken", "choose another")
    assert response.body == b'{"error":{"message":"taken","hint":"choose another"}}'
    assert (response.status_code, response.headers.get("retry-after")) == (status, again)


@pytest.mark.parametrize(
    ("error", "status"),
    [(SessionError("gone", status=410), 410), (MockServerError("gone"), 400),
     (ValueError("gone"), 400)],
)  # fmt: skip
async def test_a_mistake_of_the_user_has_the_status_of_its_kind(
    error: Exception, status: int
) -> None:
    response = await mock_server_problem(REQUEST, error)
    assert (response.status_code, message(response)) == (status, "gone")


@pytest.mark.parametrize(
    ("error", "status"), [(HTTPException(405), 405), (ValueError(), 500)], ids=["verb", "other"]
)
async def test_a_path_or_verb_it_does_not_have_is_named(error: Exception, status: int) -> None:
    response = await http_problem(REQUEST, error)
    assert response.status_code == status
    assert message(response) == "no PUT /_mock/x in the control API"
