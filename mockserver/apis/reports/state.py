"""The activities of one application, in order of time: built once for all sessions, then searched.

The index is of stored times; a query's span is moved to them, and what is found is moved back.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mockserver.apis.reports.collections import AUDIT_EVENTS
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    World,
    parse_rfc3339,
)


@dataclass(frozen=True)
class Timeline:
    """Activities of one application, oldest first.

    Attributes:
        times: Their times, ascending.
        rows: The activities, in the same order.
    """

    times: Sequence[datetime]
    rows: Sequence[JsonObject]

    def between(self, start: datetime, end: datetime) -> Sequence[JsonObject]:
        """Activities from `start` up to and without `end`, newest first."""
        first, last = bisect_left(self.times, start), bisect_left(self.times, end)
        return self.rows[first:last][::-1]


_EMPTY_TIMELINE = Timeline(times=(), rows=())


def find_activities(
    world: World, application: str, start: datetime, end: datetime
) -> Sequence[JsonObject]:
    """Activities of an application from `start` up to and without `end`, newest first.

    Both moments are in session time, the activities in stored time.
    """
    table, shift = world.stored_table(AUDIT_EVENTS)
    found = table.derived(_timelines).get(application, _EMPTY_TIMELINE)
    return found.between(start - shift, end - shift)


def in_session_time(world: World, rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Activities that `find_activities` found, as the session's clients see them."""
    _, shift = world.stored_table(AUDIT_EVENTS)
    return [world.in_session_time(AUDIT_EVENTS, row) for row in rows] if shift else list(rows)


def actors(world: World) -> frozenset[str]:
    """Addresses (lower case) and profile ids of everyone who did something."""
    table, _ = world.stored_table(AUDIT_EVENTS)
    return table.derived(_actors)


def _timelines(table: Store) -> Mapping[str, Timeline]:
    found: dict[str, list[tuple[datetime, str, JsonObject]]] = {}
    for row in table.rows().values():
        key = row["id"]
        moment = parse_rfc3339(key["time"])
        qualifier = str(key.get("uniqueQualifier", ""))
        found.setdefault(key["applicationName"], []).append((moment, qualifier, row))
    return {name: _timeline(entries) for name, entries in found.items()}


def _timeline(entries: list[tuple[datetime, str, JsonObject]]) -> Timeline:
    entries.sort(key=lambda entry: entry[:2])
    return Timeline(
        times=tuple(moment for moment, _, _ in entries), rows=tuple(row for _, _, row in entries)
    )


def _actors(table: Store) -> frozenset[str]:
    found = set()
    for row in table.rows().values():
        actor = row.get("actor", {})
        found |= {str(actor.get("email", "")).casefold(), str(actor.get("profileId", ""))}
    return frozenset(found - {""})
