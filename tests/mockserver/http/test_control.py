"""The control API, asked in process."""

import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver import __version__
from mockserver.asgi.waits import count_overdue
from mockserver.http.application import Application
from mockserver.model import SessionInfo, SessionReport
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, SNAPSHOT, UNITS
from tests.mockserver.declared.worlds import write_suite

Client = httpx.AsyncClient
SERVER = "http://127.0.0.1:8765"


async def ask(client: Client, verb: str, path: str, body: Any = None) -> Any:
    answer = await client.request(verb, f"/_mock{path}", json=body)
    assert answer.status_code < 300, answer.text
    return answer.json()


async def refusal(client: Client, verb: str, path: str, content: Any = None) -> tuple[int, str]:
    answer = await client.request(
        verb, f"/_mock{path}", content=content, headers={"content-type": "application/json"}
    )
    return answer.status_code, answer.json()["error"]["message"]


async def test_health_says_what_is_served(client: Client, suite: Any) -> None:
    assert await ask(client, "GET", "/health") == {
        "status": "ok", "version": __version__, "protected": False, "pid": os.getpid(),
        "fixtures": str(suite), "sessions": 1, "fronts": {}, "cassettes": [], "connections": None,
        "waits": [], "overdue": count_overdue(),  # of this process, other tests' as well
    }  # fmt: skip
    assert await ask(client, "GET", "/tampering") == {"attempts": []}


async def test_what_is_wrong_in_the_snapshots_is_told_with_its_place(
    client: Client, suite: Path
) -> None:
    assert await ask(client, "GET", "/problems") == {"problems": []}
    (suite / "base" / "more.json").write_text('{"orgUnit": []}', encoding="utf-8")
    (problem,) = (await ask(client, "GET", "/problems"))["problems"]
    assert problem["where"] == "base/more.json#/orgUnit"
    assert (problem["level"], problem["hint"]) == ("error", "did you mean 'orgUnits'?")


async def test_every_api_goes_out_as_openapi(client: Client) -> None:
    made = await ask(client, "GET", "/apis/directory/openapi.json")
    assert (made["openapi"], "users" in str(list(made["paths"]))) == ("3.1.0", True)
    status, message = await refusal(client, "GET", "/apis/directori/openapi.json")
    assert (status, message) == (404, "no API 'directori'; did you mean 'directory'?")


async def test_a_declared_api_goes_out_as_openapi(tmp_path: Path) -> None:
    value = {"api": "travel", "collections": {"flights": {}}, "stubs": [{"route": "GET /up"}]}
    app = Application(Settings(fixtures=write_suite(tmp_path, value)), real=lambda: NOW)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=SERVER) as client:
        made = await ask(client, "GET", "/apis/travel/openapi.json")
    assert list(made["paths"]) == ["/flights", "/flights/{id}", "/up"]


async def test_a_server_without_fixtures_has_no_problems() -> None:
    app = Application(Settings(), real=lambda: NOW)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=SERVER) as client:
        assert await ask(client, "GET", "/problems") == {"problems": []}


async def test_an_open_session_hands_out_its_environment(client: Client) -> None:
    answer = await client.post("/_mock/sessions", json={"id": "a", "case": "EC-001"})
    assert answer.status_code == 201
    info = SessionInfo.model_validate(answer.json())
    assert info.base_url == "http://127.0.0.1:8765/s/a"
    assert (info.case, info.closed) == ("EC-001", False)
    tracing = {name for name in info.env if name.startswith("OTEL_")}
    assert info.env["OTEL_EXPORTER_OTLP_ENDPOINT"] == f"{info.base_url}/otlp"
    assert {name: value for name, value in info.env.items() if name not in tracing} == {
        "MOCK_SESSION": "a",
        "MOCK_SERVER_URL": "http://127.0.0.1:8765",
        "GOOGLE_API_BASE_URL": info.base_url,
        "TOOLS_BASE_URL": f"{info.base_url}/tools",
        "MCP_SERVER_URL": f"{info.base_url}/mcp",
        "GOOGLE_OAUTH_ACCESS_TOKEN": info.token,
    }


