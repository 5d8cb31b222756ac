"""Plays cassettes for one session, and says why a request has no recording."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from mockserver.cassettes.matching import are_explained, explain_difference
from mockserver.cassettes.replay.indexed_cassette import IndexedCassette, Places
from mockserver.cassettes.replay.keys import KeyedRequest, RequestKeys
from mockserver.cassettes.replay.names import NameBindings
from mockserver.cassettes.replay.order import (
    BlockedRecording,
    Progress,
    Queue,
    RecordingsOfRequest,
    Turn,
)
from mockserver.model import Barriers, Interaction, Match, MatchPart, RecordedRequest, Repeats


class PlayedMatch(NamedTuple):
    """A recording that answers a request.

    Attributes:
        interaction: The recording.
        tape: The name of its cassette.
        number: Its number there, from 1.
        again: Whether it was played before.
        by_kind: Whether it was found with pseudonyms left out, or with names for those of names,
            since the cassette's were made with another redaction key.
        loosened: Whether it differs from the request in what is not compared.
        timeless: Whether it differs from the request in times that the clock explains.
        warning: Why it may not fit, or an empty string.
    """

    interaction: Interaction
    tape: str
    number: int
    again: bool = False
    by_kind: bool = False
    loosened: bool = False
    timeless: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Why no recording answers a request.

    Attributes:
        reason: One sentence.
        nearest: The nearest recording, `GET https://host/path (#3 of name.yaml)`, or an empty
            string.
        differs: The fields in which the request differs from it.
        tape: The name of the nearest one's cassette, or an empty string.
        number: The nearest one's number there, from 1; 0 where there is none.
    """

    reason: str
    nearest: str = ""
    differs: tuple[str, ...] = ()
    tape: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class UnplayedRecording:
    """A recording that was not played.

    Attributes:
        tape: The name of its cassette.
        number: Its number there, from 1.
        method: The HTTP method.
        url: The whole URL.
        passed: Whether it can no longer be played: a write that came after it has been played.
    """

    tape: str
    number: int
    method: str
    url: str
    passed: bool = False


ALL_PLAYED = "every recording of this request has been played"
"""Why a request has no recording that had one before."""

_Name = tuple[int, bytes]
_EXACT, _TIMELESS, _BY_KIND, _RAW, _LOOSE, _NAMED = range(6)


