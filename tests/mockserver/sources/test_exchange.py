"""One call on its way: how it is answered, and what the journal keeps of it."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from mockserver.apis import APIS
from mockserver.googleapi import ApiError, SystemParameters, parse_mask
from mockserver.model import SessionSpec
from mockserver.routing import Routes
from mockserver.sessions.session import Session
from mockserver.sources import exchange as module
from mockserver.sources.exchange import JournalledCall
from mockserver.sources.memo import AnswerMemo, IdentityMemo
from mockserver.state import Base

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROUTES = Routes(APIS)
UNITS = ROUTES.find(b"", "GET", b"/admin/directory/v1/customer/my_customer/orgunits")
POLICIES = ROUTES.find(b"cloudidentity.googleapis.com", "GET", b"/v1/policies")
TOOLS = ROUTES.find(b"", "GET", b"/tools")
TOKEN = ROUTES.find(b"oauth2.googleapis.com", "POST", b"/token")


def exchange(route: Any = UNITS, **system: Any) -> JournalledCall:
    base = Base(tables={}, times={}, captured_at=NOW)
    session = Session("s1", SessionSpec(), base, real=lambda: NOW, journal_bytes=100_000)
    found = JournalledCall(session, route, b"agent/1")
    found.system = SystemParameters(**system) if system else None
    return found


def entry(found: JournalledCall) -> Any:
    return found.session.journal.as_json("s1")["entries"][0]


def test_an_answer_is_indented_unless_told_not_to() -> None:
    for system, text in (
        ({}, b'{\n  "kind": "x"\n}\n'),
        ({"pretty_print": False}, b'{"kind":"x"}'),
    ):
        one = exchange(**system)
        one.write_answer({"kind": "x"})
        assert one.response.body.split() == text.split()
        assert one.response.body == text or system


def test_an_answer_given_before_is_not_encoded_again() -> None:
    payload = {"kind": "x"}
    found = []
    for _ in range(2):
        one = exchange()
        one.write_answer(payload)
        found.append(one.response.body)
    assert found[0] is found[1]
    compact = exchange(pretty_print=False)
    compact.write_answer(payload)
    assert b"\n  " not in compact.response.body


def test_a_very_long_answer_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENCODED", IdentityMemo(9, budget=40))
    monkeypatch.setattr(module, "_ASSEMBLED", AnswerMemo(9, budget=40))
    payload = {"kind": "long"}
    first, second = exchange(), exchange()
    first.write_answer(payload)
    second.write_answer(payload)
    assert first.response.body == second.response.body
    assert first.response.body is not second.response.body


def test_only_the_part_that_was_asked_for_is_answered() -> None:
    one = exchange()
    assert UNITS.method is not None
    one.mask = parse_mask("kind", UNITS.method, UNITS.dialect)
    one.write_answer({"kind": "x", "etag": "y"})
    assert orjson.loads(one.response.body) == {"kind": "x"}


def test_a_tool_s_answer_has_no_schema() -> None:
    one = exchange(TOOLS)
    one.write_answer({"tools": []})
    assert orjson.loads(one.response.body) == {"tools": []}


def test_nothing_is_204_and_what_the_caller_has_is_304() -> None:
    nothing, known = exchange(), exchange()
    nothing.write_answer(None)
    known.write_answer({"etag": '"e"'}, etag=b'"e"')
    assert [(one.response.status, one.response.body) for one in (nothing, known)] == [
        (204, b""),
        (304, b""),
    ]
    other = exchange()
    other.write_answer({"etag": '"e"'}, etag=b'"f"')
    assert other.response.status == 200


@pytest.mark.parametrize(
    ("route", "xgafv", "older"),
    [(UNITS, "", True), (POLICIES, "", False), (UNITS, "2", False), (POLICIES, "1", True)],
    ids=["legacy", "newer", "newer asked", "legacy asked"],
)
def test_an_error_is_said_as_asked_for_or_as_the_api_does(
    route: Any, xgafv: str, older: bool
) -> None:
    one = exchange(route, xgafv=xgafv)
    one.write_error(ApiError(404, "gone", headers={"X-Why": "a"}))
    assert ("errors" in orjson.loads(one.response.body)["error"]) == older
    assert (b"x-why", b"a") in one.response.headers


def test_an_error_from_inside_is_said_as_the_api_inside_does() -> None:
    one, error = exchange(POLICIES), ApiError(404, "gone")
    one.inner_failure = (error, "legacy")
    one.write_error(error)
    assert "errors" in orjson.loads(one.response.body)["error"]


def test_an_error_after_one_from_inside_is_its_own() -> None:
    one = exchange(POLICIES)
    one.inner_failure = (ApiError(404, "gone"), "legacy")
    one.write_error(ApiError(400, "other"))
    assert "errors" not in orjson.loads(one.response.body)["error"]


def test_the_journal_keeps_no_secret_of_the_body() -> None:
    one = exchange()
    one.entry.set_body({"name": "x", "password": "hunter2"})
    one.write_answer({"kind": "x"})
    one.finish()
    assert entry(one)["body"] == {"name": "x", "password": "[redacted]"}
    assert (entry(one)["client"], entry(one)["after_close"]) == ("agent/1", False)


def test_the_journal_keeps_no_token_that_was_issued() -> None:
    one = exchange(TOKEN)
    one.write_answer({"access_token": "ya29.mock~s1~1", "expires_in": 3599})
    assert b"ya29.mock" in one.finish().body
    (body,) = one.session.journal.as_json("s1")["bodies"].values()
    assert orjson.loads(body) == {"access_token": "[redacted]", "expires_in": 3599}


def test_a_literal_answer_of_the_token_endpoint_may_be_no_json() -> None:
    one = exchange(TOKEN)
    one.response.body = b"down"
    assert one.finish().body == b"down"
