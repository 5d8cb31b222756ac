"""Plays cassettes for one session."""

from collections.abc import Iterator, Sequence

from mockserver.model import RecordedRequest, Repeats
from mockserver.replay.barriers import Progress
from mockserver.replay.keys import Keyed, Keyer
from mockserver.replay.misses import Recordings, explained
from mockserver.replay.queues import Queue, Reel, Turn
from mockserver.replay.results import Played, Unmatched, Unused
from mockserver.replay.tapes import Places, Tape

_Name = tuple[int, bytes]
_EXACT, _TIMELESS, _BY_KIND = range(3)


class Player:
    """Plays cassettes for one session.

    A request is answered by the recordings of the same request, in the order they were recorded;
    those of an earlier cassette come first. Requests that differ are in no order, but a read is
    never answered by a recording from the other side of a write: one that was recorded before the
    read and has not been played, or one recorded after it that has.

    Args:
        tapes: The cassettes, in order; all made with the same redactor.
        repeats: What a request gets whose recordings were all played.
    """

    def __init__(self, tapes: Sequence[Tape], *, repeats: Repeats = "once") -> None:
        self._tapes = tuple(tapes)
        self._repeats = repeats
        self._progress = [Progress(tape.barriers) for tape in self._tapes]
        self._queues: dict[_Name, Queue] = {}
        self._keyer = self._tapes[0].keyer if self._tapes else Keyer()
        self._kinds = tuple(
            kind
            for kind in (_EXACT, _TIMELESS, _BY_KIND)
            if any(_index(tape, kind) for tape in self._tapes)
        )

    def play(self, request: RecordedRequest | Keyed) -> Played | Unmatched:
        """The recording that answers a request, which is then played; or why none does.

        Args:
            request: Redacted as the tapes were, or its keys.
        """
        keyed = (
            self._keyer.of_redacted(request) if isinstance(request, RecordedRequest) else request
        )
        queue, kind = self._queue(keyed)
        turn = queue.next() if queue else None
        if turn is not None:
            return self._played(turn, by_kind=kind == _BY_KIND)
        recordings = Recordings(self._tapes, self._keyer.key_id)
        return explained(keyed, queue, recordings)

    def unused(self) -> tuple[Unused, ...]:
        """The recordings that were not played, in order."""
        return tuple(self._unused())

    def _unused(self) -> Iterator[Unused]:
        for tape, progress in zip(self._tapes, self._progress, strict=True):
            for place, request in enumerate(tape.requests):
                if place not in progress.played:
                    passed = progress.state(place) == "passed"
                    yield Unused(tape.name, place + 1, request.method, request.url, passed)

    def _queue(self, keyed: Keyed) -> tuple[Queue | None, int]:
        """The recordings of a request, of the strictest likeness that there are any of."""
        for kind in self._kinds:
            key = _key(keyed, kind)
            queue = self._queues.get((kind, key)) or self._made(kind, key)
            if queue is not None:
                return queue, kind
        return None, _EXACT

    def _made(self, kind: int, key: bytes) -> Queue | None:
        reels = [
            Reel(number, places, self._progress[number])
            for number, tape in enumerate(self._tapes)
            if (places := _index(tape, kind).get(key))
            and not (kind == _BY_KIND and key in tape.ambiguous)
        ]
        if not reels:
            return None
        queue = self._queues[kind, key] = Queue(reels, self._repeats)
        return queue

    def _played(self, turn: Turn, *, by_kind: bool) -> Played:
        tape = self._tapes[turn.tape]
        interaction = tape.interactions[turn.place]
        return Played(interaction, tape.name, turn.place + 1, turn.again, by_kind)


def _index(tape: Tape, kind: int) -> Places:
    return (tape.exact, tape.timeless, tape.by_kind)[kind]


def _key(keyed: Keyed, kind: int) -> bytes:
    if kind == _EXACT:
        return keyed.exact
    return keyed.timeless if kind == _TIMELESS else keyed.by_kind
