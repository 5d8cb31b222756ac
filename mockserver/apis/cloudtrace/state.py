"""Traces: their root span, when they were, how long they took."""

from datetime import datetime

from mockserver.apis.cloudtrace import TRACES
from mockserver.collections import LAST, Index, Store
from mockserver.collections.selections import ByIndex
from mockserver.model import JsonObject
from mockserver.state import World, parse_rfc3339

_NO_PARENT = frozenset({"", "0"})
_EPOCH = "1970-01-01T00:00:00Z"


def trace_key(project: str, trace: str) -> str:
    """Key of a trace's row."""
    return f"{project}/{trace}"


def traces_of(table: Store, project: str) -> ByIndex:
    """The traces of a project in the form of version 1."""
    return ByIndex(table, _BY_PROJECT, [((project,), (project, LAST))], words=f"of {project}")


_BY_PROJECT = Index(lambda _, row: ((str(row["projectId"]),),))


def root_span(trace: JsonObject) -> JsonObject:
    """The first span without a parent, or whose parent is not in the trace; empty without spans.

    >>> root_span({"spans": [{"spanId": "2", "parentSpanId": "1"}, {"spanId": "1"}]})
    {'spanId': '1'}
    """
    spans = trace.get("spans") or []
    known = {str(span.get("spanId", "")) for span in spans}
    for span in spans:
        if str(span.get("parentSpanId", "")) in _NO_PARENT:
            return dict(span)
    for span in spans:
        if str(span["parentSpanId"]) not in known:
            return dict(span)
    return {}


def start_of_span(span: JsonObject) -> datetime:
    """When a span began; the epoch where it has no start time."""
    return parse_rfc3339(span.get("startTime") or _EPOCH)


def duration_s(span: JsonObject) -> float:
    """How long a span took, in seconds."""
    end = parse_rfc3339(span.get("endTime") or span.get("startTime") or _EPOCH)
    return (end - start_of_span(span)).total_seconds()


def add_span(world: World, project: str, trace: str, span: JsonObject) -> None:
    """Add a span to a trace, which is made when it is not there; its fields win over older ones."""
    key = trace_key(project, trace)
    found = world.table(TRACES).get(key) or {"projectId": project, "traceId": trace}
    spans = list(found.get("spans") or [])
    for place, other in enumerate(spans):
        if str(other.get("spanId")) == str(span.get("spanId")):
            spans[place] = {**other, **span}
            break
    else:
        spans.append(span)
    world.put(TRACES, key, {**found, "spans": spans})
