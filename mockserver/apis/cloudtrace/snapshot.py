"""What Cloud Trace makes of a snapshot's `traces`."""

from mockserver.apis.cloudtrace import TRACES
from mockserver.apis.cloudtrace.state import trace_key
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, each_object, text_at
from mockserver.model import AnsweredCall, Capture, Captures, Json, JsonObject
from mockserver.state import parse_rfc3339

_IDENTITY = ("projectId", "traceId")


def keep_whole_trace(trace: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A trace with its spans; one of a view that hides them is left out."""
    return trace if call.params.get("view") == "COMPLETE" else None


CAPTURES: Captures = {
    "cloudtrace.projects.traces.list": (
        Capture("traces", "traces", _IDENTITY, reshape=keep_whole_trace),
    ),
    "cloudtrace.projects.traces.get": (Capture("traces", "", _IDENTITY),),
}
"""Discovery id to what its answers fill."""


def import_snapshot(found: SnapshotImport) -> None:
    """Make the table of traces, by project and trace id."""
    rows: Rows = {}
    for pointer, row in each_object(found, TRACES):
        project = text_at(found, pointer, row, "projectId")
        trace = text_at(found, pointer, row, "traceId")
        if project is None or trace is None or not _check_spans(found, pointer, row):
            continue
        key = trace_key(project, trace)
        if key in rows:
            found.problems.append(Problem(f"{pointer}/traceId", f"trace {key!r} is there twice"))
        rows[key] = row
    found.tables[TRACES] = rows


def _check_spans(found: SnapshotImport, pointer: str, row: JsonObject) -> bool:
    spans = row.get("spans", [])
    if not isinstance(spans, list):
        found.problems.append(Problem(f"{pointer}/spans", "expected an array of spans"))
        return False
    fine = [
        _check_span(found, f"{pointer}/spans/{number}", span) for number, span in enumerate(spans)
    ]
    return all(fine)


def _check_span(found: SnapshotImport, pointer: str, span: Json) -> bool:
    if not isinstance(span, dict) or not span.get("spanId"):
        found.problems.append(Problem(pointer, "expected a span with its 'spanId'"))
        return False
    if not isinstance(span.get("labels", {}), dict):
        found.problems.append(Problem(f"{pointer}/labels", "expected an object of texts"))
        return False
    for name in ("startTime", "endTime"):
        try:
            parse_rfc3339(str(span.get(name, "")))
        except ValueError as error:
            found.problems.append(Problem(f"{pointer}/{name}", str(error)))
            return False
    return True
