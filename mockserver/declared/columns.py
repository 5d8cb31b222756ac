"""Columns of a table: its values numbered in order, so that rows are compared by whole numbers.

A condition is held against each different value once; which rows have those values is one step of
numpy. Columns are derived from tables, so they are made once and kept until the next write.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import orjson

from mockserver.declared.declaration import Operator
from mockserver.model import Json, JsonObject
from mockserver.state import Table

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Positions = np.ndarray[Any, np.dtype[np.int64]]

_BOOLEANS = {"true": True, "false": False}


def value_at(row: Json, place: Sequence[str]) -> Json:
    """What a row has at a field, or at a field inside others; None where there is no such."""
    for name in place:
        row = row.get(name) if isinstance(row, dict) else None
    return row


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
        self.codes = np.fromiter((kinds[key] for key in keys), dtype=np.int64, count=len(keys))

    @cached_property
    def _texts(self) -> list[str]:
        """The values as texts without letter case, for what is looked for in them."""
        return [_shown(key).casefold() for key in self._keys]

    def select(self, op: Operator, wanted: Sequence[str]) -> Mask:
        """Which rows a condition holds for.

        Args:
            op: How values are compared.
            wanted: What they are compared with, as a query has it.
        """
        if op == "in":
            found = np.zeros(len(self.codes), dtype=np.bool_)
            for each in wanted:
                found |= self._equal(each)
            return found
        text = wanted[-1]
        if op == "==":
            return self._equal(text)
        if op == "!=":
            return np.logical_not(self._equal(text))
        if op == "exists":
            is_there: Mask = self.codes != self.missing
            return is_there if text.casefold() not in {"false", "0", "no"} else ~is_there
        if op in {"<", "<=", ">", ">="}:
            return self._ordered(op, text)
        return self._like(op, text)

    def _equal(self, text: str) -> Mask:
        found = np.zeros(len(self.codes), dtype=np.bool_)
        for key in {_key(text), *_meant(text)}:
            number = self._numbers.get(key)
            if number is not None:
                found |= self.codes == number
        for number in self._lists_with(text):
            found |= self.codes == number
        return found

    def _lists_with(self, text: str) -> list[int]:
        """The values that are arrays with an equal item."""
        keys = {_key(text), *_meant(text)}
        return [number for number, items in self._arrays if not keys.isdisjoint(items)]

    @cached_property
    def _arrays(self) -> list[tuple[int, set[Any]]]:
        start = bisect_left(self._keys, (_OTHER,))
        held = ((number, orjson.loads(self._keys[number][1]))
                for number in range(start, len(self._keys)))  # fmt: skip
        return [
            (number, {_key(item) for item in value})
            for number, value in held
            if isinstance(value, list)
        ]

    def _ordered(self, op: str, text: str) -> Mask:
        """Numbers are compared with numbers, texts with texts."""
        found = np.zeros(len(self.codes), dtype=np.bool_)
        for key in {_key(text), *_meant(text)}:
            low = bisect_left(self._keys, (key[0],))
            high = bisect_left(self._keys, (key[0] + 1,))
            if op in {"<", "<="}:
                high = (bisect_right if op == "<=" else bisect_left)(self._keys, key)
            else:
                low = (bisect_left if op == ">=" else bisect_right)(self._keys, key)
            found |= (self.codes >= low) & (self.codes < high)
        return found

    def _like(self, op: str, text: str) -> Mask:
        needle = text.casefold()
        tests: dict[str, Callable[[str], bool]] = {
            "starts_with": lambda value: value.startswith(needle),
            "ends_with": lambda value: value.endswith(needle),
        }
        test = tests.get(op) or (lambda value: needle in value)
        hits = np.fromiter((*map(test, self._texts), False), dtype=np.bool_, count=self.missing + 1)
        found: Mask = hits[self.codes]
        return found

    def order(self, *, descending: bool) -> Positions:
        """The positions of all rows in the order of their values; those without one come last."""
        return self._descending if descending else self._ascending

    @cached_property
    def _ascending(self) -> Positions:
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def _descending(self) -> Positions:
        return np.argsort(self.ranks(descending=True), kind="stable")

    def ranks(self, *, descending: bool) -> Positions:
        """What rows are ordered by: the lower comes first."""
        if not descending:
            return self.codes
        ranks: Positions = np.where(self.codes == self.missing, self.missing, -self.codes - 1)
        return ranks


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


def _meant(text: str) -> list[tuple[Any, ...]]:
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


def _shown(key: tuple[Any, ...]) -> str:
    value = key[1]
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else orjson.dumps(value).decode()


class RowsInOrder:
    """Makes the list of a table's rows; equal to itself only, as what tables derive must be."""

    def __call__(self, table: Table) -> list[JsonObject]:
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

    def __call__(self, table: Table) -> Column:
        """The column."""
        return Column(table.derived(ROWS), self._place)


class TextOf:
    """Makes the text of each row that searches look into, without letter case.

    Args:
        fields: The fields; every text of a row when empty.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self._places = [tuple(field.split(".")) for field in fields]

    def __call__(self, table: Table) -> list[str]:
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
