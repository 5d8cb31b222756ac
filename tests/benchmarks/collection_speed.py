"""Collections of 100,000 rows, in process: what writes cost beside those of 100 rows, and lists."""

import gc
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from mockserver.apis import directory
from mockserver.apis.generic import generic_handler
from mockserver.collections import Store
from mockserver.declared.api import DeclaredApi
from mockserver.declared.declaration import Declaration
from mockserver.declared.files import parsed_declaration
from mockserver.declared.rows import Rows as CompiledRows
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.benchmarks.figures import Figure, ratio
from tests.discoverydocs import method

MANY, FEW = 100_000, 100
WRITES, ROUNDS = 300, 7
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
ROOT = "03ph8a2z1root"

Rows = dict[str, JsonObject]


@dataclass(frozen=True)
class Kind:
    """One kind of collection.

    Attributes:
        table: Its table.
        rows: Makes so many rows.
        write: Adds one row, by a number that no row has.
        change: Changes the row with a number.
        list: Lists a page of 50 by a filter that an index answers.
        times: The paths of its timestamps, which the clock of a session moves.
    """

    table: str
    rows: Callable[[int], Rows]
    write: Callable[[World, int], object]
    change: Callable[[World, int], object]
    list: Callable[[World], object]
    times: tuple[tuple[str, ...], ...] = ()


def users(count: int) -> Rows:
    return {
        f"1{n:09}": {
            "id": f"1{n:09}",
            "etag": "x",
            "primaryEmail": f"u{n}@example.com",
            "name": {"givenName": f"G{n % 997}", "familyName": f"F{n % 2000}"},
            "orgUnitPath": "/",
        }
        for n in range(count)
    }


def units(count: int) -> Rows:
    found: Rows = {ROOT: {"orgUnitId": f"id:{ROOT}", "orgUnitPath": "/", "name": "E", "etag": "r"}}
    for n in range(count):
        above = n // 50 - 1
        parent = ROOT if above < 0 else f"03u{above}"
        path = f"{found[parent]['orgUnitPath'].rstrip('/')}/Unit {n}"
        found[f"03u{n}"] = {
            "etag": "x", "name": f"Unit {n}", "orgUnitId": f"id:03u{n}", "orgUnitPath": path,
            "parentOrgUnitId": f"id:{parent}", "parentOrgUnitPath": found[parent]["orgUnitPath"],
        }  # fmt: skip
    return found


def files(count: int) -> Rows:
    return {
        f"files/f{n}": {
            "id": f"f{n}", "name": f"File {n}", "parents": [f"d{n % 2000}"],
            "modifiedTime": "2026-11-19T08:00:00.000Z",
        }
        for n in range(count)
    }  # fmt: skip


def secrets(count: int) -> Rows:
    names = (f"projects/p{n % 1000}/secrets/s{n}" for n in range(count))
    return {name: {"name": name, "createTime": "2026-11-19T08:00:00Z"} for name in names}


def things(count: int) -> Rows:
    return {
        f"r{n}": {"id": f"r{n}", "city": f"c{n % 1000}", "price": n * 7919 % 1000, "sku": f"k{n}"}
        for n in range(count)
    }


def ask_directory(name: str, params: JsonObject, body: JsonObject | None = None) -> Any:
    key = f"directory.{name}"
    return lambda world: directory.API.handlers[key](Call(key, params, body or {}, world))


def ask_generic(key: str, name: str, params: JsonObject, body: JsonObject | None = None) -> Any:
    def ask(world: World) -> object:
        asked = method(key, name)
        return generic_handler(asked)(Call(name, params, body or {}, world, asked.version))

    return ask


DECLARATION: JsonObject = {
    "api": "shop",
    "collections": {
        "things": {
            "ids": "int", "unique": [["sku"]], "paging": "page", "sort": "sort",
            "filters": {"city": "city", "max": {"field": "price", "op": "<="}},
        }
    },
}  # fmt: skip


