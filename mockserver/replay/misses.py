"""Why a request has no recording, in one sentence; asked only when it has none."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.model import RecordedRequest
from mockserver.replay.keys import Keyed
from mockserver.replay.queues import Hindrance, Queue
from mockserver.replay.results import Unmatched
from mockserver.replay.tapes import Tape


@dataclass(frozen=True, slots=True)
class Recordings:
    """The cassettes of a session.

    Attributes:
        tapes: In order.
        key_id: Which key made the pseudonyms of requests.
    """

    tapes: Sequence[Tape]
    key_id: str


def explained(keyed: Keyed, queue: Queue | None, recordings: Recordings) -> Unmatched:
    """Why a request has no recording, and which recording is nearest.

    Args:
        keyed: The request.
        queue: Its recordings, where it has any.
        recordings: All of them.
    """
    if queue is not None:
        return _not_now(queue, recordings)
    foreign = _foreign(keyed, recordings)
    reason = foreign or "no recording matches this request"
    asked = keyed.canonical
    best = None
    for tape in recordings.tapes:
        found = tape.near(keyed.request, asked)
        if found and (best is None or len(found[1].differs) < len(best[2].differs)):
            best = tape, *found
    if best is None:
        return Unmatched(reason)
    tape, place, near = best
    return Unmatched(reason, _told(tape, place), near.differs, tape.name, place + 1)


def _not_now(queue: Queue, recordings: Recordings) -> Unmatched:
    hindrance = queue.hindered()
    if hindrance is not None:
        return _on_the_other_side(hindrance, recordings)
    tape_number, place = queue.latest()
    tape = recordings.tapes[tape_number]
    reason = "every recording of this request has been played"
    return Unmatched(reason, _told(tape, place), (), tape.name, place + 1)


def _on_the_other_side(hindrance: Hindrance, recordings: Recordings) -> Unmatched:
    tape, place = recordings.tapes[hindrance.tape], hindrance.place
    write = hindrance.write
    side = "before" if write > place else "after"
    since = "which has been played" if side == "before" else "which has not been played yet"
    reason = f"the recording that is left was made {side} {_told(tape, write)}, {since}"
    return Unmatched(reason, _told(tape, place), (), tape.name, place + 1)


def _foreign(keyed: Keyed, recordings: Recordings) -> str:
    for tape in recordings.tapes:
        if tape.by_kind and keyed.by_kind in tape.ambiguous:
            ours = recordings.key_id or "none"
            return (
                f"several recordings of {tape.name} differ from this request in pseudonyms alone,"
                f" which another redaction key made ({tape.key_id}, ours is {ours}); set"
                " MOCKSERVER_REDACTION_KEY to the key of the capture"
            )
    return ""


def _told(tape: Tape, place: int) -> str:
    request: RecordedRequest = tape.requests[place]
    return f"{request.method} {request.url} (#{place + 1} of {tape.name})"