async def test_a_session_needs_no_spec(client: Client) -> None:
    answer = await client.post("/_mock/sessions")
    assert re.fullmatch(r"s1-[0-9a-f]{32}", answer.json()["id"])


async def test_open_sessions_are_listed_without_their_tokens(client: Client) -> None:
    await ask(client, "POST", "/sessions", {"id": "a", "case": "EC-001"})
    assert await ask(client, "GET", "/sessions") == {
        "sessions": [{"id": "default", "case": None}, {"id": "a", "case": "EC-001"}]
    }


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b"{", 400, "the body is not JSON: "),
        (b'{"id": "a b"}', 400, "/id: "),
        (b'{"colour": 1}', 400, "/colour: unknown field; known: "),
        (b'{"case": "EC-01"}', 404, "unknown case 'EC-01'"),
        (b'{"id": "default"}', 409, "session 'default' is there already"),
        (b'{"clock": "frozen:noon"}', 400, "clock: 'noon'"),
    ],
    ids=["json", "id", "unknown field", "case", "taken", "clock"],
)
async def test_a_session_that_cannot_be_opened_is_refused(
    client: Client, content: bytes, status: int, says: str
) -> None:
    found, message = await refusal(client, "POST", "/sessions", content)
    assert found == status
    assert message.startswith(says)


async def test_closing_hands_out_the_report(client: Client) -> None:
    await client.get(UNITS)
    await client.delete(f"{UNITS}/Eng/Sub%20Team")

    raw = await ask(client, "DELETE", "/sessions/default?collections=orgUnits")

    report = SessionReport.model_validate(raw)
    assert [entry.method_id for entry in report.journal.entries] == [
        "directory.orgunits.list",
        "directory.orgunits.delete",
    ]
    assert list(report.diff["orgUnits"]["removed"]) == ["03ph8a2z3"]
    assert sorted(report.state["orgUnits"]) == ["03ph8a2z1", "03ph8a2z2"]


async def test_a_closed_session_is_known_and_does_nothing_more(client: Client) -> None:
    await ask(client, "DELETE", "/sessions/default")
    await client.get(UNITS)

    assert (await ask(client, "GET", "/sessions/default"))["closed"] is True
    late = await ask(client, "GET", "/sessions/default/journal")
    assert [entry["after_close"] for entry in late["entries"]] == [True]
    for verb, path in (("DELETE", ""), ("GET", "/state"), ("POST", "/reset"), ("GET", "/merged")):
        assert (await refusal(client, verb, f"/sessions/default{path}"))[0] == 410


@pytest.mark.parametrize(
    "path", ["", "/journal", "/state", "/diff", "/merged", "/faults", "/clock"]
)
async def test_an_unknown_session_is_404_with_what_to_do(client: Client, path: str) -> None:
    answer = await client.get(f"/_mock/sessions/nope{path}")
    assert answer.status_code == 404
    assert answer.json()["error"] == {
        "message": "no session 'nope'",
        "hint": "open one with POST /_mock/sessions",
    }


async def test_the_journal_can_be_read_without_bodies(client: Client) -> None:
    await client.get(UNITS)
    whole = await ask(client, "GET", "/sessions/default/journal")
    assert list(whole["bodies"]) == [whole["entries"][0]["response_ref"]]
    assert (await ask(client, "GET", "/sessions/default/journal?bodies=0"))["bodies"] == {}


async def test_state_and_diff_follow_what_was_changed(client: Client) -> None:
    await client.patch(f"{UNITS}/Eng", json={"description": "Makes things"})

    state = await ask(client, "GET", "/sessions/default/state?collections=orgUnits")
    assert state["orgUnits"]["03ph8a2z2"]["description"] == "Makes things"
    assert "customer" in await ask(client, "GET", "/sessions/default/state")
    diff = await ask(client, "GET", "/sessions/default/diff")
    assert list(diff["orgUnits"]["changed"]) == ["03ph8a2z2"]


async def test_the_raw_snapshot_is_shown_as_written(client: Client) -> None:
    """CEPR-28: what a case's layers come to."""
    assert await ask(client, "GET", "/sessions/default/merged") == SNAPSHOT


