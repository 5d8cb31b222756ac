"""What a capture says when it ends."""

from collections.abc import Iterator

from mockserver.capture.recorder import Recorder
from mockserver.capture.taking import Taking


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
    if taking.played:
        yield f"{_count(taking.played, 'request')} answered by the cassette"
    if taking.refused:
        yield f"{_count(taking.refused, 'request')} refused: not in the cassette"
    if taking.unanswered:
        yield f"{_count(taking.unanswered, 'request')} without an answer, not recorded"
    if taking.unreadable:
        yield f"{_count(taking.unreadable, 'interaction')} not recorded: not to be read"


def _into(recorder: Recorder) -> str:
    return f" into {recorder.path}" if recorder.recorded else f"; {recorder.path} is not written"


def _count(number: int, thing: str) -> str:
    """A number of things.

    >>> _count(1, "secret"), _count(0, "secret")
    ('1 secret', '0 secrets')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
