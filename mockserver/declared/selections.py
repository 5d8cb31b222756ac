"""Conditions and orders of a declared collection's rows, answered by indexes of its fields."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, overload

import orjson
from typing_extensions import override

from mockserver.collections import AS_PUT, LAST, Entry, Index, Range, Store, text_range
from mockserver.collections.places import value_at
from mockserver.declared.declaration import Operator
from mockserver.model import Json, JsonObject

_NUMBER_OF = itemgetter(1)
"""Where an entry's row stands among all."""

Bounds = tuple[Any, Any]
"""The first value that is meant, and what is behind the last."""

_BOOLEANS = {"true": True, "false": False}
_NOTHING = (9,)
_BOOLEAN, _NUMBER, _TEXT, _OTHER = range(4)
_ITEM = 10


class FieldIndexes:
    """One field of all rows.

    Attributes:
        values: Rows by the value, and behind all values by each item of one that is an array.
        texts: Rows by the value as text without letter case, for what is looked for in it.

    Args:
        field: The field, with dots between for what is inside others.
        timed: Whether it has timestamps.
    """

    def __init__(self, field: str, *, timed: bool = False) -> None:
        self._name, *self._inside = field.split(".")
        self.values = Index(self._find_values, timed=timed)
        self.texts = Index(self._find_texts, timed=timed)

    def rank(self, row: JsonObject) -> tuple[Any, ...]:
        """What a row is put in order by."""
        return _key(self._value(row))

    def _value(self, row: JsonObject) -> Json:
        value = row.get(self._name)
        return value_at(value, self._inside) if self._inside else value

    def _find_values(self, _: str, row: JsonObject) -> Iterable[Any]:
        value = self._value(row)
        if not isinstance(value, list):
            return (_key(value),)
        return (_key(value), *dict.fromkeys((_ITEM, *_key(item)) for item in value))

    def _find_texts(self, _: str, row: JsonObject) -> Iterable[Any]:
        key = self.rank(row)
        return () if key == _NOTHING else (_key_text(key).casefold(),)

    def select(self, store: Store, op: Operator, wanted: Sequence[str]) -> "Selection":
        """Which rows a condition holds for.

        Args:
            store: The rows.
            op: How values are compared.
            wanted: What they are compared with, as a query has it.
        """
        text = wanted[-1]
        match op:
            case "in" | "==":
                texts = wanted if op == "in" else [text]
                return self._among(store, chain.from_iterable(map(_equal_to, texts)))
            case "!=":
                return self._among(store, _equal_to(text), negated=True)
            case "exists":
                is_asked = text.casefold() not in {"false", "0", "no"}
                return self._among(store, [_NOTHING], negated=is_asked)
            case "<" | "<=" | ">" | ">=":
                return Selection(store, self.values, list(_compared(op, text)))
            case _:
                return self._with_text(store, op, text.casefold())

    def _among(
        self, store: Store, keys: Iterable[tuple[Any, ...]], *, negated: bool = False
    ) -> "Selection":
        bounds = [(key, (*key, LAST)) for key in dict.fromkeys(keys)]
        return Selection(store, self.values, bounds, negated=negated)

    def _with_text(self, store: Store, op: str, needle: str) -> "Selection":
        if op == "starts_with":
            return Selection(store, self.texts, [text_range(needle)])
        if op == "ends_with":
            return Selection(
                store, self.texts, [text_range("")], lambda text: text.endswith(needle)
            )
        return Selection(store, self.texts, [text_range("")], lambda text: needle in text)


SortKey = tuple[FieldIndexes, bool]
"""A field that rows are ordered by, and whether from the greatest value to the least."""


class TextIndex:
    """The texts of rows that searches look into, without letter case.

    Args:
        fields: The fields; every text of a row when empty.
        timed: Whether some of them have timestamps.
    """

    def __init__(self, fields: Sequence[str], *, timed: bool = False) -> None:
        self._places = [tuple(field.split(".")) for field in fields]
        self._texts = Index(lambda _, row: (self._text(row).casefold(),), timed=timed)

    def with_word(self, store: Store, word: str) -> "Selection":
        """The rows with a word, of which they may have more than it."""
        return Selection(store, self._texts, [text_range("")], lambda text: word in text)

    def _text(self, row: JsonObject) -> str:
        waiting = [value_at(row, place) for place in self._places] if self._places else [row]
        found: list[str] = []
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, dict):
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
        return "\n".join(found)


