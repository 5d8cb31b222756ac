"""What a list asks of a collection: rows and their order, of which only what is taken is read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from operator import itemgetter
from typing import Any, Protocol, TypeVar, overload

from typing_extensions import override

from mockserver.collections.selections import (
    NOTHING,
    AllOf,
    Bounds,
    ByIndex,
    Selection,
    count_of,
)
from mockserver.collections.sorted_tree import LAST, Entry
from mockserver.collections.store import AS_PUT, Index, Range, Store
from mockserver.model import JsonObject

T = TypeVar("T")

_NUMBER_OF = itemgetter(1)
_RANK_OF = itemgetter(0)
_FEW = 200
"""Rows that are looked for, about, until a page is full, where half of them are meant."""
_MANY_ALIKE = 1000
"""Rows alike in the first of several fields that are worth an index of all these fields."""
_MOST_WALKED = 2000
"""Rows that are gone through before all that are meant are looked up."""
_READ = 20
"""Entries of an index that are gone through in the time in which the rank of one row is made."""


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
        within: Selects single values of an index, and all rows that are meant are in it: rows in no
            other order come value by value; None where they come as they were put.
    """

    name: str = ""
    where: Selection | None = None
    order: tuple[SortKey, ...] = ()
    newest_first: bool = False
    within: ByIndex | None = None

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
        look_up = partial(self._look_up, store, self.where)
        if self._has_many(store, len(self.where)):
            return WalkedKeys(self._every(store), self.where, look_up)
        return look_up()

    def _every(self, store: Store) -> "RowKeys":
        """The keys of rows in their order, among which are all that are meant."""
        if self.within is not None and not self.order:
            return RowKeys(store, rows=Ranges(self.within.ranges))
        return RowKeys(store, self.order, down=self.newest_first, bounds=self._bounds())

    def _look_up(self, store: Store, where: Selection) -> list[str]:
        places = where.places()
        if self.order:
            return [entry[2] for entry in in_order(store, places, self.order)]
        if self.within is not None:
            return [entry[2] for entry in self.within.value_by_value(places)]
        ordered = [entry[2] for entry in places]
        return ordered[::-1] if self.newest_first else ordered

    def _has_many(self, store: Store, count: int) -> bool:
        """Whether a page of so many rows is found sooner by going through all in their order."""
        if self.order and _is_dear(self.order[0][0].values):
            return count * 4 > len(store) > _FEW
        return count * count > _FEW * len(store)

    def _bounds(self) -> Bounds:
        """Between which values of the order's first field all rows are that are meant."""
        for each in self.where.parts if self.order and isinstance(self.where, AllOf) else ():
            if isinstance(each, ByIndex) and each.index is self.order[0][0].values:
                low, high = each.bounds or _EVERY
                if isinstance(high, tuple) and high <= NOTHING:
                    return low, high
        return _EVERY

    def _side_by_side(self, store: Store) -> "RowKeys | None":
        """The keys, where the rows stand side by side in the order that is asked for."""
        where = self.where
        if where is self.within and not self.order:
            return self._every(store)
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
        order = "value by value" if self.within is not None and not by else order
        how = "from an index" if isinstance(keys, RowKeys) or not by else "sorted"
        how = "read until a page is full" if isinstance(keys, WalkedKeys) else how
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
        """What stands from one place up to another; nothing of what lies behind the end."""

    @override
    def __iter__(self) -> Iterator[T]:
        return iter(self.part(0, len(self)))

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> list[T]: ...

    @override
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, int):
            at = at if at >= 0 else range(len(self))[at]
            return self.part(at, at + 1)[0]
        start, stop = at.start or 0, at.stop
        if stop is not None and 0 <= start <= stop and at.step in {None, 1}:
            return self.part(start, stop)  # to count all may mean to look for all
        places = range(len(self))[at]
        if places.step == 1:
            return self.part(places.start, places.stop)
        return [self[place] for place in places]


