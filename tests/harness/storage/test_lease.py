import secrets
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from harness.storage import ObjectStore
from harness.storage.lease import LEASE_S, LeaseTakenError, hold_lease
from tests.harness.storage.stores import Weather

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


def test_a_store_that_is_down_at_the_end_takes_nothing_back(store: ObjectStore) -> None:
    weather = Weather()
    with hold_lease(store, ".leases/r", "one", lambda: NOW):
        weather.over(store).url = store.url
        weather.always = OSError("gone")
