from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from mockserver.apis.generic import MethodConventions
from mockserver.apis.generic.snapshot import import_snapshot
from mockserver.collections import Store
from mockserver.googleapi import Call, Handler, LeftToConventionsError, SnapshotImport
from mockserver.model import Json, JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.discoverydocs import method
from tests.tenants import NOW


def world_of(days: int = 0, **raw: Json) -> World:
    """A world of a snapshot, at its moment or, with its times moved, days later."""
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    assert found.problems == []
    tables = {name: Store(rows) for name, rows in found.tables.items()}
    spec, real = "shift" if days else "frozen", NOW + timedelta(days)
    clock = Clock(spec, captured_at=NOW, real=lambda: real)
    return World(Base(tables, found.times, NOW), clock=clock, ids=Ids(1), session="s1")


class Generic:
    """Asks methods of any document over one world."""

    def __init__(self, world: World, handlers: Mapping[str, Handler] | None = None) -> None:
        self.world, self.handlers = world, handlers or {}
        self.ignored: list[str] = []

    def ask(
        self, key: str, method_id: str, params: JsonObject, body: JsonObject | None = None
    ) -> JsonObject | None:
        asked = method(key, method_id)
        usual = MethodConventions(asked)
        call = Call(
            method_id, dict(params), body or {}, self.world, asked.version, conventions=usual
        )
        try:
            answer = self.handlers.get(method_id, usual)(call)
        except LeftToConventionsError:
            answer = usual(call)
        self.ignored = call.ignored
        return answer

    def get(
        self, key: str, method_id: str, body: JsonObject | None = None, **params: Json
    ) -> JsonObject:
        answer = self.ask(key, method_id, params, body)
        assert answer is not None
        return answer


@pytest.fixture
def over() -> Callable[..., Generic]:
    return lambda **resources: Generic(world_of(resources=resources))
