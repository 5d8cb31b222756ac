"""A small tenant for tests of emulated APIs: `/`, `/Eng`, `/Eng/Web` and `/Sales`, one group."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mockserver.collections import Store
from mockserver.googleapi import Api, ApiError, Call, Caller, SnapshotImport
from mockserver.model import JsonObject, Profile
from mockserver.snapshots.importer import Importer
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CUSTOMER = "C0example"
ROOT, ENG, WEB, SALES = "03ph8a2z1root", "03ph8a2z1eng", "03ph8a2z1web", "03ph8a2z1sales"
GROUP = "01grp000000"


def _unit(bare: str, path: str, parent: str) -> JsonObject:
    return {
        "orgUnitId": f"id:{bare}",
        "orgUnitPath": path,
        "name": path.rpartition("/")[2] or "Example",
        "parentOrgUnitId": f"id:{parent}" if parent else "",
    }


_UNITS = {
    ROOT: _unit(ROOT, "/", ""),
    ENG: _unit(ENG, "/Eng", ROOT),
    WEB: _unit(WEB, "/Eng/Web", ENG),
    SALES: _unit(SALES, "/Sales", ROOT),
}
TENANT: Mapping[str, Store] = {
    "customer": Store({"customer": {"id": CUSTOMER, "customerDomain": "example.com"}}),
    "orgUnits": Store(_UNITS),
    "groups": Store({GROUP: {"id": GROUP, "email": "sre@example.com"}}),
}


def world(api: Api, *, clock: str = "frozen", captured: datetime = NOW, **raw: Any) -> World:
    """A world whose tables one API made of raw collections, beside the small tenant."""
    found = SnapshotImport(raw=raw, customer=CUSTOMER)
    if api.import_snapshot is not None:
        api.import_snapshot(found)
    assert [item for item in found.problems if item.level == "error"] == []
    base = Base(
        tables={**TENANT, **Importer([api]).stores(found)},
        times={item.name: item.times for item in api.collections if item.times},
        captured_at=captured,
        tools=raw.get("tools", {}),
    )
    session_clock = Clock(clock, captured_at=captured, real=lambda: NOW)
    return World(base, clock=session_clock, ids=Ids(1), session="s1")


def ask(
    api: Api,
    world: World,
    method: str,
    params: JsonObject | None = None,
    body: JsonObject | None = None,
    *,
    profile: Profile = "google",
    version: str = "",
) -> JsonObject:
    """Call a handler as a transport does."""
    call = Call(
        id=method,
        params=params or {},
        body=body or {},
        world=world,
        version=version,
        profile=profile,
        caller=Caller(email="admin@example.com"),
    )
    return api.handlers[method](call) or {}


def refused(
    api: Api,
    world: World,
    method: str,
    params: JsonObject | None = None,
    body: JsonObject | None = None,
    *,
    profile: Profile = "google",
) -> ApiError:
    """The error that a call is answered with; the world must not change."""
    before = world.diff()
    try:
        ask(api, world, method, params, body, profile=profile)
    except ApiError as error:
        assert world.diff() == before
        return error
    raise AssertionError(f"{method} was not refused")