class LazySequence(Parts[T]):
    """What is found one by one, as far as it is taken."""

    __slots__ = ("_found", "_taken")

    def __init__(self, found: Iterable[T]) -> None:
        self._found = iter(found)
        self._taken: list[T] = []

    @override
    def __len__(self) -> int:
        self._taken += self._found
        return len(self._taken)

    @override
    def part(self, start: int, stop: int) -> list[T]:
        self._taken += islice(self._found, max(stop - len(self._taken), 0))
        return self._taken[start:stop]


class Rows(Parts[JsonObject]):
    """The rows with some keys, of which only those are read that are taken."""

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


def in_order(store: Store, places: Sequence[Entry], keys: Sequence[SortKey]) -> list[Entry]:
    """The entries of some rows in an order by fields; those without a field come last."""
    walks = 4 if keys and _is_dear(keys[0][0].values) else _READ
    if len(keys) == 1 and len(places) * walks > len(store):
        return _walked(store, places, keys[0])
    get, found = store.get, list(places)
    for field, down in reversed(keys):  # sorting is stable, so the first key counts most
        ranked = [(field.rank(get(entry[2]) or {}), entry) for entry in found]
        having = [each for each in ranked if each[0] is not NOTHING]
        having.sort(key=_RANK_OF, reverse=down)
        found = [entry for _, entry in having]
        found += [entry for rank, entry in ranked if rank is NOTHING]
    return found


def _walked(store: Store, places: Sequence[Entry], by: SortKey) -> list[Entry]:
    """Many rows in the order that an index has them in."""
    field, down = by
    wanted = set(map(_NUMBER_OF, places))
    having = store.between(field.values, (), NOTHING).entries()
    if down:
        having.sort(key=_RANK_OF, reverse=True)
    missing = store.find(field.values, NOTHING).entries()
    return [entry for entry in chain(having, missing) if entry[1] in wanted]


def _is_dear(index: Index) -> bool:
    """Whether each session has to make an index of its own times anew."""
    return index.timed and index.later is None


class _Down:
    """A rank that is smaller where another is greater."""

    __slots__ = ("rank",)

    def __init__(self, rank: tuple[Any, ...]) -> None:
        self.rank = rank

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Down) and self.rank == other.rank

    @override
    def __hash__(self) -> int:
        return hash(self.rank)

    def __lt__(self, other: object) -> bool:
        """Whether it comes first."""
        return not isinstance(other, _Down) or other.rank < self.rank

    def __gt__(self, other: object) -> bool:
        """Whether it comes last."""
        return isinstance(other, _Down) and self.rank < other.rank


@lru_cache(256)
def _together(keys: tuple[SortKey, ...]) -> Index:
    """The index of rows in an order by several fields."""

    def values(_: str, row: JsonObject) -> tuple[tuple[Any, ...]]:
        ranks = ((field.rank(row), down) for field, down in keys)
        return (tuple(LAST if rank is NOTHING else _Down(rank) if down else rank
                      for rank, down in ranks),)  # fmt: skip

    return Index(values, timed=any(field.values.timed for field, _ in keys))


_EVERY: Bounds = ((), (*NOTHING, LAST))


