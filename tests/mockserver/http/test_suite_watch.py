import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from mockserver.errors import MockServerError
from mockserver.http.application import Application
from mockserver.http.suite_watch import SuiteWatch
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, SNAPSHOT
from tests.patience import PATIENCE_S

BASE, CASE, API = "base/tenant.json", "EC-001/overrides.json", "apis/travel.yaml"
ROOT = SNAPSHOT["orgUnits"][:1]


@pytest.fixture
def served(suite: Path) -> Application:
    settings = Settings(fixtures=suite, default=SessionSpec(), watch=True)
    return Application(settings, real=lambda: NOW)


def write(suite: Path, name: str, content: str) -> Path:
    path = suite / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def units(app: Application, session: str) -> int:
    return len(app.sessions.get(session).world.table("orgUnits").rows())


def reload(app: Application, suite: Path, *paths: Path) -> list[str]:
    told: list[str] = []

    async def run() -> None:
        await SuiteWatch(suite, told.append).reload(app, paths)

    asyncio.run(run())
    return told


def test_a_change_is_seen_by_new_sessions_and_by_the_default_one_after_a_reset(
    served: Application, suite: Path
) -> None:
    served.sessions.open(SessionSpec(id="old"))
    path = write(suite, BASE, json.dumps({**SNAPSHOT, "orgUnits": ROOT}))
    assert reload(served, suite, path, suite / "notes.txt") == [f"read {BASE} again"]
    served.sessions.open(SessionSpec(id="new"))
    assert [units(served, name) for name in ("old", "default", "new")] == [3, 3, 1]
    for name in ("old", "default"):
        served.sessions.get(name).reset()
    assert [units(served, name) for name in ("old", "default")] == [3, 1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (BASE, "{", "tenant.json:1"),
        (BASE, '{"orgUnits": 1}', "base/tenant.json#/orgUnits"),
        (CASE, '{"orgUnits": 1}', "EC-001/overrides.json#/orgUnits"),
        (API, "api: travel\ncolections: {}\n", "travel.yaml"),
    ],
)
def test_a_broken_file_is_told_and_the_last_good_state_goes_on(
    served: Application, suite: Path, name: str, content: str, said: str
) -> None:
    served.sessions.open(SessionSpec(id="case", case="EC-001"))
    path = write(suite, name, content)
    (told,) = reload(served, suite, path)
    assert said in told
    assert told.endswith(f"{name}: what was served before goes on")
    served.sessions.get("default").reset()
    served.sessions.open(SessionSpec(id="again", case="EC-001"))
    assert [units(served, each) for each in ("default", "again")] == [3, 1]
    assert served.sessions.merged_snapshot(served.sessions.get("again"))["orgUnits"] == ROOT


def test_what_was_never_seen_whole_is_refused(served: Application, suite: Path) -> None:
    write(suite, CASE, "{")
    with pytest.raises(MockServerError, match=r"overrides\.json"):
        served.sessions.open(SessionSpec(case="EC-001"))
    write(suite, "broken.yaml", "{")
    assert not served.sessions.is_prepared(SessionSpec(case="EC-002"))
    with pytest.raises(MockServerError, match=r"broken\.yaml"):
        served.sessions.open(SessionSpec(case="EC-002"))


TRAVEL = "api: travel\nbase_path: /v1\ncollections:\n  bookings: {ids: 'B{{ seq }}'}\n"
CANCEL = "{path: 'POST /bookings/{id}/cancel', set: {status: cancelled}}"
LARGER = (
    "api: travel\nhosts: [api.travel.example.com]\nbase_path: /v1\ncollections:\n"
    f"  bookings: {{ids: 'B{{{{ seq }}}}', actions: {{cancel: {CANCEL}}}}}\n"
    "  seats: {ids: int}\n"
)


def asked(app: Application, verb: str, path: str, host: str = "127.0.0.1", **body: str) -> Any:
    """Status and JSON of a request to the default session."""

    async def ask() -> Any:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            answer = await client.request(verb, path, json=body or None)
            is_json = answer.headers["content-type"].startswith("application/json")
            return answer.status_code, answer.json() if is_json else answer.text

    return asyncio.run(ask())


