"""Changes that are seen later than they are made."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mockserver.collections import Store
from mockserver.model import Propagation
from mockserver.state import (
    Base,
    ChangeDelay,
    Clock,
    DelayedWorld,
    Ids,
    World,
)

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANN, BEN = {"id": "ann"}, {"id": "ben"}


@pytest.fixture
def world() -> World:
    base = Base(tables={"users": Store({"ann": ANN}.items())}, times={}, captured_at=AT)
    clock = Clock("frozen", captured_at=AT, real=lambda: AT)
    made = World(base, clock=clock, ids=Ids(0), session="s1")
    made.history.delayed_from = 0
    return made


def ignore() -> None:
    pass


def lag(met: Callable[[], None] = ignore, **rule: object) -> ChangeDelay:
    return ChangeDelay(Propagation.model_validate(rule), met)


def test_what_is_added_removed_and_changed_is_not_seen_yet(world: World) -> None:
    world.put("users", "ben", BEN)
    world.put("users", "ann", {"id": "ann", "suspended": True})
    late = DelayedWorld(world, (lag(after_s=5),))
    assert dict(late.table("users").rows()) == {"ann": ANN}
    world.delete("users", "ann")
    assert DelayedWorld(world, (lag(after_s=5),)).table("users").get("ann") == ANN
    assert world.table("users").get("ben") == BEN


def test_what_is_only_removed_is_still_seen(world: World) -> None:
    world.delete("users", "ann")
    assert dict(DelayedWorld(world, (lag(after_s=5),)).table("users").rows()) == {"ann": ANN}
    assert dict(world.table("users").rows()) == {}


def test_after_its_time_everybody_sees_a_change(world: World) -> None:
    world.put("users", "ben", BEN)
    world.clock.advance(timedelta(seconds=4.9))
    assert DelayedWorld(world, (lag(after_s=5),)).table("users").get("ben") is None
    world.clock.advance(timedelta(seconds=0.1))
    assert DelayedWorld(world, (lag(after_s=5),)).table("users").get("ben") == BEN


def test_after_so_many_reads_a_change_is_seen(world: World) -> None:
    world.put("users", "ben", BEN)
    late = lag(reads=2)
    seen = []
    for _ in range(4):
        one = DelayedWorld(world, (late,))
        assert one.table("users") is one.table("users")  # one call counts once
        seen.append(one.table("users").get("ben") == BEN)
    assert seen == [False, False, True, True]


def test_a_call_that_reads_other_collections_does_not_count(world: World) -> None:
    world.put("users", "ben", BEN)
    met: list[int] = []
    late = lag(lambda: met.append(1), reads=1)
    DelayedWorld(world, (late,)).table("groups")
    assert met == []
    assert DelayedWorld(world, (late,)).table("users").get("ben") is None
    assert met == [1]


def test_only_the_named_collections_are_late(world: World) -> None:
    world.put("users", "ben", BEN)
    late = DelayedWorld(world, (lag(after_s=5, collections=["groups"]),))
    assert late.table("users").get("ben") == BEN


def test_what_a_late_call_writes_is_written_at_once(world: World) -> None:
    world.put("users", "ben", BEN)
    late = DelayedWorld(world, (lag(after_s=5),))
    late.put("users", "cal", {"id": "cal"})
    assert set(world.table("users").rows()) == {"ann", "ben", "cal"}
    assert set(world.diff()["users"]["added"]) == {"ben", "cal"}


def test_tokens_are_never_late(world: World) -> None:
    world.put("tokens", "t", {"email": "ann@example.com"})
    assert DelayedWorld(world, (lag(after_s=5),)).table("tokens").get("t") is not None
