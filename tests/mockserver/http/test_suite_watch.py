import asyncio
import json
from pathlib import Path

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


def test_a_declaration_waits_for_a_restart(served: Application, suite: Path) -> None:
    path = write(suite, API, "api: travel\ncollections: {flights: {key: id}}\n")
    (told,) = reload(served, suite, path)
    assert told == f"read {API} again; declarations of APIs are served after a restart"


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
