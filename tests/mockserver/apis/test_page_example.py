"""The page on architecture adds a collection; here it is served."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW

PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"
CODE = re.compile(r"```python\n(from mockserver\.googleapi import Api, Resource.*?)```", re.DOTALL)
HOST = "/s/a/library.example.com/v1/libraries/main/shelves"
NAME = "libraries/main/shelves"


@pytest.fixture
def app(tmp_path: Path) -> Application:
    found = CODE.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert len(found[1].splitlines()) <= 25
    names: dict[str, Any] = {}
    exec(found[1], names)
    (tmp_path / "base").mkdir()
    rows = [{"name": f"{NAME}/a", "theme": "Sea", "size": 9}, {"name": f"{NAME}/b", "size": 3}]
    (tmp_path / "base" / "all.json").write_text(json.dumps({"shelves": rows}), encoding="utf-8")
    return Application(Settings(fixtures=tmp_path), apis=(names["API"],), real=lambda: NOW)


ASKED: tuple[tuple[str, str, Any, int, Any], ...] = (
    ("GET", "?orderBy=size&pageSize=1", None, 200, f"{NAME}/b"),
    ("GET", "?filter=theme=Sea", None, 200, f"{NAME}/a"),
    ("GET", "/a", None, 200, f"{NAME}/a"),
    ("GET", "/none", None, 404, "NOT_FOUND"),
    ("POST", "?shelfId=c", {"theme": "Sky"}, 200, f"{NAME}/c"),
    ("POST", "?shelfId=a", {}, 409, "ALREADY_EXISTS"),
    ("POST", "?shelfId=c", {"themes": "Sky"}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "/a?updateMask=size", {"size": 4}, 200, f"{NAME}/a"),
    ("PATCH", "/a?updateMask=theme", {"theme": "Sky"}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "/a", {"size": 4, "etag": "old"}, 409, "ABORTED"),
    ("DELETE", "/a", None, 200, None),
)


@pytest.mark.parametrize(("verb", "path", "body", "status", "told"), ASKED)
async def test_the_collection_of_the_page_is_served(
    app: Application, verb: str, path: str, body: Any, status: int, told: Any
) -> None:
    token = app.sessions.open(SessionSpec(id="a")).token
    transport, headers = httpx.ASGITransport(app), {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
        answer = await client.request(verb, HOST + path, json=body, headers=headers)
    found = answer.json()
    assert answer.status_code == status, answer.text
    row = next(iter(found.get("shelves", [found])))
    assert row.get("name", row.get("error", {}).get("status")) == told


async def test_a_list_of_it_says_how_it_found_its_rows(app: Application) -> None:
    token = app.sessions.open(SessionSpec(id="a")).token
    headers = {"authorization": f"Bearer {token}", "x-mock-explain": "1"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765", headers=headers
    ) as client:
        answer = await client.get(f"{HOST}?filter=theme=Sea&orderBy=size")
    plan = "shelves: index theme = Sea: 1 of 2 rows; 1 found; by size, sorted"
    assert answer.headers["x-mock-plan"] == plan
