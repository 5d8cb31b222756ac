import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import orjson
import pytest

from mockserver.apis import APIS
from mockserver.errors import InvalidFilesError
from mockserver.googleapi import Api
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from mockserver.snapshots import base_cache, resolver
from mockserver.snapshots.importer import Importer
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import Base

FIXTURES = Path(__file__).parents[3] / "fixtures"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
USERS = [
    {"primaryEmail": f"u{n}@example.com", "name": {"givenName": "G", "familyName": f"F{n}"}}
    for n in range(600)
]
RAW: dict[str, Any] = {
    "customer": {"id": "C0example"},
    "users": USERS,
    "groups": [{"email": "g@example.com"}],
    "members": {"g@example.com": ["u1@example.com", "x@example.net"]},
    "errors": {"orgUnits": "UNAUTHENTICATED: no"},
    "shop": {"things": [{"id": n, "city": f"c{n % 7}"} for n in range(600)]},
}
SHOP = "api: shop\nhosts: [shop.example.com]\ncollections: {things: {filters: {city: city}}}\n"
PATHS = (
    "/admin/directory/v1/users?customer=my_customer&maxResults=500&orderBy=familyName",
    "/admin/directory/v1/users?customer=my_customer&query=familyName='F7'",
    "/admin/directory/v1/groups/g@example.com/members",
    "/admin/directory/v1/customer/my_customer/orgunits",
    "/shop.example.com/things?city=c3",
)
NO_IMPORT = mock.patch.object(Importer, "import_snapshot", side_effect=AssertionError)


@pytest.fixture(autouse=True)
def all_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resolver, "_WORTH_KEEPING", 0)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name, content in (("apis/shop.yaml", SHOP.encode()), ("base/a.json", orjson.dumps(RAW))):
        path = tmp_path / "suite" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    return tmp_path / "suite"


def base_of(folder: Path, cache: Path, apis: tuple[Api, ...] = tuple(APIS)) -> Base:
    return SnapshotResolver(folder, apis, cache=cache).base(SessionSpec())


def parts(base: Base) -> dict[str, Any]:
    tables = {name: list(table.rows().items()) for name, table in base.tables.items()}
    return {**vars(base), "tables": tables}


@pytest.mark.parametrize("name", ["chrome-enterprise", "sre", "travel"])
def test_a_base_that_was_kept_is_the_one_that_was_imported(name: str, tmp_path: Path) -> None:
    imported = base_of(FIXTURES / name, tmp_path)
    with NO_IMPORT:
        kept = base_of(FIXTURES / name, tmp_path)
    assert parts(kept) == parts(imported)
    assert kept.stub_hosts == imported.stub_hosts


def answers(suite: Path) -> list[bytes]:
    app = Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)

    async def ask() -> list[bytes]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            found = [await client.get(path) for path in PATHS]
            body = {"name": {"familyName": "New"}}
            path = "/admin/directory/v1/users/u7@example.com"
            found.append(await client.patch(path, json=body))
            found.append(await client.get("/_mock/sessions/default/state"))
            return [response.content for response in found]

    return asyncio.run(ask())


def test_a_second_start_answers_as_the_first(suite: Path) -> None:
    first = answers(suite)
    with NO_IMPORT:
        assert answers(suite) == first
    assert b"u7@example.com" in first[1]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def age(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"id":7,', b'"id":9,'))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, age, empty, Path.unlink])
def test_what_is_not_whole_is_imported_again(suite: Path, tmp_path: Path, damage: Any) -> None:
    first = parts(base_of(suite, tmp_path))
    (kept,) = tmp_path.glob("*.rows")
    whole = kept.read_bytes()
    damage(kept)
    assert parts(base_of(suite, tmp_path)) == first
    assert kept.read_bytes() == whole


def test_a_changed_file_is_imported(suite: Path, tmp_path: Path) -> None:
    base_of(suite, tmp_path)
    (suite / "base" / "b.json").write_bytes(orjson.dumps({"users": USERS[:2]}))
    assert len(base_of(suite, tmp_path).tables["users"]) == 2
    (suite / "apis" / "shop.yaml").write_text(SHOP + "base_path: /v2\n", encoding="utf-8")
    base_of(suite, tmp_path)
    assert len(list(tmp_path.glob("*.rows"))) == 3


def test_another_program_or_owner_does_not_use_it(suite: Path, tmp_path: Path) -> None:
    base_of(suite, tmp_path)
    with mock.patch.object(os, "getuid", return_value=-1), pytest.raises(AssertionError), NO_IMPORT:
        base_of(suite, tmp_path)
    with mock.patch.object(base_cache, "_FORM", 0):
        base_cache._program.cache_clear()
        base_of(suite, tmp_path)
    base_cache._program.cache_clear()
    assert len(list(tmp_path.glob("*.rows"))) == 2


def test_what_has_errors_or_is_read_by_a_plugin_is_not_kept(suite: Path, tmp_path: Path) -> None:
    base_of(suite, tmp_path, (*APIS, Api(name="extra", documents=(), handlers={})))
    (suite / "base" / "b.json").write_bytes(b'{"users": 5}')
    with pytest.raises(InvalidFilesError):
        base_of(suite, tmp_path)
    assert not list(tmp_path.glob("*.rows"))


def test_an_override_is_put_over_what_the_files_say(suite: Path, tmp_path: Path) -> None:
    base_of(suite, tmp_path)
    worlds = SnapshotResolver(suite, cache=tmp_path)
    assert len(worlds.base(SessionSpec()).tables["users"]) == 600
    spec = SessionSpec(overrides=({"users": USERS[:2]},))
    assert len(worlds.base(spec).tables["users"]) == 2
    assert worlds.merged_snapshot(SessionSpec()) == RAW
    assert worlds.resolve(SessionSpec()).notes.customer == "C0example"