class Selection:
    """The rows for which a condition holds.

    Args:
        store: The rows.
        index: The index that knows.
        bounds: Which of its values meet the condition.
        test: What a value within them must meet, too; None for nothing.
        negated: Whether the rows with all other values are meant.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        bounds: Sequence[Bounds],
        test: Callable[[Any], bool] | None = None,
        *,
        negated: bool = False,
    ) -> None:
        self._store = store
        self._index = index
        self._test = test
        self._negated = negated
        found = [(each, store.between(index, *each)) for each in bounds]
        self._bounds = [each for each, rows in found if len(rows)]
        self._ranges = [rows for _, rows in found if len(rows)]

    def __len__(self) -> int:
        """About how many rows it has: no fewer than are in it."""
        found = sum(map(len, self._ranges))
        return max(len(self._store) - found, 0) if self._negated else found

    def sorted_by(self, keys: Sequence[SortKey], *, down: bool) -> "InOrder | None":
        """The keys of the rows, where they stand side by side in the order that is asked for."""
        if len(self._ranges) != 1 or self._test is not None or self._negated:
            return None
        ((low, high),), (rows,) = self._bounds, self._ranges
        if keys:
            is_same = keys[0][0].values is self._index and high <= _NOTHING
            return InOrder(self._store, keys, down=down, bounds=(low, high)) if is_same else None
        is_equal = high == (*low, LAST) if isinstance(low, tuple) else False
        return InOrder(self._store, (), down=down, rows=rows) if is_equal else None

    def _entries(self) -> list[Entry]:
        """What the index has of them, in no order; a row may be there twice."""
        found: list[Entry] = []
        for each in self._ranges:
            found += each.entries()
        return found if self._test is None else [entry for entry in found if self._test(entry[0])]

    def places(self) -> list[Entry]:
        """The rows, in the order of the store."""
        if self._negated:
            return self.among(self._store.in_order().entries())
        found = self._entries()
        if len(self._ranges) > 1:
            found = list({entry[1]: entry for entry in found}.values())
        found.sort(key=_NUMBER_OF)
        return found

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        if sum(map(len, self._ranges)) > _FAR_MORE * len(places):
            get = self._store.get
            return [each for each in places if self._holds(each[2], get(each[2]) or {})]
        numbers = set(map(_NUMBER_OF, self._entries()))
        if self._negated:
            return [each for each in places if each[1] not in numbers]
        return [each for each in places if each[1] in numbers]

    def _holds(self, key: str, row: JsonObject) -> bool:
        test = self._test
        for value in self._index.values(key, row):
            for low, high in self._bounds:
                if low <= value < high and (test is None or test(value)):
                    return not self._negated
        return self._negated


_FAR_MORE = 8
"""Of so many more rows that meet a condition it is quicker to ask each that is there."""


def in_order(store: Store, places: Sequence[Entry], keys: Sequence[SortKey]) -> list[str]:
    """The keys of some rows in an order by fields; those without a field come last."""
    if len(keys) == 1 and len(places) * 4 > len(store):
        return _walked(store, places, keys[0])
    get, found = store.get, [entry[2] for entry in places]
    for field, down in reversed(keys):  # sorting is stable, so the first key counts most
        ranks = {key: field.rank(get(key) or {}) for key in found}
        missing = [key for key in found if ranks[key] is _NOTHING]
        if missing:
            found = [key for key in found if ranks[key] is not _NOTHING]
        found.sort(key=ranks.__getitem__, reverse=down)
        found += missing
    return found


def _walked(store: Store, places: Sequence[Entry], by: SortKey) -> list[str]:
    """Many rows in the order that an index has them in."""
    field, down = by
    wanted = set(map(_NUMBER_OF, places))
    having = store.between(field.values, (), _NOTHING).entries()
    if down:
        having.sort(key=itemgetter(0), reverse=True)
    missing = store.find(field.values, _NOTHING).entries()
    return [entry[2] for entry in chain(having, missing) if entry[1] in wanted]


class InOrder(Sequence[str]):
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
        keys: Sequence[SortKey],
        *,
        down: bool,
        bounds: Bounds = ((), (*_NOTHING, LAST)),
        rows: Range | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._low = bounds[0]
        self._is_whole = rows is None
        if keys:
            field, self._down = keys[0]
            self._rows = store.between(field.values, *bounds)
            self._having = len(store.between(field.values, self._low, min(bounds[1], _NOTHING)))
        else:
            self._down = down
            self._rows = store.in_order() if rows is None else rows

    @override
    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    @override
    def __getitem__(self, at: int | slice) -> str | list[str]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return self._part(places, places + 1)[0]
        return self._part(places.start, places.stop)

    def _part(self, start: int, stop: int) -> list[str]:
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


def _equal_to(text: str) -> Iterator[tuple[Any, ...]]:
    """The keys of values that a text means, and of the items of arrays that it means.

    Yields:
        Keys.
    """
    for key in (_key(text), *_possible_values(text)):
        yield key
        yield (_ITEM, *key)


def _compared(op: str, text: str) -> Iterator[Bounds]:
    """The values that meet an order; numbers are compared with numbers, texts with texts.

    Yields:
        Bounds of keys.
    """
    for key in {_key(text), *_possible_values(text)}:
        behind = (*key, LAST)
        if op in {"<", "<="}:
            yield key[:1], behind if op == "<=" else key
        else:
            yield key if op == ">=" else behind, (key[0] + 1,)


def _key(value: Json) -> tuple[Any, ...]:
    """A value so that it can be ordered among others: truth, numbers, texts, all else."""
    kind = type(value)
    if kind is str:
        return (_TEXT, value)
    if kind is int or kind is float:
        return (_NUMBER, value)
    if value is None:
        return _NOTHING
    if kind is bool:
        return (_BOOLEAN, value)
    return (_OTHER, orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def _possible_values(text: str) -> list[tuple[Any, ...]]:
    """What a text of a query may mean beside itself."""
    found: list[tuple[Any, ...]] = []
    if text in _BOOLEANS:
        found.append((_BOOLEAN, _BOOLEANS[text]))
    if len(text) <= 64:
        try:
            number = float(text)
        except ValueError:
            return found
        if number == number:
            whole = text.removeprefix("-").isdecimal()
            found.append((_NUMBER, int(text) if whole else number))
    return found


def _key_text(key: tuple[Any, ...]) -> str:
    value = key[1]
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else orjson.dumps(value).decode()
