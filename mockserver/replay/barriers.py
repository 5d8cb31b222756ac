"""Which reads stand on which side of which writes, for one cassette and for one session."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from mockserver.matching import Effect, Scope

State = Literal["ready", "waiting", "passed"]
"""A read's turn: now, after a write that was not played yet, or before one that was."""

Mark = tuple[int, int]
"""A group of writes, and for a read how many of them were recorded before it, for a write its
rank among them."""

_Name = tuple[bool, Scope]


class Barriers:
    """The writes of a cassette in groups, and how each interaction stands to them.

    A group is all writes at one path, or all in one collection. A read is related to the groups
    at its path and above it, and to that of the collection that it reads; so few groups are asked
    for each, however many writes there are.

    Args:
        effects: What each interaction does, in order; None for one that changed nothing.
    """

    __slots__ = ("_groups", "_marks", "_reads", "_writes")

    def __init__(self, effects: Iterable[Effect | None]) -> None:
        self._groups: dict[_Name, int] = {}
        self._writes: list[list[int]] = []
        self._marks: list[tuple[Mark, ...]] = []
        self._reads = bytearray()
        found = list(effects)
        written = [self._written(index, effect) for index, effect in enumerate(found)]
        known: dict[tuple[Mark, ...], tuple[Mark, ...]] = {(): ()}
        for index, effect in enumerate(found):
            reads = effect is not None and effect.reads
            marks = self._read(index, effect) if effect and reads else written[index]
            self._reads.append(reads)
            self._marks.append(known.setdefault(marks, marks))

    def reads(self, index: int) -> bool:
        """Whether an interaction only reads."""
        return bool(self._reads[index])

    def marks(self, index: int) -> tuple[Mark, ...]:
        """How an interaction stands to the groups it is related to; equal marks, equal object."""
        return self._marks[index]

    def writes(self, group: int) -> Sequence[int]:
        """The interactions of a group, in order."""
        return self._writes[group]

    def _written(self, index: int, effect: Effect | None) -> tuple[Mark, ...]:
        if effect is None or effect.reads:
            return ()
        names = dict.fromkeys(
            name for scope in effect.scopes for name in ((False, scope), (True, scope[:-1]))
        )
        return tuple(self._joined(name, index) for name in names)

    def _joined(self, name: _Name, index: int) -> Mark:
        group = self._groups.setdefault(name, len(self._groups))
        if group == len(self._writes):
            self._writes.append([])
        self._writes[group].append(index)
        return group, len(self._writes[group]) - 1

    def _read(self, index: int, effect: Effect) -> tuple[Mark, ...]:
        if not self._groups:
            return ()
        groups = {
            self._groups[name]
            for scope in effect.scopes
            for name in _related(scope)
            if name in self._groups
        }
        return tuple((group, bisect_left(self._writes[group], index)) for group in sorted(groups))


class Progress:
    """Which writes of a cassette one session has played.

    Args:
        barriers: Of the cassette.
    """

    __slots__ = ("_barriers", "_counts", "_tops", "played")

    def __init__(self, barriers: Barriers) -> None:
        self._barriers = barriers
        self._counts: dict[int, int] = {}
        self._tops: dict[int, int] = {}
        self.played: set[int] = set()

    def state(self, index: int) -> State:
        """Whether an interaction's turn is now; a write's always is."""
        marks = self._barriers.marks(index)
        if not marks or not self._barriers.reads(index):
            return "ready"
        if any(self._tops.get(group, -1) >= before for group, before in marks):
            return "passed"
        waits = any(self._counts.get(group, 0) < before for group, before in marks)
        return "waiting" if waits else "ready"

    def play(self, index: int) -> None:
        """Take an interaction as played; a second time changes nothing."""
        if index in self.played:
            return
        self.played.add(index)
        if self._barriers.reads(index):
            return
        for group, rank in self._barriers.marks(index):
            self._counts[group] = self._counts.get(group, 0) + 1
            self._tops[group] = max(self._tops.get(group, -1), rank)

    def hindrance(self, index: int) -> int | None:
        """The write that keeps a read from its turn: not played yet, or played already."""
        if not self._barriers.reads(index):
            return None
        for group, before in self._barriers.marks(index):
            writes = self._barriers.writes(group)
            if self._tops.get(group, -1) >= before:
                return writes[self._tops[group]]
            if self._counts.get(group, 0) < before:
                return next(each for each in writes if each not in self.played)
        return None


def _related(scope: Scope) -> Iterator[_Name]:
    for length in range(1, len(scope) + 1):
        yield False, scope[:length]
    yield True, scope
