"""Answers `patchTraces` of version 1, `batchWrite` and `createSpan` of version 2.

Source: Discovery documents. The texts of refusals are not verified against the live API.
"""

import re

from mockserver.apis.cloudtrace.reading import project_of
from mockserver.apis.cloudtrace.spans import version1
from mockserver.apis.cloudtrace.state import with_span
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonObject

_TRACE_ID = re.compile(r"[0-9A-Fa-f]{32}")
_SPAN_NAME = re.compile(r"projects/([^/]+)/traces/([^/]+)/spans/([^/]+)")


def patch_traces(call: Call) -> JsonObject:
    """Add traces, or spans to traces that are there; given fields of a span win over older ones.

    Raises:
        ApiError: 400; a trace of another project, a malformed trace id, a span without id.
    """
    project = project_of(call.world, call.params["projectId"])
    traces = call.body.get("traces") or []
    for trace in traces:
        _check_trace_id(str(trace.get("traceId", "")))
        if project_of(call.world, str(trace.get("projectId") or project)) != project:
            raise invalid(f"All traces must be of project '{project}'.", location="traces")
        for span in trace.get("spans") or []:
            if str(span.get("spanId") or "0") == "0":
                raise invalid("A span id must not be zero.", location="spans")
    for trace in traces:
        for span in trace.get("spans") or []:
            with_span(call.world, project, str(trace["traceId"]).lower(), span)
    return {}


def batch_write(call: Call) -> JsonObject:
    """Add spans to traces.

    Raises:
        ApiError: 400; a malformed name or id, or a span of another project.
    """
    wanted = project_of(call.world, call.params["name"].removeprefix("projects/"))
    several = [_named(call, span) for span in call.body.get("spans") or []]
    for project, _, _ in several:
        if project != wanted:
            raise invalid(f"All spans must be of project '{wanted}'.", location="spans")
    for place in several:
        with_span(call.world, *place)
    return {}


def create_span(call: Call) -> JsonObject:
    """Add one span; answers it.

    Raises:
        ApiError: 400; a malformed name or id.
    """
    span = {**call.body, "name": call.params["name"]}
    with_span(call.world, *_named(call, span))
    return span


def _named(call: Call, span: JsonObject) -> tuple[str, str, JsonObject]:
    match = _SPAN_NAME.fullmatch(str(span.get("name", "")))
    if match is None:
        raise invalid(f"Invalid span name: '{span.get('name', '')}'.", location="name")
    project, trace, span_id = match.groups()
    _check_trace_id(trace)
    if not (span.get("displayName") or {}).get("value"):
        raise invalid("The display name of a span is required.", location="displayName")
    row = version1({**span, "spanId": span.get("spanId") or span_id})
    return project_of(call.world, project), trace.lower(), row


def _check_trace_id(text: str) -> None:
    if _TRACE_ID.fullmatch(text) is None or set(text) == {"0"}:
        raise invalid(f"Invalid trace id '{text}': 32 hexadecimal digits, not all zero.")
