"""In which order recordings are played: no read from the other side of a write."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from mockserver.cassettes.matching import Effect, Scope
from mockserver.model import Repeats

State = Literal["ready", "waiting", "passed"]
"""A read's turn: now, after a write that was not played yet, or before one that was."""

Mark = tuple[int, int]
"""A group of writes, and for a read how many of them were recorded before it, for a write its
rank among them."""

_Name = tuple[bool, Scope]
_REMEMBERED: Mapping[Repeats, int | None] = {"reads": 1, "once": 0, "last": 1, "cycle": None}
_LOOKED_AT = 50


class Writes:
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
        written = [self._write_marks(index, effect) for index, effect in enumerate(found)]
        known: dict[tuple[Mark, ...], tuple[Mark, ...]] = {(): ()}
        for index, effect in enumerate(found):
            reads = effect is not None and effect.reads
            marks = self._read_marks(index, effect) if effect and reads else written[index]
            self._reads.append(reads)
            self._marks.append(known.setdefault(marks, marks))

    def reads(self, index: int) -> bool:
        """Whether an interaction only reads."""
        return bool(self._reads[index])

    def marks(self, index: int) -> tuple[Mark, ...]:
        """How an interaction stands to the groups it is related to; equal marks, equal object."""
        return self._marks[index]

    def of(self, group: int) -> Sequence[int]:
        """The interactions of a group, in order."""
        return self._writes[group]

    def before(self, index: int) -> Iterable[int]:
        """The writes that were recorded before a read that they touch; some may come twice."""
        marks = self._marks[index]
        return (write for group, before in marks for write in self._writes[group][:before])

    def _write_marks(self, index: int, effect: Effect | None) -> tuple[Mark, ...]:
        if effect is None or effect.reads:
            return ()
        names = dict.fromkeys(
            name for scope in effect.scopes for name in ((False, scope), (True, scope[:-1]))
        )
        return tuple(self._add_write(name, index) for name in names)

    def _add_write(self, name: _Name, index: int) -> Mark:
        group = self._groups.setdefault(name, len(self._groups))
        if group == len(self._writes):
            self._writes.append([])
        self._writes[group].append(index)
        return group, len(self._writes[group]) - 1

    def _read_marks(self, index: int, effect: Effect) -> tuple[Mark, ...]:
        if not self._groups:
            return ()
        groups = {
            self._groups[name]
            for scope in effect.scopes
            for name in _related_names(scope)
            if name in self._groups
        }
        return tuple((group, bisect_left(self._writes[group], index)) for group in sorted(groups))


class Progress:
    """Which recordings of a cassette one session has played, and which writes it went without.

    Args:
        writes: Of the cassette.
        heeded: Whether a read keeps to its side of each write.

    Attributes:
        played: The recordings that were played.
        omitted: The writes that the session went without.
    """

    __slots__ = ("_counts", "_heeded", "_tops", "_writes", "omitted", "played")

    def __init__(self, writes: Writes, *, heeded: bool = True) -> None:
        self._writes = writes
        self._heeded = heeded
        self._counts: dict[int, int] = {}
        self._tops: dict[int, int] = {}
        self.omitted: set[int] = set()
        self.played: set[int] = set()

    def reads(self, index: int) -> bool:
        """Whether an interaction only reads."""
        return self._writes.reads(index)

    def state(self, index: int) -> State:
        """Whether an interaction's turn is now; a write's always is."""
        marks = self._writes.marks(index)
        if not marks or not self._heeded or not self._writes.reads(index):
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
        if index in self.omitted:
            self.omitted.remove(index)
        elif not self._writes.reads(index):
            self._count(index)

    def omit_before(self, index: int) -> None:
        """Go on without the writes that a read waits for, as if they had been played.

        Readings from before them are passed from now on, so that what is read stays of one time.
        """
        for write in self._writes.before(index):
            if write not in self.played and write not in self.omitted:
                self.omitted.add(write)
                self._count(write)

    def omitted_before(self, index: int) -> int | None:
        """A write that a reading came after and that the session went without; None for none."""
        if not self.omitted or not self._writes.reads(index):
            return None
        return next((each for each in self._writes.before(index) if each in self.omitted), None)

    def blocking_write(self, index: int) -> int | None:
        """The write that keeps a read from its turn: not played yet, or played already."""
        if not self._heeded or not self._writes.reads(index):
            return None
        for group, before in self._writes.marks(index):
            writes = self._writes.of(group)
            if self._tops.get(group, -1) >= before:
                return writes[self._tops[group]]
            if self._counts.get(group, 0) < before:
                return next(each for each in writes if self._is_to_come(each))
        return None

    def _is_to_come(self, write: int) -> bool:
        return write not in self.played and write not in self.omitted

    def _count(self, write: int) -> None:
        for group, rank in self._writes.marks(write):
            self._counts[group] = self._counts.get(group, 0) + 1
            self._tops[group] = max(self._tops.get(group, -1), rank)


