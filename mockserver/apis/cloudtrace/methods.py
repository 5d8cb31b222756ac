"""Methods of Cloud Trace: reading and writing traces of version 1, and writing spans of version 2.

Source: Discovery documents. The texts of refusals are not verified against the live API.

A filter of `traces.list` is terms side by side, each of which must hold. Source: Cloud Trace
filters reference. `root:`, `span:` and a bare name test the beginning of a span's name, `+` makes a
test exact, `^` asks the root span alone, `latency:` is a minimum, `label:` asks for a label's key,
`method:` and `url:` for the labels of HTTP, and any other name for a label's value. `error:true`
finds failed spans; it is not in the reference, but clients send it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from mockserver.apis.cloudtrace import TRACES
from mockserver.apis.cloudtrace.state import (
    add_span,
    duration_s,
    root_span,
    start_of_span,
    trace_key,
    traces_of,
)
from mockserver.collections.query import Query, SortKey
from mockserver.collections.selections import AllOf, ByTest
from mockserver.googleapi import (
    Call,
    FilterError,
    Handler,
    PageRule,
    invalid,
    list_page,
    refuses,
    require_row,
)
from mockserver.googleapi.filters import read_terms, unescape
from mockserver.googleapi.list_rules import Ranked
from mockserver.googleapi.profiles import NO_INTERVAL
from mockserver.model import Json, JsonObject
from mockserver.state import World, find_project, parse_rfc3339

_Test = Callable[[JsonObject], bool]

_STRING = r'"(?:[^"\\]|\\.)*"'
_TERM = re.compile(
    rf"""\s*(?P<signs>[+^]*)
    (?:(?P<key>{_STRING}|[^\s:"+^][^\s:"]*):(?=\S)(?P<value>{_STRING}|[^\s:"]+)
      |(?P<word>{_STRING}|[^\s:"+^][^\s:"]*+)(?!:))""",
    re.DOTALL | re.VERBOSE,
)
"""No parentheses and no OR; a value follows its key at once."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)?")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_LABELS = {"method": "/http/method", "url": "/http/url"}
_STATUS = ("/http/status_code", "http.status_code", "http.response.status_code")
_ERRORS = ("/error/message", "/error/name", "error.type")
_FAILED = 500


@dataclass(frozen=True)
class Term:
    """One term of a filter.

    Attributes:
        key: `root`, `latency` or a label's key; empty for a bare name.
        value: What is looked for.
        exact: Whether the whole text must be equal (`+`).
        of_root: Whether the root span alone is asked (`^`).
    """

    key: str
    value: str
    exact: bool = False
    of_root: bool = False


@lru_cache(maxsize=256)
def trace_test(text: str) -> _Test:
    """The test that a filter puts to a trace; blank text holds for all.

    Raises:
        ApiError: 400; a term that cannot be read, or a duration that is none.
    """
    tests = [_term_test(term) for term in parse_terms(text)]
    return lambda trace: all(test(trace) for test in tests)


def parse_terms(text: str) -> tuple[Term, ...]:
    """Read the terms of a filter.

    Raises:
        ApiError: 400; a term that cannot be read.

    >>> parse_terms('+root:/cart latency:1s')
    (Term(key='root', value='/cart', exact=True, of_root=False), \
Term(key='latency', value='1s', exact=False, of_root=False))
    """
    text = text.strip()
    try:
        return tuple(
            Term(
                _plain(term["key"] or ""),
                _plain(term["value"] or term["word"]),
                "+" in term["signs"],
                "^" in term["signs"],
            )
            for term in read_terms(text, _TERM)
        )
    except FilterError as error:
        message = f"Invalid filter: '{text}' at position {error.token.place + 1}."
        raise invalid(message, location="filter") from error


def _plain(text: str) -> str:
    """A key or a value without its quotes."""
    return unescape(text[1:-1]) if text.startswith('"') else text


def _term_test(term: Term) -> _Test:
    match term.key:
        case "" | "root":
            return lambda trace: _matches_text(term, str(root_span(trace).get("name", "")))
        case "span":
            return lambda trace: any(
                _matches_text(term, str(span.get("name", ""))) for span in _all_spans(trace)
            )
        case "latency":
            least = _seconds(term.value)
            return lambda trace: duration_s(root_span(trace)) >= least
        case "error":
            wanted = term.value.casefold() in {"true", "1"}
            return lambda trace: any(map(_has_failed, _spans_of_term(term, trace))) is wanted
        case _:
            return _label_test(term)


def _label_test(term: Term) -> _Test:
    if term.key == "label":
        return lambda trace: any(
            term.value in _searched_labels(span) for span in _spans_of_term(term, trace)
        )
    key = _LABELS.get(term.key, term.key)
    return lambda trace: any(
        key in _searched_labels(span) and _matches_text(term, str(_searched_labels(span)[key]))
        for span in _spans_of_term(term, trace)
    )


def _matches_text(term: Term, text: str) -> bool:
    return text == term.value if term.exact else text.startswith(term.value)


def _all_spans(trace: JsonObject) -> Iterable[JsonObject]:
    return trace.get("spans") or ()


def _spans_of_term(term: Term, trace: JsonObject) -> Iterable[JsonObject]:
    return (root_span(trace),) if term.of_root else _all_spans(trace)


def _searched_labels(span: JsonObject) -> JsonObject:
    return span.get("labels") or {}


def _has_failed(span: JsonObject) -> bool:
    """Whether a span failed: it has an error label, or an HTTP status of 500 or more."""
    labels = _searched_labels(span)
    if str(labels.get("error", "")).casefold() in {"true", "1"}:
        return True
    if any(name in labels for name in _ERRORS):
        return True
    statuses = [str(labels[name]) for name in _STATUS if name in labels]
    return any(each.isdigit() and int(each) >= _FAILED for each in statuses)


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text.lstrip(">="))
    if match is None:
        raise invalid(f"Invalid latency '{text}' in the filter, such as 500ms.", location="filter")
    return float(match[1]) * _SECONDS[match[2] or ""]