class Ranges:
    """Rows that stand in several places of an index, those of one place behind those of another."""

    __slots__ = ("_several",)

    def __init__(self, several: Sequence[Range]) -> None:
        self._several = several

    def __len__(self) -> int:
        return sum(map(len, self._several))

    def entries(self, start: int, stop: int) -> list[Entry]:
        """The entries of the rows from one place up to another."""
        found: list[Entry] = []
        for each in self._several:
            if stop <= 0:
                break
            if start < len(each):
                found += each.entries(max(start, 0), stop)
            start -= len(each)
            stop -= len(each)
        return found


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
        bounds: Bounds = _EVERY,
        rows: Range | Ranges | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._low = bounds[0]
        self._is_whole = rows is None
        self._has_every_row = rows is None and bounds == _EVERY
        self._rows: Range | Ranges
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
        return [entry[2] for entry in self.entries(start, stop)]

    def entries(self, start: int, stop: int) -> list[Entry]:
        """The entries of the rows from one place up to another."""
        size = len(self)
        start, stop = min(start, size), min(stop, size)
        if not self._keys:
            if self._down:
                return self._rows.entries(size - stop, size - start)[::-1]
            return self._rows.entries(start, stop)
        if len(self._keys) == 1 and not self._down:
            return self._rows.entries(start, stop)
        found: list[Entry] = []
        while start < stop:
            if found and len(self._keys) == 1 and start < self._having:
                whole = self._whole_groups(start, stop)
                found += whole
                start += len(whole)
                if start == stop:
                    break
            begin, group = self._group(start)
            if len(self._keys) == 1:
                found += group.entries(start - begin, stop - begin)
            elif self._is_worth_an_index(len(group)):
                return found + self._store.ordered(_together(tuple(self._keys))).entries(
                    start, stop
                )
            else:
                rows = in_order(self._store, group.entries(), self._keys[1:])
                found += rows[start - begin : stop - begin]
            start = begin + len(group)
        return found

    def _whole_groups(self, start: int, stop: int) -> list[Entry]:
        """The entries from the beginning of a group on, but for the last group, which may go on."""
        part = self._rows.entries(max(self._having - stop, 0), self._having - start)
        whole = [entry for entry in part if entry[0] != part[0][0]]
        whole.sort(key=_RANK_OF, reverse=True)  # stable: rows alike stay in their order
        return whole

    def _is_worth_an_index(self, alike: int) -> bool:
        first, *more = (field.values.timed for field, _ in self._keys)
        is_dear = any(more) and not first  # each session has its own index of times
        return alike > _MANY_ALIKE and self._has_every_row and not is_dear

    def _group(self, place: int) -> tuple[int, Range]:
        """Where the rows begin that have the same first value as the one at a place, and they."""
        is_turned = self._down and place < self._having
        at = self._having - 1 - place if is_turned else place
        value = self._rows.entries(at, at + 1)[0][0]
        index = self._keys[0][0].values
        before = len(self._store.between(index, self._low, value))
        group = self._store.find(index, value)
        return self._having - before - len(group) if is_turned else before, group

    def place(self, key: str) -> int | None:
        """Where the row with a key stands, or None."""
        if self._keys or not self._is_whole:
            return next((number for number, each in enumerate(self[:]) if each == key), None)
        if self._store.get(key) is None:
            return None
        place = self._store.place(AS_PUT, key)
        return len(self) - 1 - place if self._down else place


class WalkedKeys(Parts[str]):
    """The keys of many rows, found by going through all in their order until enough are found.

    Args:
        every: The keys of all rows.
        where: Which of them are meant.
        look_up: Finds all of those; asked when they are few after all, or are counted.
    """

    def __init__(
        self, every: RowKeys, where: Selection, look_up: Callable[[], Sequence[str]]
    ) -> None:
        self._every = every
        self._where = where
        self._look_up = look_up
        self._begin: list[str] = []
        self._walked = 0

    def each_of(self, several: Range) -> Iterator[Entry]:
        """The entries of the rows in another order, looked for as they are taken.

        Args:
            several: All rows in that order, or those of some bounds.

        Yields:
            Entries.
        """
        start, size = 0, 64
        while entries := several.entries(start, start + size):
            yield from self._where.among(entries)
            start, size = start + size, min(2 * size, 4096)

    @cached_property
    def _all(self) -> Sequence[str]:
        return self._look_up()

    def _first(self, count: int) -> Sequence[str]:
        """At least so many of the keys; all where there are no more."""
        size = len(self._every)
        while len(self._begin) < count and "_all" not in self.__dict__:
            if self._walked >= _MOST_WALKED:
                return self._all
            part = self._every.entries(self._walked, self._walked + max(16, self._walked))
            self._walked += len(part)
            self._begin += [entry[2] for entry in self._where.among(part)]
            if self._walked >= size:
                self._all = self._begin
        return self._all if "_all" in self.__dict__ else self._begin

    @override
    def __len__(self) -> int:
        return len(self._all) if "_all" in self.__dict__ else self._count

    @cached_property
    def _count(self) -> int:
        return count_of(self._where)

    @override
    def part(self, start: int, stop: int) -> list[str]:
        return list(self._first(stop)[start:stop])