def test_a_declaration_holds_at_once_and_sessions_keep_their_rows(
    served: Application, suite: Path
) -> None:
    path = write(suite, API, TRAVEL)
    assert reload(served, suite, path) == [f"read {API} again"]
    made = {"id": "B1", "of": "Ada"}
    assert asked(served, "POST", "/v1/bookings", of="Ada") == (201, made)
    assert asked(served, "GET", "/v1/seats")[0] == 404
    write(suite, API, LARGER)
    reload(served, suite, path)
    host = "api.travel.example.com"
    assert asked(served, "GET", "/v1/bookings", host) == (200, [made])
    assert asked(served, "POST", "/v1/bookings/B1/cancel", host)[1]["status"] == "cancelled"
    assert asked(served, "POST", "/v1/seats", row="7") == (201, {"id": 1, "row": "7"})
    served.sessions.open(SessionSpec(id="new"))
    assert asked(served, "GET", "/s/new/v1/bookings") == (200, [])
    path.unlink()
    assert reload(served, suite, path) == [f"read {API} again"]
    assert asked(served, "GET", "/v1/bookings")[0] == 404


def test_a_list_that_was_asked_for_before_is_shown_as_the_new_declaration_says(
    served: Application, suite: Path
) -> None:
    path = write(suite, API, TRAVEL)
    reload(served, suite, path)
    made = asked(served, "POST", "/v1/bookings", of="Ada")[1]
    assert asked(served, "GET", "/v1/bookings") == (200, [made])
    write(suite, API, TRAVEL.replace("{ids:", "{list_in: data, ids:"))
    reload(served, suite, path)
    assert asked(served, "GET", "/v1/bookings") == (200, {"data": [made]})


def test_a_declaration_that_rows_do_not_fit_waits_until_they_do(
    served: Application, suite: Path
) -> None:
    path = write(suite, API, LARGER)
    reload(served, suite, path)
    rows = write(suite, "base/travel.json", '{"travel": {"seats": [{"id": 7}]}}')
    assert reload(served, suite, rows) == ["read base/travel.json again"]
    write(suite, API, TRAVEL)
    (told,) = reload(served, suite, path)
    assert "/travel/seats" in told
    assert told.endswith("what was served before goes on")
    assert asked(served, "GET", "/v1/seats")[0] == 200
    rows.unlink()
    assert reload(served, suite, path, rows) == [f"read {API}, base/travel.json again"]
    assert asked(served, "GET", "/v1/seats")[0] == 404


def test_a_declaration_that_waits_is_tried_at_the_next_change(
    served: Application, suite: Path
) -> None:
    path = write(suite, API, LARGER)
    rows = write(suite, "base/travel.json", '{"travel": {"seats": [{"id": 7}]}}')
    told: list[str] = []

    async def change() -> None:
        watch = SuiteWatch(suite, told.append)
        await watch.reload(served, [path, rows])
        write(suite, API, TRAVEL)
        await watch.reload(served, [path])
        rows.unlink()
        await watch.reload(served, [rows])

    asyncio.run(change())
    assert [each.endswith("goes on") for each in told] == [False, True, False]
    assert asked(served, "GET", "/v1/seats")[0] == 404


def test_files_that_are_no_part_of_a_suite_are_left_alone(
    served: Application, suite: Path, tmp_path: Path
) -> None:
    assert reload(served, suite, suite / "README.md", tmp_path / "other.json") == []


def test_the_folder_is_followed_until_the_server_stops(served: Application, suite: Path) -> None:
    async def run() -> str:
        told: asyncio.Queue[str] = asyncio.Queue()
        watch = SuiteWatch(suite, told.put_nowait)
        await watch.start(served, uvicorn.Server(uvicorn.Config(served)))
        await asyncio.sleep(0)  # the watch is set up in its first step
        write(suite, BASE, json.dumps(SNAPSHOT))
        try:
            return await asyncio.wait_for(told.get(), PATIENCE_S)
        finally:
            await watch.stop()

    assert asyncio.run(run()) == f"read {BASE} again"
