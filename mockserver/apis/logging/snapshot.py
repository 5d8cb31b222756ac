"""What Logging makes of a snapshot: log entries, and buckets with those every project has."""

from datetime import timedelta

from mockserver.apis.logging.collections import (
    BUILT_IN_BUCKETS,
    LOG_BUCKETS,
    LOG_ENTRIES,
    built_in_bucket,
)
from mockserver.apis.logging.query.values import SEVERITIES, plain_ns
from mockserver.apis.logging.state import entry_key, parent_of_log, severity_name
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, each_object, json_kind, nearest, text_at
from mockserver.model import Capture, Captures, JsonObject
from mockserver.state import fixed_base36, parse_rfc3339, shift_time

CAPTURES: Captures = {
    "logging.entries.list": (
        Capture("logEntries", "entries", ("logName", "timestamp", "insertId")),
    )
}
"""Discovery id to what its answers fill, beside buckets, views and links."""


_OBJECTS = (
    "resource",
    "labels",
    "jsonPayload",
    "protoPayload",
    "httpRequest",
    "operation",
    "sourceLocation",
)
_NO_CHANGE = timedelta(0)


def import_snapshot(found: SnapshotImport) -> None:
    """Make the table of log entries, and the buckets that every project has."""
    found.tables[LOG_ENTRIES] = _import_entries(found)
    buckets = found.tables[LOG_BUCKETS]
    for owner in sorted(_find_owners(found)):
        for bucket in BUILT_IN_BUCKETS:
            row = built_in_bucket(f"{owner}/locations/global/buckets/{bucket}")
            buckets.setdefault(row["name"], row)


def _find_owners(found: SnapshotImport) -> set[str]:
    entries = found.tables[LOG_ENTRIES].values()
    owners = {parent_of_log(row["logName"]) for row in entries}
    projects = found.raw.get("projects")
    for project in projects if isinstance(projects, list) else ():
        if isinstance(project, dict) and project.get("projectId"):
            owners.add(f"projects/{project['projectId']}")
    return owners


def _import_entries(found: SnapshotImport) -> Rows:
    rows: Rows = {}
    for pointer, raw in each_object(found, LOG_ENTRIES):
        row = _import_entry(found, pointer, raw)
        if row is None:
            continue
        key = entry_key(row["logName"], row["timestamp"], row["insertId"])
        if key in rows:
            text = f"the log entry {row['insertId']!r} of {row['timestamp']} is there twice"
            found.problems.append(Problem(f"{pointer}/insertId", text))
        rows[key] = row
    return rows


def _import_entry(found: SnapshotImport, pointer: str, raw: JsonObject) -> JsonObject | None:
    name = text_at(found, pointer, raw, "logName")
    moment = _import_time(found, f"{pointer}/timestamp", raw.get("timestamp"))
    if name is None or moment is None:
        return None
    if "/logs/" not in name:
        text = f"{name!r} is not a log's name such as projects/shop/logs/stdout"
        found.problems.append(Problem(f"{pointer}/logName", text))
        return None
    if not _has_shape(found, pointer, raw):
        return None
    row = {**raw, "timestamp": moment}
    row["receiveTimestamp"] = (
        _import_time(found, f"{pointer}/receiveTimestamp", raw.get("receiveTimestamp") or moment)
        or moment
    )
    row["insertId"] = str(raw.get("insertId") or "")
    if not row["insertId"]:
        row["insertId"] = fixed_base36(f"{pointer}{moment}", 14)
        found.changes.append((f"{pointer}/insertId", f"gets the insertId {row['insertId']}"))
    if "resource" not in raw:
        project = parent_of_log(name).partition("/")[2]
        row["resource"] = {"type": "global", "labels": {"project_id": project}}
        found.changes.append((f"{pointer}/resource", "gets the monitored resource global"))
    if "severity" in raw:
        row["severity"] = _import_severity(found, f"{pointer}/severity", raw["severity"])
    return row


def _has_shape(found: SnapshotImport, pointer: str, raw: JsonObject) -> bool:
    """Whether the fields that hold others are objects; noted as a problem when not."""
    wrong = [name for name in _OBJECTS if not isinstance(raw.get(name, {}), dict)]
    for name in wrong:
        text = f"expected an object, found {json_kind(raw[name])}"
        found.problems.append(Problem(f"{pointer}/{name}", text))
    return not wrong


def _import_time(found: SnapshotImport, pointer: str, value: object) -> str | None:
    try:
        if isinstance(value, str) and plain_ns(value) is not None:
            return value
        parse_rfc3339(value if isinstance(value, str) else "")
    except ValueError:
        found.problems.append(Problem(pointer, f"{value!r} is not an RFC 3339 timestamp"))
        return None
    return shift_time(str(value), _NO_CHANGE)


def _import_severity(found: SnapshotImport, pointer: str, value: object) -> str:
    name = severity_name(value)
    if name not in SEVERITIES:
        near = nearest(name, SEVERITIES)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(SEVERITIES)}"
        found.problems.append(Problem(pointer, f"unknown severity {value!r}", hint))
    return name