def declared_api() -> DeclaredApi:
    file, problems = parsed_declaration(DECLARATION, Path("shop.yaml"))
    assert file is not None, problems
    return DeclaredApi(file)


SHOP = declared_api()


def ask_shop(verb: str, params: JsonObject, body: JsonObject | None = None) -> Any:
    key = f"shop.things.{verb}"
    return lambda world: SHOP.handle(Call(key, params, body or {}, world))


CUSTOMER: JsonObject = {"customerId": "my_customer"}
KINDS: Mapping[str, Kind] = {
    "users": Kind(
        "users",
        users,
        lambda world, n: ask_directory(
            "users.insert",
            {},
            {
                "primaryEmail": f"new{n}@example.com",
                "password": "invented-1",
                "name": {"givenName": "N", "familyName": f"N{n}"},
            },
        )(world),
        lambda world, n: ask_directory(
            "users.patch", {"userKey": f"u{n}@example.com"}, {"name": {"familyName": f"X{n}"}}
        )(world),
        ask_directory(
            "users.list",
            {"customer": "my_customer", "query": "familyName='F7'", "maxResults": 50},
        ),
    ),
    "org units": Kind(
        "orgUnits",
        units,
        lambda world, n: ask_directory(
            "orgunits.insert",
            dict(CUSTOMER),
            {"name": f"New {n}", "parentOrgUnitId": f"id:03u{n % 90}"},
        )(world),
        lambda world, n: ask_directory(
            "orgunits.patch", CUSTOMER | {"orgUnitPath": f"id:03u{n}"}, {"description": f"{n}"}
        )(world),
        ask_directory("orgunits.list", CUSTOMER | {"orgUnitPath": "id:03u0"}),
    ),
    "Drive files": Kind(
        "drive:v3/files",
        files,
        lambda world, n: ask_generic(
            "drive:v3", "drive.files.create", {}, {"name": f"New {n}", "parents": ["d1"]}
        )(world),
        lambda world, n: ask_generic(
            "drive:v3", "drive.files.update", {"fileId": f"f{n}"}, {"name": f"Other {n}"}
        )(world),
        ask_generic("drive:v3", "drive.files.list", {"q": "'d7' in parents", "pageSize": 50}),
        times=(("modifiedTime",),),
    ),
    "a generic collection": Kind(
        "secretmanager:v1/secrets",
        secrets,
        lambda world, n: ask_generic(
            "secretmanager:v1",
            "secretmanager.projects.secrets.create",
            {"parent": "projects/p1", "secretId": f"new{n}"},
        )(world),
        lambda world, n: ask_generic(
            "secretmanager:v1",
            "secretmanager.projects.secrets.patch",
            {"name": f"projects/p{n}/secrets/s{n}", "updateMask": "labels"},
            {"labels": {"n": f"{n}"}},
        )(world),
        ask_generic(
            "secretmanager:v1",
            "secretmanager.projects.secrets.list",
            {"parent": "projects/p7", "pageSize": 50},
        ),
        times=(("createTime",),),
    ),
    "a declared collection": Kind(
        "shop.things",
        things,
        lambda world, n: ask_shop("create", {}, {"city": "c1", "sku": f"new{n}"})(world),
        lambda world, n: ask_shop("patch", {"id": f"r{n}"}, {"price": n})(world),
        ask_shop("list", {"city": "c7", "per_page": 50}),
    ),
}


def base_of(kind: Kind, count: int) -> Base:
    tables = {
        "customer": Store({"customer": {"id": "C0example", "customerDomain": "example.com"}}),
        "orgUnits": Store(units(0)),
        "resources": Store({"drive:v3": {}, "secretmanager:v1": {}}),
        kind.table: Store(kind.rows(count)),
    }
    times = {kind.table: kind.times} if kind.times else {}
    return Base(tables, times, NOW - timedelta(1))


