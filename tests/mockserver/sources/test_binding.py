"""What a request asks: parameters and body, for the handler and for the journal."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.model import SessionSpec
from mockserver.routing import Routes
from mockserver.sessions.session import Session
from mockserver.sources import exchange as module
from mockserver.sources.dispatch import DecodedCall, DecodedExchange, Dispatcher, HttpExchange
from mockserver.sources.exchange import Binder, Exchange
from mockserver.state import Base

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROUTES = Routes(APIS)
DISPATCHER = Dispatcher(ROUTES, url="http://127.0.0.1:8765")
UNITS = "/admin/directory/v1/customer/my_customer/orgunits"
FORM = "application/x-www-form-urlencoded"


def opened(profile: str) -> Session:
    base = Base(tables={}, times={}, captured_at=NOW)
    spec = SessionSpec.model_validate({"profile": profile})
    return Session("s1", spec, base, real=lambda: NOW, journal_bytes=100_000)


def decoded(path: str, verb: str, params: Any, body: Any, profile: str) -> Exchange:
    route = ROUTES.find(b"", verb, path.encode())
    return DecodedExchange(opened(profile), route, DecodedCall(params, body), lambda _: ())


def bound(
    path: str = UNITS,
    query: str = "",
    content: bytes = b"",
    *,
    verb: str = "GET",
    kind: str = "application/json",
    profile: str = "google",
    binder: Binder | None = None,
) -> Exchange:
    request = Request({
        "method": verb, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"content-type", kind.encode())],
    })  # fmt: skip
    route = ROUTES.find(b"", verb, path.encode())
    found = HttpExchange(DISPATCHER, opened(profile), route, request, content)
    found.bind(binder or Binder())
    return found


def test_parameters_of_path_and_query_are_bound() -> None:
    asked = bound(query="type=all&fields=kind")
    assert asked.params == {"customerId": "my_customer", "type": "all"}
    assert asked.entry.params == {"customerId": "my_customer", "type": "all", "fields": "kind"}
    assert asked.system is not None
    assert asked.system.fields == "kind"


def test_what_was_bound_twice_is_kept_and_handed_out_as_a_copy() -> None:
    binder = Binder()
    for _ in range(4):
        found = bound(query="type=all", binder=binder)
        assert found.params["type"] == found.entry.params["type"] == "all"
        found.params.clear()
    assert len(binder.queries) == 1


def test_the_query_of_an_unknown_route_is_kept_too_and_handed_out_as_a_copy() -> None:
    binder = Binder()
    for _ in range(4):
        found = bound("/v1/nowhere", query="a=1", binder=binder)
        assert (found.params, found.entry.params, found.system) == ({"a": "1"}, {"a": "1"}, None)
        found.params.clear()
    assert len(binder.queries) == 1


def test_no_more_is_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    binder = Binder()
    for number in (*range(5), "x" * 2000):
        for _ in range(2):
            bound(query=f"orgUnitPath=/{number}", binder=binder)
    assert len(binder.queries) == 2


def test_a_query_that_is_new_counts_for_the_journal_s_limit() -> None:
    binder = Binder()
    sizes = [bound(query="type=all", binder=binder).entry.request_bytes for _ in range(3)]
    assert sizes == [8, 8, 0]


def test_what_the_profile_lets_pass_is_noted() -> None:
    binder = Binder()
    for _ in range(3):
        asked = bound(query="colour=red", profile="lenient", binder=binder)
        assert asked.problem is None
        assert asked.response.ignored == ("colour",)


def test_a_wrong_parameter_is_a_problem_that_others_may_come_before() -> None:
    asked = bound(query="alt=media&key=AIza")
    assert asked.problem is not None
    assert asked.problem.status == 400
    assert asked.entry.params == {"customerId": "my_customer", "alt": "media", "key": "[redacted]"}


def test_a_refusal_is_written_the_way_that_was_asked_for() -> None:
    asked = bound(query="alt=media&prettyPrint=false")
    assert asked.problem is not None
    assert asked.system is not None
    assert asked.system.pretty_print is False


def test_a_route_without_a_document_takes_parameters_as_they_are() -> None:
    asked = bound("/tools/listOrgUnits", "a=1&token=t", verb="POST")
    assert asked.params == {"a": "1", "token": "t"}
    assert asked.entry.params == {"a": "1", "token": "[redacted]"}


def test_a_body_is_bound() -> None:
    content = b'{"name": "Web", "parentOrgUnitPath": "/"}'
    asked = bound(content=content, verb="POST")
    assert asked.body == asked.entry.body == {"name": "Web", "parentOrgUnitPath": "/"}
    assert asked.entry.request_bytes == len(content)


def test_a_field_of_the_body_that_is_not_used_is_noted() -> None:
    asked = bound(content=b'{"name": "Web", "colour": 1}', verb="POST", profile="lenient")
    assert asked.problem is None
    assert "colour" in asked.response.ignored


def test_a_body_where_none_is_taken_is_noted() -> None:
    asked = bound(f"{UNITS}/Eng", content=b'{"a": 1}', verb="DELETE")
    assert (asked.body, asked.response.ignored) == ({}, ("body",))


@pytest.mark.parametrize("content", [b"[1]", b'"text"', b"{", b'{"name": {}}'])
def test_a_body_that_is_none_is_a_problem(content: bytes) -> None:
    asked = bound(content=content, verb="POST")
    assert asked.problem is not None
    assert asked.problem.status == 400


def test_a_form_is_read_as_a_body() -> None:
    asked = bound("/token", "", b"grant_type=x&scope=a+b", verb="POST", kind=FORM)
    assert asked.body == {"grant_type": "x", "scope": "a b"}


def test_json_that_curl_calls_a_form_is_json() -> None:
    asked = bound(content=b' {"name": "Web"}', verb="POST", kind=FORM)
    assert asked.body == {"name": "Web"}


@pytest.mark.parametrize("query", ["", "fields=kind"], ids=["body alone", "both"])
def test_a_long_get_may_carry_its_query_in_the_body(query: str) -> None:
    asked = bound(query=query, content=b"type=all", kind=FORM)
    assert asked.params == {"customerId": "my_customer", "type": "all"}
    assert asked.entry.params.get("fields", "") == query.removeprefix("fields=")


@pytest.mark.parametrize(
    ("body", "wrong"), [({}, False), ({"name": "x"}, False), ({"name": {}}, True)]
)
def test_what_one_method_asks_of_another_is_bound_but_for_its_parameters(
    body: dict[str, Any], wrong: bool
) -> None:
    params = {"customerId": "my_customer", "token": "t"}
    asked = decoded(UNITS, "POST", params, body, "google")
    Binder().bind_arguments(asked, params, body)
    assert asked.params == params
    assert asked.entry.params["token"] == "[redacted]"
    assert (asked.problem is not None) == wrong


def typed(binder: Binder, params: Any, body: Any, profile: str = "google") -> Exchange:
    found = decoded(UNITS, "POST", params, body, profile)
    found.bind(binder)
    return found


def test_what_is_asked_with_the_same_parameters_again_is_bound_once() -> None:
    binder, params = Binder(), {"customerId": "my_customer", "key": "AIza"}
    body = {"name": "New", "parentOrgUnitPath": "/", "colour": "red"}
    first = typed(binder, params, body)
    first.params.clear()
    again = typed(binder, params, body)
    assert again.params == params
    assert again.body == {"name": "New", "parentOrgUnitPath": "/"}
    assert again.entry.params == {"customerId": "my_customer", "key": "[redacted]"}
    assert again.entry.body == first.entry.body == again.body
    assert again.response.ignored == first.response.ignored == ("colour",)


def test_strict_sessions_hold_typed_bodies_to_the_document_too() -> None:
    binder, params = Binder(), {"customerId": "my_customer"}
    assert typed(binder, params, {"name": "New", "colour": 1}).problem is None
    assert typed(binder, params, {"name": "New", "colour": 1}, "strict").problem is not None


def test_a_secret_in_a_typed_body_never_reaches_the_journal() -> None:
    binder, params = Binder(), {"userKey": "a"}
    for _ in range(2):
        body = {"password": "s3cret"}
        found = decoded("/admin/directory/v1/users/a", "PUT", params, body, "google")
        found.bind(binder)
        found.finish()
        assert found.body == {"password": "s3cret"}
        assert found.entry.body == {"password": "[redacted]"}
