"""A lease on something in a store: one writer at a time, also where a writer has died.

Each holder has an object of its own, `<name>/<number>`, that only one of several can make. The one
with the highest number counts, until it is released or its time is over.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from pydantic import ValidationError

from harness.errors import HarnessError
from harness.model import Frozen
from harness.storage.object_store import ObjectStore, StoreDownError

LEASE_S = 120
"""How long a lease holds when its holder no longer renews it, seconds."""


class Lease(Frozen):
    """Who writes, and until when.

    Attributes:
        holder: The machine and the process.
        until: RFC 3339, by the holder's clock.
        released: Whether the holder let go of it.
    """

    holder: str
    until: str
    released: bool = False


class LeaseTakenError(HarnessError):
    """Somebody else holds it.

    Attributes:
        holder: Who.
        until: Until when, RFC 3339.
    """

    def __init__(self, name: str, held: Lease) -> None:
        super().__init__(
            f"{name} is being written by {held.holder}",
            hint=f"wait until it has ended; where it has died, its lease is over at {held.until}",
        )
        self.holder, self.until = held.holder, held.until


@contextmanager
def hold_lease(
    store: ObjectStore,
    name: str,
    holder: str,
    clock: Callable[[], datetime],
    *,
    remove: bool = False,
) -> Iterator[None]:
    """Be the only writer of something meanwhile; the lease is renewed by a thread.

    Args:
        store: Where it is.
        name: The prefix of its objects.
        holder: Who asks.
        clock: The time of day.
        remove: Whether nothing is left of the lease when all went well.

    Yields:
        Nothing.

    Raises:
        LeaseTakenError: Somebody else holds it.
        StoreDownError: The store cannot be used.
    """
    key = _take(store, name, holder, clock)
    over = threading.Event()

    def renew() -> None:
        while not over.wait(LEASE_S / 4):
            try:
                store.put(key, _lease_bytes(holder, clock))
            except StoreDownError:
                continue  # the next time may do; what is written meanwhile never overwrites

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    finished = False
    try:
        yield
        finished = True
    finally:
        over.set()
        thread.join()
        with suppress(StoreDownError):  # else it ends by itself
            if remove and finished:
                store.delete(sorted(each for each in _numbers(store, name).values() if each <= key))
            else:
                store.put(key, _lease_bytes(holder, clock, released=True))


def live_lease(store: ObjectStore, name: str, now: datetime) -> Lease | None:
    """The lease that somebody holds on something; nothing is written.

    Raises:
        StoreDownError: The store cannot be used.
    """
    numbers = _numbers(store, name)
    held = _read(store, numbers[max(numbers)]) if numbers else None
    return held if held is not None and not _is_over(held, now) else None


def _numbers(store: ObjectStore, name: str) -> dict[int, str]:
    keys = [each.key for each in store.list_objects(name)]
    return {int(tail): key for key in keys if (tail := key.rpartition("/")[2]).isdigit()}


def _take(store: ObjectStore, name: str, holder: str, clock: Callable[[], datetime]) -> str:
    for _ in range(10):
        numbers = _numbers(store, name)
        last = max(numbers, default=0)
        if last and (held := _read(store, numbers[last])) and not _is_over(held, clock()):
            raise LeaseTakenError(f"{store.url}/{name.rpartition('/')[0]}", held)
        key = f"{name}/{last + 1:06}"
        if store.create(key, _lease_bytes(holder, clock)):
            store.delete([each for number, each in numbers.items() if number < last])
            return key
    raise HarnessError(f"{store.url}/{name}: too many writers at once", hint="try again later")


def _lease_bytes(holder: str, clock: Callable[[], datetime], *, released: bool = False) -> bytes:
    until = clock() + timedelta(seconds=LEASE_S)
    lease = Lease(holder=holder, until=until.isoformat(), released=released)
    return lease.model_dump_json().encode()


def _read(store: ObjectStore, key: str) -> Lease | None:
    content = store.get(key)
    if content is None:
        return None
    try:
        return Lease.model_validate_json(content)
    except ValidationError:
        return None


def _is_over(held: Lease, now: datetime) -> bool:
    try:
        return held.released or datetime.fromisoformat(held.until) < now
    except (ValueError, TypeError):
        return True