def session(base: Base) -> World:
    clock = Clock("shift", captured_at=base.captured_at, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def took(act: Callable[[], object]) -> float:
    """Milliseconds of CPU."""
    gc.disable()
    start = process_time()
    act()
    found = (process_time() - start) * 1000
    gc.enable()
    return found


def figures() -> Iterator[Figure]:
    for name, kind in KINDS.items():
        many, few = base_of(kind, MANY), base_of(kind, FEW)
        for base in (many, few):  # the indexes of a base are made once, for all its sessions
            world = session(base)
            kind.list(world)
            kind.write(world, 0)
            kind.change(world, 1)
            kind.list(world)
        yield write_ratio(name, kind, many, few)
        yield from first_write(name, kind, many)
        yield indexed_list(name, kind, many)
    yield two_filters_and_an_order()
    yield from broad_lists()
    yield many_creations()


def write_all(kind: Kind, world: World, numbers: Iterable[int]) -> None:
    for number in numbers:
        kind.write(world, number)


def write_ratio(name: str, kind: Kind, many: Base, few: Base) -> Figure:
    costs: dict[int, list[float]] = {}
    for _ in range(ROUNDS):
        for number, base in enumerate((many, few)):
            world = session(base)
            kind.write(world, 0)

            writes = partial(write_all, kind, world, range(1, WRITES))
            costs.setdefault(number, []).append(took(writes))
    return Figure(f"a write into 100,000 {name} / 100", ratio(costs[0], costs[1]), 1.3)


def first_write(name: str, kind: Kind, base: Base) -> Iterator[Figure]:
    worlds = [session(base) for _ in range(ROUNDS * 3)]
    cpu = median(took(partial(kind.change, world, 7)) for world in worlds)
    yield Figure(f"first write into 100,000 {name}, CPU", cpu, 1.0, "ms")
    world = session(base)
    tracemalloc.start()
    kind.change(world, 7)
    held = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    yield Figure(f"first write into 100,000 {name}, memory", held, 16, "KB")


def indexed_list(name: str, kind: Kind, base: Base, *, goal: float = 1.0) -> Figure:
    """A page of 50 by a filter, each after a write."""
    world, times = session(base), []
    for n in range(2, 30):
        kind.change(world, n)
        times.append(took(lambda: kind.list(world)))
    return Figure(f"filtered page of 50 of 100,000 {name}", median(times), goal, "ms")


def broad_lists() -> Iterator[Figure]:
    """Pages of lists that mean most rows, each after a write."""
    for name, key, ask in (
        ("folder, then name", "Drive files", {"orderBy": "folder,name", "pageSize": 50}),
        ("trashed = false", "Drive files", {"q": "trashed = false", "orderBy": "name"}),
    ):
        kind = KINDS[key]
        broad = replace(kind, list=ask_generic("drive:v3", "drive.files.list", ask))
        yield indexed_list(f"{key}: {name}", broad, base_of(kind, MANY), goal=5.0)


def two_filters_and_an_order() -> Figure:
    lists = CompiledRows(Declaration.model_validate(DECLARATION), "things", {}).lists
    table, times = Store(things(MANY)).copy(), []
    query = {"city": ["c7"], "max": ["500"], "sort": ["-price"]}
    for n in range(30):
        table.put(f"r{n}", {"id": f"r{n}", "city": "c7", "price": n})
        times.append(took(lambda: lists.page(table, query)))
    return Figure("declared list: two filters, an order, after a write", median(times), 5.0, "ms")


def many_creations() -> Figure:
    """What the last tenth of 100,000 creations costs beside the first."""
    kind = KINDS["a declared collection"]
    world, tenths = session(base_of(kind, 0)), []
    for tenth in range(10):
        numbers = range(tenth * MANY // 10, (tenth + 1) * MANY // 10)
        tenths.append(took(partial(write_all, kind, world, numbers)))
    return Figure("100,000 creations: last tenth / first", tenths[-1] / tenths[0], 1.3)
