"""What people and tools look at, asked of the control API in process."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.http.application import Application
from mockserver.http.read_endpoints import MOST_SENT, ReadEndpoints
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import DIRECTORY, NOW, UNITS, write_suite
from tests.patience import PATIENCE_S

Client = httpx.AsyncClient
ONE = "/_mock/sessions/default"


async def ask(client: Client, path: str, status: int = 200, verb: str = "GET", **more: Any) -> Any:
    answer = await client.request(verb, path, **more)
    assert answer.status_code == status, answer.text
    return answer.json()


async def numbers(client: Client, query: str) -> list[int]:
    page = await ask(client, f"{ONE}/journal/page?{query}")
    return [entry["seq"] for entry in page["entries"]]


@pytest.fixture
async def asked(client: Client) -> Client:
    """A client of a session that was asked five things."""
    await client.get(UNITS)
    await client.get(f"{UNITS}/Engg")
    await client.get("/drive/v3/nothing?q=Needle", headers={"user-agent": "curl/8"})
    await client.put(f"{UNITS}/Eng", json={"description": "with a NEEDLE in it"})
    await client.get(f"{UNITS}/Eng")
    return client


# --- the journal ---


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [5, 4, 3, 2, 1]),
        ("text=needle", [5, 4, 3]),
        ("text=CURL", [3]),
        ("text=no method at", [3]),
        ("method=put", [4]),
        ("method=orgunits.get", [5, 2]),
        ("method=directory.*", [5, 4, 2, 1]),
        ("host=admin.googleapis.com&status=2xx", [5, 4, 1]),
        ("status=404", [3, 2]),
        ("status=error&source=none", [3]),
        ("miss=1", [3, 2]),
        ("limit=2", [5, 4]),
        ("limit=2&before=4", [3, 2]),
        ("limit=2&before=2&status=", [1]),
        ("fault=", [5, 4, 3, 2, 1]),
    ],
)
async def test_the_journal_by_filters(asked: Client, query: str, found: list[int]) -> None:
    assert await numbers(asked, query) == found


async def test_pages_joined_are_the_journal_both_ways(asked: Client) -> None:
    seen: list[int] = []
    page = await ask(asked, f"{ONE}/journal/page?limit=2")
    assert (page["matched"], page["held"], page["latest"], page["newer"]) == (5, 5, 5, None)
    while True:
        seen += [entry["seq"] for entry in page["entries"]]
        if page["older"] is None:
            break
        page = await ask(asked, f"{ONE}/journal/page?limit=2&before={page['older']}")
    assert seen == [5, 4, 3, 2, 1]
    page = await ask(asked, f"{ONE}/journal/page?limit=2&before={page['newer']}")
    assert [entry["seq"] for entry in page["entries"]] == [3, 2]
    assert page["newer"] == 0
    assert page["hosts"] == {"admin.googleapis.com": 4}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("status=6xx", "status: "),
        ("limit=1000", "limit: "),
        ("before=x", "before: "),
        ("metod=GET", "no filter 'metod'"),
    ],
)
async def test_a_filter_that_is_none_is_refused(client: Client, query: str, says: str) -> None:
    told = (await ask(client, f"{ONE}/journal/page?{query}", 400))["error"]
    assert told["message"].startswith(says)


async def test_an_entry_that_is_not_held_is_told(client: Client) -> None:
    told = (await ask(client, f"{ONE}/journal/7", 404))["error"]
    assert (told["message"], told["hint"]) == ("no entry 7 in this journal", "")


async def test_a_long_path_is_cut_in_lists(client: Client) -> None:
    await client.get("/" + "x" * 900)
    (entry,) = (await ask(client, f"{ONE}/journal/page"))["entries"]
    assert len(entry["path"]) == 401


# --- events ---


async def follow(app: Application, query: str, number: int, act: Any) -> list[tuple[str, Any]]:
    """The first events of a stream, which begins before something is done."""
    events: list[tuple[str, Any]] = []
    enough = asyncio.Event()
    begun = asyncio.Event()

    async def send(message: Any) -> None:
        begun.set()
        for event in message.get("body", b"").decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in event.split("\n") if ": " in line)
            if "event" in lines:
                events.append((lines["event"], json.loads(lines["data"])))
        if len(events) >= number:
            enough.set()

    async def receive() -> Any:
        await enough.wait()
        return {"type": "http.disconnect"}

    scope = {
        "type": "http", "method": "GET", "path": f"{ONE}/journal/events",
        "raw_path": f"{ONE}/journal/events".encode(), "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1:8765")], "scheme": "http", "asgi": {},
    }  # fmt: skip
    async with asyncio.timeout(PATIENCE_S):
        task = asyncio.create_task(app(scope, receive, send))
        await begun.wait()
        await act()
        await task
    return events


async def test_new_entries_are_sent_as_they_come(app: Application, client: Client) -> None:
    await client.get(UNITS)
    events = await follow(app, "method=get", 1, lambda: client.get(f"{UNITS}/Eng"))
    assert [(name, data["seq"]) for name, data in events] == [("entry", 2)]


async def test_a_stream_goes_on_after_what_was_seen(app: Application, client: Client) -> None:
    for _ in range(MOST_SENT + 3):
        await client.get(UNITS)
    events = await follow(app, "after=1&limit=", MOST_SENT + 1, lambda: asyncio.sleep(0))
    assert events[0] == ("skipped", {"entries": 2})
    assert [data["seq"] for _, data in events[1:]] == list(range(4, MOST_SENT + 4))


async def test_streams_end_with_their_session(app: Application, client: Client) -> None:
    events = await follow(app, "", 1, lambda: client.delete(ONE))
    assert events == [("closed", {"session": "default"})]


async def test_streams_end_with_the_server(app: Application) -> None:
    async def stop() -> None:
        app.end_streams()

    views = ReadEndpoints(app.sessions, app._worlds, app.dispatcher.routes)
    assert not views.is_ending
    stream = app._control_api._reads._follow(app.sessions.get("default"), None, lambda _: True)
    assert (await anext(stream)).startswith(b":")
    await stop()
    assert [each async for each in stream] == []


# --- where fields came from ---


async def origins(client: Client, number: int) -> dict[str, tuple[str, str, int | None]]:
    told = await ask(client, f"{ONE}/journal/{number}")
    return {
        each["pointer"]: (each["kind"], each["where"], each["request"]) for each in told["origins"]
    }


async def test_fields_come_from_files_writes_and_methods(asked: Client) -> None:
    listed = await origins(asked, 1)
    place = "base/tenant.json#/orgUnits/1/name"
    assert listed["/organizationUnits/0/name"] == ("base", place, None)
    assert listed["/kind"] == ("method", "directory.orgunits.list", None)
    read = await origins(asked, 5)
    assert read["/name"][:2] == ("base", place)
    assert read["/description"] == ("session", "orgUnits/03ph8a2z2", 4)
    written = await origins(asked, 4)
    assert written["/description"][::2] == ("session", 4)
    assert await origins(asked, 2) == {}


async def test_an_override_and_what_is_given_inline_are_told(client: Client) -> None:
    unit = {"orgUnitId": "id:03ph8a2z9", "orgUnitPath": "/Ops", "name": "Ops"}
    root = {"orgUnitId": "id:03ph8a2z1", "orgUnitPath": "/", "name": "example.com"}
    for spec, layer, kind in (
        ({"case": "EC-001"}, "EC-001/overrides.json#/orgUnits/0/name", "override"),
        ({"overrides": [{"orgUnits": [root, unit]}]}, "inline[0]#/orgUnits/0/name", "inline"),
    ):
        made = await ask(client, "/_mock/sessions", 201, "POST", json={**spec})
        path = f"/s/{made['id']}{UNITS}/{'id:03ph8a2z1'}"
        assert (await client.get(path)).status_code == 200
        told = await ask(client, f"/_mock/sessions/{made['id']}/journal/1")
        (found,) = [each for each in told["origins"] if each["pointer"] == "/name"]
        assert (found["kind"], found["where"]) == (kind, layer)


async def test_timestamps_say_that_the_clock_moved_them(tmp_path: Path) -> None:
    user = {"primaryEmail": "a@example.com", "id": "77", "creationTime": "2026-02-01T00:00:00.000Z"}
    suite = write_suite(tmp_path / "moved", users=[user])
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)
    async with Client(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765") as one:
        await one.get(f"{DIRECTORY}/users/a@example.com")
        told = await ask(one, f"{ONE}/journal/1")
    notes = {each["pointer"]: each["note"] for each in told["origins"]}
    assert (notes["/creationTime"], notes["/primaryEmail"]) == ("moved by the clock", "")


@pytest.mark.parametrize(
    ("more", "path", "kind", "where"),
    [
        (
            {"http": [{"url": "up.example.com/v1", "body": {"up": True}}]},
            "/up.example.com/v1", "stub", "base/tenant.json#/http/0/body/up",
        ),
        (
            {"http": [{"url": "up.example.com/v1", "id": "up", "body": {"up": "{{ 1 }}"},
                       "template": True}]},
            "/up.example.com/v1", "stub", "base/tenant.json#/http/0",
        ),
        (
            {"faults": [{"method": "directory.*", "status": 503}]},
            UNITS, "fault", "base/tenant.json#/faults/0",
        ),
        (
            {"tools": {"look": {"responses": [{"result": {"x": 1}}]}}},
            "/tools/look", "base", "base/tenant.json#/tools/look",
        ),
    ],
    ids=["stub", "template", "fault", "tool"],
)  # fmt: skip
async def test_answers_from_one_place_say_which(
    tmp_path: Path, more: Any, path: str, kind: str, where: str
) -> None:
    suite = write_suite(tmp_path / "other", **more)
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)
    async with Client(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765") as one:
        await (one.post(path, json={}) if "tools" in path else one.get(path))
        found = await origins(one, 1)
    assert {each[:2] for each in found.values()} == {(kind, where)}


async def test_a_suite_that_changed_or_broke_is_told(asked: Client, suite: Path) -> None:
    file = suite / "base" / "tenant.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"Sub Team"', '"Sub Teams"'), encoding="utf-8")
    assert "has changed" in (await ask(asked, f"{ONE}/journal/1"))["warning"]
    file.write_text("{", encoding="utf-8")
    told = await ask(asked, f"{ONE}/journal/1")
    assert "cannot be read any more" in told["warning"]
    assert (await ask(asked, f"{ONE}/collections"))["collections"]


# --- stubs ---


async def test_a_proposed_stub_answers_until_the_session_is_reset(client: Client) -> None:
    path = "/drive.googleapis.com/drive/v3/apps"
    assert (await client.get(path)).status_code == 501
    told = (await ask(client, f"{ONE}/journal/1"))["proposal"]
    assert told["stub"]["url"] == "www.googleapis.com/drive/v3/apps"
    assert told["file"] == "suite/base/zz-stub-drive-apps-list.patch.json"
    assert told["patch"] == [{"op": "add", "path": "/http", "value": [told["stub"]]}]
    assert "resources" in told["fixture"]
    stub = {**told["stub"], "body": {"kind": "mine"}}
    made = await ask(client, f"{ONE}/stubs", 201, "POST", json=stub)
    assert made["stubs"][0]["body"] == {"kind": "mine"}
    assert (await client.get(path)).json() == {"kind": "mine"}
    assert (await origins(client, 3))["/kind"] == ("stub", "http[0], added to the session", None)
    assert (await ask(client, f"{ONE}/journal/2"))["entry"]["source"] == "control"
    await ask(client, f"{ONE}/reset", verb="POST")
    assert (await client.get(path)).status_code == 501


async def test_the_query_of_a_request_is_part_of_its_stub(client: Client) -> None:
    await client.get(f"{DIRECTORY}/users/x@example.com?projection=full&access_token=hunter2")
    await client.get("/unknown.example.com/v1/x?page=2&page=3&password=hunter2")
    known = (await ask(client, f"{ONE}/journal/1"))["proposal"]
    assert known["stub"]["match"] == {"query": {"projection": "full"}}
    unknown = await ask(client, f"{ONE}/journal/2")
    assert unknown["proposal"]["stub"]["url"] == "unknown.example.com/v1/x"
    assert unknown["proposal"]["stub"]["match"]["query"]["password"] == {"present": True}
    assert "hunter2" not in json.dumps([known, unknown])


async def test_the_body_of_a_request_is_part_of_its_stub(client: Client) -> None:
    path, body = "/unknown.example.com/v1/x", {"name": "a", "password": "hunter2", "tags": ["t"]}
    await client.post(path, json=body)
    stub = (await ask(client, f"{ONE}/journal/1"))["proposal"]["stub"]
    there = {"present": True}
    assert stub["match"] == {"body": {"name": "a", "password": there, "tags": there}}
    await ask(client, f"{ONE}/stubs", 201, "POST", json=stub)
    assert (await client.post(path, json=body)).status_code == 200
    assert (await client.post(path, json={**body, "name": "b"})).status_code == 404


async def test_a_file_of_a_proposed_stub_serves_it(client: Client, suite: Path) -> None:
    await client.get("/unknown.example.com/v1/x")
    for number in (1, 2):
        told = (await ask(client, f"{ONE}/journal/{number}"))["proposal"]
        patch = orjson.dumps(told["patch"]).decode()
        (suite.parent / told["file"]).write_text(patch, encoding="utf-8")
        session = (await ask(client, "/_mock/sessions", 201, "POST", json={}))["id"]
        url = told["stub"]["url"]
        assert (await client.get(f"/s/{session}/{url}")).status_code == 200
        await client.get("/unknown.example.com/v1/y")


@pytest.mark.parametrize(
    ("stub", "says"),
    [
        ({}, "/url: is missing"),
        ({"url": "/x", "colour": 1}, "/colour: unknown field"),
        ({"url": "/x", "when": "((", "status": 200}, "/when: not an expression"),
    ],
)
async def test_a_stub_that_cannot_be_served_is_refused(
    client: Client, stub: Any, says: str
) -> None:
    told = (await ask(client, f"{ONE}/stubs", 400, "POST", json=stub))["error"]
    assert told["message"].startswith(says)


async def test_a_session_without_stubs_takes_none(client: Client) -> None:
    spec = {"id": "a", "sources": ["state"]}
    await ask(client, "/_mock/sessions", 201, "POST", json=spec)
    told = await ask(client, "/_mock/sessions/a/stubs", 409, "POST", json={"url": "/x"})
    assert "sources are state" in told["error"]["message"]


# --- the state ---


async def test_collections_tell_what_each_layer_changed(client: Client) -> None:
    await ask(client, "/_mock/sessions", 201, "POST", json={"id": "a", "case": "EC-001"})
    body = {"name": "New", "parentOrgUnitPath": "/"}
    assert (await client.post(f"/s/a{UNITS}", json=body)).status_code == 200
    listed = (await ask(client, "/_mock/sessions/a/collections"))["collections"]
    (units,) = [each for each in listed if each["name"] == "orgUnits"]
    assert (units["rows"], units["override"], units["session"]) == (2, {"removed": 2}, {"added": 1})


async def test_rows_are_found_by_text_and_by_what_changed(asked: Client) -> None:
    await asked.delete(f"{UNITS}/Eng/Sub%20Team")
    rows = f"{ONE}/rows?collection=orgUnits"
    page = await ask(asked, f"{rows}&changed=1")
    assert [(row["label"], row["session"]) for row in page["rows"]] == [
        ("Eng", "changed"), ("Sub Team", "removed"),
    ]  # fmt: skip
    assert (page["matched"], page["total"]) == (2, 3)
    assert [row["label"] for row in (await ask(asked, f"{rows}&text=TEAM"))["rows"]] == ["Sub Team"]
    page = await ask(asked, f"{rows}&offset=1&limit=1")
    assert ([row["label"] for row in page["rows"]], page["matched"]) == (["Eng"], 3)


async def test_a_row_shows_its_fields_in_every_layer(asked: Client) -> None:
    row = await ask(asked, f"{ONE}/row?collection=orgUnits&key=03ph8a2z2")
    assert (row["where"], row["session"]) == ("base/tenant.json#/orgUnits/1", "changed")
    fields = {field["pointer"]: field for field in row["fields"]}
    assert fields["/description"]["session"] == "with a NEEDLE in it"
    assert "session" in fields["/description"]["changed"]
    assert fields["/name"] == {
        "pointer": "/name", "base": "Eng", "override": "Eng", "session": "Eng", "changed": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("rows?collection=orgUnit", 404),
        ("rows?collection=orgUnits&offset=x", 400),
        ("row?collection=orgUnits&key=nope", 404),
    ],
)
async def test_what_no_layer_has_is_told(client: Client, path: str, status: int) -> None:
    assert (await ask(client, f"{ONE}/{path}", status))["error"]["message"]


async def test_a_secret_of_a_row_is_told_to_nobody(tmp_path: Path) -> None:
    user = {"primaryEmail": "a@example.com", "id": "77", "password": "hunter2"}
    suite = write_suite(tmp_path / "secret", users=[user])
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)
    async with Client(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765") as one:
        row = await ask(one, f"{ONE}/row?collection=users&key=77")
        page = await ask(one, f"{ONE}/rows?collection=users&text=hunter2")
    assert "hunter2" not in json.dumps(row)
    assert page["rows"] == []


# --- methods ---


async def test_apis_and_their_methods_are_listed(client: Client) -> None:
    apis = {each["name"]: each for each in (await ask(client, "/_mock/apis"))["apis"]}
    assert apis["directory"]["hosts"] == ["admin.googleapis.com"]
    assert "tools" not in {name for name, each in apis.items() if each["kind"] == "tools"}
    methods = (await ask(client, "/_mock/apis/directory"))["methods"]
    (listed,) = [each for each in methods if each["id"] == "directory.orgunits.list"]
    assert (listed["verb"], listed["level"], listed["body"]) == ("GET", "emulated", False)
    first = listed["parameters"][0]
    assert (first["name"], first["in"], first["required"]) == ("customerId", "path", True)


async def test_tools_of_a_session_and_any_document_are_listed(client: Client) -> None:
    apis = (await ask(client, "/_mock/apis?session=default"))["apis"]
    assert [each["kind"] for each in apis if each["name"] == "tools"][-1] == "tools"
    tools = (await ask(client, "/_mock/apis/tools?session=default"))["methods"]
    assert {each["level"] for each in tools} == {"tool"}
    methods = (await ask(client, "/_mock/apis/blogger:v3"))["methods"]
    assert {each["level"] for each in methods} == {"generic"}
    told = await ask(client, "/_mock/apis/calender:v3", 404)
    assert told["error"]["hint"] == "did you mean 'calendar:v3'?"


async def test_declared_apis_are_listed(tmp_path: Path) -> None:
    from tests.mockserver.declared.worlds import write_suite as write_declared

    value = {"api": "travel", "collections": {"flights": {}}, "stubs": [{"route": "GET /up"}]}
    app = Application(Settings(fixtures=write_declared(tmp_path, value)), real=lambda: NOW)
    async with Client(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765") as one:
        methods = (await ask(one, "/_mock/apis/travel"))["methods"]
        listed = (await ask(one, "/_mock/apis"))["apis"]
    assert {"GET flights", "GET flights/{id}"} <= {f"{m['verb']} {m['path']}" for m in methods}
    assert [each["name"] for each in listed if each["kind"] == "declared"] == ["travel"]
