"""Plays cassettes for one session, and says why a request has no recording."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from mockserver.cassettes.matching import (
    KINDS,
    VaryingValue,
    are_explained,
    differing_places,
    explain_difference,
    is_plain,
    place_of,
    varied_values,
)
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
from mockserver.cassettes.replay.runs import RecordedRuns
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
        varied: In what it differs from the request that is new in each run of a program, `another
            id at character 44 of message 0 (system)`; or an empty string.
        warning: Why it may not fit, or an empty string.
    """

    interaction: Interaction
    tape: str
    number: int
    again: bool = False
    by_kind: bool = False
    loosened: bool = False
    timeless: bool = False
    varied: str = ""
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
        before: The number of the recording before which another one would be played now; 0 where it
            may stand at the end.
    """

    reason: str
    nearest: str = ""
    differs: tuple[str, ...] = ()
    tape: str = ""
    number: int = 0
    before: int = 0


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
_EXACT, _TIMELESS, _BY_KIND, _RAW, _LOOSE, _NAMED, _VARIED = range(7)


class _Variation(NamedTuple):
    """A recording of a call that differs in what is new in each run of a program.

    Attributes:
        rank: How sure it is that the run is known; more is greater.
        run: The number of the run; None for a new one.
        made: The values of the call by those of the recording.
    """

    rank: int
    run: int | None
    made: dict[str, VaryingValue]

    def values(self) -> dict[str, str]:
        """The same, as texts."""
        return {old: new.text for old, new in self.made.items()}


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
        exact: Whether recordings answer the same requests alone: none that differ in times, in ids
            that a program makes anew in each run, or in pseudonyms.
    """

    def __init__(
        self,
        tapes: Sequence[IndexedCassette],
        *,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: tuple[MatchPart, ...] = (),
        exact: bool = False,
    ) -> None:
        self._tapes = tuple(tapes)
        self._repeats = repeats
        self._exact = exact
        self._runs = [RecordedRuns() for _ in self._tapes]
        self._goes_beyond = barriers == "warn"
        self._progress = [Progress(tape.writes, heeded=barriers != "off") for tape in self._tapes]
        self._matches = [_match(tape, match, exact=exact) for tape in self._tapes]
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
            for kind in ((_EXACT,) if exact else (_EXACT, _TIMELESS, _BY_KIND))
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
        if queue is None and keyed.is_model_call and not self._exact:
            return self._play_varied(keyed, now)
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
        tape = self._tapes[turn.tape]
        if turn.place in tape.exact.get(keyed.exact, ()):
            return self._played_match(turn, _EXACT)
        played = self._played_match(turn, _LOOSE)
        match = self._matches[turn.tape]
        if match is None or not match.varies:
            return played
        known = tape.keyer.of_redacted(tape.requests[turn.place])
        told = differing_places(keyed.timeless_canonical, known.timeless_canonical, match.varies)
        only = replace(match, ignore=match.varies, varies=()) == Match(ignore=match.varies)
        return played._replace(varied=told, loosened=not (told and only))

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
        named = keyed.is_model_call and not self._exact
        return (self._named_queue(keyed, now) if named else None), _NAMED

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

    def _play_varied(self, keyed: KeyedRequest, now: Sequence[datetime]) -> PlayedMatch | NoMatch:
        """The recording of a call of a model that differs in what is new in each run alone."""
        found = {
            (number, place): each
            for number in range(len(self._tapes))
            for place, each in self._variations(number, keyed, now).items()
        }
        best = max((each.rank for each in found.values()), default=0)
        places = [at for at, each in found.items() if each.rank == best]
        if not places:
            return self._explain_miss(keyed, None)
        name = _VARIED, repr(places).encode()
        queue = self._queues.get(name) or self._varied_queue(name, places)
        turn = self._turn(queue)
        if turn is None:
            return self._explain_miss(keyed, queue)
        tape, variation = self._tapes[turn.tape], found[turn.tape, turn.place]
        self._runs[turn.tape].bind(variation.run, variation.values())
        known = tape.keyer.of_redacted(tape.requests[turn.place])
        told = _variation_text(keyed, known, variation.made)
        return self._played_match(turn, _VARIED)._replace(varied=told)

    def _varied_queue(self, name: _Name, places: Sequence[tuple[int, int]]) -> Queue:
        reels = [
            RecordingsOfRequest(number, tuple(of_tape), self._progress[number])
            for number in range(len(self._tapes))
            if (of_tape := [place for tape, place in places if tape == number])
        ]
        queue = self._queues[name] = Queue(reels, self._repeats)
        for number, place in places:
            if place in self._progress[number].played:
                queue.remember(Turn(number, place))
        return queue

    def _variations(
        self, number: int, keyed: KeyedRequest, now: Sequence[datetime]
    ) -> dict[int, _Variation]:
        """The places of such recordings of a tape, each with what differs."""
        tape, runs = self._tapes[number], self._runs[number]
        asked = keyed.timeless_canonical.body[1]
        found: dict[int, _Variation] = {}
        for place in tape.unvaried.get(keyed.unvaried, ()):
            recorded = tape.keyer.of_redacted(tape.requests[place]).timeless_canonical.body[1]
            made = varied_values(recorded, asked)
            since = tape.seconds_since(place, now)
            if not made or not are_explained(tape.stamps(place), keyed.stamps, since):
                continue
            run = runs.find({old: new.text for old, new in made.items()})
            if run is not None:
                found[place] = _Variation(2 + bool(run[0]), run[1], made)
            elif not runs or place in self._progress[number].played:
                found[place] = _Variation(1, None, made)
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
        # what is new in each run is not what a conversation differs in first
        asked = keyed.unvaried_canonical if keyed.is_model_call else keyed.canonical
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
            why = explain_difference(asked, known.unvaried_canonical)
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
        before = 0 if side == "before" else write + 1
        return NoMatch(reason, _description(tape, place), (), tape.name, place + 1, before)

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


def _match(tape: IndexedCassette, parts: tuple[MatchPart, ...], *, exact: bool) -> Match | None:
    """How the requests of a cassette are compared in a session that may name the parts."""
    match = tape.match
    if exact and match is not None and match.varies:
        match = replace(match, varies=())
        match = None if is_plain(match) else match
    if not parts:
        return match
    return replace(match or Match(), parts=tuple(sorted(set(parts))))


def _index(tape: IndexedCassette, kind: int) -> Places:
    if kind == _RAW:
        return tape.raw
    return (tape.exact, tape.timeless, tape.by_kind)[kind]


def _key(keyed: KeyedRequest, kind: int) -> bytes:
    if kind == _EXACT:
        return keyed.exact
    return keyed.timeless if kind == _TIMELESS else keyed.by_kind


def _variation_text(keyed: KeyedRequest, known: KeyedRequest, made: dict[str, VaryingValue]) -> str:
    """In what a call differs from a recorded one, for a reader; never a value."""
    old, new = next(iter(made.items()))
    kind = KINDS[new.kind].name
    where = place_of(old, known.canonical) or place_of(new.text, keyed.canonical)
    more = f", and {len(made) - 1} more" if len(made) > 1 else ""
    return f"another {kind} at {where}{more}" if where else f"another {kind}{more}"


def _description(tape: IndexedCassette, place: int) -> str:
    request = tape.requests[place]
    return f"{request.method} {request.url} (#{place + 1} of {tape.name})"