_KINDS = {"SERVER": "RPC_SERVER", "CLIENT": "RPC_CLIENT"}
_HEX = 16


def span_as_version1(span: JsonObject) -> JsonObject:
    """A span of version 2 in the form of version 1; time events, links and stacks have no place.

    Raises:
        ApiError: 400; a span id that is not hexadecimal, or zero.

    >>> span_as_version1({"spanId": "1f", "displayName": {"value": "/cart"}, "startTime": "s"})
    {'spanId': '31', 'name': '/cart', 'startTime': 's'}
    """
    status = span.get("status") or {}
    labels = _labels(span)
    if status.get("code"):
        labels["/error/message"] = str(status.get("message") or status["code"])
    found: JsonObject = {
        "spanId": _decimal_span_id(str(span.get("spanId", ""))),
        "name": (span.get("displayName") or {}).get("value", ""),
    }
    found |= {name: span[name] for name in ("startTime", "endTime") if name in span}
    if span.get("parentSpanId"):
        found["parentSpanId"] = _decimal_span_id(str(span["parentSpanId"]))
    if span.get("spanKind") in _KINDS:
        found["kind"] = _KINDS[span["spanKind"]]
    if labels:
        found["labels"] = labels
    return found


def _decimal_span_id(text: str) -> str:
    """A span id as version 1 writes it, a decimal number."""
    try:
        number = int(text, 16) if len(text) <= _HEX else 0
    except ValueError:
        number = 0
    if number <= 0:
        raise invalid(f"Invalid span id '{text}': 16 hexadecimal digits, not all zero.")
    return str(number)


def _labels(span: JsonObject) -> dict[str, str]:
    attributes = (span.get("attributes") or {}).get("attributeMap") or {}
    return {name: _text_of(value) for name, value in attributes.items()}


def _text_of(value: Json) -> str:
    if "stringValue" in value:
        return str(value["stringValue"].get("value", ""))
    if "boolValue" in value:
        return "true" if value["boolValue"] else "false"
    return str(value.get("intValue", ""))


_TRACE_ID = re.compile(r"[0-9A-Fa-f]{32}")
_SPAN_NAME = re.compile(r"projects/([^/]+)/traces/([^/]+)/spans/([^/]+)")


def _patch_traces(call: Call) -> JsonObject:
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
            add_span(call.world, project, str(trace["traceId"]).lower(), span)
    return {}


def _batch_write(call: Call) -> JsonObject:
    """Add spans to traces.

    Raises:
        ApiError: 400; a malformed name or id, or a span of another project.
    """
    wanted = project_of(call.world, call.params["name"].removeprefix("projects/"))
    several = [_read_span_name(call, span) for span in call.body.get("spans") or []]
    for project, _, _ in several:
        if project != wanted:
            raise invalid(f"All spans must be of project '{wanted}'.", location="spans")
    for place in several:
        add_span(call.world, *place)
    return {}


def _create_span(call: Call) -> JsonObject:
    """Add one span; answers it.

    Raises:
        ApiError: 400; a malformed name or id.
    """
    span = {**call.body, "name": call.params["name"]}
    add_span(call.world, *_read_span_name(call, span))
    return span


