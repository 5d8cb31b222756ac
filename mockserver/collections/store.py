"""Rows in order, with indexes that are kept up at each write.

A store is a base that many share and never changes, and what was written over it. A copy copies
what was written, never the base; an index of the base is made once for all who share it, and a
store that is written goes on with a copy of it, which costs nothing.
"""

from collections.abc import (
    Callable,
    Hashable,
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    ValuesView,
)
from typing import Any, TypeVar, cast, overload

from typing_extensions import override

from mockserver.collections.lazy_rows import LazyRows
from mockserver.collections.moved_trees import LONGEST, Later, Move, MovedTrees
from mockserver.collections.sorted_tree import LAST, Entry, SortedTree
from mockserver.collections.words import BaseWords, WordIndex, Words
from mockserver.model import JsonObject

T = TypeVar("T")

_MOST_INDEXES = 128
"""Indexes of one collection that are kept: callers of some may ask for any field."""

_MOST_LOOKUPS = 4096
_MOST_COMPARED = 2000
_BESIDE = 20
"""Of more rows so many are compared before and behind the place that a text would have."""


class Index:
    """What rows are found by and put in order by; equal to itself only, so it is made once.

    Attributes:
        values: What a row is found by, of its key and the row: any number of values, none twice,
            that can be compared with those of other rows.
        timed: Whether the values are of timestamps, which differ between sessions.
        later: Moves a value where the timestamps of its row are moved, so that sessions need not
            make the index anew; None where only a moved row tells.
        make: Makes what the index holds beside each row's key, for rows that are gone through by
            the thousand; None for nothing.
    """

    __slots__ = ("later", "make", "timed", "values")

    def __init__(
        self,
        values: Callable[[str, JsonObject], Iterable[Any]],
        *,
        timed: bool = False,
        later: Later | None = None,
        make: Callable[[str, JsonObject], object] | None = None,
    ) -> None:
        self.values = values
        self.timed = timed
        self.later = later
        self.make = make

    def entries(self, key: str, number: int, row: JsonObject) -> Iterator[Entry]:
        """What it holds of a row.

        Yields:
            Value, number, key and what was made of the row, if anything is.
        """
        made = () if self.make is None else (self.make(key, row),)
        for value in self.values(key, row):
            yield (value, number, key, *made)


AS_PUT = Index(lambda _, __: ((),))
"""Rows in the order they were put."""

BY_KEY = Index(lambda key, _: (key,))
"""Rows by their keys."""


class _Base:
    """Rows that are never changed, and what is made of them for all who share them."""

    __slots__ = (
        "_moved",
        "_ordinals",
        "_trees",
        "_words",
        "derived",
        "edges",
        "known",
        "lookups",
        "rows",
        "views",
    )

    def __init__(self, rows: Mapping[str, JsonObject] | Iterable[tuple[str, JsonObject]]) -> None:
        if isinstance(rows, LazyRows):
            self.rows: Mapping[str, JsonObject] = rows
            self.known = rows.known
        else:
            self.rows = self.known = dict(rows)
        self.derived: dict[Any, Any] = {}
        self.lookups: dict[Any, Any] = {}
        self.edges: dict[Index, dict[tuple[object, bool], str | None]] = {}
        self.views: dict[Any, dict[str, Any]] = {}
        self._ordinals: dict[str, int] = {}
        self._trees: dict[Index, SortedTree] = {}
        self._moved: dict[Index, MovedTrees] = {}
        self._words: dict[WordIndex, BaseWords] = {}

    def ordinal(self, key: str) -> int:
        """Which place a key has."""
        if not self._ordinals:
            self._ordinals = {each: number for number, each in enumerate(self.rows)}
        return self._ordinals[key]

    def tree(self, index: Index) -> SortedTree:
        found = self._trees.get(index)
        if found is None:
            if len(self._trees) >= _MOST_INDEXES:
                self._trees.clear()
            found = self._trees[index] = SortedTree(
                entry
                for number, (key, row) in enumerate(self.rows.items())
                for entry in index.entries(key, number, row)
            )
        return found

    def moved_trees(self, index: Index, later: Later, move: Move) -> MovedTrees:
        """What an index of times has of these rows and of the same rows moved."""
        found = self._moved.get(index)
        if found is None:
            if len(self._moved) >= _MOST_INDEXES:
                self._moved.clear()
            found = self._moved[index] = MovedTrees(index.values, later, self.rows, move)
        return found

    def words(self, index: WordIndex) -> BaseWords:
        found = self._words.get(index)
        if found is None:
            found = self._words[index] = BaseWords(index, self.rows.items())
        return found


