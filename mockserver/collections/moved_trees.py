"""Indexes by time for sessions with clocks of their own, of one tree that all of them share.

A clock moves the timestamps of all rows alike, so that most rows keep their order; their values are
moved as they are read. Rows that keep their values, and those that another order would put apart,
are put in anew by each session.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from mockserver.collections.sorted_tree import LAST, Entry, SortedTree
from mockserver.model import JsonObject

Move = Callable[[JsonObject, int], JsonObject]
"""A row with its timestamps so many seconds later."""
Values = Callable[[str, JsonObject], Iterable[Any]]
"""What an index has of a key and its row."""
Later = Callable[[Any, int], Any]
"""A value of an index where the timestamps of its row are so many seconds later."""

LONGEST = 50 * 366 * 86_400
"""Seconds by which values are moved at most; of rows that would leave the calendar each is asked.
"""
_FEW = 1000
"""Of more rows that stand apart the whole tree is put together anew."""


class MovedTrees:
    """What an index of times has of rows that are never changed, and of the same rows moved.

    Args:
        values: What the index has of a row.
        later: How its values are moved; unlike values stay unlike, and in their order.
        rows: The rows.
        move: Moves a row; what it moves by `LONGEST`, it moves by less, too.
    """

    __slots__ = ("_apart", "_edge", "_later", "_moving", "_values")

    def __init__(
        self, values: Values, later: Later, rows: Mapping[str, JsonObject], move: Move
    ) -> None:
        self._values = values
        self._later = later
        moving: list[Entry] = []
        still: list[tuple[Any, int, str]] = []
        self._apart: list[tuple[int, str]] = []
        for number, (key, row) in enumerate(rows.items()):
            own = tuple(values(key, row))
            probe = tuple(values(key, move(row, LONGEST)))
            if own == probe and own == tuple(values(key, move(row, 1))):
                still += [(each, number, key) for each in own]
            elif own != probe and probe == tuple(later(each, LONGEST) for each in own):
                moving += [(each, number, key) for each in own]
            else:
                self._apart.append((number, key))
        moving.sort()
        self._edge: Entry = moving[0] if moving else (LAST,)
        moved = list(map(self._moved_by(LONGEST), moving))
        if not all(before < after for before, after in pairwise(moved)):
            self._apart += {entry[1:]: None for entry in moving}
            moved, moving, self._edge = [], [], (LAST,)  # nothing stands in its place
        # rows that stand before all that goes up stay there
        is_up = moved[:1] >= moving[:1]
        among = {entry[1:]: None for entry in still if not (is_up and entry < self._edge)}
        self._apart += among
        self._moving = SortedTree([*(each for each in still if each[1:] not in among), *moving])

    def _moved_by(self, seconds: int) -> Callable[[Entry], Entry]:
        edge, later = self._edge, self._later

        def move(entry: Entry) -> Entry:
            return entry if entry < edge else (later(entry[0], seconds), *entry[1:])

        return move

    def tree(self, seconds: int, rows: Mapping[str, JsonObject]) -> SortedTree:
        """The index of the moved rows.

        Args:
            seconds: By how much they are moved, from 0 up to `LONGEST`.
            rows: The moved rows, of which only those apart are read.
        """
        move, values = self._moved_by(seconds), self._values
        apart = [
            (value, number, key) for number, key in self._apart for value in values(key, rows[key])
        ]
        if len(apart) > _FEW:
            return SortedTree([*map(move, self._moving), *apart])
        found = self._moving.moved(move)
        for entry in apart:
            found.add(entry)
        return found


def later_seconds(value: float, seconds: int) -> float:
    """A time in seconds since 1970, moved; the epoch stays, which stands for never.

    Rounded to the microseconds that timestamps have, so that it equals that of a moved timestamp.

    >>> later_seconds(0.1, 1), later_seconds(0.0, 1), later_seconds(5.0, 60)
    (1.1, 0.0, 65.0)
    """
    return round(value + seconds, 6) if value else value
