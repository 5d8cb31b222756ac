"""What a request asks: parameters and body, for the handler and for the journal."""

from datetime import UTC, datetime
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.model import SessionSpec
from mockserver.routing import Routes
from mockserver.sessions.session import Session
from mockserver.sources import binding as module
from mockserver.sources.binding import Asked, Asking
from mockserver.sources.exchange import Exchange
from mockserver.state import Base

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROUTES = Routes(APIS)
UNITS = "/admin/directory/v1/customer/my_customer/orgunits"
FORM = "application/x-www-form-urlencoded"


def exchange(path: str, verb: str, profile: str) -> Exchange:
    base = Base(tables={}, times={}, captured_at=NOW)
    spec = SessionSpec.model_validate({"profile": profile})
    session = Session("s1", spec, base, real=lambda: NOW, journal_bytes=100_000)
    return Exchange(session, ROUTES.find(b"", verb, path.encode()))


def understood(
    path: str = UNITS,
    query: str = "",
    content: bytes = b"",
    *,
    verb: str = "GET",
    kind: str = "application/json",
    profile: str = "google",
    asking: Asking | None = None,
) -> tuple[Asked, Exchange]:
    request = Request({
        "method": verb, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"content-type", kind.encode())],
    })  # fmt: skip
    found = exchange(path, verb, profile)
    return (asking or Asking()).understand(found, request, content), found


def test_parameters_of_path_and_query_are_bound() -> None:
    asked, noted = understood(query="type=all&fields=kind")
    assert asked.params == {"customerId": "my_customer", "type": "all"}
    assert noted.params == {"customerId": "my_customer", "type": "all", "fields": "kind"}
    assert noted.system is not None
    assert noted.system.fields == "kind"


def test_what_was_bound_once_is_kept_and_handed_out_as_a_copy() -> None:
    asking = Asking()
    first, _ = understood(query="type=all", asking=asking)
    first.params.clear()
    again, noted = understood(query="type=all", asking=asking)
    assert again.params["type"] == "all"
    assert noted.params["type"] == "all"


def test_no_more_is_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    asking = Asking()
    for number in range(5):
        understood(query=f"orgUnitPath=/{number}", asking=asking)
    understood(query=f"orgUnitPath=/{'x' * 2000}", asking=asking)
    assert len(asking._bound) == 2


def test_a_query_that_is_new_counts_for_the_journal_s_limit() -> None:
    asking = Asking()
    sizes = [understood(query="type=all", asking=asking)[1].request_bytes for _ in range(2)]
    assert sizes == [8, 0]


def test_what_the_profile_lets_pass_is_noted() -> None:
    asking = Asking()
    for _ in range(2):
        asked, noted = understood(query="colour=red", profile="lenient", asking=asking)
        assert asked.problem is None
        assert noted.ignored == ("colour",)


def test_a_wrong_parameter_is_a_problem_that_others_may_come_before() -> None:
    asked, noted = understood(query="alt=media&key=AIza")
    assert asked.problem is not None
    assert asked.problem.status == 400
    assert noted.params == {"customerId": "my_customer", "alt": "media", "key": "[redacted]"}


def test_a_refusal_is_written_the_way_that_was_asked_for() -> None:
    asked, noted = understood(query="alt=media&prettyPrint=false")
    assert asked.problem is not None
    assert noted.pretty is False


def test_a_route_without_a_document_takes_parameters_as_they_are() -> None:
    asked, noted = understood("/tools/listOrgUnits", "a=1&token=t", verb="POST")
    assert asked.params == {"a": "1", "token": "t"}
    assert noted.params == {"a": "1", "token": "[redacted]"}


def test_a_body_is_bound() -> None:
    content = b'{"name": "Web", "parentOrgUnitPath": "/"}'
    asked, noted = understood(content=content, verb="POST")
    assert asked.body == noted.body == {"name": "Web", "parentOrgUnitPath": "/"}
    assert noted.request_bytes == len(content)


