"""Answers `traces.list` and `traces.get` of version 1. Source: Discovery document."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from mockserver.apis.cloudtrace.filters import trace_test
from mockserver.apis.cloudtrace.state import (
    TRACES,
    began,
    lasted_s,
    root_span,
    trace_key,
    traces_of,
)
from mockserver.googleapi import (
    Call,
    PageRule,
    invalid,
    nearest,
    not_found,
    page,
    refuses,
)
from mockserver.googleapi.profiles import NO_INTERVAL
from mockserver.model import JsonObject
from mockserver.state import World, find_project, parse_rfc3339

_PAGES = PageRule(default=100, maximum=1000, ignore=("view",))

_VIEWS = {"2": "ROOTSPAN", "3": "COMPLETE"}
"""Views by their numbers, which is how the client libraries send them."""
_ORDERS: dict[str, Callable[[JsonObject], Any]] = {
    "trace_id": lambda trace: trace["traceId"],
    "name": lambda trace: str(root_span(trace).get("name", "")),
    "duration": lambda trace: lasted_s(root_span(trace)),
    "start": lambda trace: began(root_span(trace)),
}


def project_of(world: World, key: str) -> str:
    """A project's id, given its id or number."""
    found = find_project(world, key)
    return str(found.get("projectId", key)) if found else key


def list_traces(call: Call) -> JsonObject:
    """Traces of a span of time that a filter holds for, in the view that was asked for.

    A trace is of the time its first span began. The latest come first when no order is asked for,
    which is not verified against the live API.

    Raises:
        ApiError: 400 for the filter, the order or a token of another query; in the strict profile
            also when the documented `startTime` or `endTime` is missing.
    """
    params = call.params
    if int(params.get("pageSize") or 0) < 0:
        del params["pageSize"]
    project = project_of(call.world, params["projectId"])
    start, end = _span(call)
    test = trace_test(str(params.get("filter") or ""))
    found = [
        trace
        for trace in traces_of(call.world, project)
        if start <= _first(trace) <= end and test(trace)
    ]
    shown, token = page(call, _ordered(found, str(params.get("orderBy") or "")), _PAGES)
    answer: JsonObject = {}
    if shown:
        answer["traces"] = [_seen(trace, str(params.get("view") or "")) for trace in shown]
    if token:
        answer["nextPageToken"] = token
    return answer


def _span(call: Call) -> tuple[datetime, datetime]:
    start, end = call.params.get("startTime"), call.params.get("endTime")
    if not (start and end) and refuses(call, NO_INTERVAL):
        missing = "endTime" if start else "startTime"
        raise invalid(f"The parameter {missing} is required.", location=missing)
    first = parse_rfc3339(start) if start else parse_rfc3339("1970-01-01T00:00:00Z")
    return first, parse_rfc3339(end) if end else call.world.clock.now()


def _first(trace: JsonObject) -> datetime:
    return min((began(span) for span in trace.get("spans") or ()), default=began({}))


def _ordered(found: Iterable[JsonObject], order: str) -> list[JsonObject]:
    field, _, direction = (order or "start desc").strip().partition(" ")
    if field not in _ORDERS or direction.strip() not in {"", "asc", "desc"}:
        names = ", ".join(_ORDERS)
        raise invalid(f"Invalid order '{order}': it must be one of {names}.", location="orderBy")
    by_id = sorted(found, key=_ORDERS["trace_id"])
    return sorted(by_id, key=_ORDERS[field], reverse=direction.strip() == "desc")


def _seen(trace: JsonObject, view: str) -> JsonObject:
    view = _VIEWS.get(view, view)
    if view == "COMPLETE":
        return trace
    seen = {"projectId": trace["projectId"], "traceId": trace["traceId"]}
    root = root_span(trace)
    return {**seen, "spans": [root]} if view == "ROOTSPAN" and root else seen


def get_trace(call: Call) -> JsonObject:
    """A trace with all its spans.

    Raises:
        ApiError: 404; the session has no such trace.
    """
    project = project_of(call.world, call.params["projectId"])
    key = trace_key(project, call.params["traceId"])
    traces = call.world.table(TRACES)
    found = traces.get(key)
    if found is None:
        raise not_found(asked=key, nearest=nearest(key, traces.rows()))
    return found