class _MovedBase(_Base):
    """The rows of another base with their timestamps moved, each when it is first asked for."""

    __slots__ = ("_move", "_of", "_seconds")

    def __init__(self, of: _Base, move: Move, seconds: int) -> None:
        super().__init__(LazyRows(of.rows, lambda _, row: move(row, seconds)))
        self._of = of
        self._move = move
        self._seconds = seconds

    @override
    def ordinal(self, key: str) -> int:
        return self._of.ordinal(key)

    @override
    def tree(self, index: Index) -> SortedTree:
        if not index.timed:
            return self._of.tree(index)
        if index.later is None or index.make or not 0 <= self._seconds <= LONGEST:
            return super().tree(index)
        found = self._trees.get(index)
        if found is None:
            trees = self._of.moved_trees(index, index.later, self._move)
            found = self._trees[index] = trees.tree(self._seconds, self.rows)
        return found

    @override
    def words(self, index: WordIndex) -> BaseWords:
        return self._of.words(index)


class Store:
    """One collection: rows by key, in the order they were put.

    Rows are values: a caller replaces a row, it never changes one in place. A row that is replaced
    keeps its place.
    """

    __slots__ = (
        "_added",
        "_base",
        "_changed",
        "_derived",
        "_edges",
        "_gone",
        "_lookups",
        "_next",
        "_trees",
        "_views",
        "_words",
    )

    def __init__(
        self, rows: Mapping[str, JsonObject] | Iterable[tuple[str, JsonObject]] = ()
    ) -> None:
        self._start(_Base(rows))

    def _start(self, base: _Base) -> None:
        self._base = base
        self._changed: dict[str, JsonObject | None] = {}
        self._added: dict[str, tuple[int, JsonObject]] = {}
        self._gone = 0
        self._next = len(base.rows)
        self._trees: dict[Index, SortedTree] = {}
        self._words: dict[WordIndex, Words] = {}
        self._derived: dict[Any, Any] = base.derived
        self._lookups: dict[Any, Any] = base.lookups
        self._edges = base.edges
        self._views: dict[Any, dict[str, Any]] = {}

    @property
    def base_rows(self) -> Mapping[str, JsonObject]:
        """The rows that it began with, which are never changed."""
        return self._base.rows

    def moved(self, move: Move, seconds: int) -> "Store":
        """A store of the same rows with their timestamps moved; nothing was written to this one.

        Args:
            move: Moves a row, the same for all stores that are made of this one.
            seconds: By how much.
        """
        twin = Store()
        twin._start(_MovedBase(self._base, move, seconds))
        return twin

    def copy(self) -> "Store":
        """A store of the same rows that can be written apart."""
        twin = Store()
        twin._start(self._base)
        if self._is_written:
            twin._changed, twin._added = self._changed.copy(), self._added.copy()
            twin._gone, twin._next = self._gone, self._next
            twin._trees = {index: tree.copy() for index, tree in self._trees.items()}
            twin._derived, twin._lookups, twin._edges = self._derived.copy(), {}, {}
        return twin

    def __len__(self) -> int:
        return len(self._base.rows) - self._gone + len(self._added)

    def __contains__(self, key: str) -> bool:
        if key in self._added:
            return True
        return self._changed[key] is not None if key in self._changed else key in self._base.rows

    def get(self, key: str) -> JsonObject | None:
        """The row with this key, or None."""
        added = self._added.get(key)
        if added is not None:
            return added[1]
        if key in self._changed:
            return self._changed[key]
        return self._base.rows.get(key)

    def rows_of(self, entries: Iterable[Entry]) -> list[JsonObject]:
        """The rows of some entries of an index."""
        base = self._base
        if not self._is_written:
            known = base.known
            return [known.get(entry[2]) or base.rows.get(entry[2]) or {} for entry in entries]
        get = self.get
        return [get(entry[2]) or {} for entry in entries]

    def rows(self) -> Mapping[str, JsonObject]:
        """All rows by key, in order; it shows what is written later."""
        rows = self._base.rows
        return rows if isinstance(rows, dict) and not self._is_written else _Rows(self)

    def pairs(self) -> Iterable[tuple[str, JsonObject]]:
        """All keys and rows, in order."""
        if not self._is_written:
            return self._base.rows.items()
        return self._merged()

    def _merged(self) -> Iterator[tuple[str, JsonObject]]:
        changed = self._changed
        if not changed:
            yield from self._base.rows.items()
        else:
            for key in self._base.rows:
                row = changed[key] if key in changed else self._base.rows[key]
                if row is not None:
                    yield key, row
        for key, (_, row) in self._added.items():
            yield key, row

    @property
    def _is_written(self) -> bool:
        return self._derived is not self._base.derived

    def derived(self, build: Callable[["Store"], T]) -> T:
        """What `build` makes of all rows; built once, then kept until the next write."""
        try:
            found: T = self._derived[build]
        except KeyError:
            found = self._derived[build] = build(self)
        return found

    # --- writes ---

    def put(self, key: str, row: JsonObject) -> None:
        """Add or replace a row."""
        self.replace(key, self.get(key), row)

    def replace(self, key: str, before: JsonObject | None, row: JsonObject) -> None:
        """Put a row over the one that is known to be there, or over None."""
        if before is None:
            self._added[key] = (self._next, row)
            self._next += 1
        elif key in self._added:
            self._added[key] = (self._added[key][0], row)
        else:
            self._changed[key] = row
        if self._trees or self._words:
            self._keep_up(key, self._ordinal(key), before, row)
        self._forget(key)

    def delete(self, key: str) -> None:
        """Remove a row; a key that is not there is ignored."""
        before = self.get(key)
        if before is None:
            return
        ordinal = self._ordinal(key) if self._trees or self._words else 0
        if key in self._added:
            del self._added[key]
        else:
            self._changed[key] = None
            self._gone += 1
        if self._trees or self._words:
            self._keep_up(key, ordinal, before, None)
        self._forget(key)

    def _keep_up(
        self, key: str, number: int, before: JsonObject | None, row: JsonObject | None
    ) -> None:
        """Have each index know a row that was replaced."""
        for index, tree in self._trees.items():
            self._update(tree, index, key, number, before, row)
        for words in self._words.values():
            words.replace(key, number, row)

    def _update(
        self,
        tree: SortedTree,
        index: Index,
        key: str,
        number: int,
        before: JsonObject | None,
        row: JsonObject | None,
    ) -> None:
        """Keep an index up with a row that was replaced."""
        old = () if before is None else tuple(index.values(key, before))
        new = () if row is None else tuple(index.values(key, row))
        if old == new and index.make is None:
            return
        made = () if index.make is None or row is None else (index.make(key, row),)
        for value in old:
            tree.remove((value, number, key))
        for value in new:
            tree.add((value, number, key, *made))
        edges = self._edges.get(index)
        if edges:
            for value in (*old, *new):
                edges.pop((value, False), None)
                edges.pop((value, True), None)

    def _forget(self, key: str) -> None:
        """Forget what was made of rows of which this one is another now."""
        if self._views:
            for kept in self._views.values():
                kept.pop(key, None)
        if self._derived is self._base.derived:
            self._edges = {}  # from now on each write forgets those that it moves
        self._derived = {}
        self._lookups = {}

    def added_at(self, key: str) -> int:
        """The number of a row that was added over the base; -1 for all others."""
        found = self._added.get(key)
        return -1 if found is None else found[0]

    def revert(self, key: str, before: JsonObject | None, added_at: int) -> None:
        """Take the latest write of a row back.

        Args:
            key: Its key.
            before: The row as it was, or None when there was none.
            added_at: What `added_at` was for it.
        """
        now, base = self.get(key), self._base
        if now is not None:
            self._keep_up(key, self._ordinal(key), now, None)
        self._added.pop(key, None)
        if key in base.rows:
            own = before if added_at < 0 else None
            was_gone = key in self._changed and self._changed[key] is None
            self._gone += (own is None) - was_gone
            self._changed[key] = own
            if own is base.rows[key]:
                del self._changed[key]
        if before is not None and added_at >= 0:
            latest = next(reversed(self._added.values()), (-1,))[0]
            self._added[key] = (added_at, before)
            if latest > added_at:
                self._added = dict(sorted(self._added.items(), key=lambda each: each[1][0]))
        if before is not None:
            self._keep_up(key, self._ordinal(key), None, before)
        self._forget(key)

    def _ordinal(self, key: str) -> int:
        added = self._added.get(key)
        return self._base.ordinal(key) if added is None else added[0]

    def changes(self) -> JsonObject:
        """What was written over the base: `added`, `removed` and `changed` rows by key."""
        base, changed = self._base, self._changed
        places = sorted(changed, key=base.ordinal)
        again = [key for key in self._added if key in base.rows]
        altered = {key: changed[key] for key in places} | {key: self.get(key) for key in again}
        change = {
            "added": {k: row for k, (_, row) in self._added.items() if k not in base.rows},
            "removed": {key: base.rows[key] for key in places if self.get(key) is None},
            "changed": {
                key: {"before": base.rows[key], "after": row}
                for key, row in sorted(altered.items(), key=lambda each: self._ordinal(each[0]))
                if row is not None and row is not base.rows[key] and row != base.rows[key]
            },
        }
        return {what: rows for what, rows in change.items() if rows}

    # --- what indexes find ---

    def _tree(self, index: Index) -> SortedTree:
        found = self._trees.get(index)
        if found is not None:
            return found
        found = self._base.tree(index)
        if not self._is_written:
            return found
        if len(self._trees) >= _MOST_INDEXES:
            self._trees.clear()
            self._edges = {}
        found = self._trees[index] = found.copy()
        for key, row in self._changed.items():
            self._update(found, index, key, self._base.ordinal(key), self._base.rows[key], row)
        for key, (number, row) in self._added.items():
            self._update(found, index, key, number, None, row)
        return found

    def words(self, index: WordIndex) -> Words:
        """What the rows say; a copy of this store makes its own again of what was written."""
        found = self._words.get(index)
        if found is None:
            found = self._words[index] = Words(index, self._base.words(index))
            for key, row in self._changed.items():
                found.replace(key, self._base.ordinal(key), row)
            for key, (number, row) in self._added.items():
                found.replace(key, number, row)
        return found

    def find(self, index: Index, value: object) -> "Range":
        """The rows that are found by a value, in the order they were put."""
        return self._range(index, (value,), (value, LAST))

    def _range(self, index: Index, low: Entry, high: Entry) -> "Range":
        place = (index, low, high)
        found = self._lookups.get(place)
        if found is None:
            tree = self._tree(index)
            start = tree.rank(low)
            found = tree, start, max(start, tree.rank(high))
            if len(self._lookups) >= _MOST_LOOKUPS:
                self._lookups.clear()
            self._lookups[place] = found
        return Range(self, *found)

    def first(self, index: Index, value: object) -> str | None:
        """The key of the first row that is found by a value, or None."""
        return self._edge(index, value, is_last=False)

    def _edge(self, index: Index, value: object, *, is_last: bool) -> str | None:
        place, edges = (value, is_last), self._edges.get(index)
        if edges is None:
            edges = self._edges[index] = {}
        elif place in edges:
            return edges[place]
        tree = self._tree(index)
        found = tree.last_before((value, LAST)) if is_last else tree.first_from((value,))
        kept = str(found[2]) if found is not None and found[0] == value else None
        if len(edges) >= _MOST_LOOKUPS:
            edges.clear()
        edges[place] = kept
        return kept

    def last(self, index: Index, value: object) -> str | None:
        """The key of the last row that is found by a value, or None."""
        return self._edge(index, value, is_last=True)

    def starting(self, index: Index, text: str) -> "Range":
        """The rows that are found by a text that begins so, in order of those texts."""
        return self.between(index, *text_range(text))

    def between(self, index: Index, low: object, high: object) -> "Range":
        """The rows that are found by values from one up to another, in order of the values."""
        return self._range(index, (low,), (high,))

    def in_order(self) -> "Range":
        """All rows, in the order they were put."""
        return self.ordered(AS_PUT)

    def ordered(self, index: Index) -> "Range":
        """All rows that the index has, in order of their values."""
        return self._range(index, (), (LAST,))

    def beside(self, name: str, index: Index = BY_KEY, start: str = "") -> list[Entry]:
        """The entries by texts among which one is looked for that is not there.

        Args:
            name: The text; of many rows only those beside its place are taken.
            index: An index of texts.
            start: What the texts begin with.
        """
        found = self.starting(index, start)
        if len(found) <= _MOST_COMPARED:
            return found.entries()
        place = len(self.between(index, start, name))
        return found.entries(max(place - _BESIDE, 0), place + _BESIDE)

    def place(self, index: Index, key: str) -> int:
        """Where the row with a key stands, by its first value, in what is `ordered`."""
        value = next(iter(index.values(key, self.rows()[key])))
        return self._tree(index).rank((value, self._ordinal(key), key))

    def values_as_put(self, index: Index) -> list[Any]:
        """The values that rows are found by, in the order of the first row of each."""

        def first(value: object) -> int:
            found = self._tree(index).first_from((value,))
            return -1 if found is None else int(found[1])

        return sorted(self.values(index), key=first)

    def remembered(self, key: Hashable, build: Callable[[], T]) -> T:
        """What `build` makes of rows of this store alone, by what was asked.

        Built once for a key, then kept until the next write, for all stores that share the rows;
        of many keys the latest few hundred at most.
        """
        kept = self.derived(_nothing_yet)
        if key in kept:
            found: T = kept[key]
            return found
        if len(kept) >= _REMEMBERED:
            kept.clear()
        made: T = build()
        kept[key] = made
        return made

    def values(self, index: Index, low: object = None, high: object = LAST) -> Iterator[Any]:
        """The values that rows are found by, in order; no write may come between.

        Args:
            index: The index.
            low: The first value that is meant; all before `high` for None.
            high: What is behind the last.

        Yields:
            Each value once.
        """
        tree: SortedTree = self._tree(index)
        behind: Entry = () if low is None else (low,)
        while (found := tree.first_from(behind)) is not None and found[0] < high:
            yield found[0]
            behind = (found[0], LAST)

    def views(self, make: Callable[[str, JsonObject], T], keys: Iterable[str]) -> list[T]:
        """What `make` makes of the keys and rows with some keys; kept until a row is replaced."""
        shared, own = self._base.views.setdefault(make, {}), self._views.setdefault(make, {})
        changed, added = self._changed, self._added
        found: list[T] = []
        for key in keys:
            kept = own if key in changed or key in added else shared
            if key not in kept:
                kept[key] = make(key, cast("JsonObject", self.get(key)))
            found.append(kept[key])
        return found