def test_a_field_of_the_body_that_is_not_used_is_noted() -> None:
    asked, noted = understood(
        content=b'{"name": "Web", "colour": 1}', verb="POST", profile="lenient"
    )
    assert asked.problem is None
    assert "colour" in noted.ignored


def test_a_body_where_none_is_taken_is_noted() -> None:
    asked, noted = understood(f"{UNITS}/Eng", content=b'{"a": 1}', verb="DELETE")
    assert (asked.body, noted.ignored) == ({}, ("body",))


@pytest.mark.parametrize("content", [b"[1]", b'"text"', b"{", b'{"name": {}}'])
def test_a_body_that_is_none_is_a_problem(content: bytes) -> None:
    asked, _ = understood(content=content, verb="POST")
    assert asked.problem is not None
    assert asked.problem.status == 400


def test_a_form_is_read_as_a_body() -> None:
    asked, _ = understood("/token", "", b"grant_type=x&scope=a+b", verb="POST", kind=FORM)
    assert asked.body == {"grant_type": "x", "scope": "a b"}


def test_json_that_curl_calls_a_form_is_json() -> None:
    asked, _ = understood(content=b' {"name": "Web"}', verb="POST", kind=FORM)
    assert asked.body == {"name": "Web"}


@pytest.mark.parametrize("query", ["", "fields=kind"], ids=["body alone", "both"])
def test_a_long_get_may_carry_its_query_in_the_body(query: str) -> None:
    asked, noted = understood(query=query, content=b"type=all", kind=FORM)
    assert asked.params == {"customerId": "my_customer", "type": "all"}
    assert noted.params.get("fields", "") == query.removeprefix("fields=")


@pytest.mark.parametrize(
    ("body", "wrong"), [({}, False), ({"name": "x"}, False), ({"name": {}}, True)]
)
def test_what_one_method_asks_of_another_is_bound_but_for_its_parameters(
    body: dict[str, Any], wrong: bool
) -> None:
    noted = exchange(UNITS, "POST", "google")
    params = {"customerId": "my_customer", "token": "t"}
    asked = Asking().given(noted, params, body)
    assert asked.params == params
    assert noted.params["token"] == "[redacted]"
    assert (asked.problem is not None) == wrong


def given(asking: Asking, params: Any, body: Any, profile: str = "google") -> tuple[Any, Exchange]:
    noted = exchange(UNITS, "POST", profile)
    return asking.given(noted, params, body, typed=True), noted


def test_what_is_asked_with_the_same_parameters_again_is_bound_once() -> None:
    asking, params = Asking(), {"customerId": "my_customer", "key": "AIza"}
    body = {"name": "New", "parentOrgUnitPath": "/", "colour": "red"}
    first, noted = given(asking, params, body)
    first.params.clear()
    first.body.clear()
    again, noted_again = given(asking, params, body)
    assert again.params == params
    assert again.body == {"name": "New", "parentOrgUnitPath": "/"}
    assert noted_again.params == {"customerId": "my_customer", "key": "[redacted]"}
    assert noted_again.body == noted.body == again.body
    assert noted_again.ignored == noted.ignored == ("colour",)


def test_strict_sessions_hold_typed_bodies_to_the_document_too() -> None:
    asking, params = Asking(), {"customerId": "my_customer"}
    assert given(asking, params, {"name": "New", "colour": 1})[0].problem is None
    assert given(asking, params, {"name": "New", "colour": 1}, "strict")[0].problem is not None


def test_a_secret_in_a_typed_body_never_reaches_the_journal() -> None:
    asking, params = Asking(), {"userKey": "a"}
    for _ in range(2):
        base = Base(tables={}, times={}, captured_at=NOW)
        session = Session("s1", SessionSpec(), base, real=lambda: NOW, journal_bytes=100_000)
        route = ROUTES.find(b"", "PUT", b"/admin/directory/v1/users/a")
        noted = Exchange(session, route)
        asked = asking.given(noted, params, {"password": "s3cret"}, typed=True)
        noted.finish()
        assert asked.body == {"password": "s3cret"}
        assert noted.body == {"password": "[redacted]"}
