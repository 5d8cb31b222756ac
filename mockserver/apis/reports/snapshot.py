"""What Reports makes of a snapshot's `auditEvents` and `usageReports`."""

from collections.abc import Iterator

from mockserver.apis.reports import AUDIT_EVENTS, USAGE_REPORTS
from mockserver.apis.reports.usage import report_key
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, add_row, each_object, etag, json_kind
from mockserver.googleapi.raw_snapshot import text_at
from mockserver.model import Capture, Captures, Json, JsonObject
from mockserver.state import fixed_digits, parse_rfc3339

_IDENTITY = ("id.time", "id.uniqueQualifier", "id.applicationName")

CAPTURES: Captures = {"reports.activities.list": (Capture("auditEvents", "items", _IDENTITY),)}
"""Discovery id to what its answers fill."""


_KIND = "admin#reports#activity"


def import_snapshot(found: SnapshotImport) -> None:
    """Fill the tables of activities, by time, qualifier and application, and of usage reports.

    A page token of the capture is dropped: it belongs to no session. What is left out of an
    activity (`kind`, `etag`, qualifier, customer) is added; one without time or application is a
    problem.
    """
    rows: Rows = {}
    for pointer, activity in _given_activities(found):
        row = _import_activity(found, pointer, activity)
        if row is not None:
            key = row["id"]
            name = f"{key['time']}/{key['uniqueQualifier']}/{key['applicationName']}"
            add_row(found, rows, name, row, pointer=pointer, noun="activity")
    found.tables[AUDIT_EVENTS] = rows
    reports: Rows = {}
    for pointer, report in each_object(found, USAGE_REPORTS):
        _objects(found, f"{pointer}/parameters", report.get("parameters"))
        if text_at(found, pointer, report, "date") is not None:
            key = report_key(report)
            add_row(found, reports, key, report, pointer=pointer, noun="usage report")
    found.tables[USAGE_REPORTS] = reports


def _given_activities(found: SnapshotImport) -> Iterator[tuple[str, Json]]:
    given = found.raw.get(AUDIT_EVENTS)
    pointer = f"/{AUDIT_EVENTS}"
    if isinstance(given, dict):
        if "nextPageToken" in given:
            text = "dropped: the token of a page that was not captured"
            found.changes.append((f"{pointer}/nextPageToken", text))
        given, pointer = given.get("items"), f"{pointer}/items"
    if given is None:
        return
    if not isinstance(given, list):
        found.problems.append(Problem(pointer, f"expected an array, found {json_kind(given)}"))
        return
    for number, activity in enumerate(given):
        yield f"{pointer}/{number}", activity


def _import_activity(found: SnapshotImport, pointer: str, activity: Json) -> JsonObject | None:
    key = activity.get("id") if isinstance(activity, dict) else None
    if not isinstance(key, dict):
        found.problems.append(Problem(pointer, "expected an activity with its 'id'"))
        return None
    if not _check_key(found, f"{pointer}/id", key):
        return None
    for where, event in _objects(found, f"{pointer}/events", activity.get("events")):
        for place, each in _objects(found, f"{where}/parameters", event.get("parameters")):
            text_at(found, place, each, "name")
    qualifier = key.get("uniqueQualifier")
    if qualifier is None:
        qualifier = fixed_digits(f"{pointer}{key['time']}", 19)
        found.changes.append((f"{pointer}/id", f"gets the uniqueQualifier {qualifier}"))
    if key.get("customerId") not in {None, found.customer}:
        found.changes.append((f"{pointer}/id/customerId", f"written as {found.customer}"))
    named = {**key, "uniqueQualifier": str(qualifier), "customerId": found.customer}
    body = {k: v for k, v in activity.items() if k not in {"kind", "etag", "id"}}
    body = {"kind": _KIND, "id": named, **body}
    return {"kind": _KIND, "id": named, "etag": activity.get("etag") or etag(body), **body}


def _objects(found: SnapshotImport, pointer: str, given: Json) -> list[tuple[str, JsonObject]]:
    """The objects of an array that may be left out, with pointers; a problem for all else."""
    if given is None:
        return []
    if not isinstance(given, list):
        found.problems.append(Problem(pointer, f"expected an array, found {json_kind(given)}"))
        return []
    objects = []
    for number, each in enumerate(given):
        if isinstance(each, dict):
            objects.append((f"{pointer}/{number}", each))
        else:
            told = f"expected an object, found {json_kind(each)}"
            found.problems.append(Problem(f"{pointer}/{number}", told))
    return objects


def _check_key(found: SnapshotImport, pointer: str, key: JsonObject) -> bool:
    """Whether an activity has its time and application; a lack is noted as a problem."""
    where = f"{pointer}/time"
    try:
        parse_rfc3339(key.get("time", ""))
    except (ValueError, TypeError):
        found.problems.append(Problem(where, f"{key.get('time')!r} is not an RFC 3339 timestamp"))
        return False
    if not isinstance(key.get("applicationName"), str) or not key["applicationName"]:
        where = f"{pointer}/applicationName"
        found.problems.append(Problem(where, "'applicationName' is missing", "such as 'chrome'"))
        return False
    return True
