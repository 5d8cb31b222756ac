"""The activities of one application, in order of time: built once for all sessions, then searched.

The index is of stored times; a query's span is moved to them, and what is found is moved back.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from mockserver.apis.reports import AUDIT_EVENTS
from mockserver.collections import Index
from mockserver.googleapi import nearest
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import World, parse_rfc3339


def _place(_: str, row: JsonObject) -> tuple[tuple[str, datetime, str], ...]:
    key = row["id"]
    moment, qualifier = parse_rfc3339(key["time"]), str(key.get("uniqueQualifier", ""))
    return ((key["applicationName"], moment, qualifier),)


def actor_names(row: JsonMapping) -> frozenset[str]:
    """The address and the id of who acted."""
    actor = row.get("actor", {})
    names = {str(actor.get("email", "")).casefold(), str(actor.get("profileId", ""))}
    return frozenset(names - {""})


_BY_TIME = Index(_place, timed=True)
_BY_ACTOR = Index(lambda _, row: actor_names(row))


def find_activities(
    world: World, application: str, start: datetime, end: datetime
) -> Sequence[JsonObject]:
    """Activities of an application from `start` up to and without `end`, newest first.

    Both moments are in session time, the activities in stored time.
    """
    table, shift = world.stored_table(AUDIT_EVENTS)
    low, high = (application, start - shift), (application, end - shift)
    return table.between(_BY_TIME, low, high)[::-1]


def in_session_time(world: World, rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Activities that `find_activities` found, as the session's clients see them."""
    _, shift = world.stored_table(AUDIT_EVENTS)
    return [world.in_session_time(AUDIT_EVENTS, row) for row in rows] if shift else list(rows)


def has_acted(world: World, name: str) -> bool:
    """Whether someone with an address in lower case, or a profile id, did something."""
    return world.stored_table(AUDIT_EVENTS)[0].first(_BY_ACTOR, name) is not None


def nearest_actor(world: World, name: str) -> str:
    """The address or profile id most like a name of those who did something."""
    return nearest(name, world.stored_table(AUDIT_EVENTS)[0], _BY_ACTOR)
