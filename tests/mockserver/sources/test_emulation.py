"""How calls are answered: credentials, faults, stubs, handlers, and what the journal says."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.apis import APIS
from mockserver.apis.directory import API as DIRECTORY_API
from mockserver.errors import MissingExtraError
from mockserver.googleapi import Api, Call
from mockserver.http.application import Application
from mockserver.model import JsonObject, SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, UNITS, write_suite

Client = httpx.AsyncClient

SKUS = "/cloudbilling.googleapis.com/v1/services"
"""What no method creates, so that only fixtures tell it."""


def application(suite: Path, apis: Sequence[Api] = APIS, **spec: Any) -> Application:
    settings = Settings(fixtures=suite, default=SessionSpec(**spec))
    return Application(settings, real=lambda: NOW, apis=apis)


def client_of(app: Application) -> Client:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765")


def entries(app: Application) -> list[Any]:
    session = app.sessions.get("default")
    return list(session.journal.as_json("default")["entries"])


def with_handler(method_id: str, handler: Callable[[Call], JsonObject | None]) -> tuple[Api, ...]:
    changed = replace(DIRECTORY_API, handlers={**DIRECTORY_API.handlers, method_id: handler})
    return (changed, *(api for api in APIS if api is not DIRECTORY_API))


async def test_a_call_is_answered_and_journalled(client: Client, app: Application) -> None:
    answer = await client.get(f"{UNITS}?type=all", headers={"user-agent": "agent/1"})

    assert answer.status_code == 200
    assert answer.headers["x-mock-source"] == "state; by documents only"
    assert len(answer.json()["organizationUnits"]) == 2
    (entry,) = entries(app)
    assert entry["method_id"] == "directory.orgunits.list"
    assert entry["params"] == {"customerId": "my_customer", "type": "all"}
    assert (entry["source"], entry["client"], entry["status"]) == ("state", "agent/1", 200)
    assert entry["duration_ms"] > 0


async def test_a_parameter_that_is_not_used_is_told(client: Client, app: Application) -> None:
    """LENIENT callers may send what no document has; it is told, not hidden."""
    lenient = {"id": "soft", "profile": "lenient"}
    await client.post("/_mock/sessions", json=lenient)
    answer = await client.get(f"/s/soft{UNITS}?colour=red")
    assert answer.status_code == 200
    assert "colour" in answer.headers["x-mock-ignored"]


async def test_what_a_handler_does_not_use_is_told_too(suite: Path) -> None:
    def half_deaf(call: Call) -> JsonObject:
        call.ignored.append("type")
        return {}

    app = application(suite, with_handler("directory.orgunits.list", half_deaf))
    async with client_of(app) as client:
        answer = await client.get(f"{UNITS}?type=all")
    assert answer.headers["x-mock-ignored"] == "type"


async def test_a_defect_of_a_handler_is_500_and_the_server_lives(
    suite: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(call: Call) -> JsonObject:
        raise ZeroDivisionError

    app = application(suite, with_handler("directory.orgunits.list", broken))
    async with client_of(app) as client:
        answer = await client.get(UNITS)
        after = await client.get(f"{UNITS}/Eng")

    assert (answer.status_code, after.status_code) == (500, 200)
    assert answer.json()["error"]["errors"][0]["reason"] == "backendError"
    assert "directory.orgunits.list failed" in caplog.text
    assert entries(app)[0]["miss"] is None


async def test_a_handler_that_needs_an_extra_says_which(suite: Path) -> None:
    def needing(call: Call) -> JsonObject:
        raise MissingExtraError("patterns need", "regex", "regex")

    app = application(suite, with_handler("directory.orgunits.list", needing))
    async with client_of(app) as client:
        answer = await client.get(UNITS)
    assert answer.status_code == 501
    assert "pip install 'understudy[regex]'" in answer.json()["error"]["message"]
    assert entries(app)[0]["miss"]["blame"] == "not_emulated"
    (session,) = app.sessions.all()
    assert "pip install 'understudy[regex]'" in session.problem  # no fault of the agent


async def test_a_handler_without_an_answer_is_204(client: Client) -> None:
    answer = await client.delete(f"{UNITS}/Eng/Sub%20Team")
    assert (answer.status_code, answer.content) in {(200, b""), (204, b""), (200, b"{}\n")}


async def test_what_the_caller_has_already_is_304(client: Client) -> None:
    etag = (await client.get(UNITS)).json()["etag"]
    answer = await client.get(UNITS, headers={"if-none-match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


async def test_a_miss_names_what_is_near(client: Client, app: Application) -> None:
    answer = await client.get(f"{UNITS}/Engg")
    assert answer.status_code == 404
    assert answer.headers["x-mock-miss"] == "fixture_gap; nearest=/Eng"
    assert entries(app)[0]["miss"]["nearest"] == "/Eng"


async def test_a_parameter_that_cannot_be_is_400(client: Client) -> None:
    answer = await client.get(f"{UNITS}?alt=media")
    assert answer.status_code == 400
    assert answer.headers["x-mock-miss"] == "agent_error"


async def test_tools_and_documents_have_answers_of_their_own(client: Client) -> None:
    assert (await client.get("/tools")).json()["tools"]
    answer = await client.get("/admin.googleapis.com/$discovery/rest?version=directory_v1")
    assert answer.json()["id"] == "admin:directory_v1"


async def test_a_method_that_nothing_serves_is_501_with_a_fixture_that_would(
    client: Client, app: Application
) -> None:
    answer = await client.get(SKUS)
    assert answer.status_code == 501
    error = answer.json()["error"]
    assert "cloudbilling.services.list" in error["message"]
    assert "cloudbilling:v1" in json.loads(error["details"][0]["metadata"]["fixture"])["resources"]
    assert answer.headers["x-mock-miss"].startswith("fixture_gap")
    assert answer.headers["x-mock-source"] == "none"
    assert entries(app)[0]["source"] == "none"


async def test_a_method_of_an_emulated_resource_without_a_handler_is_501(suite: Path) -> None:
    blogger = Api("blogger", (("blogger", "v3"),), {"blogger.blogs.listByUser": lambda _: {}})
    async with client_of(application(suite, (*APIS, blogger))) as client:
        answer = await client.get("/blogger.googleapis.com/v3/blogs/1a")
    assert answer.status_code == 501
    assert answer.headers["x-mock-miss"].startswith("not_emulated")


async def test_schemas_answer_where_nothing_else_does_and_it_is_told(suite: Path) -> None:
    app = application(suite, sources=("stub", "state", "synthesis"))
    async with client_of(app) as client:
        made = await client.get(SKUS)
        again = await client.get(SKUS)
        known = await client.get(UNITS)
        unknown = await client.get(f"{UNITS}/Nowhere")
    assert (made.status_code, made.headers["x-mock-source"]) == (200, "synthesis")
    assert made.json()["services"]
    assert made.json() == again.json()
    assert known.headers["x-mock-source"] == "state; by documents only"
    assert unknown.status_code == 404
    assert [entry["source"] for entry in entries(app)] == [
        "synthesis",
        "synthesis",
        "state",
        "state",
    ]


async def test_schemas_may_be_the_only_source(suite: Path) -> None:
    async with client_of(application(suite, sources=("synthesis",))) as client:
        answer = await client.get(UNITS)
        nowhere = await client.get("/nothing")
    assert answer.headers["x-mock-source"] == "synthesis"
    assert nowhere.status_code == 404


async def test_an_unknown_route_is_a_page(client: Client, app: Application) -> None:
    answer = await client.get("/admin.googleapis.com/admin/directory/v1/nothing/ya29.abc")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "<title>Error 404 (Not Found)!!1</title>" in answer.text
    assert entries(app)[0]["miss"]["blame"] == "agent_error"
    assert "ya29.abc" not in answer.text + str(entries(app))


async def test_a_path_of_several_apis_lists_their_hosts(suite: Path) -> None:
    left_out = {"observability", "cloudscheduler"}
    others = tuple(api for api in APIS if api.name not in left_out)
    async with client_of(application(suite, others)) as client:
        answer = await client.get("/v1/projects/p/locations/ya29.abc/operations")
    assert answer.status_code == 404
    (detail,) = answer.json()["error"]["details"]
    assert detail["reason"] == "AMBIGUOUS_ROUTE"
    assert detail["metadata"]["hosts"] == "apphub.googleapis.com, container.googleapis.com"
    assert "(/apphub.googleapis.com/v1/projects/p/locations/[redacted]" in answer.text


@pytest.mark.parametrize("status", [429, 503])
async def test_a_fault_answers_in_the_api_s_own_words(suite: Path, status: int) -> None:
    fault = {"method": "directory.orgunits.list", "status": status, "times": 1, "origin": "mine"}
    app = application(suite, faults=[fault])
    async with client_of(app) as client:
        answers = [await client.get(UNITS) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [status, 200]
    assert answers[0].headers["x-mock-source"] == "fault"
    assert answers[0].json()["error"]["errors"][0]["domain"]
    assert [entry["fault"] for entry in entries(app)] == ["mine", ""]


async def test_a_fault_that_only_delays_holds_the_answer_back(suite: Path) -> None:
    app = application(suite, faults=[{"method": "directory.*", "latency_ms": 30}])
    async with client_of(app) as client:
        answer = await client.get(UNITS)
    assert answer.status_code == 200
    assert answer.elapsed.total_seconds() >= 0.03
    assert entries(app)[0]["duration_ms"] >= 30


@pytest.mark.slow
async def test_a_tool_is_held_back_for_its_own_delay_and_for_those_of_its_questions(
    suite: Path,
) -> None:
    faults = [
        {"method": "tools.listOrgUnits", "latency_ms": 500},
        {"method": "directory.orgunits.list", "latency_ms": 50},
    ]
    app = application(suite, faults=faults)
    async with client_of(app) as client:
        await client.post("/tools/listOrgUnits", json={})
    durations = {entry["method_id"]: entry["duration_ms"] for entry in entries(app)}
    assert durations["directory.orgunits.list"] >= 50
    assert durations["tools.listOrgUnits"] >= 550


async def test_an_unknown_route_meets_no_fault(suite: Path) -> None:
    app = application(suite, faults=[{"method": "*", "status": 500}])
    async with client_of(app) as client:
        assert (await client.get("/nothing")).status_code == 404


async def test_a_tool_s_questions_are_journalled_with_their_parent(
    client: Client, app: Application
) -> None:
    answer = await client.post("/tools/listOrgUnits", json={})
    assert len(answer.json()["result"]["orgUnits"]) >= 2
    found = {entry["method_id"]: entry for entry in entries(app)}
    outer, inner = found["tools.listOrgUnits"], found["directory.orgunits.list"]
    assert (outer["parent"], inner["parent"]) == (None, outer["seq"])
    assert inner["http_method"] == "GET"


async def test_a_fault_of_an_api_comes_out_of_the_tool_that_asks_it(suite: Path) -> None:
    fault = {"method": "directory.orgunits.list", "status": 403, "latency_ms": 20}
    app = application(suite, faults=[fault])
    async with client_of(app) as client:
        answer = await client.post("/tools/listOrgUnits", json={})
    assert answer.status_code == 403
    assert answer.json()["error"]["errors"][0]["reason"] == "forbidden"  # said as that API does
    assert answer.elapsed.total_seconds() >= 0.02
    assert {entry["method_id"]: entry["source"] for entry in entries(app)} == {
        "tools.listOrgUnits": "state",
        "directory.orgunits.list": "fault",
    }


async def test_a_defect_inside_a_tool_s_question_is_journalled_twice(suite: Path) -> None:
    def broken(call: Call) -> JsonObject:
        raise ZeroDivisionError

    app = application(suite, with_handler("directory.orgunits.list", broken))
    async with client_of(app) as client:
        answer = await client.post("/tools/listOrgUnits", json={})
    assert answer.status_code == 500
    assert [entry["status"] for entry in entries(app)] == [500, 500]


async def test_a_question_for_a_method_that_is_not_emulated_is_501(suite: Path) -> None:
    def asks(call: Call) -> JsonObject:
        assert call.invoke is not None
        return call.invoke("cloudbilling.services.list", {})

    app = application(suite, with_handler("directory.orgunits.list", asks))
    async with client_of(app) as client:
        assert (await client.get(UNITS)).status_code == 501


async def test_a_question_with_a_wrong_body_is_refused(suite: Path) -> None:
    def asks(call: Call) -> JsonObject:
        assert call.invoke is not None
        params = {"customerId": "my_customer"}
        return call.invoke("directory.orgunits.insert", params, {"name": {"no": "text"}})

    app = application(suite, with_handler("directory.orgunits.list", asks))
    async with client_of(app) as client:
        assert (await client.get(UNITS)).status_code == 400


STUBS = [
    {"url": "api.example.com/v1/x", "status": 202, "body": {"a": 1}, "headers": {"X-A": "b"}},
    {"url": f"{UNITS[1:]}", "body": {"kind": "stub"}},
]


@pytest.mark.parametrize(
    ("sources", "units"),
    [(("stub", "state"), "stub"), (("state", "stub"), "state"), (("state",), "state"),
     (("stub",), "stub")],
    ids=["stub first", "state first", "state only", "stub only"],
)  # fmt: skip
async def test_stubs_answer_when_it_is_their_turn(
    tmp_path: Path, sources: tuple[str, ...], units: str
) -> None:
    app = application(write_suite(tmp_path / "s", http=STUBS), sources=sources)
    async with client_of(app) as client:
        literal = await client.get("/api.example.com/v1/x")
        named = await client.get("/v1/x", headers={"host": "api.example.com"})
        both = await client.get(UNITS)
        other = await client.get(f"{UNITS}/Eng")

    expected = 202 if "stub" in sources else 404
    assert (literal.status_code, named.status_code) == (expected, expected)
    assert literal.headers.get("x-a") == ("b" if "stub" in sources else None)
    assert both.headers["x-mock-source"].partition(";")[0] == units
    assert (other.status_code == 200) == ("state" in sources)


async def test_without_state_a_handler_is_not_asked(suite: Path) -> None:
    app = application(suite, sources=("stub",))
    async with client_of(app) as client:
        answer = await client.get(UNITS)
    assert answer.status_code == 404
    assert answer.headers["x-mock-miss"].startswith("fixture_gap")
    assert "state is not among them" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:9000", "http://127.0.0.1:9000/s/default"),
        ("admin.googleapis.com", "http://127.0.0.1:8765/s/default"),
    ],
)
async def test_links_lead_back_to_the_server_as_it_was_reached(
    suite: Path, host: str, expected: str
) -> None:
    seen: list[str] = []

    def notes(call: Call) -> JsonObject:
        seen.append(call.base_url)
        return {}

    app = application(suite, with_handler("directory.orgunits.list", notes))
    async with client_of(app) as client:
        for _ in range(2):
            await client.get(UNITS if ":" in host else UNITS[21:], headers={"host": host})
    assert seen == [expected] * 2
