"""What a capture says when it ends."""

from collections.abc import Iterator

from mockserver.capture.modes import RecordMode
from mockserver.capture.recorder import Recorder
from mockserver.capture.taking import Taking
from mockserver.matching import canonical_key
from mockserver.storage.cassettes import read_cassette
from mockserver.storage.cassettes.comparing import compared


def told(recorder: Recorder, taking: Taking) -> Iterator[str]:
    """Lines about a capture that was finished.

    Yields:
        How much was recorded and replaced, and what was not recorded.
    """
    if recorder.records:
        yield f"{_count(recorder.recorded, 'interaction')} recorded{_into(recorder)}"
        replaced = recorder.replaced()
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(replaced.items()))
        yield f"{_count(replaced.total(), 'secret')} replaced" + (f": {kinds}" if kinds else "")
        yield from _refreshed(recorder)
    if taking.played:
        yield f"{_count(taking.played, 'request')} answered by the cassette"
    if taking.refused:
        yield f"{_count(taking.refused, 'request')} refused: not in the cassette"
    if taking.unanswered:
        yield f"{_count(taking.unanswered, 'request')} without an answer, not recorded"
    if taking.unreadable:
        yield f"{_count(taking.unreadable, 'interaction')} not recorded: not to be read"


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


def _into(recorder: Recorder) -> str:
    return f" into {recorder.path}" if recorder.recorded else f"; {recorder.path} is not written"


def _count(number: int, thing: str) -> str:
    """A number of things.

    >>> _count(1, "secret"), _count(0, "secret")
    ('1 secret', '0 secrets')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
