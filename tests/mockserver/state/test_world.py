import contextlib
from datetime import UTC, datetime, timedelta

import pytest

from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    TOKENS,
    Base,
    Clock,
    Ids,
    World,
)
from mockserver.state import world as module
from mockserver.state.world import newest_time, shift_row

CAPTURED = datetime(2026, 11, 1, tzinfo=UTC)
LATER = CAPTURED + timedelta(days=2)
EVENT = {"id": {"time": "2026-10-31T00:00:00.000Z"}, "events": [{"at": "2026-10-31T00:00:00Z"}]}


def world(base: Base, spec: str = "frozen") -> World:
    clock = Clock(spec, captured_at=CAPTURED, real=lambda: LATER)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def base_of(**tables: dict[str, JsonObject]) -> Base:
    return Base(
        tables={name: Store(rows) for name, rows in tables.items()},
        times={"auditEvents": (("id", "time"), ("events", "*", "at"))},
        captured_at=CAPTURED,
    )


def test_a_write_is_seen_by_its_own_session_only() -> None:
    base = base_of(users={"1": {"name": "Ann"}})
    one, other = world(base), world(base)
    one.put("users", "2", {"name": "Ben"})
    one.put("users", "1", {"name": "Anna"})
    assert list(one.table("users").rows()) == ["1", "2"]
    assert other.table("users").rows() == {"1": {"name": "Ann"}}
    assert other.table("users") is base.tables["users"]


def test_a_diff_names_what_was_added_removed_and_changed() -> None:
    made = world(base_of(users={"1": {"n": 1}, "2": {"n": 2}, "3": {"n": 3}}))
    made.put("users", "1", {"n": 9})
    made.put("users", "3", {"n": 3})
    made.delete("users", "2")
    made.put("groups", "g", {"n": 0})
    made.put(TOKENS, "t", {})
    assert made.diff() == {
        "groups": {"added": {"g": {"n": 0}}},
        "users": {
            "removed": {"2": {"n": 2}},
            "changed": {"1": {"before": {"n": 1}, "after": {"n": 9}}},
        },
    }


def test_a_write_that_is_taken_back_leaves_no_diff() -> None:
    made = world(base_of(users={"1": {"n": 1}}))
    made.put("users", "2", {})
    made.delete("users", "2")
    assert made.diff() == {}


def test_declared_timestamps_move_with_a_shifted_clock_and_only_they() -> None:
    base = base_of(auditEvents={"e": EVENT}, users={"1": {"at": "2026-10-31T00:00:00Z"}})
    made = world(base, "shift")
    assert made.table("auditEvents").get("e") == {
        "id": {"time": "2026-11-02T00:00:00.000Z"},
        "events": [{"at": "2026-11-02T00:00:00Z"}],
    }
    assert made.table("auditEvents") is made.table("auditEvents")
    assert made.table("users") is base.tables["users"]
    made.put("auditEvents", "f", EVENT)
    assert list(made.diff()["auditEvents"]) == ["added"]


def test_a_frozen_world_shares_timed_collections() -> None:
    base = base_of(auditEvents={"e": EVENT})
    assert world(base).table("auditEvents") is base.tables["auditEvents"]


def test_shifting_leaves_what_is_not_there_alone() -> None:
    row = {"id": "text", "events": {}}
    assert shift_row(row, (("id", "time"), ("events", "*", "at")), timedelta(1)) == row


def test_names_are_those_of_the_base_and_of_writes() -> None:
    made = world(base_of(users={}))
    made.put("groups", "g", {})
    assert made.names() == ["groups", "users"]


def test_stored_rows_are_shared_until_the_first_write() -> None:
    base = base_of(auditEvents={"a": EVENT}, users={"1": {"n": 1}})
    made = world(base, "shift")
    table, shift = made.stored_table("auditEvents")
    assert (table, shift) == (base.tables["auditEvents"], LATER - CAPTURED)
    assert made.in_session_time("auditEvents", EVENT) == made.table("auditEvents").get("a")
    assert made.in_session_time("users", {"n": 1}) == {"n": 1}
    assert made.stored_table("users") == (base.tables["users"], timedelta(0))
    made.put("auditEvents", "b", EVENT)
    assert made.stored_table("auditEvents") == (made.table("auditEvents"), timedelta(0))


def test_a_row_in_session_time_is_mostly_the_same_object_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world(base_of(auditEvents={"a": EVENT}), "shift")
    first = made.in_session_time("auditEvents", EVENT)
    assert made.in_session_time("auditEvents", EVENT) is first
    monkeypatch.setattr(module, "_RECENT", 2)
    for _ in range(5):
        made.in_session_time("auditEvents", dict(EVENT))
    again = made.in_session_time("auditEvents", EVENT)
    assert again == first
    assert again is not first


