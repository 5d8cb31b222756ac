"""The state side of `entries.tail`: what a session gains from now on, batch by batch."""

from collections.abc import Iterator
from datetime import timedelta

from mockserver.apis.logging.parents import Source, sources
from mockserver.apis.logging.query import Filter, duration_ns
from mockserver.apis.logging.reading import asked_names, find_entries, query_filter
from mockserver.apis.logging.state import LOG_ENTRIES
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonObject
from mockserver.state import World

_LONGEST_WINDOW_NS = 60 * 10**9
_WINDOW_NS = 2 * 10**9


def tail_entries(call: Call) -> Iterator[JsonObject]:
    """Batches of the entries that are written after this call, oldest first within a batch.

    Each step answers at once with what is new since the last one, `{}` when nothing is; whoever
    streams it waits `buffer_window_s` between steps. It never ends by itself.

    Raises:
        ApiError: 400, 403 or 404, before the first batch, as `entries.list` does; 400 for a buffer
            window that is not between 0 and 60 seconds.
    """
    buffer_window_s(call)
    several = sources(call.world, asked_names(call.body))
    asked = query_filter(call, str(call.body.get("filter") or ""), timedelta(0))
    return _batches(call.world, several, asked)


def buffer_window_s(call: Call) -> float:
    """How long entries are gathered before they are sent, in seconds; two when not said.

    Raises:
        ApiError: 400; not a duration between 0 and 60 seconds.
    """
    text = str(call.body.get("bufferWindow") or "")
    try:
        found = duration_ns(text) if text else _WINDOW_NS
    except ValueError:
        found = -1
    if not 0 <= found <= _LONGEST_WINDOW_NS:
        raise invalid(f"Invalid buffer window: '{text}'.", location="bufferWindow")
    return found / 10**9


def _batches(world: World, several: tuple[Source, ...], asked: Filter) -> Iterator[JsonObject]:
    seen = set(world.table(LOG_ENTRIES).rows())
    while True:
        gained = world.table(LOG_ENTRIES).rows().keys() - seen
        batch: JsonObject = {}
        if gained:
            # what a session gains it has written, so its table is in session time
            found = find_entries(world, several, asked)
            entries = [entry.row for entry in found if entry.key in gained]
            seen |= gained
            if entries:
                batch = {"entries": entries}
        yield batch
