"""The file of what was decided about a run, written and read a trial at a time.

It is one JSON object, broken into lines so that neither side needs the whole of it:

    {"version": 2, "policy": ..., "cases": ..., "decisions": [
    {"case": "A-1", "trials": [
    {"case": "A-1", "number": 1, ...},
    {"case": "A-1", "number": 2, ...}
    ], "verdict": "passed", "valid": 2, "passed": 2, "reason": ""}
    ]}

The same object in other lines (earlier versions wrote one) is read at once.
"""

import os
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from math import isnan, nan
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import orjson
from pydantic import TypeAdapter
from pydantic_core import to_json
from typing_extensions import override

from harness.model import (
    CaseDecision,
    Json,
    JsonObject,
    StoredTrials,
    TrialDecision,
    TrialShape,
    shape_of,
)
from harness.storage.files import CURRENT, create_beside, remove_abandoned, up_to_date

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


_DECISIONS = TypeAdapter(tuple[CaseDecision, ...])
_FULL = 1 << 20
"""Bytes that are written at once."""


def _reader(handle: int) -> ReadAt:
    """Reads from a file, also after another one has replaced it; closed with its last use."""

    def read(start: int, size: int) -> bytes:
        content = os.pread(handle, size, start)
        while 0 < len(content) < size:  # a signal or a limit of the system
            more = os.pread(handle, size - len(content), start + len(content))
            if not more:
                break
            content += more
        return content

    weakref.finalize(read, os.close, handle)
    return read


class DecisionWriter:
    """Writes the decisions of a run beside their place; `commit` puts them there, or nothing does.

    Args:
        path: Where the file will be.
        policy: What was decided under.
        cases: Case id to the hash of what its records were held against.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path, policy: JsonObject, cases: Mapping[str, str]) -> None:
        self._path = path
        remove_abandoned(path)
        self._temporary, self._handle = create_beside(path)
        self._read = _reader(self._handle)
        self._table = ShapeTable()
        self._pending = bytearray()
        self._written = 0
        self._first = True
        head = {"version": CURRENT["decisions"], "policy": policy, "cases": dict(cases)}
        self._pending += _json(head)[:-1] + b',"decisions":['

    def __enter__(self) -> Self:
        """Nothing is left of the file at the end unless it was committed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what was not committed."""
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def keep(self, case: str, trials: Iterable[TrialDecision]) -> StoredTrials:
        """Write the decisions about the trials of a case, in order; `finish` comes next.

        Raises:
            OSError: They cannot be written.
        """
        self._pending += (b"\n" if self._first else b",\n") + b'{"case":' + _json(case)
        self._pending += b',"trials":['
        self._first = False
        found = TrialLines(self._read, self._table)
        for trial in trials:
            self._pending += b",\n" if found else b"\n"
            line = _json(trial)
            found.add(trial, self._written + len(self._pending), len(line))
            self._pending += line
            if len(self._pending) >= _FULL:
                self._flush()
        self._flush()
        return found

    def finish(self, decision: CaseDecision) -> None:
        """Write what was decided about the case whose trials were the last.

        Raises:
            OSError: It cannot be written.
        """
        told = decision.model_dump(mode="json", exclude={"case", "trials"})
        self._pending += b"\n]," + _json(told)[1:]

    def commit(self) -> None:
        """Flush the file to the disk and give it its name.

        Raises:
            OSError: It cannot be written.
        """
        self._pending += b"\n]}\n"
        self._flush()
        os.fsync(self._handle)
        self._temporary.replace(self._path)

    def _flush(self) -> None:
        view = memoryview(bytes(self._pending))
        self._pending.clear()
        while view:
            done = os.write(self._handle, view)
            self._written += done
            view = view[done:]


def _json(value: object) -> bytes:
    return to_json(value, inf_nan_mode="null", by_alias=True)


def read_decisions(path: Path) -> tuple[CaseDecision, ...]:
    """What a file of decisions says; of trials that are lines, no more than is counted is kept.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file, or a broken one.
        TypeError: Likewise.
        KeyError: Likewise.
        HarnessError: A later version of this program wrote it.
    """
    handle = os.open(path, os.O_RDONLY)
    read = _reader(handle)
    with open(os.dup(handle), "rb") as file:  # noqa: PTH123  (of a file that is open)
        head = file.readline()
        if not head.endswith(b'"decisions":[\n'):
            held = up_to_date("decisions", orjson.loads(head + file.read()))
            return _DECISIONS.validate_python(held["decisions"], strict=False)
        up_to_date("decisions", orjson.loads(head + b"]}"))
        return tuple(_cases(file, len(head), read))


def _cases(file: BinaryIO, place: int, read: ReadAt) -> Iterator[CaseDecision]:
    """The cases that follow the first line.

    Yields:
        Each, with the trials that are read from their lines.

    Raises:
        ValueError: The lines are no decisions, or end too early.
    """
    table = ShapeTable()
    start: Json = None
    trials = TrialLines(read, table)
    for line in file:
        if start is None:
            if line == b"]}\n":
                return
            start = orjson.loads(line + b"]}")
            trials = TrialLines(read, table)
        elif line.startswith(b"],"):
            told = orjson.loads(b"{" + line[2:].rstrip(b",\n"))
            yield CaseDecision.model_validate({**start, **told, "trials": trials}, strict=False)
            start = None
        elif line != b"],\n":
            content = line.rstrip(b",\n")
            trials.add(TrialDecision.model_validate_json(content), place, len(content))
        place += len(line)
    raise ValueError("it ends too early")
