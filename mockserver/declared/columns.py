"""Columns of a table: its values numbered in order, so that rows are compared by whole numbers.

A condition is held against each different value once; the rows that have those values stand side by
side in the order of the column. Columns are derived from tables, so they are made once and kept
until the next write.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import orjson

from mockserver.collections import Store
from mockserver.declared.declaration import Operator
from mockserver.declared.places import value_at
from mockserver.model import Json, JsonObject

Positions = Sequence[int]
"""Rows by their places in a table."""

_BOOLEANS = {"true": True, "false": False}


class Column:
    """One field of all rows of a table.

    Attributes:
        codes: The number of each row's value; the highest stands for none.
        missing: That highest number.

    Args:
        rows: The rows, in order.
        place: The field, with the fields around it.
    """

    def __init__(self, rows: Sequence[JsonObject], place: Sequence[str]) -> None:
        if len(place) == 1:
            name = place[0]
            values = [row.get(name) for row in rows]
        else:
            values = [value_at(row, place) for row in rows]
        kinds: dict[Any, int] = {}
        keys = [_key(value) for value in values]
        for key in keys:
            kinds.setdefault(key, 0)
        kinds.pop(_NOTHING, None)
        self._keys = sorted(kinds)
        for number, key in enumerate(self._keys):
            kinds[key] = number
        self._numbers = kinds
        self.missing = kinds[_NOTHING] = len(self._keys)
        self.codes = [kinds[key] for key in keys]

    @cached_property
    def _texts(self) -> list[str]:
        """The values as texts without letter case, for what is looked for in them."""
        return [_key_text(key).casefold() for key in self._keys]

    def select(self, op: Operator, wanted: Sequence[str]) -> "Selection":
        """Which rows a condition holds for.

        Args:
            op: How values are compared.
            wanted: What they are compared with, as a query has it.
        """
        if op == "in":
            return self._with(chain.from_iterable(map(self._equal, wanted)))
        text = wanted[-1]
        if op == "==":
            return self._with(self._equal(text))
        if op == "!=":
            return self._without(self._equal(text))
        if op == "exists":
            negated = text.casefold() in {"false", "0", "no"}
            return self._with([self.missing]) if negated else self._without([self.missing])
        if op in {"<", "<=", ">", ">="}:
            return Selection(self, tuple(self._compare(op, text)))
        return self._with(self._match_pattern(op, text))

    def _with(self, numbers: Iterable[int]) -> "Selection":
        return Selection(self, tuple((each, each + 1) for each in sorted(set(numbers))))

    def _without(self, numbers: Iterable[int]) -> "Selection":
        left, start = [], 0
        for each in sorted(set(numbers)):
            left.append((start, each))
            start = each + 1
        return Selection(self, (*left, (start, self.missing + 1)))

    def _equal(self, text: str) -> list[int]:
        keys = {_key(text), *_possible_values(text)}
        return [self._numbers[key] for key in keys if key in self._numbers] + [
            number for number, items in self._arrays if not keys.isdisjoint(items)
        ]

    @cached_property
    def _arrays(self) -> list[tuple[int, set[Any]]]:
        """The values that are arrays, with their items."""
        start = bisect_left(self._keys, (_OTHER,))
        held = ((number, orjson.loads(self._keys[number][1]))
                for number in range(start, len(self._keys)))  # fmt: skip
        return [
            (number, {_key(item) for item in value})
            for number, value in held
            if isinstance(value, list)
        ]

    def _compare(self, op: str, text: str) -> Iterator[tuple[int, int]]:
        """The values that meet an order; numbers are compared with numbers, texts with texts.

        Yields:
            Ranges of their numbers.
        """
        for key in sorted({_key(text), *_possible_values(text)}):
            low = bisect_left(self._keys, (key[0],))
            high = bisect_left(self._keys, (key[0] + 1,))
            if op in {"<", "<="}:
                high = (bisect_right if op == "<=" else bisect_left)(self._keys, key)
            else:
                low = (bisect_left if op == ">=" else bisect_right)(self._keys, key)
            yield low, high

    def _match_pattern(self, op: str, text: str) -> list[int]:
        needle = text.casefold()
        tests: dict[str, Callable[[str], bool]] = {
            "starts_with": lambda value: value.startswith(needle),
            "ends_with": lambda value: value.endswith(needle),
        }
        test = tests.get(op) or (lambda value: needle in value)
        return [number for number, value in enumerate(self._texts) if test(value)]

    @cached_property
    def ascending(self) -> list[int]:
        """The positions of all rows in the order of their values; those without one come last."""
        return sorted(range(len(self.codes)), key=self.codes.__getitem__)

    @cached_property
    def starts(self) -> list[int]:
        """For each number where in `ascending` its rows begin; then where they all end."""
        counts = [0] * (self.missing + 1)
        for code in self.codes:
            counts[code] += 1
        return [0, *accumulate(counts)]

    def order(self, *, descending: bool) -> Positions:
        """The positions of all rows in the order of their values; those without one come last."""
        return self._descending_order if descending else self.ascending

    @cached_property
    def _descending_order(self) -> list[int]:
        return sorted(range(len(self.codes)), key=self.ranks(descending=True).__getitem__)

    def ranks(self, *, descending: bool) -> Sequence[int]:
        """What rows are ordered by: the lower comes first."""
        return self._falling_ranks if descending else self.codes

    @cached_property
    def _falling_ranks(self) -> list[int]:
        missing = self.missing
        return [missing if code == missing else -code - 1 for code in self.codes]


class Selection:
    """The rows for which a condition holds.

    Args:
        column: The field that it asks.
        ranges: The numbers of the values that meet it, from the first up to one behind the last;
            ranges do not overlap.
    """

    def __init__(self, column: Column, ranges: Sequence[tuple[int, int]]) -> None:
        self._column = column
        self._ranges = [(low, high) for low, high in ranges if low < high]
        starts = column.starts
        self._stretches = [(starts[low], starts[high]) for low, high in self._ranges]

    def __len__(self) -> int:
        return sum(end - start for start, end in self._stretches)

    def positions(self) -> Positions:
        """The rows, in the order of the table."""
        ascending = self._column.ascending
        parts = [ascending[start:end] for start, end in self._stretches]
        return sorted(chain.from_iterable(parts))

    def among(self, positions: Positions) -> Positions:
        """Those of some rows that are in it, in the same order."""
        codes = self._column.codes
        if len(self._ranges) == 1:
            ((low, high),) = self._ranges
            return [each for each in positions if low <= codes[each] < high]
        meant = bytearray(self._column.missing + 1)
        for low, high in self._ranges:
            meant[low:high] = b"\1" * (high - low)
        return [each for each in positions if meant[codes[each]]]


_NOTHING = (9,)
_BOOLEAN, _NUMBER, _TEXT, _OTHER = range(4)


def _key(value: Json) -> tuple[Any, ...]:
    """A value so that it can be ordered among others: truth, numbers, texts, all else."""
    if value is None:
        return _NOTHING
    if value is True or value is False:
        return (_BOOLEAN, value)
    if isinstance(value, int | float):
        return (_NUMBER, value)
    if isinstance(value, str):
        return (_TEXT, value)
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


class RowsInOrder:
    """Makes the list of a table's rows; equal to itself only, as what tables derive must be."""

    def __call__(self, table: Store) -> list[JsonObject]:
        """The rows in order."""
        return list(table.rows().values())


ROWS = RowsInOrder()


class ColumnOf:
    """Makes one column of a table.

    Args:
        field: The field, with dots between for what is inside others.
    """

    def __init__(self, field: str) -> None:
        self._place = tuple(field.split("."))

    def __call__(self, table: Store) -> Column:
        """The column."""
        return Column(table.derived(ROWS), self._place)


class TextOf:
    """Makes the text of each row that searches look into, without letter case.

    Args:
        fields: The fields; every text of a row when empty.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self._places = [tuple(field.split(".")) for field in fields]

    def __call__(self, table: Store) -> list[str]:
        """The texts, in the order of the rows."""
        return [self._text(row).casefold() for row in table.derived(ROWS)]

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
