"""Transactions: what was read in one must still be so when it commits; reads of the past."""

from base64 import b64encode
from collections.abc import Sequence
from typing import NamedTuple

from mockserver.apis.firestore import DOCUMENTS, TRANSACTIONS
from mockserver.apis.firestore.queries import read_query
from mockserver.apis.firestore.writes import latest_change, moment_text, read_time_of
from mockserver.collections import Store
from mockserver.googleapi import ApiError, failed_precondition, invalid
from mockserver.model import JsonObject
from mockserver.state import World, parse_rfc3339

_CONTENTION = "Too much contention on these documents. Please try again."


class View(NamedTuple):
    """The documents as one request reads them.

    Attributes:
        store: The documents.
        time: When they are so.
        transaction: The token of the transaction that reads them, or an empty string.
        is_new: Whether the request began it.
    """

    store: Store
    time: str
    transaction: str = ""
    is_new: bool = False


def open_view(world: World, root: str, given: JsonObject) -> View:
    """The documents as a request wants to read them: now, in the past or in a transaction.

    Args:
        world: The session.
        root: The root of the documents of the database.
        given: The request, with `readTime`, `transaction` or `newTransaction`.

    Raises:
        ApiError: 400: the time is too early or not yet, or the transaction is not open.
    """
    token, is_new = str(given.get("transaction") or ""), False
    if given.get("newTransaction") is not None:
        token, is_new = begin(world, root, given["newTransaction"]), True
    time = str(given.get("readTime") or "")
    if token:
        time = str(_open_transaction(world, root, token).get("readTime") or time)
    if time:
        return View(_store_at(world, time), time, token, is_new)
    return View(world.table(DOCUMENTS), moment_text(read_time_of(world)), token, is_new)


def _store_at(world: World, text: str) -> Store:
    """The documents as they were.

    Raises:
        ApiError: 400: that is not remembered, or yet to come.
    """
    moment, store = parse_rfc3339(text), world.table(DOCUMENTS)
    if moment > read_time_of(world):
        raise invalid("read_time cannot be in the future.")
    number = latest_change(world, moment)
    if number is None:
        return store
    changes = world.history.since(number)
    if changes is None:
        raise failed_precondition("The requested snapshot version is too old.")
    store = store.copy()
    for change in reversed(changes):
        if change.collection == DOCUMENTS:
            store.revert(change.key, change.before, change.added_at)
    return store


def begin(world: World, root: str, options: JsonObject) -> str:
    """The token of a new transaction.

    Raises:
        ApiError: 400: the time that it is to read cannot be read.
    """
    row: JsonObject = {"root": root, "open": True, "names": {}, "queries": []}
    if "readOnly" in options:
        time = str((options["readOnly"] or {}).get("readTime") or "")
        row |= {"readOnly": True, "readTime": time or moment_text(read_time_of(world))}
        _store_at(world, row["readTime"])
    token = b64encode(bytes.fromhex(world.ids.hex("firestoreTransaction", 40))).decode()
    world.keep(TRANSACTIONS, token, row)
    return token


def _open_transaction(world: World, root: str, token: str) -> JsonObject:
    row = world.table(TRANSACTIONS).get(token)
    if row is None or row.get("root") != root:
        raise invalid("Invalid transaction.")
    if not row["open"]:
        raise invalid("The referenced transaction has expired or is no longer valid.")
    return row


def note_documents(
    world: World, view: View, found: Sequence[tuple[str, JsonObject | None]]
) -> None:
    """Note which documents a transaction read."""
    row = world.table(TRANSACTIONS).get(view.transaction) if view.transaction else None
    if row is not None and not row.get("readOnly"):
        names = {name: _version(each) for name, each in found}
        world.keep(TRANSACTIONS, view.transaction, {**row, "names": {**names, **row["names"]}})


def note_query(
    world: World, view: View, parent: str, query: JsonObject, found: Sequence[JsonObject]
) -> None:
    """Note what a transaction found by a query."""
    row = world.table(TRANSACTIONS).get(view.transaction) if view.transaction else None
    if row is not None and not row.get("readOnly"):
        seen = [parent, query, _versions(found)]
        world.keep(TRANSACTIONS, view.transaction, {**row, "queries": [*row["queries"], seen]})


def _version(row: JsonObject | None) -> str:
    return "" if row is None else str(row.get("updateTime", "?"))


def _versions(rows: Sequence[JsonObject]) -> list[list[str]]:
    return [[row["name"], _version(row)] for row in rows]


def close(world: World, root: str, token: str) -> JsonObject:
    """End a transaction, whatever it read.

    Raises:
        ApiError: 400: it is not open.
    """
    row = _open_transaction(world, root, token)
    world.keep(TRANSACTIONS, token, {"root": root, "open": False})
    return row


def finish(world: World, root: str, token: str, writes: Sequence[JsonObject]) -> None:
    """End a transaction that commits some writes.

    Raises:
        ApiError: 400: it is not open, or must not write; 409: what it read has changed.
    """
    row = close(world, root, token)
    if row.get("readOnly"):
        if writes:
            raise invalid("Cannot modify entities in a read-only transaction.")
        return
    store = world.table(DOCUMENTS)
    is_as_read = all(_version(store.get(name)) == seen for name, seen in row["names"].items())
    for parent, query, seen in row["queries"] if is_as_read else ():
        found = list(read_query(world, store, parent, query).rows())
        is_as_read = is_as_read and _versions(found) == seen
    if not is_as_read:
        raise ApiError(409, _CONTENTION, reason="aborted", code_name="ABORTED")