class RecordingsOfRequest(NamedTuple):
    """The recordings of one request in one cassette.

    Attributes:
        tape: The place of the cassette among those of the session.
        places: The recordings, in order.
        progress: What the session has played of the cassette.
    """

    tape: int
    places: Sequence[int]
    progress: Progress


class Turn(NamedTuple):
    """The recording whose turn it is.

    Attributes:
        tape: The place of its cassette among those of the session.
        place: Its place in the cassette.
        again: Whether it was played before.
        omitted: The place of a write that it came after and that was never made, or None.
    """

    tape: int
    place: int
    again: bool = False
    omitted: int | None = None


class BlockedRecording(NamedTuple):
    """A recording whose turn it is not.

    Attributes:
        tape: The place of its cassette among those of the session.
        place: Its place in the cassette.
        write: The place of the write that keeps it.
    """

    tape: int
    place: int
    write: int


class Queue:
    """First recorded, first played; what was played or passed is not looked at again.

    Args:
        reels: The recordings, cassette by cassette.
        repeats: What is played once all were.
    """

    __slots__ = ("_again", "_reel", "_reels", "_spot")

    def __init__(self, reels: Sequence[RecordingsOfRequest], repeats: Repeats) -> None:
        self._reels = reels
        self._reel = 0
        self._spot = 0
        first = reels[0]
        reads = first.progress.reads(first.places[0])
        kept = 0 if repeats == "reads" and not reads else _REMEMBERED[repeats]
        self._again: deque[tuple[int, int]] = deque(maxlen=kept)

    def next_in_turn(self) -> Turn | None:
        """The recording whose turn it is, which is then played; None where there is none."""
        while self._reel < len(self._reels):
            _, places, progress = self._reels[self._reel]
            while self._spot < len(places):
                place = places[self._spot]
                state = "passed" if place in progress.played else progress.state(place)
                if state == "waiting":
                    return None
                self._spot += 1
                if state == "ready":
                    progress.play(place)
                    return self._turn(self._reel, place)
            self._reel, self._spot = self._reel + 1, 0
        return None

    def next_repeat(self) -> Turn | None:
        """A recording that was played and may be played again; None where there is none."""
        while self._again:
            number, place = self._again.popleft()
            if self._reels[number].progress.state(place) == "ready":
                return self._turn(number, place, again=True)
        return None

    def next_without_write(self) -> Turn | None:
        """The recording that waits for a write, played without it; None where none waits."""
        if self._reel >= len(self._reels):
            return None
        _, places, progress = self._reels[self._reel]
        if self._spot >= len(places) or progress.state(places[self._spot]) != "waiting":
            return None
        place = places[self._spot]
        self._spot += 1
        progress.omit_before(place)
        progress.play(place)
        return self._turn(self._reel, place)

    def remember(self, turn: Turn) -> None:
        """Take a recording that another queue of the same request has played for the latest."""
        for number, reel in enumerate(self._reels):
            if reel.tape == turn.tape and turn.place in reel.places:
                self._again.append((number, turn.place))

    def find_blocked(self) -> BlockedRecording | None:
        """A recording whose turn it is not, with the write that keeps it; None for none such."""
        for tape, places, progress in self._reels:
            for place in places[-_LOOKED_AT:]:
                write = None if place in progress.played else progress.blocking_write(place)
                if write is not None:
                    return BlockedRecording(tape, place, write)
        return None

    def latest(self) -> tuple[int, int]:
        """The place of the last cassette and of the last recording in it."""
        reel = self._reels[-1]
        return reel.tape, reel.places[-1]

    def _turn(self, number: int, place: int, *, again: bool = False) -> Turn:
        self._again.append((number, place))
        tape, _, progress = self._reels[number]
        omitted = progress.omitted_before(place) if progress.omitted else None
        return Turn(tape, place, again, omitted)


def _related_names(scope: Scope) -> Iterator[_Name]:
    for length in range(1, len(scope) + 1):
        yield False, scope[:length]
    yield True, scope
