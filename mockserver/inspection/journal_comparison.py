"""Whether a session was asked the same as another one, up to a moment."""

from collections import Counter

import orjson

from mockserver.cassettes.matching.time_stamps import map_texts, mask_stamps
from mockserver.model import Journal, JournalEntry, shortened
from mockserver.models.calls import find_call

_SORTED = orjson.OPT_SORT_KEYS


def journal_difference(recorded: Journal, now: Journal, *, with_answers: bool) -> str:
    """The first request in which a session is not what another one was at the same moment.

    Calls of models are left out, and dates, times and the ids of the sessions do not count. Where
    the same requests came in another order, as they may from an agent that asks several things at
    once, there is no difference.

    Args:
        recorded: The journal of the other session, to its end.
        now: The journal of the session, so far.
        with_answers: Whether answers are compared beside their status.

    Returns:
        One sentence, or an empty string.
    """
    if recorded.evicted or now.evicted:
        return "the journal has lost its oldest requests, so that nobody can tell what they were"
    asked, known = _requests(now), _requests(recorded)
    ours = [_facts(now, each, with_answers=with_answers) for each in asked]
    theirs = [_facts(recorded, each, with_answers=with_answers) for each in known[: len(asked)]]
    if Counter(ours) == Counter(theirs):
        return ""
    place = next(
        (at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        len(theirs),
    )
    entry = _describe(asked[place])
    if place >= len(known):
        return f"request {place + 1} is {entry}, and the recorded trial made only {len(known)}"
    before = _describe(known[place])
    if before != entry:
        return f"request {place + 1} is {entry}, recorded was {before}"
    part = _part(ours[place], theirs[place])
    return f"request {place + 1}, {entry}, is not the recorded one: its {part} differs"


def _requests(journal: Journal) -> list[JournalEntry]:
    """The requests that no model was asked by."""
    return [each for each in journal.entries if not _asks_model(each)]


def _asks_model(entry: JournalEntry) -> bool:
    if entry.method_id.startswith("tools."):
        return False
    return find_call(entry.http_method, entry.host, entry.path, entry.body) is not None


_PARTS = ("method", "parameters", "body", "status", "answer")
_Facts = tuple[bytes, bytes, bytes, bytes, bytes]


def _facts(journal: Journal, entry: JournalEntry, *, with_answers: bool) -> _Facts:
    """What counts of a request, one text for each of `_PARTS`."""

    def plain(text: str) -> str:
        return mask_stamps(text.replace(entry.session, "<session>"))

    answer = plain(journal.bodies.get(entry.response_ref, "")) if with_answers else ""
    return (
        f"{entry.http_method} {entry.method_id} {plain(entry.path)}".encode(),
        orjson.dumps(map_texts(entry.params, plain), option=_SORTED),
        orjson.dumps(map_texts(entry.body, plain), option=_SORTED),
        f"{entry.status} {entry.source} {entry.fault}".encode(),
        answer.encode(),
    )


def _part(ours: _Facts, theirs: _Facts) -> str:
    return next(name for name, one, other in zip(_PARTS, ours, theirs, strict=True) if one != other)


def _describe(entry: JournalEntry) -> str:
    said = f"{entry.http_method} {entry.method_id or entry.host + entry.path}"
    if entry.method_id.startswith("tools.") and entry.body:
        said += f" {shortened(orjson.dumps(entry.body).decode())}"
    return f"{said} ({entry.status})"
