"""Decisions about trials as lines of JSON, each of which is read when it is asked for."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from math import isnan, nan

from typing_extensions import override

from harness.trials.decisions import StoredTrials, TrialDecision, TrialShape, shape_of

ReadAt = Callable[[int, int], bytes]
"""Where to read from, how many bytes: what stands there."""

_BLOCK = 1 << 18
"""So many bytes are read at once where all trials are asked for."""


class ShapeTable:
    """Every shape that trials of a run have, once."""

    def __init__(self) -> None:
        self._places: dict[TrialShape, int] = {}
        self.shapes: list[TrialShape] = []

    def place(self, shape: TrialShape) -> int:
        """Where a shape stands in `shapes`."""
        place = self._places.setdefault(shape, len(self.shapes))
        if place == len(self.shapes):
            self.shapes.append(shape)
        return place


class TrialLines(StoredTrials):
    """The decisions of a case, a line each, one behind the other; some 30 bytes are kept of each.

    Args:
        read: Reads from the file in which they are; it may not change.
        table: The shapes of the trials in that file.
    """

    def __init__(self, read: ReadAt, table: ShapeTable) -> None:
        self._read = read
        self._table = table
        self._starts = array("q")
        self._sizes = array("L")
        self._numbers: array[int] | list[int] = array("q")
        self._scores = array("d")
        self._shapes = array("L")

    def add(self, trial: TrialDecision, start: int, size: int) -> None:
        """Note the next one.

        Args:
            trial: What its line says.
            start: Where the line begins, in bytes.
            size: How many bytes of JSON it is.
        """
        try:
            self._numbers.append(trial.number)
        except OverflowError:
            self._numbers = [*self._numbers, trial.number]
        self._starts.append(start)
        self._sizes.append(size)
        self._scores.append(nan if trial.score is None else trial.score)
        self._shapes.append(self._table.place(shape_of(trial)))

    @override
    def shapes(self) -> Iterator[TrialShape]:
        return map(self._table.shapes.__getitem__, self._shapes)

    @override
    def numbers(self) -> Sequence[int]:
        return self._numbers

    @override
    def scores(self) -> Iterator[float | None]:
        return (None if isnan(score) else score for score in self._scores)

    @override
    def select(self, wanted: Callable[[TrialShape], bool]) -> Iterator[TrialDecision]:
        chosen = [wanted(shape) for shape in self._table.shapes]
        if all(chosen):
            yield from self
            return
        places = compress(range(len(self)), (chosen[shape] for shape in self._shapes))
        for place in places:
            yield self[place]

    @override
    def __len__(self) -> int:
        return len(self._starts)

    @override
    def __iter__(self) -> Iterator[TrialDecision]:
        first = 0
        while first < len(self):
            start, last = self._starts[first], first + 1
            while last < len(self) and self._end(last) - start <= _BLOCK:
                last += 1
            block = self._read(start, self._end(last - 1) - start)
            for place in range(first, last):
                begin = self._starts[place] - start
                yield _trial(block[begin : begin + self._sizes[place]])
            first = last

    def _end(self, place: int) -> int:
        return self._starts[place] + self._sizes[place]

    @override
    def item_at(self, place: int) -> TrialDecision:
        return _trial(self._read(self._starts[place], self._sizes[place]))


def _trial(line: bytes) -> TrialDecision:
    return TrialDecision.model_validate_json(line)
