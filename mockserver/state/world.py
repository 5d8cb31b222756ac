"""The world of one session: a shared base, and what the session wrote over it."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from itertools import product
from typing import Any

from mockserver.collections import Store
from mockserver.model import Fault, Json, JsonObject
from mockserver.state.clock import Clock, parse_clock_time, shift_time
from mockserver.state.history import REMEMBERED, Change, History
from mockserver.state.ids import Ids
from mockserver.state.outbox import Message

TOKENS = "tokens"
"""Collection of issued access tokens: state of the server, so never in a diff."""

OPERATIONS = "operations"
"""Collection of long-running operations; they report changes and are none, so never in a diff."""

CHANNELS = "channels"
"""Collection of what is watched, and the addresses that are told of its changes."""

NOTIFICATIONS = "notifications"
"""Collection of the messages to them; they report changes and are none, so never in a diff."""

_NOT_CHANGES = frozenset({TOKENS, OPERATIONS, NOTIFICATIONS})
UNGUARDED = "0"
"""The secret of worlds that no server serves, which need no protection."""

_EMPTY = Store()
_RECENT = 2048
"""Rows in session time that a session keeps, so that what was made of them can be kept, too."""


@dataclass(frozen=True)
class Base:
    """A resolved snapshot, API-shaped and indexed; shared by every session that starts from it.

    Attributes:
        tables: Collection name to table.
        times: Collection name to the paths of its timestamp fields (`("id", "time")`; `*` is every
            item).
        captured_at: When the snapshot was true.
        faults: Faults of the snapshot (`errors`, `faults`).
        stubs: Literal HTTP answers (`http`), as given.
        tools: Tool definitions with their responses (`tools`), as given.
        mcp: What MCP clients are served beside tools (`mcp`), as given.
        keys: The top-level keys of the snapshot.
        silent: Stores that tell how a change was told, not what was changed.
    """

    tables: Mapping[str, Store]
    times: Mapping[str, tuple[tuple[str, ...], ...]]
    captured_at: datetime
    faults: tuple[Fault, ...] = ()
    stubs: tuple[JsonObject, ...] = ()
    tools: Mapping[str, JsonObject] = field(default_factory=dict)
    keys: frozenset[str] = frozenset()
    mcp: JsonObject = field(default_factory=dict)
    silent: frozenset[str] = frozenset()

    @cached_property
    def names_stubs(self) -> bool:
        """Whether a stub has an id, which names what it answers."""
        return any(stub.get("id") for stub in self.stubs)

    @cached_property
    def stub_hosts(self) -> frozenset[str]:
        """The hosts that stubs name."""
        addresses = (str(stub.get("url", "")).rpartition("://")[2] for stub in self.stubs)
        return frozenset(address.partition("/")[0].lower() for address in addresses) - {""}


class World:
    """Collections of one session, in session time; what it writes stands over the base.

    Attributes:
        base: What the session started from.
        clock: The session's clock.
        ids: Where the session's ids come from.
        session: The session's id.
        tokens: The credentials that were given out, and what became of them.
        secret: What the session's credentials are made of; who knows the id does not know it.
        account: The address that its first token stands for; empty for the administrator's.
        scopes: What that token is good for; empty for every API.
        history: The latest changes.
        answered: How often each stub and each tool answered, by its name.
        outbox: The messages that are to be sent.
        innermost: The transaction that is open, of several the one inside of all others; or None.
    """

    __slots__ = (
        "_moved", "_recent", "_written", "account", "answered", "base", "clock",
        "history", "ids", "innermost", "outbox", "scopes", "secret", "session", "tokens",
    )  # fmt: skip

    def __init__(
        self, base: Base, *, clock: Clock, ids: Ids, session: str, secret: str = UNGUARDED
    ) -> None:
        self.base = base
        self.session = session
        self.secret = secret
        self.account = ""
        self.scopes: tuple[str, ...] = ()
        self.clock = clock
        self.ids = ids
        self._moved: dict[str, Store] = {}
        self._recent: OrderedDict[int, tuple[JsonObject, JsonObject]] = OrderedDict()
        # tokens are no part of a snapshot: they are the session's own from its beginning
        self.tokens = base.tables.get(TOKENS, _EMPTY).copy()
        self._written: dict[str, Store] = {TOKENS: self.tokens}
        self.history = History()
        self.innermost: Transaction | None = None
        self.answered: dict[str, int] = {}
        self.outbox: tuple[Message, ...] = ()

    def count(self, name: str) -> int:
        """Note that a stub or a tool answers once more; how often it did by now."""
        found = self.answered[name] = self.answered.get(name, 0) + 1
        return found

    def table(self, name: str) -> Store:
        """A collection to read; empty when the snapshot has none of that name."""
        found = self._written.get(name)
        if found is not None:
            return found
        base = self.base
        return self._original(name) if name in base.times else base.tables.get(name, _EMPTY)

    def is_empty(self, name: str) -> bool:
        """Whether a collection has no rows."""
        found = self._written.get(name)
        if found is None:
            found = self.base.tables.get(name)
        return found is None or not len(found)

    def _original(self, name: str) -> Store:
        table = self.base.tables.get(name, _EMPTY)
        times = self.base.times.get(name)
        if not times or not self.clock.shift:
            return table
        moved = self._moved.get(name)
        if moved is None:
            seconds = int(self.clock.shift.total_seconds())  # a shift has no parts of seconds
            moved = self._moved[name] = table.moved(partial(_move_row, times), seconds)
        return moved

    def stored_table(self, name: str) -> tuple[Store, timedelta]:
        """A collection as it is stored, and what its timestamps lack to be session time.

        Until the session's first write that is the base's own table, so that an index of it is made
        once for all sessions; `in_session_time` makes a row of it what the session holds.
        """
        written = self._written.get(name)
        if written is not None or name not in self.base.times:
            return self.table(name), timedelta(0)
        return self.base.tables.get(name, _EMPTY), self.clock.shift

    def in_session_time(self, name: str, row: JsonObject) -> JsonObject:
        """A row of the base with its timestamps in session time; mostly the same object again."""
        times = self.base.times.get(name)
        if not times or not self.clock.shift:
            return row
        # each entry holds on to its row, so that an identity is never that of another one
        found = self._recent.get(id(row))
        if found is None:
            if len(self._recent) >= _RECENT:
                self._recent.popitem(last=False)
            found = self._recent[id(row)] = (row, shift_row(row, times, self.clock.shift))
        return found[1]

    def put(self, name: str, key: str, row: JsonObject) -> None:
        """Add or replace a resource."""
        table, before = self._note(name, key, row)
        table.replace(key, before, row)

    def keep(self, name: str, key: str, row: JsonObject) -> None:
        """Put what is never taken back: it counts requests, also those that are refused."""
        self._writable(name).put(key, row)

    def delete(self, name: str, key: str) -> None:
        """Remove a resource; a key that is not there is ignored."""
        self._note(name, key, None)[0].delete(key)

    def _note(
        self, name: str, key: str, after: JsonObject | None
    ) -> tuple[Store, JsonObject | None]:
        """Note a change; the collection that it is about to be made in, and the row before."""
        written, history = self._written.get(name), self.history
        table = self._writable(name) if written is None else written
        before = table.get(key)
        if name == TOKENS or (before is None and after is None):
            return table, before
        inner = self.innermost
        change = Change(
            history.latest + 1, history.request, name, key, before, after, self.now(),
            -1 if before is None else table.added_at(key), written is None,
        )  # fmt: skip
        history.add(change)
        if inner is not None:
            inner.changes.append(change)
        return table, before

    def transaction(self) -> "Transaction":
        """Everything that is written inside is kept, or nothing when an exception leaves it."""
        return Transaction(self)

    def now(self) -> datetime:
        """Session time; the same throughout a transaction, all of which happens at once."""
        inner = self.innermost
        if inner is None:
            return self.clock.now()
        whole = inner.outermost or inner
        moment = whole.moment
        if moment is None:
            moment = whole.moment = self.clock.now()
        return moment

    @property
    def is_changing(self) -> bool:
        """Whether a transaction is open."""
        return self.innermost is not None

    def undo(self, since: int) -> list[Change]:
        """Take changes back, the latest first.

        Args:
            since: The number of the last change that stays.

        Returns:
            What was taken back, the latest first.

        Raises:
            LookupError: Some of them are forgotten.
        """
        changes = self.history.since(since)
        if changes is None:
            raise LookupError(f"only the latest {REMEMBERED:,} changes are remembered")
        self.revert(changes)
        return changes[::-1]

    def revert(self, changes: list[Change]) -> None:
        """Make the latest changes undone."""
        for change in reversed(changes):
            self._written[change.collection].revert(change.key, change.before, change.added_at)
            if change.is_first:
                del self._written[change.collection]
            self.history.forget(change)

    def _writable(self, name: str) -> Store:
        table = self._written.get(name)
        if table is None:
            table = self._written[name] = self._original(name).copy()
        return table

    @property
    def rows_written(self) -> int:
        """How many resources the collections hold that the session wrote to."""
        return sum(len(table) for table in self._written.values())

    def names(self) -> Iterable[str]:
        """The collections that hold or held something."""
        written = {name for name in self._written if name != TOKENS or len(self.tokens)}
        return sorted({*self.base.tables, *written})

    def written_collections(self) -> tuple[str, ...]:
        """The collections that were written to, also where that was undone."""
        return tuple(sorted(self._written.keys() - _NOT_CHANGES - self.base.silent))

    def diff(self) -> dict[str, JsonObject]:
        """What the session changed: collection to `added`, `removed` and `changed` rows by key."""
        changes = {}
        for name in self.written_collections():
            change = self._written[name].changes()
            if change:
                changes[name] = change
        return changes


class Transaction:
    """Writes of one world that are kept together; entering it tells what is changed, as it is.

    Attributes:
        changes: What is changed inside of it.
        outermost: The transaction that it is a part of, or None.
        moment: When its changes happen, in session time; None until somebody asks.
    """

    __slots__ = ("_outbox", "_outer", "_world", "changes", "moment", "outermost")

    def __init__(self, world: World) -> None:
        self._world = world
        self._outer = world.innermost
        self._outbox = world.outbox
        self.changes: list[Change] = []
        outer = self._outer
        self.outermost: Transaction | None = None if outer is None else outer.outermost or outer
        self.moment: datetime | None = None

    def __enter__(self) -> list[Change]:
        self._world.innermost = self
        return self.changes

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        world, outer = self._world, self._outer
        world.innermost = outer
        if kind is not None:
            world.revert(self.changes)
            world.outbox = self._outbox
        elif outer is not None:
            outer.changes += self.changes


def newest_time(
    tables: Mapping[str, Store], times: Mapping[str, tuple[tuple[str, ...], ...]]
) -> datetime | None:
    """The newest moment in the declared timestamp fields of some collections, or None.

    Moments at which no clock can stand (the year 9999 for "never") do not count, nor when things
    expire, which lies ahead.

    Args:
        tables: The collections by name.
        times: Collection name to the paths of its timestamp fields.
    """
    newest: datetime | None = None
    for name, paths in times.items():
        rows = tables[name].rows().values() if name in tables else ()
        past = [path for path in paths if "expir" not in path[-1].casefold()]
        for row, path in product(rows, past):
            for text in _texts_at(row, path):
                try:
                    moment = parse_clock_time(text)
                except ValueError:
                    continue
                newest = moment if newest is None else max(newest, moment)
    return newest


def _texts_at(value: Json, path: tuple[str, ...]) -> Iterator[str]:
    if not path:
        if isinstance(value, str):
            yield value
    elif path[0] == "*" and isinstance(value, list):
        for item in value:
            yield from _texts_at(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _texts_at(value[path[0]], path[1:])


def shift_row(row: JsonObject, paths: tuple[tuple[str, ...], ...], shift: timedelta) -> JsonObject:
    """Copy a resource with its declared timestamp fields moved.

    >>> shift_row({"id": {"time": "2026-01-01T00:00:00Z"}}, (("id", "time"),), timedelta(days=1))
    {'id': {'time': '2026-01-02T00:00:00Z'}}
    """
    moved: Any = row
    for path in paths:
        moved = _shift_at(moved, path, shift)
    return dict(moved)


def _move_row(paths: tuple[tuple[str, ...], ...], row: JsonObject, seconds: int) -> JsonObject:
    return shift_row(row, paths, timedelta(seconds=seconds))


def _shift_at(value: Json, path: tuple[str, ...], shift: timedelta) -> Json:
    if not path:
        return shift_time(value, shift) if isinstance(value, str) else value
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(value, list):
        return [_shift_at(item, rest, shift) for item in value]
    if isinstance(value, dict) and head in value:
        return {**value, head: _shift_at(value[head], rest, shift)}
    return value
