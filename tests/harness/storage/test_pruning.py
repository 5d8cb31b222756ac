"""A run of a store is removed by one at a time, whole in the end, wherever a removal stops."""

from contextlib import suppress
from pathlib import Path

import pytest

from harness.storage import ObjectStore, mirror_of, remove_leftovers, remove_run, stored_runs
from harness.storage.lease import Lease
from tests.harness.storage.stores import Machines, Weather, weather_of_all
from tests.runfolders import stored_run

OVER = Lease(holder="the dead", until="2020-01-01T00:00:00+00:00").model_dump_json().encode()
READING = {"find", "ls", "cat", "cat_file"}


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(tmp_path, monkeypatch)


def keys(store: ObjectStore) -> list[str]:
    return [each.key for each in store.list_objects()]


def end_leases(store: ObjectStore) -> None:
    """Let the time go by after which a lease of the dead is over."""
    for each in list(store.list_objects(".leases")):
        store.put(each.key, OVER)


def removal_calls(machines: Machines, weather: Weather) -> int:
    """How often a store is asked while one run is removed."""
    runs = machines.runs("count")
    (run,), _ = stored_runs(runs)
    weather.calls.clear()
    assert remove_run(runs, run)
    return len(weather.calls)


def test_nothing_is_left_of_a_run_and_others_stay(machines: Machines) -> None:
    runs = machines.runs("a")
    for name in ("1", "2"):
        stored_run(runs, name, {"A": [True]}).publish()
    store = mirror_of(runs).store  # type: ignore[union-attr]
    store.put("notes/read.me", b"no run")
    other = [key for key in keys(store) if "/1/" not in f"/{key}" and not key.endswith("1.json")]
    first = stored_runs(runs)[0][0]
    assert remove_run(runs, first)
    assert not [key for key in keys(store) if key.startswith(("1/", ".runs/1", ".leases/1"))]
    assert set(other) <= set(keys(store))
    assert remove_leftovers(runs) == 0
    assert store.get("notes/read.me") == b"no run"
    assert not (runs / "1").exists()


def test_a_removal_holds_the_lease_until_all_is_gone(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, there = machines.runs("a"), machines.runs("b")
    stored_run(runs, "1", {"A": [True]}).publish()
    (run,), _ = stored_runs(runs)
    seen = []
    delete = ObjectStore.delete

    def watched(store: ObjectStore, names: list[str]) -> None:
        if names and not names[0].startswith(".leases"):
            seen.append(mirror_of(there).is_leased("1"))  # type: ignore[union-attr]
        delete(store, names)

    monkeypatch.setattr(ObjectStore, "delete", watched)
    assert remove_run(runs, run)
    assert seen
    assert all(seen)


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "store down"])
def test_the_next_removal_ends_one_that_stopped_anywhere(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, *, killed: bool
) -> None:
    weather = weather_of_all(monkeypatch)
    stored_run(machines.runs("a"), "1", {"A": [True, False]}).publish()
    calls = removal_calls(machines, weather)
    for count in range(calls):
        runs, there = machines.runs(f"a{count}"), machines.runs(f"b{count}")
        stored_run(runs, "1", {"A": [True, False]}).publish()
        (run,), _ = stored_runs(runs)
        store = mirror_of(there).store  # type: ignore[union-attr]
        weather.errors = [None] * count
        weather.errors += [KeyboardInterrupt()] * 9 if killed else [PermissionError()]
        with suppress(KeyboardInterrupt, Exception):
            remove_run(runs, run)
        weather.errors.clear()
        end_leases(store)
        for each in stored_runs(there)[0]:  # one that nobody began to remove yet
            assert remove_run(there, each)
        remove_leftovers(there)
        assert keys(store) == [], count
        stored_runs(runs)
        remove_leftovers(runs)
        assert not list(runs.glob("*/manifest.json"))


def test_a_run_that_only_lacks_its_stamp_is_no_leftover(machines: Machines) -> None:
    runs = machines.runs("a")
    stored_run(runs, "1", {"A": [True]}).publish()
    store = mirror_of(runs).store  # type: ignore[union-attr]
    store.delete([".runs/1.json"])
    before = keys(store)
    assert remove_leftovers(machines.runs("b")) == 0
    assert keys(store) == before
    assert [each.name for each in stored_runs(machines.runs("b"))[0]] == ["1"]


def test_what_somebody_makes_or_removes_is_no_leftover(machines: Machines) -> None:
    runs, there = machines.runs("a"), machines.runs("b")
    mirror, other = mirror_of(runs), mirror_of(there)
    assert mirror is not None
    assert other is not None
    with mirror.lease("1"):
        mirror.store.put("1/cases/A.json", b"{}")  # its manifest follows
        assert remove_leftovers(there) == 0
    assert remove_leftovers(there) == 1
    assert keys(mirror.store) == []


def test_what_is_only_looked_at_is_not_written(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = machines.runs("a")
    folder = stored_run(runs, "1", {"A": [True]}, trials={"A": 2}, decided=False)
    weather = weather_of_all(monkeypatch)
    assert [each.state for each in stored_runs(machines.runs("b"))[0]] == ["unfinished"]
    assert set(weather.calls) <= READING
    with folder.lock():
        weather.calls.clear()
        assert [each.state for each in stored_runs(machines.runs("b"))[0]] == ["running"]
        assert set(weather.calls) <= READING