_REMEMBERED = 256


def _nothing_yet(_: Store) -> dict[Hashable, Any]:
    return {}


def text_range(text: str) -> tuple[str, object]:
    """The texts that begin so: the first of them, and what is behind the last."""
    known = text.rstrip(_LAST_CHARACTER)
    return text, known[:-1] + chr(ord(known[-1]) + 1) if known else LAST


class Range(Sequence[JsonObject]):
    """Rows that stand side by side in an index; good until the next write.

    Args:
        store: The rows.
        tree: The index.
        start: Where in it they begin.
        stop: Where they end.
    """

    __slots__ = ("_down", "_start", "_stop", "_store", "_tree")

    def __init__(self, store: Store, tree: SortedTree, start: int, stop: int) -> None:
        self._store = store
        self._tree = tree
        self._start = start
        self._stop = stop
        self._down = False

    @override
    def __len__(self) -> int:
        return self._stop - self._start

    def entries(self, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Value, number and key of the rows from one place up to another, and what was made."""
        end = len(self) if stop is None else min(stop, len(self))
        if self._down:
            found = self._tree.part(self._stop - end, self._stop - start)
            found.reverse()
            return found
        return self._tree.part(self._start + start, self._start + end)

    def places(self, start: int = 0, stop: int | None = None) -> list[Entry]:
        """As `entries`, in the order of the index; values of times are not those of a session."""
        end = len(self) if stop is None else min(stop, len(self))
        return self._tree.places(self._start + start, self._start + end)

    def row_keys(self) -> list[str]:
        """The keys of the rows."""
        return [entry[2] for entry in self.entries()]

    @override
    def __iter__(self) -> Iterator[JsonObject]:
        return iter(self._store.rows_of(self.entries()))

    def each(self) -> Iterator[JsonObject]:
        """The rows, looked for a few at a time as they are asked for; no write may come between.

        Yields:
            Rows, in order.
        """
        for start in range(0, len(self), _AT_ONCE):
            yield from self._store.rows_of(self.entries(start, start + _AT_ONCE))

    @overload
    def __getitem__(self, at: int) -> JsonObject: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[JsonObject]: ...

    @override
    def __getitem__(self, at: int | slice) -> JsonObject | Sequence[JsonObject]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return self._store.rows_of(self.entries(places, places + 1))[0]
        if at == _REVERSED:
            return self._reversed()
        if places.step == 1:
            return self._store.rows_of(self.entries(places.start, places.stop))
        return [self[place] for place in places]

    def _reversed(self) -> "Range":
        twin = Range(self._store, self._tree, self._start, self._stop)
        twin._down = not self._down
        return twin


_REVERSED = slice(None, None, -1)
_AT_ONCE = 50
_LAST_CHARACTER = chr(0x10FFFF)


class _Rows(Mapping[str, JsonObject]):
    """All rows of a store by key, as they are when they are asked for."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    @override
    def __getitem__(self, key: str) -> JsonObject:
        found = self._store.get(key)
        if found is None:
            raise KeyError(key)
        return found

    @override
    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._store.pairs())

    @override
    def __len__(self) -> int:
        return len(self._store)

    @override
    def items(self) -> ItemsView[str, JsonObject]:
        return _Items(self)

    @override
    def values(self) -> ValuesView[JsonObject]:
        return _Values(self)

    def pairs(self) -> Iterable[tuple[str, JsonObject]]:
        """All keys and rows, in order."""
        return self._store.pairs()


class _Items(ItemsView[str, JsonObject]):
    _mapping: _Rows

    @override
    def __iter__(self) -> Iterator[tuple[str, JsonObject]]:
        return iter(self._mapping.pairs())


class _Values(ValuesView[JsonObject]):
    _mapping: _Rows

    @override
    def __iter__(self) -> Iterator[JsonObject]:
        return (row for _, row in self._mapping.pairs())
