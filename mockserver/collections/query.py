"""What a list asks of a collection: rows and their order, of which only what is taken is read."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Protocol, TypeVar, overload

from typing_extensions import override

from mockserver.collections.selections import NOTHING, Bounds, ByIndex, Selection
from mockserver.collections.sorted_tree import LAST, Entry
from mockserver.collections.store import AS_PUT, Index, Range, Store
from mockserver.model import JsonObject

T = TypeVar("T")

_NUMBER_OF = itemgetter(1)


class Sortable(Protocol):
    """A field that rows are ordered by.

    Attributes:
        name: Its name, for explanations.
        values: The index of its ranks; what is behind the rank `NOTHING` is not for order.
    """

    name: str
    values: Index

    def rank(self, row: JsonObject) -> tuple[Any, ...]:
        """What a row is put in order by; rows of the rank `NOTHING` come last either way."""
        ...


SortKey = tuple[Sortable, bool]
"""A field that rows are ordered by, and whether from the greatest value to the least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked of a store.

    Attributes:
        name: The collection's name, for explanations.
        where: Which rows; all for None.
        order: What they are ordered by, what counts most first; as they were put for nothing.
        newest_first: Whether rows in no other order come from the latest to the first.
    """

    name: str = ""
    where: Selection | None = None
    order: tuple[SortKey, ...] = ()
    newest_first: bool = False

    def keys(self, store: Store) -> Sequence[str]:
        """The keys of the rows in their order."""
        found = self._find(store)
        plans = _PLANS.get()
        if plans is not None:
            plans.append(self._explain(found))
        return found

    def _find(self, store: Store) -> Sequence[str]:
        if self.where is None:
            return RowKeys(store, self.order, down=self.newest_first)
        found = self._side_by_side(store)
        if found is not None:
            return found
        places = self.where.places()
        if self.order:
            return in_order(store, places, self.order)
        ordered = [entry[2] for entry in places]
        return ordered[::-1] if self.newest_first else ordered

    def _side_by_side(self, store: Store) -> "RowKeys | None":
        """The keys, where the rows stand side by side in the order that is asked for."""
        where = self.where
        if not isinstance(where, ByIndex) or where.bounds is None:
            return None
        low, high = bounds = where.bounds
        if self.order:
            first = self.order[0][0].values
            is_same = first is where.index and isinstance(high, tuple) and high <= NOTHING
            return RowKeys(store, self.order, bounds=bounds) if is_same else None
        is_equal = high == (*low, LAST) if isinstance(low, tuple) else False
        if not is_equal:
            return None
        return RowKeys(store, down=self.newest_first, rows=where.ranges[0])

    def rows(self, store: Store) -> Sequence[JsonObject]:
        """The rows in their order."""
        return Rows(store, self.keys(store))

    def _explain(self, keys: Sequence[str]) -> str:
        """How its rows were found, in words."""
        found = "all rows" if self.where is None else self.where.explain()
        by = ", ".join(f"{field.name}{' descending' * down}" for field, down in self.order)
        order = f"by {by}" if by else "the latest first" if self.newest_first else "as put"
        how = "from an index" if isinstance(keys, RowKeys) or not by else "sorted"
        return f"{self.name}: {found}; {len(keys)} found; {order}, {how}"


_PLANS: ContextVar[list[str] | None] = ContextVar("plans", default=None)


@contextmanager
def explained_queries() -> Iterator[list[str]]:
    """Collects how the queries inside find their rows.

    Yields:
        A list that gets a sentence for each query.
    """
    plans: list[str] = []
    token = _PLANS.set(plans)
    try:
        yield plans
    finally:
        _PLANS.reset(token)


def is_explaining() -> bool:
    """Whether somebody asks how rows are found, so that no list that is kept may answer."""
    return _PLANS.get() is not None


class Parts(Sequence[T], ABC):
    """A sequence that is made part by part: only what is taken is looked for."""

    __slots__ = ()

    @abstractmethod
    def part(self, start: int, stop: int) -> list[T]:
        """What stands from one place up to another."""

    @override
    def __iter__(self) -> Iterator[T]:
        return iter(self.part(0, len(self)))

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    @override
    def __getitem__(self, at: int | slice) -> T | list[T]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return self.part(places, places + 1)[0]
        if places.step == 1:
            return self.part(places.start, places.stop)
        return [self[place] for place in places]


class Rows(Parts[JsonObject]):
    """The rows with some keys, of which only those are read that are taken.

    Args:
        store: The rows.
        keys: Their keys.
    """

    __slots__ = ("_get", "keys")

    def __init__(self, store: Store, keys: Sequence[str]) -> None:
        self._get = store.rows()
        self.keys = keys

    @override
    def __len__(self) -> int:
        return len(self.keys)

    @override
    def part(self, start: int, stop: int) -> list[JsonObject]:
        return [self._get[key] for key in self.keys[start:stop]]


def in_order(store: Store, places: Sequence[Entry], keys: Sequence[SortKey]) -> list[str]:
    """The keys of some rows in an order by fields; those without a field come last."""
    if len(keys) == 1 and len(places) * 4 > len(store):
        return _walked(store, places, keys[0])
    get, found = store.get, [entry[2] for entry in places]
    for field, down in reversed(keys):  # sorting is stable, so the first key counts most
        ranks = {key: field.rank(get(key) or {}) for key in found}
        missing = [key for key in found if ranks[key] is NOTHING]
        if missing:
            found = [key for key in found if ranks[key] is not NOTHING]
        found.sort(key=ranks.__getitem__, reverse=down)
        found += missing
    return found


def _walked(store: Store, places: Sequence[Entry], by: SortKey) -> list[str]:
    """Many rows in the order that an index has them in."""
    field, down = by
    wanted = set(map(_NUMBER_OF, places))
    having = store.between(field.values, (), NOTHING).entries()
    if down:
        having.sort(key=itemgetter(0), reverse=True)
    missing = store.find(field.values, NOTHING).entries()
    return [entry[2] for entry in chain(having, missing) if entry[1] in wanted]


class RowKeys(Parts[str]):
    """The keys of rows in an order by fields, of which only what is taken is looked for.

    Args:
        store: The rows.
        keys: What they are ordered by; as they were put for nothing.
        down: Whether the latest comes first where they are ordered by nothing.
        bounds: Which values of the first field are meant; none where all rows are.
        rows: Which rows are meant where they are ordered by nothing; all for None.
    """

    def __init__(
        self,
        store: Store,
        keys: Sequence[SortKey] = (),
        *,
        down: bool = False,
        bounds: Bounds = ((), (*NOTHING, LAST)),
        rows: Range | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._low = bounds[0]
        self._is_whole = rows is None
        if keys:
            field, self._down = keys[0]
            self._rows = store.between(field.values, *bounds)
            self._having = len(store.between(field.values, self._low, min(bounds[1], NOTHING)))
        else:
            self._down = down
            self._rows = store.in_order() if rows is None else rows

    @override
    def __len__(self) -> int:
        return len(self._rows)

    @override
    def part(self, start: int, stop: int) -> list[str]:
        if not self._keys:
            if self._down:
                entries = self._rows.entries(len(self) - stop, len(self) - start)[::-1]
            else:
                entries = self._rows.entries(start, stop)
            return [entry[2] for entry in entries]
        if len(self._keys) == 1 and not self._down:
            return [entry[2] for entry in self._rows.entries(start, stop)]
        found: list[str] = []
        while start < stop:
            begin, keys = self._group(start)
            found += keys[start - begin : stop - begin]
            start = begin + len(keys)
        return found

    def _group(self, place: int) -> tuple[int, list[str]]:
        """Where the rows begin that have the same first value as the one at a place, and they."""
        is_turned = self._down and place < self._having
        at = self._having - 1 - place if is_turned else place
        value = self._rows.entries(at, at + 1)[0][0]
        index = self._keys[0][0].values
        before = len(self._store.between(index, self._low, value))
        group = self._store.find(index, value).entries()
        begin = self._having - before - len(group) if is_turned else before
        return begin, in_order(self._store, group, self._keys[1:])

    def place(self, key: str) -> int | None:
        """Where the row with a key stands, or None."""
        if self._keys or not self._is_whole:
            return next((number for number, each in enumerate(self[:]) if each == key), None)
        place = self._store.place(AS_PUT, key)
        return len(self) - 1 - place if self._down else place