FAULT = {
    "method": "directory.orgunits.*", "status": 503, "reason": "", "message": "", "times": 1,
    "latency_ms": 0, "origin": "control", "calls": [], "kind": "status", "latency": None,
    "rate": None, "propagation": None, "after_bytes": None, "chunk_bytes": 64, "error": None,
    "retry_after_s": None, "after_events": None, "share": None,
}  # fmt: skip


async def test_faults_are_added_counted_and_cleared(client: Client) -> None:
    fault = {name: FAULT[name] for name in ("method", "status", "times")}
    added = await client.post("/_mock/sessions/default/faults", json=fault)
    assert added.status_code == 201
    assert added.json() == [{"fault": FAULT, "met": 0, "asked": 0}]

    assert [(await client.get(UNITS)).status_code for _ in range(2)] == [503, 200]
    asked = await ask(client, "GET", "/sessions/default/faults")
    assert asked == [{"fault": FAULT, "met": 1, "asked": 2}]
    assert await ask(client, "DELETE", "/sessions/default/faults") == []


STUB = {
    "status": 200, "headers": {}, "body": {"a": 1}, "delay_ms": 0, "id": "",
    "match": {"query": {}, "headers": {}, "body": {}}, "when": "", "template": False,
    "sequence": [], "then": "last", "method": "GET", "url": "https://a.test/x",
}  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "answer"),
    [
        ("POST", "stubs", {"url": "https://a.test/x", "body": {"a": 1}}, 201, {"stubs": [STUB]}),
        ("GET", "spans?kind=tool", None, 200,
         {"spans": [], "received": 0, "repeated": 0, "rejected": 0}),
        ("GET", "spans?kind=x", None, 400,
         ("no span is of kind 'x'", "one of agent, model, tool, other")),
        ("GET", "cassettes", None, 200,
         {"cassettes": [], "repeats": "reads", "barriers": "warn", "match": [], "exact": False,
          "hosts": [], "unused": [], "conflicts": []}),
        ("POST", "credentials", {"expire": True}, 200, {"ended": 1}),
        ("POST", "credentials", {"revoke": "all"}, 200, {"ended": 3}),
        ("POST", "credentials", {"revoke": "x"}, 404,
         ("this token is not of session 'default'", "")),
        ("POST", "credentials", {}, 400,
         ('say {"expire": true}, {"revoke": "all"} or {"revoke": "<token>"}', "")),
        ("GET", "credentials?kind=x", None, 400,
         ("no credentials of the kind 'x'",
          "known: authorized_user, external_account, metadata, service_account")),
        ("POST", "undo", None, 200, {"undone": [], "latest": 0}),
        ("POST", "clock", {"advance_s": 0.5}, 200,
         {"now": "2026-03-02T09:00:00.500Z", "clock": "shift", "shift_s": 118800.0}),
        ("PUT", "clock", {}, 405,
         ("no PUT /_mock/sessions/default/clock in the control API", "it answers GET, POST")),
    ],
)  # fmt: skip
async def test_what_is_asked_of_a_session_is_answered_whole(
    client: Client, verb: str, path: str, body: Any, status: int, answer: Any
) -> None:
    found = await client.request(verb, f"/_mock/sessions/default/{path}", json=body)
    if isinstance(answer, tuple):
        answer = {"error": dict(zip(("message", "hint"), answer, strict=True))}
    assert (found.status_code, found.json()) == (status, answer)


async def test_a_fault_that_is_none_is_refused(client: Client) -> None:
    found = await refusal(client, "POST", "/sessions/default/faults", b'{"status": 503}')
    assert found == (400, "/method: is missing")


async def test_time_passes_when_told_to(client: Client) -> None:
    before = await ask(client, "GET", "/sessions/default/clock")
    assert before == {"now": "2026-03-02T09:00:00.000Z", "clock": "shift", "shift_s": 118800.0}
    after = await ask(client, "POST", "/sessions/default/clock", {"advance_s": 90})
    assert after["now"] == "2026-03-02T09:01:30.000Z"