class Player:
    """Plays cassettes for one session.

    A request is answered by the recordings of the same request, in the order they were recorded;
    those of an earlier cassette come first. Requests that differ are in no order, but a read is
    never answered by a recording from before a write that was played. One from after a write that
    was not played answers with a warning, and the session is after that write from then on.

    Args:
        tapes: The cassettes, in order; all made with the same redactor.
        repeats: What a request gets whose recordings were all played.
        barriers: What a read gets whose recordings are on the other side of a write.
        match: The parts of requests that are compared; as each cassette says when empty.
    """

    def __init__(
        self,
        tapes: Sequence[IndexedCassette],
        *,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: tuple[MatchPart, ...] = (),
    ) -> None:
        self._tapes = tuple(tapes)
        self._repeats = repeats
        self._goes_beyond = barriers == "warn"
        self._progress = [Progress(tape.writes, heeded=barriers != "off") for tape in self._tapes]
        self._matches = [_match(tape, match) for tape in self._tapes]
        self._loosenings = tuple(dict.fromkeys(each for each in self._matches if each))
        self._queues: dict[_Name, Queue] = {}
        self._made: dict[tuple[Turn, int], PlayedMatch] = {}
        self._keyer = self._tapes[0].keyer if self._tapes else RequestKeys()
        self._names = [
            NameBindings(self._keyer.scrubs.name, is_own=self._is_own(number))
            for number in range(len(self._tapes))
        ]
        self._kinds = tuple(
            kind
            for kind in (_EXACT, _TIMELESS, _BY_KIND)
            if any(_index(tape, kind) for tape in self._tapes)
        )

    def play(
        self, request: RecordedRequest | KeyedRequest, now: Sequence[datetime] = ()
    ) -> PlayedMatch | NoMatch:
        """The recording that answers a request, which is then played; or why none does.

        The same recording, found in the same way, is the same object each time.

        Args:
            request: Redacted as the tapes were, or its keys.
            now: The time by each clock that texts for a model may be dated by; none: no time has
                passed.
        """
        keyed = (
            self._keyer.of_redacted(request) if isinstance(request, RecordedRequest) else request
        )
        queue, kind = self._queue(keyed, now)
        loose = self._loose(keyed) if self._loosenings else None
        if loose is not None:
            return self._play_loosened(keyed, queue, kind, loose)
        turn = self._turn(queue) if queue is not None else None
        if turn is not None:
            return self._played_match(turn, kind)
        return self._explain_miss(keyed, queue)

    def play_nearest(self, missed: NoMatch, warning: str) -> PlayedMatch | None:
        """The nearest recording of a request that none matches, which is then played.

        Args:
            missed: Why none matches.
            warning: Why the nearest may not fit.
        """
        for number, tape in enumerate(self._tapes):
            if tape.name == missed.tape and missed.number:
                place, progress = missed.number - 1, self._progress[number]
                turn = Turn(number, place, place in progress.played)
                progress.play(place)
                kind = _LOOSE if missed.differs else _EXACT
                return self._make_match(turn, kind)._replace(warning=warning)
        return None

    def skipped_write(self, match: PlayedMatch) -> str:
        """A write that was recorded before a recording and was not made; empty for none."""
        for tape, progress in zip(self._tapes, self._progress, strict=True):
            if tape.name == match.tape:
                for place in range(match.number - 1):
                    if place not in progress.played and not progress.reads(place):
                        return _description(tape, place)
        return ""

    def unused(self) -> tuple[UnplayedRecording, ...]:
        """The recordings that were not played, in order."""
        return tuple(self._unused())

    def _unused(self) -> Iterator[UnplayedRecording]:
        for tape, progress in zip(self._tapes, self._progress, strict=True):
            for place, request in enumerate(tape.requests):
                if place not in progress.played:
                    passed = progress.state(place) == "passed"
                    yield UnplayedRecording(
                        tape.name, place + 1, request.method, request.url, passed
                    )

    def _turn(self, queue: Queue) -> Turn | None:
        turn = queue.next_in_turn() or queue.next_repeat()
        return queue.next_without_write() if turn is None and self._goes_beyond else turn

    def _play_loosened(
        self, keyed: KeyedRequest, queue: Queue | None, kind: int, loose: Queue
    ) -> PlayedMatch | NoMatch:
        """The recording of a request that is compared by less; one that is equal comes first."""
        turn = queue.next_in_turn() if queue is not None else None
        if turn is not None:
            loose.remember(turn)
            return self._played_match(turn, kind)
        turn = self._turn(loose)
        if turn is None:
            return self._explain_miss(keyed, loose)
        equal = self._tapes[turn.tape].exact.get(keyed.exact, ())
        return self._played_match(turn, _EXACT if turn.place in equal else _LOOSE)

    def _queue(self, keyed: KeyedRequest, now: Sequence[datetime]) -> tuple[Queue | None, int]:
        """The recordings of a request, of the strictest likeness that there are any of."""
        for kind in self._kinds:
            key = _key(keyed, kind)
            if kind != _EXACT and keyed.is_model_call:
                queue = self._dated_queue(keyed, kind, now)
            else:
                queue = self._queues.get((kind, key)) or self._make_queue(kind, key)
            if queue is not None:
                return queue, kind
        raw = keyed.raw
        if raw is not None:
            queue = self._queues.get((_RAW, raw)) or self._make_queue(_RAW, raw)
            if queue is not None:
                return queue, _RAW
        return (self._named_queue(keyed, now) if keyed.is_model_call else None), _NAMED

    def _is_own(self, number: int) -> bool:
        """Whether our redaction key made the pseudonyms of a tape."""
        return self._tapes[number].key_id in {"", self._keyer.key_id}

    def _named_queue(self, keyed: KeyedRequest, now: Sequence[datetime]) -> Queue | None:
        """The recordings of a call of a model that differ in names for their pseudonyms alone."""
        reels = []
        for number, tape in enumerate(self._tapes):
            found = self._named_places(number, keyed, now)
            requests = {tape.keyer.of_redacted(tape.requests[place]).timeless for place in found}
            if len(requests) > 1 and not self._is_own(number):
                continue  # nothing tells which of them it is
            if found:
                self._names[number].bind(next(iter(found.values())))
                reels.append(RecordingsOfRequest(number, tuple(found), self._progress[number]))
        if not reels:
            return None
        name = _NAMED, repr([(each.tape, each.places) for each in reels]).encode()
        return self._queues.setdefault(name, Queue(reels, self._repeats))

    def _named_places(
        self, number: int, keyed: KeyedRequest, now: Sequence[datetime]
    ) -> dict[int, dict[str, str]]:
        """The places of such recordings of a tape, each with the names that they tell."""
        tape, asked = self._tapes[number], keyed.timeless_canonical
        scrubs = tape.keyer.scrubs
        scrub = scrubs.credentials if self._is_own(number) else scrubs.pseudonyms
        found: dict[int, dict[str, str]] = {}
        for place in tape.places_with_names:
            recorded = tape.keyer.of_redacted(tape.requests[place]).timeless_canonical
            if recorded._replace(body=asked.body) != asked:
                continue
            names = self._names[number].fit(recorded.body[1], asked.body[1], scrub)
            since = tape.seconds_since(place, now)
            if names is not None and are_explained(tape.stamps(place), keyed.stamps, since):
                found[place] = names
        return found

    def _make_queue(self, kind: int, key: bytes) -> Queue | None:
        reels = [
            RecordingsOfRequest(number, places, self._progress[number])
            for number, tape in enumerate(self._tapes)
            if (places := _index(tape, kind).get(key))
            and not (kind == _BY_KIND and key in tape.ambiguous)
        ]
        if not reels:
            return None
        queue = self._queues[kind, key] = Queue(reels, self._repeats)
        return queue

    def _dated_queue(self, keyed: KeyedRequest, kind: int, now: Sequence[datetime]) -> Queue | None:
        """The recordings of a call of a model whose times the clock explains."""
        key, explained = _key(keyed, kind), []
        for number, tape in enumerate(self._tapes):
            places = [
                place
                for place in _index(tape, kind).get(key, ())
                if are_explained(tape.stamps(place), keyed.stamps, tape.seconds_since(place, now))
            ]
            explained += [(number, tuple(places))] if places else []
        if not explained:
            return None
        name = kind, b"%b %b" % (key, repr(explained).encode())
        queue = self._queues.get(name)
        if queue is None:
            reels = [RecordingsOfRequest(number, places, self._progress[number])
                     for number, places in explained]  # fmt: skip
            queue = self._queues[name] = Queue(reels, self._repeats)
        return queue

    def _loose(self, keyed: KeyedRequest) -> Queue | None:
        """The recordings of a request in the cassettes that compare less than all that counts."""
        key = b"".join(keyed.loose(match) for match in self._loosenings)
        queue = self._queues.get((_LOOSE, key))
        if queue is not None:
            return queue
        reels = [
            RecordingsOfRequest(number, places, self._progress[number])
            for number, (tape, match) in enumerate(zip(self._tapes, self._matches, strict=True))
            if match is not None and (places := tape.loose(match).get(keyed.loose(match)))
        ]
        if not reels:
            return None
        queue = self._queues[_LOOSE, key] = Queue(reels, self._repeats)
        return queue

    def _played_match(self, turn: Turn, kind: int) -> PlayedMatch:
        made = self._made.get((turn, kind))
        if made is None:
            made = self._made[turn, kind] = self._make_match(turn, kind)
        return made

    def _make_match(self, turn: Turn, kind: int) -> PlayedMatch:
        tape = self._tapes[turn.tape]
        by_kind = kind == _BY_KIND or (kind == _NAMED and not self._is_own(turn.tape))
        interaction = tape.interactions[turn.place]
        warning = ""
        if turn.omitted is not None:
            write = _description(tape, turn.omitted)
            warning = f"recorded after {write}, which this session has not made"
        return PlayedMatch(
            interaction,
            tape.name,
            turn.place + 1,
            again=turn.again,
            by_kind=by_kind,
            loosened=kind == _LOOSE,
            timeless=kind == _TIMELESS,
            warning=warning,
        )

    def _explain_miss(self, keyed: KeyedRequest, queue: Queue | None) -> NoMatch:
        """Why a request has no recording, and which recording is nearest."""
        if queue is not None:
            return self._explain_blocked(queue)
        reason = self._foreign_key_reason(keyed) or "no recording matches this request"
        # times that moved on with the clock are not what a conversation differs in first
        asked = keyed.timeless_canonical if keyed.is_model_call else keyed.canonical
        best = None
        for tape, match in zip(self._tapes, self._matches, strict=True):
            found = tape.near(asked, match)
            if found and (best is None or len(found[1].differs) < len(best[2].differs)):
                best = tape, *found
        if best is None:
            return NoMatch(reason + self._other_operations(keyed))
        tape, place, near = best
        if keyed.is_model_call:
            known = tape.keyer.of_redacted(tape.requests[place])
            why = explain_difference(asked, known.timeless_canonical)
            why = why or explain_difference(keyed.canonical, known.canonical)
            if known.canonical.path[:1] != asked.path[:1]:
                reason += self._other_operations(keyed)
            elif known.canonical.path == asked.path and why:
                reason = f"{reason}: {why}"
        return NoMatch(reason, _description(tape, place), near.differs, tape.name, place + 1)

    def _other_operations(self, keyed: KeyedRequest) -> str:
        """Which calls of models were recorded, where one of another kind has no recording."""
        found = {each for tape in self._tapes for each in tape.model_operations()}
        if not keyed.is_model_call or not found:
            return ""
        asked, recorded = keyed.canonical.path[0], ", ".join(sorted(found))
        return f": it calls {asked}, and the recordings are calls of {recorded}"

    def _explain_blocked(self, queue: Queue) -> NoMatch:
        hindrance = queue.find_blocked()
        if hindrance is not None:
            return self._explain_barrier(hindrance)
        number, place = queue.latest()
        tape = self._tapes[number]
        reason = ALL_PLAYED
        return NoMatch(reason, _description(tape, place), (), tape.name, place + 1)

    def _explain_barrier(self, hindrance: BlockedRecording) -> NoMatch:
        tape, place, write = self._tapes[hindrance.tape], hindrance.place, hindrance.write
        side = "before" if write > place else "after"
        since = "which has been played" if side == "before" else "which has not been played yet"
        reason = f"the recording that is left was made {side} {_description(tape, write)}, {since}"
        return NoMatch(reason, _description(tape, place), (), tape.name, place + 1)

    def _foreign_key_reason(self, keyed: KeyedRequest) -> str:
        for tape in self._tapes:
            if tape.by_kind and keyed.by_kind in tape.ambiguous:
                ours = self._keyer.key_id or "none"
                return (
                    f"several recordings of {tape.name} differ from this request in pseudonyms"
                    f" alone, which another redaction key made ({tape.key_id}, ours is {ours});"
                    " set MOCKSERVER_REDACTION_KEY to the key of the capture"
                )
        return ""


def _match(tape: IndexedCassette, parts: tuple[MatchPart, ...]) -> Match | None:
    """How the requests of a cassette are compared in a session that may name the parts."""
    if not parts:
        return tape.match
    return replace(tape.match or Match(), parts=tuple(sorted(set(parts))))


def _index(tape: IndexedCassette, kind: int) -> Places:
    if kind == _RAW:
        return tape.raw
    return (tape.exact, tape.timeless, tape.by_kind)[kind]


def _key(keyed: KeyedRequest, kind: int) -> bytes:
    if kind == _EXACT:
        return keyed.exact
    return keyed.timeless if kind == _TIMELESS else keyed.by_kind


def _description(tape: IndexedCassette, place: int) -> str:
    request = tape.requests[place]
    return f"{request.method} {request.url} (#{place + 1} of {tape.name})"