def names(table: Store) -> list[str]:
    return sorted(table.rows())


def test_what_is_derived_is_built_once_and_again_after_a_write() -> None:
    table = Store({"b": {}, "a": {}})
    first = table.derived(names)
    assert table.derived(names) is first
    table.put("c", {})
    assert table.derived(names) == ["a", "b", "c"]
    table.delete("a")
    table.delete("never there")
    assert table.derived(names) == ["b", "c"]


def test_a_copy_is_written_apart() -> None:
    table = Store({"a": {"n": 1}})
    copy = table.copy()
    copy.put("b", {})
    assert len(table) == 1
    assert "b" in copy
    assert copy.get("a") is table.get("a")
    assert table.get("b") is None


@pytest.mark.parametrize(
    ("stubs", "names", "hosts"),
    [
        ((), False, set()),
        (({"url": "https://A.test/x"}, {"url": "b.test"}), False, {"a.test", "b.test"}),
        (({"id": "", "url": "/x"}, {}), False, set()),
        (({"url": "/x"}, {"id": "one"}), True, set()),
    ],
)
def test_stubs_have_hosts_and_names(
    stubs: tuple[JsonObject, ...], names: bool, hosts: set[str]
) -> None:
    base = Base({}, {}, CAPTURED, stubs=stubs)
    assert base.names_stubs is names
    assert base.stub_hosts == hosts


@pytest.mark.parametrize(
    ("row", "newest"),
    [
        ({}, None), ({"at": 3}, None), ({"at": "yesterday"}, None),
        ({"other": "2026-01-01T00:00:00Z"}, None),
        ({"at": "2026-01-01T00:00:00Z"}, "2026-01-01T00:00:00+00:00"),
        ({"at": "9999-12-31T23:59:59Z", "expiresAt": "2030-01-01T00:00:00Z"}, None),
        ({"at": "2026-01-01T00:00:00Z", "steps": [{"at": "2026-01-03T00:00:00Z"},
                                                  {"at": "2026-01-02T00:00:00Z"}]},
         "2026-01-03T00:00:00+00:00"),
        ({"at": "2026-01-04T00:00:00Z", "steps": [{"at": "2026-01-03T00:00:00Z"}]},
         "2026-01-04T00:00:00+00:00"),
        ({"at": ["2026-01-01T00:00:00Z"], "steps": {"at": "2026-01-01T00:00:00Z"}}, None),
    ],
)  # fmt: skip
def test_the_newest_moment_is_one_that_has_passed(row: JsonObject, newest: str | None) -> None:
    times = {"rows": (("expiresAt",), ("at",), ("steps", "*", "at")), "none": (("at",),)}
    found = newest_time({"rows": Store({"1": row})}, times)
    assert (found and found.isoformat()) == newest


def test_what_is_written_is_known_by_name_and_number() -> None:
    made = world(base_of(users={"1": {"n": 1}, "2": {"n": 2}}, groups={"g": {}}))
    assert (made.rows_written, made.written_collections()) == (0, ())
    assert [made.is_empty(name) for name in ("users", "absent")] == [False, True]
    made.put("users", "3", {})
    made.delete("groups", "g")
    made.delete("empty", "absent")
    assert (made.rows_written, made.written_collections()) == (3, ("empty", "groups", "users"))
    assert [made.is_empty(name) for name in ("users", "groups")] == [False, True]
    assert [made.count("stub"), made.count("other"), made.count("stub")] == [1, 1, 2]
    made.put(TOKENS, "t", {})
    assert made.names() == ["empty", "groups", TOKENS, "users"]


def test_a_transaction_in_another_is_kept_or_taken_back_with_it() -> None:
    ticks = iter(range(100))
    clock = Clock(
        "shift", captured_at=CAPTURED, real=lambda: LATER + timedelta(seconds=next(ticks))
    )
    made = World(base_of(users={"1": {"n": 1}}), clock=clock, ids=Ids(1), session="s1")
    with contextlib.suppress(ZeroDivisionError), made.transaction() as whole:
        began = made.now()
        with made.transaction() as part:
            made.put("users", "1", {"n": 2})
            assert made.now() == began
            assert made.is_changing
        with contextlib.suppress(KeyError), made.transaction():
            made.put("users", "2", {"n": 2})
            raise KeyError
        assert [change.key for change in whole] == [change.key for change in part] == ["1"]
        assert list(made.table("users").rows().values()) == [{"n": 2}]
        made.keep("counts", "requests", {"n": 1})
        raise ZeroDivisionError
    assert not made.is_changing
    assert made.now() != began
    assert made.diff() == {"counts": {"added": {"requests": {"n": 1}}}}
    assert made.history.since(0) == []
