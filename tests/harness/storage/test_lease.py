import secrets
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime, timedelta

import pytest

from harness.errors import HarnessError
from harness.storage import ObjectStore
from harness.storage.lease import LEASE_S, LeaseTakenError, hold_lease, live_lease
from tests.harness.storage.stores import Weather
from tests.patience import wait_until

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def store() -> ObjectStore:
    return ObjectStore(f"memory://{secrets.token_hex(8)}/runs")


def hold(store: ObjectStore, holder: str, at: datetime = NOW) -> AbstractContextManager[None]:
    return hold_lease(store, ".leases/r", holder, lambda: at)


def test_one_writer_at_a_time(store: ObjectStore) -> None:
    with hold(store, "one"):
        with pytest.raises(LeaseTakenError, match="is being written by one"), hold(store, "two"):
            pass
        with hold_lease(store, ".leases/s", "two", lambda: NOW):  # another run is another matter
            pass
    with hold(store, "two"):
        pass


def test_the_lease_of_a_writer_that_died_ends(store: ObjectStore) -> None:
    dead = hold(store, "one")
    dead.__enter__()
    later = NOW + timedelta(seconds=LEASE_S + 1)
    with hold(store, "two", later):
        refused = pytest.raises(LeaseTakenError, match="two")
        with refused, hold(store, "three", later):
            pass
    dead.__exit__(None, None, None)


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"holder": "x", "until": "soon"}'])
def test_a_lease_that_cannot_be_read_holds_nobody_up(store: ObjectStore, broken: bytes) -> None:
    store.put(".leases/r/000001", broken)
    with hold_lease(store, ".leases/r", "two", lambda: NOW):
        assert store.get(".leases/r/000002") is not None


def test_a_lease_is_renewed_also_after_a_store_was_down(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.storage.lease.LEASE_S", 0.01)
    weather = Weather()
    with hold(weather.over(store), "one"):
        weather.errors = [PermissionError()]
        weather.calls.clear()
        wait_until(lambda: weather.calls.count("pipe_file") > 2, "a lease that is renewed")


def test_one_of_those_who_ask_at_once_gets_it(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, refused = ObjectStore.create, [True]

    def late(store: ObjectStore, key: str, content: bytes) -> bool:
        return False if refused and refused.pop() else create(store, key, content)

    monkeypatch.setattr(ObjectStore, "create", late)
    with hold(store, "one"):
        assert live_lease(store, ".leases/r", NOW) is not None
    assert live_lease(store, ".leases/r", NOW) is None
    monkeypatch.setattr(ObjectStore, "create", lambda *_: False)
    with pytest.raises(HarnessError, match="too many writers at once"), hold(store, "two"):
        pass


@pytest.mark.parametrize("failed", [True, False])
def test_nothing_is_left_of_the_lease_on_what_was_removed(
    store: ObjectStore, *, failed: bool
) -> None:
    with hold(store, "one"):
        pass
    removed = hold_lease(store, ".leases/r", "two", lambda: NOW, remove=True)
    with suppress(ValueError), removed:
        if failed:
            raise ValueError
    assert bool(list(store.list_objects())) is failed
    with hold(store, "three"):
        pass


def test_a_store_that_is_down_at_the_end_takes_nothing_back(store: ObjectStore) -> None:
    weather = Weather()
    with hold_lease(store, ".leases/r", "one", lambda: NOW):
        weather.over(store).url = store.url
        weather.always = OSError("gone")
