"""The recordings of one request in one session: whose turn it is."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mockserver.model import Repeats
from mockserver.replay.barriers import Progress

_REMEMBERED: Mapping[Repeats, int | None] = {"once": 0, "last": 1, "cycle": None}
_LOOKED_AT = 50


class Reel(NamedTuple):
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
    """

    tape: int
    place: int
    again: bool = False


class Hindrance(NamedTuple):
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

    def __init__(self, reels: Sequence[Reel], repeats: Repeats) -> None:
        self._reels = reels
        self._reel = 0
        self._spot = 0
        self._again: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED[repeats])

    def next(self) -> Turn | None:
        """The recording whose turn it is, which is then played; None where there is none."""
        found = self._forward()
        again = found is None
        found = found or self._repeated()
        if found is None:
            return None
        self._again.append(found)
        number, place = found
        reel = self._reels[number]
        reel.progress.play(place)
        return Turn(reel.tape, place, again)

    def hindered(self) -> Hindrance | None:
        """A recording whose turn it is not, with the write that keeps it; None for none such."""
        for tape, places, progress in self._reels:
            for place in places[-_LOOKED_AT:]:
                write = None if place in progress.played else progress.hindrance(place)
                if write is not None:
                    return Hindrance(tape, place, write)
        return None

    def latest(self) -> tuple[int, int]:
        """The place of the last cassette and of the last recording in it."""
        reel = self._reels[-1]
        return reel.tape, reel.places[-1]

    def _forward(self) -> tuple[int, int] | None:
        while self._reel < len(self._reels):
            _, places, progress = self._reels[self._reel]
            while self._spot < len(places):
                place = places[self._spot]
                state = "passed" if place in progress.played else progress.state(place)
                if state == "waiting":
                    return None
                self._spot += 1
                if state == "ready":
                    return self._reel, place
            self._reel, self._spot = self._reel + 1, 0
        return None

    def _repeated(self) -> tuple[int, int] | None:
        while self._again:
            number, place = self._again.popleft()
            if self._reels[number].progress.state(place) == "ready":
                return number, place
        return None
