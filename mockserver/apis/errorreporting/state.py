"""Error events and groups of a session.

Events are those of the snapshot, those reported in the session, and those in log entries: of the
snapshot's log entries where it has no `errorEvents` of that project, and of all written later.
"""

from collections.abc import Iterator
from datetime import datetime

from mockserver.apis.errorreporting.fromlogs import events_in
from mockserver.model import JsonObject
from mockserver.state import World, find_project, parse_rfc3339, rfc3339, shifted

ERROR_EVENTS = "errorEvents"
ERROR_GROUPS = "errorGroups"
DELETIONS = "errorEventDeletions"
"""Collection of project to the moment up to which its events were deleted."""

_LOG_ENTRIES = "logEntries"


def project_of(world: World, name: str) -> tuple[str, bool]:
    """The project's id in `projects/p` or `projects/p/locations/l`, and whether anything is there.

    Events are of the location `global`.
    """
    _, key, *rest = name.split("/")
    project = find_project(world, key)
    found = str(project.get("projectId", key)) if project else key
    return found, not rest or rest[-1] in {"global", "-"}


def events_of(world: World, project: str) -> list[JsonObject]:
    """A project's events in session time (`groupId`, `event`), newest first."""
    until = (world.table(DELETIONS).get(project) or {}).get("until", "")
    rows = [*_kept(world, project), *_logged(world, project)]
    if until:
        rows = [row for row in rows if when(row) > parse_rfc3339(until)]
    return sorted(rows, key=when, reverse=True)


def when(row: JsonObject) -> datetime:
    """When an event occurred."""
    return parse_rfc3339(row["event"]["eventTime"])


def _kept(world: World, project: str) -> Iterator[JsonObject]:
    for row in world.table(ERROR_EVENTS).rows().values():
        if row["projectId"] == project:
            yield row


def _logged(world: World, project: str) -> Iterator[JsonObject]:
    table, shift = world.unshifted(_LOG_ENTRIES)
    captured = world.base.tables.get(_LOG_ENTRIES)
    known = captured.rows() if captured is not None and _is_declared(world, project) else {}
    for key, row in table.derived(events_in):
        if row["projectId"] == project and key not in known:
            event = {**row["event"], "eventTime": shifted(row["event"]["eventTime"], shift)}
            yield {**row, "event": event}


def _is_declared(world: World, project: str) -> bool:
    """Whether the snapshot itself says what the project's error events are."""
    table = world.base.tables.get(ERROR_EVENTS)
    return table is not None and any(row["projectId"] == project for row in table.rows().values())


def add_event(world: World, project: str, group: str, event: JsonObject) -> None:
    """Keep a reported event; a resolved group is open again."""
    key = f"{project}/{world.ids.base36('errorEvent', 16)}"
    world.put(ERROR_EVENTS, key, {"projectId": project, "groupId": group, "event": event})
    name = group_name(project, group)
    found = world.table(ERROR_GROUPS).get(name)
    if found and found.get("resolutionStatus") == "RESOLVED":
        world.put(ERROR_GROUPS, name, {**found, "resolutionStatus": "OPEN"})


def delete_events(world: World, project: str) -> None:
    """Delete the events that a project has now."""
    now = rfc3339(world.clock.now())
    latest = [row["event"]["eventTime"] for row in events_of(world, project)[:1]]
    until = max([now, *latest], key=parse_rfc3339)
    world.put(DELETIONS, project, {"projectId": project, "until": until})


def group_name(project: str, group: str) -> str:
    """A group's resource name."""
    return f"projects/{project}/groups/{group}"


def group_of(world: World, project: str, group: str) -> JsonObject:
    """A group; open and without issues when nothing else was said of it."""
    name = group_name(project, group)
    found = world.table(ERROR_GROUPS).get(name) or {}
    return {"resolutionStatus": "OPEN", **found, "name": name, "groupId": group}


def group_ids(world: World, project: str) -> set[str]:
    """Ids of the groups that a project has: those with events, and those of the snapshot."""
    prefix = group_name(project, "")
    named = {
        name.removeprefix(prefix)
        for name in world.table(ERROR_GROUPS).rows()
        if name.startswith(prefix)
    }
    return named | {row["groupId"] for row in events_of(world, project)}
