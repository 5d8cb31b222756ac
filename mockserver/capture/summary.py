"""What a capture says when it ends."""

from collections.abc import Iterator, Sequence

from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, Unrecorded
from mockserver.capture.recordings import RecordMode
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.comparison import compared
from mockserver.cassettes.matching import canonical_key

_MOST = 100
"""Requests that are named one by one."""


def summary_lines(recorder: Recorder, queue: RecorderQueue) -> Iterator[str]:
    """Lines about a capture that was finished.

    Yields:
        How much was recorded and replaced, and what was not recorded.
    """
    if recorder.records:
        sound = recorder.recorded - recorder.questioned - len(recorder.dropped)
        yield f"{_count(sound, 'interaction')} recorded{_into(recorder, sound)}"
        replaced = recorder.replaced()
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(replaced.items()))
        yield f"{_count(replaced.total(), 'secret')} replaced" + (f": {kinds}" if kinds else "")
        yield from _refreshed(recorder)
    if queue.played:
        yield f"{_count(queue.played, 'request')} answered by the cassette"
    yield from _named(queue.refused, "request", "refused, not in the cassette")
    yield from _named(queue.unrecorded, "request", "not recorded")
    for line in recorder.dropped:
        yield f"left out at the end: {line}"
    yield from _named(queue.partly, "request", "recorded in part")


def _named(notes: Sequence[Unrecorded], thing: str, what: str) -> Iterator[str]:
    if not notes:
        return
    yield f"{_count(len(notes), thing)} {what}:"
    for note in notes[:_MOST]:
        yield f"  {note.request}: {note.reason}"
    if len(notes) > _MOST:
        yield f"  and {len(notes) - _MOST} more"


def _refreshed(recorder: Recorder) -> Iterator[str]:
    """Lines about what a refreshed cassette says otherwise than before.

    Yields:
        Counts, then each difference.
    """
    if recorder.existing is None or recorder.mode is not RecordMode.REFRESH:
        return
    found = compared(recorder.existing, read_cassette(recorder.path), key=canonical_key)
    yield (
        f"refreshed: {found.same} as before, {len(found.changed)} changed,"
        f" {len(found.added)} added, {len(found.removed)} gone"
    )
    for each in found.changed:
        request = each.interaction.request
        for change in each.changes:
            yield f"  {request.method} {request.url}: {change}"
    for sign, items in (("added", found.added), ("gone", found.removed)):
        for _, item in items:
            yield f"  {sign}: {item.request.method} {item.request.url}"


def _into(recorder: Recorder, sound: int) -> str:
    return f" into {recorder.path}" if sound else f"; {recorder.path} is not written"


def _count(number: int, thing: str) -> str:
    """A number of things.

    >>> _count(1, "secret"), _count(0, "secret")
    ('1 secret', '0 secrets')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
