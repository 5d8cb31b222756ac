"""Stubs by what they ask for: the most specific one answers, in sequence, by templates."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import MockServerError
from mockserver.sources.stubs import StubIndex, find_stub
from tests.mockserver.conftest import write_suite
from tests.mockserver.sources.test_emulation import application, client_of, entries
from tests.mockserver.sources.test_stubs import stub

HOST = "api.example.com"


@pytest.mark.parametrize(
    ("urls", "asked", "expected"),
    [
        (["/x", "/x?a=1"], "/x?a=1", "/x?a=1"),
        (["/x", "/x?a=1"], "/x?a=2", "/x"),
        (["/x", "/x?a=1&alt=media"], "/x?alt=media&a=1", "/x?a=1&alt=media"),
        (["/{kind}/1", "/books/{id}", "/books/1"], "/books/1", "/books/1"),
        (["/{kind}/1", "/books/{id}"], "/books/1", "/books/{id}"),
        (["/{kind}/1", "/books/{id}"], "/films/1", "/{kind}/1"),
        (["/books/{id}"], "/books/", None),
        (["/books/{id}"], "/books/1/pages", None),
        (["/x", f"{HOST}/x"], "/x", f"{HOST}/x"),
        ([f"{HOST}/v1/{{id}}"], "/v1/a%20b", f"{HOST}/v1/{{id}}"),
    ],
)  # fmt: skip
def test_the_most_specific_stub_answers_wherever_it_stands(
    urls: list[str], asked: str, expected: str | None
) -> None:
    path, _, query = asked.partition("?")
    for order in (urls, urls[::-1]):
        found = find_stub(StubIndex([stub(url) for url in order]), "GET", HOST, path, query)
        assert (found.number if found else None) == (
            None if expected is None else order.index(expected)
        )


def test_a_stub_of_the_verb_comes_before_one_of_any() -> None:
    stubs = StubIndex([stub("/x", method="*", status=201), stub("/x", method="POST", status=202)])
    found = [find_stub(stubs, verb, HOST, "/x", "") for verb in ("POST", "PUT")]
    assert [each.answers[0].status for each in found if each] == [202, 201]


def test_of_two_that_ask_for_as_much_the_first_answers() -> None:
    found = find_stub(StubIndex([stub("/x", status=201), stub("/x")]), "GET", HOST, "/x", "")
    assert found is not None
    assert found.number == 0


QUOTES: list[dict[str, Any]] = [
    {"id": "quotes.get", "url": f"{HOST}/quotes/{{symbol}}", "template": True,
     "headers": {"X-Symbol": "{{ request.params.symbol }}"},
     "body": {"symbol": "{{ request.params.symbol }}", "asked": "{{ seq }}",
              "to": "{{ request.query.currency|default('USD') }}", "at": "{{ now(days=1) }}"}},
    {"id": "orders.create", "method": "POST", "url": f"{HOST}/orders", "template": True,
     "match": {"body": {"seats": {"present": True}}, "headers": {"X-Kind": {"regex": "b.*"}}},
     "status": 201, "body": {"total": "{{ request.body.seats * 80 }}", "id": "{{ uuid() }}"}},
    {"method": "POST", "url": f"{HOST}/orders", "status": 422, "body": "no seats"},
    {"url": f"{HOST}/status", "sequence": [{"body": "queued"}, {"status": 202}, {"body": "done"}],
     "headers": {"X-A": "b"}, "delay_ms": 3},
    {"url": f"{HOST}/once", "sequence": [{"body": "1"}], "then": "miss"},
    {"url": f"{HOST}/turns", "sequence": [{"body": "1"}, {"body": "2"}], "then": "repeat"},
    {"url": f"{HOST}/units", "when": "state.orgUnits|length > 1", "body": "several"},
    {"url": f"{HOST}/units", "body": "few"},
    {"url": f"{HOST}/never", "when": "state.users.ann.suspended", "body": "suspended"},
    {"url": f"{HOST}/broken", "template": True, "body": "{{ request.query.name }}"},
]  # fmt: skip


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", http=QUOTES)


Asked = tuple[str, str, Any, dict[str, str]]


async def answers(suite: Path, *asked: Asked) -> list[Any]:
    app = application(suite)
    async with client_of(app) as client:
        return [
            await client.request(verb, f"/{HOST}{path}", json=body, headers=headers)
            for verb, path, body, headers in asked
        ]


async def test_a_template_speaks_of_request_session_and_clock(suite: Path) -> None:
    get: Asked = ("GET", "/quotes/a%20b?currency=EUR", None, {})
    post: Asked = ("POST", "/orders", {"seats": 2}, {"x-kind": "big"})
    first, second, order = await answers(suite, get, get, post)
    assert first.json() == {
        "symbol": "a b", "asked": 1, "to": "EUR", "at": "2026-03-03T09:00:00.000Z"
    }  # fmt: skip
    assert (second.json()["asked"], first.headers["x-symbol"]) == (2, "a b")
    assert (order.status_code, order.json()["total"]) == (201, 160)
    again = await answers(suite, post)
    assert again[0].json() == order.json()


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ({"seats": 1}, {"x-kind": "b"}, 201),
        ({"seats": 1}, {"x-kind": "a"}, 422),
        ({"seats": 1}, {}, 422),
        ({}, {"x-kind": "b"}, 422),
        ([1], {"x-kind": "b"}, 422),
    ],
)
async def test_headers_and_body_are_matched(
    suite: Path, body: Any, headers: dict[str, str], status: int
) -> None:
    (answer,) = await answers(suite, ("POST", "/orders", body, headers))
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/status", [(200, "queued"), (202, ""), (200, "done"), (200, "done")]),
        ("/turns", [(200, "1"), (200, "2"), (200, "1")]),
        ("/units", [(200, "several")]),
    ],
)
async def test_a_stub_answers_in_its_turn(
    suite: Path, path: str, expected: list[tuple[int, str]]
) -> None:
    found = await answers(suite, *[("GET", path, None, {})] * len(expected))
    assert [(each.status_code, each.text) for each in found] == expected


async def test_a_stub_that_has_no_more_answers_is_named(suite: Path) -> None:
    first, second = await answers(suite, *[("GET", "/once", None, {})] * 2)
    assert (first.text, second.status_code) == ("1", 404)
    assert second.headers["x-mock-miss"] == "fixture_gap; nearest=http[4]"


@pytest.mark.parametrize(
    ("path", "status", "said", "nearest"),
    [
        ("/never", 404,
         "no stub answers this request; http[8] is nearest: when: state.users.ann.suspended",
         "http[8]"),
        ("/quotes/a/b", 404,
         "no stub answers GET api.example.com/quotes/a/b; the nearest is"
         " GET api.example.com/quotes/{symbol} (quotes.get)", "quotes.get"),
        ("/orders", 404,
         "no stub answers GET api.example.com/orders; the nearest is"
         " POST api.example.com/orders (http[2])", "http[2]"),
        ("/broken", 500,
         "The template of the stub http[9] fails: 'dict object' has no attribute 'name'",
         "http[9]"),
    ],
)  # fmt: skip
async def test_what_no_stub_answers_is_told_as_json(
    suite: Path, path: str, status: int, said: str, nearest: str
) -> None:
    (answer,) = await answers(suite, ("GET", path, None, {}))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["message"]) == (status, status, said)
    assert answer.headers["x-mock-miss"] == f"fixture_gap; nearest={nearest}"


async def test_a_host_is_that_of_stubs_in_a_path_and_in_a_header(suite: Path) -> None:
    async with client_of(application(suite)) as client:
        for path, host, is_known in (
            ("/quotes/a/b", HOST.upper(), True), (f"/{HOST.upper()}/quotes/a/b", "x", True),
            ("/quotes/a/b", "other.example.com", False),
            ("/other.example.com/quotes/a/b", "x", False),
        ):  # fmt: skip
            answer = await client.get(path, headers={"host": host})
            assert answer.status_code == 404
            assert ("no stub answers" in answer.text) is is_known, (path, host)


async def test_the_id_of_a_stub_is_its_method_id(suite: Path) -> None:
    app = application(suite, faults=[{"method": "orders.*", "status": 503}])
    async with client_of(app) as client:
        await client.get(f"/{HOST}/quotes/x")
        refused = await client.post(f"/{HOST}/orders", json={"seats": 1}, headers={"x-kind": "b"})
    assert [entry["method_id"] for entry in entries(app)] == ["quotes.get", "orders.create"]
    assert refused.status_code == 503


async def test_a_reset_begins_sequences_anew(suite: Path) -> None:
    app = application(suite)
    async with client_of(app) as client:
        assert (await client.get(f"/{HOST}/turns")).text == "1"
        app.sessions.get("default").reset()
        assert (await client.get(f"/{HOST}/turns")).text == "1"


@pytest.mark.parametrize(
    ("bad", "pointer", "said"),
    [
        ({"when": "state."}, "/http/0/when", "not an expression"),
        ({"template": True, "body": {"a": "{{ 1 +"}}, "/http/0/body/a", "not a template"),
        ({"template": True, "sequence": [{"body": "{% macro x() %}{% endmacro %}"}]},
         "/http/0/sequence/0/body", "macro is not allowed here"),
        ({"sequence": [{"state": 1}]}, "/http/0/sequence/0/state", "unknown field"),
        ({"match": {"body": {"a": {"regex": "("}}}}, "/http/0/match/body/a", "not an RE2"),
        ({"status": 99}, "/http/0/status", "greater than or equal to 100"),
        ({"then": "stop"}, "/http/0/then", "'last', 'repeat' or 'miss'"),
    ],
    ids=["when", "template", "sequence", "field", "matcher", "status", "then"],
)  # fmt: skip
def test_what_cannot_be_served_is_told_with_its_place(
    tmp_path: Path, bad: dict[str, Any], pointer: str, said: str
) -> None:
    suite = write_suite(tmp_path / "suite", http=[{"url": "/x", **bad}])
    with pytest.raises(MockServerError) as caught:
        application(suite)
    text = json.dumps([str(caught.value), caught.value.args], default=str)
    assert pointer in text
    assert said in text