def _read_span_name(call: Call, span: JsonObject) -> tuple[str, str, JsonObject]:
    match = _SPAN_NAME.fullmatch(str(span.get("name", "")))
    if match is None:
        raise invalid(f"Invalid span name: '{span.get('name', '')}'.", location="name")
    project, trace, span_id = match.groups()
    _check_trace_id(trace)
    if not (span.get("displayName") or {}).get("value"):
        raise invalid("The display name of a span is required.", location="displayName")
    row = span_as_version1({**span, "spanId": span.get("spanId") or span_id})
    return project_of(call.world, project), trace.lower(), row


def _check_trace_id(text: str) -> None:
    if _TRACE_ID.fullmatch(text) is None or set(text) == {"0"}:
        raise invalid(f"Invalid trace id '{text}': 32 hexadecimal digits, not all zero.")


_PAGES = PageRule(default=100, maximum=1000, ignore=("view",))

_VIEWS = {"2": "ROOTSPAN", "3": "COMPLETE"}
"""Views by their numbers, which is how the client libraries send them."""
_RANKS: Mapping[str, Callable[[JsonObject], Any]] = {
    "trace_id": lambda trace: trace["traceId"],
    "name": lambda trace: str(root_span(trace).get("name", "")),
    "duration": lambda trace: duration_s(root_span(trace)),
    "start": lambda trace: start_of_span(root_span(trace)),
}


def _ranked(name: str, rank: Callable[[JsonObject], Any]) -> Ranked:
    return Ranked(name, lambda trace: (0, rank(trace)), timed=name == "start")


_ORDERS = {name: _ranked(name, rank) for name, rank in _RANKS.items()}


def project_of(world: World, key: str) -> str:
    """A project's id, given its id or number."""
    found = find_project(world, key)
    return str(found.get("projectId", key)) if found else key


def _list_traces(call: Call) -> JsonObject:
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
    start, end = _time_window(call)
    test = trace_test(str(params.get("filter") or ""))
    table, view = call.world.table(TRACES), str(params.get("view") or "")

    def is_meant(trace: JsonObject) -> bool:
        return start <= _start_of_trace(trace) <= end and test(trace)

    where = AllOf([traces_of(table, project), ByTest(table, is_meant, "time and filter")])
    query = Query(name=TRACES, where=where, order=_order_of(str(params.get("orderBy") or "")))
    traces = query.rows(table)
    return list_page(call, "traces", traces, _PAGES, lambda trace: _trace_in_view(trace, view))


def _time_window(call: Call) -> tuple[datetime, datetime]:
    start, end = call.params.get("startTime"), call.params.get("endTime")
    if not (start and end) and refuses(call, NO_INTERVAL):
        missing = "endTime" if start else "startTime"
        raise invalid(f"The parameter {missing} is required.", location=missing)
    first = parse_rfc3339(start) if start else parse_rfc3339("1970-01-01T00:00:00Z")
    return first, parse_rfc3339(end) if end else call.world.clock.now()


def _start_of_trace(trace: JsonObject) -> datetime:
    return min(
        (start_of_span(span) for span in trace.get("spans") or ()), default=start_of_span({})
    )


def _order_of(text: str) -> tuple[SortKey, ...]:
    field, _, direction = (text or "start desc").strip().partition(" ")
    if field not in _ORDERS or direction.strip() not in {"", "asc", "desc"}:
        names = ", ".join(_ORDERS)
        raise invalid(f"Invalid order '{text}': it must be one of {names}.", location="orderBy")
    return (_ORDERS[field], direction.strip() == "desc"), (_ORDERS["trace_id"], False)


def _trace_in_view(trace: JsonObject, view: str) -> JsonObject:
    view = _VIEWS.get(view, view)
    if view == "COMPLETE":
        return trace
    seen = {"projectId": trace["projectId"], "traceId": trace["traceId"]}
    root = root_span(trace)
    return {**seen, "spans": [root]} if view == "ROOTSPAN" and root else seen


def _get_trace(call: Call) -> JsonObject:
    """A trace with all its spans.

    Raises:
        ApiError: 404; the session has no such trace.
    """
    project = project_of(call.world, call.params["projectId"])
    return require_row(call.world, TRACES, trace_key(project, call.params["traceId"]))


HANDLERS: Mapping[str, Handler] = {
    "cloudtrace.projects.traces.list": _list_traces,
    "cloudtrace.projects.traces.get": _get_trace,
    "cloudtrace.projects.patchTraces": _patch_traces,
    "cloudtrace.projects.traces.batchWrite": _batch_write,
    "cloudtrace.projects.traces.spans.createSpan": _create_span,
}
