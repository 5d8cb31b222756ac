"""Tables of Error Reporting from a snapshot: events and groups."""

from mockserver.apis.errorreporting import ERROR_EVENTS, ERROR_GROUPS
from mockserver.apis.errorreporting.state import group_id
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, each_object, named_rows, text_at
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.state import parse_rfc3339

_ROOT = "clouderrorreporting.projects"
_PLACES = ("", "locations.")


def event_with_place(event: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """An event with the project and group of its call; None without a group."""
    group = str(call.params.get("groupId") or "")
    parts = str(call.params.get("projectName", "")).split("/")
    if not group or len(parts) < 2:
        return None
    return {"projectId": parts[1], "groupId": group, **event}


def group_of_stats(stats: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The group that figures are of."""
    group = stats.get("group")
    return group if isinstance(group, dict) else None


CAPTURES: Captures = {
    **{
        f"{_ROOT}.{place}events.list": (
            Capture("errorEvents", "errorEvents", (), reshape=event_with_place),
        )
        for place in _PLACES
    },
    **{
        f"{_ROOT}.{place}groupStats.list": (
            Capture("errorGroups", "errorGroupStats", reshape=group_of_stats),
        )
        for place in _PLACES
    },
    **{f"{_ROOT}.{place}groups.get": (Capture("errorGroups"),) for place in _PLACES},
}
"""Discovery id to what its answers fill."""


_OWN_FIELDS = frozenset({"projectId", "groupId"})


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables of error events and groups."""
    rows: Rows = {}
    for pointer, raw in each_object(found, ERROR_EVENTS):
        row = _import_event(found, pointer, raw)
        if row is not None:
            rows[f"{row['projectId']}/{len(rows) + 1:06d}"] = row
    found.tables[ERROR_EVENTS] = rows
    groups = named_rows(found, ERROR_GROUPS, "projects/{project}/groups/{group}")
    for name, group in groups.items():
        groups[name] = {"groupId": name.rpartition("/")[2], **group}
    found.tables[ERROR_GROUPS] = groups


def _import_event(found: SnapshotImport, pointer: str, raw: JsonObject) -> JsonObject | None:
    message = text_at(found, pointer, raw, "message")
    moment = text_at(found, pointer, raw, "eventTime")
    project = str(raw.get("projectId") or _only_project(found))
    if not project:
        text = "'projectId' is missing, and the snapshot has not just one project"
        found.problems.append(Problem(f"{pointer}/projectId", text))
    if message is None or moment is None or not project:
        return None
    for name in ("serviceContext", "context"):
        if not isinstance(raw.get(name, {}), dict):
            found.problems.append(Problem(f"{pointer}/{name}", "expected an object"))
            return None
    try:
        parse_rfc3339(moment)
    except ValueError as error:
        found.problems.append(Problem(f"{pointer}/eventTime", str(error)))
        return None
    event = {name: value for name, value in raw.items() if name not in _OWN_FIELDS}
    group = str(raw.get("groupId") or group_id(project, message))
    if not raw.get("groupId"):
        found.changes.append((f"{pointer}/groupId", f"gets the groupId {group}"))
    return {"projectId": project, "groupId": group, "event": event}


def _only_project(found: SnapshotImport) -> str:
    projects = found.raw.get("projects")
    if isinstance(projects, list) and len(projects) == 1 and isinstance(projects[0], dict):
        return str(projects[0].get("projectId", ""))
    return ""
