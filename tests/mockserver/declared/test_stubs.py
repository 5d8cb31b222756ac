"""Stubs of declarations: the most specific answers, before what a collection would."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.declared.files import read_declarations
from mockserver.errors import InvalidFilesError
from tests.mockserver.declared.worlds import Declared, declared, write_suite


def suite_of(folder: Path, *stubs: dict[str, Any], **more: Any) -> Path:
    declaration: dict[str, Any] = {"api": "shop", "base_path": "/v1", "collections": {"things": {}}}
    tools = more.pop("tools", {})
    declaration |= {"stubs": list(stubs), **more}
    return write_suite(folder, declaration, {"things": [{"id": "a"}, {"id": "b"}]}, tools=tools)


async def asked(shop: Declared, *paths: str) -> list[Any]:
    """What requests are answered, each `VERB /path`."""
    found = []
    for each in paths:
        verb, _, path = each.partition(" ")
        answer = await shop.ask(verb, f"/v1{path}")
        found.append(answer.json() if answer.status_code == 200 else answer.status_code)
    return found


async def test_a_stub_that_asks_for_more_answers_first_and_the_collection_what_none_is_for(
    tmp_path: Path,
) -> None:
    suite = suite_of(
        tmp_path,
        {"route": "GET /things", "match": {"query": {"of": {"regex": "x.*"}}}, "body": 1},
        {"route": "GET /things", "body": 2, "match": {"query": {"of": "xy", "page": "1"}}},
        {"route": "GET /things/{id}", "match": {"headers": {"X-Mode": "dry"}}, "body": 3},
        {"route": "GET /{any}/a", "body": 4},
    )
    async with declared(suite) as shop:
        rows = [{"id": "a"}, {"id": "b"}]
        lists = ("GET /things", "GET /things?of=xy", "GET /things?of=xy&page=1", "GET /things?of=y")
        assert await asked(shop, *lists) == [rows, 1, 2, rows]
        assert await asked(shop, "GET /things/a", "GET /other/a") == [{"id": "a"}, 4]
        dry = await shop.ask("GET", "/v1/things/a", headers={"x-mode": "dry"})
        assert dry.json() == 3
        sources = [entry["source"] for entry in shop.journal]
    assert sources == ["state", "stub", "stub", "state", "state", "stub", "stub"]


async def test_conditions_sequences_and_delays_are_those_of_stubs(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        {"route": "GET /mode", "id": "busy", "when": "state.shop.things|length > 2", "status": 503},
        {"route": "GET /mode", "id": "mode", "body": "idle", "delay_ms": 5},
        {"route": "GET /next", "sequence": [{"body": 1}, {"body": 2}], "then": "repeat"},
        {"route": "GET /once", "sequence": [{"body": 1}], "then": "miss"},
    )
    async with declared(suite) as shop:
        idle = await shop.ask("GET", "/v1/mode")
        assert (idle.text, idle.headers["content-type"][:10]) == ("idle", "text/plain")
        await shop.ask("POST", "/v1/things", json={"id": "c"})
        assert await asked(shop, "GET /mode", *["GET /next"] * 3) == [503, 1, 2, 1]
        assert await asked(shop, "GET /once", "GET /once") == [1, 404]
        ids = [entry["method_id"] for entry in shop.journal]
        assert shop.journal[0]["duration_ms"] >= 5
        assert "no stub answers" in shop.journal[-1]["miss"]["reason"]
    assert ids[:3] == ["shop.mode", "shop.things.create", "shop.busy"]


async def test_templates_speak_of_the_request_its_names_and_the_session(tmp_path: Path) -> None:
    body = {"to": "{{ params.name }}", "q": "{{ request.query.q }}", "n": "{{ body.n + 1 }}",
            "at": "{{ request.path }} {{ request.params.name }}", "seq": "{{ pad(seq, 3) }}",
            "hidden": "{{ request.headers['x-api-key'] is defined }}"}  # fmt: skip
    suite = suite_of(
        tmp_path,
        {"route": "POST /hello/{name}", "headers": {"X-Seq": "{{ seq }}"}, "body": body},
        {"route": "GET /plain", "template": False, "body": {"a": "{{ x }}"}},
        {"route": "GET /void", "status": 204},
        {"route": "GET /broken", "body": "{{ fake.nonsense }}"},
    )
    async with declared(suite) as shop:
        answer = await shop.ask(
            "POST", "/v1/hello/you?q=z", json={"n": 1}, headers={"x-api-key": "k"}
        )
        assert answer.json() == {
            "to": "you", "q": "z", "n": 2, "at": "/v1/hello/you you", "seq": "001", "hidden": False,
        }  # fmt: skip
        assert answer.headers["x-seq"] == "1"
        assert await asked(shop, "GET /plain", "GET /void") == [{"a": "{{ x }}"}, 204]
        broken = await shop.ask("GET", "/v1/broken")
        assert (broken.status_code, "stub shop.get_broken" in broken.text) == (500, True)


async def test_a_request_that_no_stub_of_its_route_is_for_is_told_the_nearest(
    tmp_path: Path,
) -> None:
    stubs = [{"route": "POST /pay", "id": f"pay{n}", "match": {"body": {"n": n, "m": 1}}}
             for n in (1, 2)]  # fmt: skip
    async with declared(suite_of(tmp_path, *stubs)) as shop:
        answer = await shop.ask("POST", "/v1/pay", json={"n": 2})
        assert answer.status_code == 404
        assert "shop.pay2 is nearest: body.m: wanted 1, got nothing" in answer.text
        assert (await shop.ask("GET", "/v1/pay")).status_code == 405
        assert (await shop.ask("OPTIONS", "/v1/pay")).headers["allow"] == "POST, OPTIONS"
        assert shop.journal[0]["miss"]["nearest"] == "shop.pay2"


@pytest.mark.slow
async def test_keys_faults_and_sources_hold_for_stubs(tmp_path: Path) -> None:
    stubs = [
        {"route": "GET /status", "id": "status", "body": 1},
        {"route": "GET /things", "body": 2},
    ]
    auth = {"header": "X-Key", "public": ["status"]}
    fault = {"method": "shop.status", "status": 503, "times": 1}
    suite = suite_of(tmp_path, *stubs, auth=auth)
    async with declared(suite, faults=[fault]) as shop:
        assert await asked(shop, *["GET /status"] * 2, "GET /things") == [503, 1, 401]
    key = {"X-Key": "k"}
    suite = suite_of(tmp_path, *stubs, auth={"header": "X-Key", "values": ["k"]})
    async with declared(suite, sources=["state"]) as shop:
        assert len((await shop.ask("GET", "/v1/things", headers=key)).json()) == 2
        unanswered = await shop.ask("GET", "/v1/status", headers=key)
        assert (unanswered.status_code, "Only stubs answer" in unanswered.text) == (404, True)
    async with declared(suite, sources=["state", "stub"]) as shop:
        assert len((await shop.ask("GET", "/v1/things", headers=key)).json()) == 2
        assert (await shop.ask("GET", "/v1/status", headers=key)).json() == 1


async def test_tools_are_bound_to_stubs(tmp_path: Path) -> None:
    stub = {"route": "GET /hello/{name}", "id": "hello",
            "body": {"to": "{{ params.name }}", "loud": "{{ request.query.loud }}"}}  # fmt: skip
    once = {"route": "GET /once", "id": "once", "sequence": [{"body": {"n": 1}}], "then": "miss"}
    bad = {"route": "GET /bad", "id": "bad", "status": 409, "body": {"error": {"message": "no"}}}
    tools = {
        name: {"description": name, "call": f"shop.{name}"} for name in ("hello", "once", "bad")
    }
    async with declared(suite_of(tmp_path, stub, once, bad, tools=tools)) as shop:
        answer = await shop.ask("POST", "/tools/hello", json={"name": "you", "loud": "yes"})
        assert answer.json() == {"result": {"to": "you", "loud": "yes"}}
        codes = [(await shop.ask("POST", f"/tools/{name}", json={})).status_code
                 for name in ("once", "once", "bad")]  # fmt: skip
        assert codes == [200, 404, 409]
        inner = [entry["source"] for entry in shop.journal if entry["method_id"] == "shop.hello"]
    assert inner == ["stub"]
    async with declared(suite_of(tmp_path, stub, tools=tools), sources=["state"]) as shop:
        assert (await shop.ask("POST", "/tools/hello", json={"name": "a"})).status_code != 200


@pytest.mark.parametrize(
    ("stub", "place", "says"),
    [
        ({"match": {"query": {"a": {"regex": "("}}}}, "/stubs/0/match/query/a", "not an RE2"),
        ({"when": "1 +"}, "/stubs/0/when", "not an expression"),
        ({"body": {"a": ["{{ 1 +"]}}, "/stubs/0/body/a/0", "not a template"),
        ({"sequence": [{"boody": 1}]}, "/stubs/0/sequence/0/boody", "unknown field"),
        ({"sequence": [{"status": 9}]}, "/stubs/0/sequence/0/status", "greater than"),
        ({"then": "stop"}, "/stubs/0/then", "'last'"),
        ({"matches": {}}, "/stubs/0/matches", "unknown field 'matches'"),
    ],
)
def test_a_stub_that_cannot_be_served_is_told_with_its_place(
    tmp_path: Path, stub: dict[str, Any], place: str, says: str
) -> None:
    suite = suite_of(tmp_path, {"route": "GET /x", **stub})
    with pytest.raises(InvalidFilesError, match=says) as caught:
        read_declarations(suite)
    assert place in str(caught.value.problems[0])