@pytest.mark.parametrize("step", ["-1", "1e15", "1e300", "NaN", '"soon"', "null"])
async def test_time_does_not_go_back_or_too_far(client: Client, step: str) -> None:
    status, _ = await refusal(client, "POST", "/sessions/default/clock", f'{{"advance_s": {step}}}')
    assert status == 400
    assert (await client.get(UNITS)).status_code == 200


async def test_reset_returns_to_the_beginning(client: Client) -> None:
    await client.delete(f"{UNITS}/Eng/Sub%20Team")
    info = await ask(client, "POST", "/sessions/default/reset")
    assert info["id"] == "default"
    assert await ask(client, "GET", "/sessions/default/diff") == {}
    path = "/sessions/default/journal"
    written, reset = (await ask(client, "GET", path))["entries"]
    assert (written["http_method"], written["status"]) == ("DELETE", 204)
    assert (reset["source"], reset["path"]) == ("control", "/_mock/sessions/default/reset")
    assert (await ask(client, "GET", f"{path}?since=reset"))["entries"] == []
    report = await ask(client, "DELETE", "/sessions/default")
    assert list(report["diff"]["orgUnits"]["removed"]) == ["03ph8a2z3"]


@pytest.mark.parametrize(
    ("verb", "path", "status"), [("GET", "/nothing", 404), ("PUT", "/sessions", 405)]
)
async def test_what_it_does_not_have_is_named(
    client: Client, verb: str, path: str, status: int
) -> None:
    assert await refusal(client, verb, path) == (
        status,
        f"no {verb} /_mock{path} in the control API",
    )


async def test_a_defect_is_logged_before_it_is_answered(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("mockserver.http.control.Control._info", broken)
    status, message = await refusal(client, "POST", "/sessions", b"{}")
    assert (status, message) == (500, "the mock server failed with ZeroDivisionError")
    assert "POST /_mock/sessions failed" in caplog.text
    assert caplog.text.rstrip().endswith("ZeroDivisionError: a defect")


async def test_changes_are_told_and_taken_back(client: Client) -> None:
    session = await ask(client, "POST", "/sessions", {"id": "u"})
    headers = {"authorization": f"Bearer {session['token']}"}
    unit = {"name": "New", "parentOrgUnitPath": "/"}
    for name in ("New", "Newer"):
        made = await client.post(f"/s/u{UNITS}", json={**unit, "name": name}, headers=headers)
        assert made.status_code == 200
    refused = await client.post(f"/s/u{UNITS}", json=unit, headers=headers)
    assert refused.status_code == 409
    told = await ask(client, "GET", "/sessions/u/changes?after=1")
    (change,) = told["changes"]
    assert (change["number"], change["request"], change["before"]) == (2, 2, None)
    assert (change["collection"], change["after"]["name"]) == ("orgUnits", "Newer")
    assert (await ask(client, "GET", "/sessions/u/changes?limit=1"))["latest"] == 1
    undone = await ask(client, "POST", "/sessions/u/undo")
    assert ([each["number"] for each in undone["undone"]], undone["latest"]) == ([2], 1)
    await ask(client, "POST", "/sessions/u/undo", {"since": 0})
    assert await ask(client, "GET", "/sessions/u/diff") == {}
    assert await ask(client, "GET", "/sessions/u/changes?wait_s=0") == {"changes": [], "latest": 0}
    report = await ask(client, "DELETE", "/sessions/u")
    assert len(report["diff"]["orgUnits"]["added"]) == 2  # a trial cannot be made undone


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "message"),
    [
        ("POST", "undo", b'{"since": 9}', 400, "there is no change 9: the latest is 0"),
        ("POST", "undo", b'{"sinc": 1}', 400, "/sinc: unknown field; did you mean 'since'?"),
    ],
)
async def test_what_cannot_be_taken_back_is_refused(
    client: Client, verb: str, path: str, body: bytes, status: int, message: str
) -> None:
    found = await refusal(client, verb, f"/sessions/default/{path}", body)
    assert found == (status, message)
