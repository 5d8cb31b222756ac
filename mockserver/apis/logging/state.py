"""Log entries in order of time: indexed once for all sessions, then searched.

The index is of stored times; a query is moved to them, and what is found is moved back.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mockserver.apis.logging.query import Entry, Filter, time_ns
from mockserver.model import JsonObject
from mockserver.state import Table, World

LOG_ENTRIES = "logEntries"


@dataclass(frozen=True)
class Timeline:
    """The log entries of one parent (`projects/shop-prod`), oldest first, ties by insert id.

    Attributes:
        entries: The entries, in order.
    """

    entries: Sequence[Entry]

    @cached_property
    def moments(self) -> Sequence[int]:
        """Their times, nanoseconds since 1970, ascending."""
        return [entry.ns for entry in self.entries]

    @cached_property
    def latest_first(self) -> Sequence[Entry]:
        """The entries, newest first, ties still by insert id."""
        return sorted(self.entries, key=lambda entry: -entry.ns)

    def between(self, start: int, end: int, *, descending: bool = False) -> Sequence[Entry]:
        """Entries from `start` up to and without `end`."""
        first, last = bisect_left(self.moments, start), bisect_left(self.moments, end)
        if descending:
            size = len(self.entries)
            return self.latest_first[size - last : size - first]
        return self.entries[first:last]


_NOTHING = Timeline(())


def timelines(table: Table) -> Mapping[str, Timeline]:
    """Parent to its entries; made once for a table, see `Table.derived`."""
    found: dict[str, list[Entry]] = {}
    for key, row in table.rows().items():
        entry = Entry(row, key, time_ns(row["timestamp"]))
        found.setdefault(parent_of_log(row["logName"]), []).append(entry)
    for entries in found.values():
        entries.sort(key=_order)
    return {parent: Timeline(tuple(entries)) for parent, entries in found.items()}


def _order(entry: Entry) -> tuple[int, str]:
    return entry.ns, entry.row["insertId"]


def parent_of_log(name: str) -> str:
    """What a log belongs to.

    >>> parent_of_log("projects/p/logs/cloudaudit.googleapis.com%2Factivity")
    'projects/p'
    """
    return name.partition("/logs/")[0]


def timeline(world: World, parent: str) -> Timeline:
    """The entries of a parent, in stored time."""
    table, _ = world.unshifted(LOG_ENTRIES)
    return table.derived(timelines).get(parent, _NOTHING)


def matching(filter_: Filter, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries of the filter's span that it holds for."""
    return iter(entries) if filter_.always else filter(filter_.holds, entries)


def in_session_time(world: World, entries: Iterable[Entry]) -> list[JsonObject]:
    """Entries as the session's clients see them."""
    _, shift = world.unshifted(LOG_ENTRIES)
    if not shift:
        return [entry.row for entry in entries]
    return [world.in_session_time(LOG_ENTRIES, entry.row) for entry in entries]


def entry_key(log_name: str, timestamp: str, insert_id: str) -> str:
    """Key of a row: entries of one parent with the same time and insert id are one entry."""
    return f"{parent_of_log(log_name)}/{time_ns(timestamp)}/{insert_id}"
