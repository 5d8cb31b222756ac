"""Methods of the Admin SDK Reports API, and the span of time that a request means."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial

from mockserver.apis.reports import AUDIT_EVENTS
from mockserver.apis.reports.filters import (
    Condition,
    Test,
    detail_tests,
    meets_conditions,
    parse_conditions,
    people_tests,
)
from mockserver.apis.reports.state import find_activities, in_session_time
from mockserver.apis.reports.usage import USAGE_HANDLERS
from mockserver.googleapi import (
    ApiError,
    Call,
    Events,
    Handler,
    PageRule,
    close_channel,
    each_of,
    etag,
    forbidden,
    invalid,
    list_answer,
    open_channel,
    page,
    watch_address,
)
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import is_customer, parse_rfc3339

LONGEST_PERIOD = timedelta(days=180)
_LONGEST_GMAIL_PERIOD = timedelta(days=30)
_INSTANT = timedelta(microseconds=1)


def time_window(params: JsonMapping, now: datetime) -> tuple[datetime, datetime]:
    """The first moment of a report, and the first moment after it.

    Raises:
        ApiError: 400 for a time that is none, a start in the future or not before the end, or a
            Gmail request without both or longer than 30 days.
    """
    start, end = _time_parameter(params, "startTime"), _time_parameter(params, "endTime")
    if params.get("applicationName") == "gmail":
        _check_gmail(start, end)
    if start is not None and start >= now:
        raise invalid("startTime must be before the current time.", location="startTime")
    if start is not None and end is not None and start >= end:
        raise invalid("startTime must be before endTime.", location="startTime")
    last = now + _INSTANT if end is None else min(end, now + _INSTANT)
    return max(start or now - LONGEST_PERIOD, now - LONGEST_PERIOD), last


def _time_parameter(params: JsonMapping, name: str) -> datetime | None:
    text = params.get(name)
    if not text:
        return None
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        message = f"Invalid value '{text}' for {name}. It must be an RFC 3339 timestamp."
        raise invalid(message, location=name, reason="invalidParameter") from error


def _check_gmail(start: datetime | None, end: datetime | None) -> None:
    if start is None or end is None:
        raise invalid("startTime and endTime are required for gmail.", location="startTime")
    if end - start > _LONGEST_GMAIL_PERIOD:
        raise invalid("Time range for gmail must not exceed 30 days.", location="startTime")


_KIND = "admin#reports#activities"
_PAGES = PageRule(
    default=1000,
    maximum=1000,
    size="maxResults",
    ignore=("prettyPrint",),
    mismatch="Invalid page token.",
)
_WITH_SENSITIVE_DATA = frozenset({"rules", "chat", "workspace_studio"})


def list_activities(call: Call) -> JsonObject:
    """Activities of one application in a span of session time, newest first.

    Without matches the answer has no `items`. An activity is answered whole when one of its events
    has the asked name and meets all `filters` (Discovery document; the order is not verified
    against the live API).

    Raises:
        ApiError: 403 for another customer, 404 for an unknown user, 400 for a bad span, filter,
            org unit or token.
    """
    world, params = call.world, call.params
    if not is_customer(world, params.get("customerId") or "my_customer"):
        raise forbidden()
    _check_sensitive(params)
    start, end = time_window(params, world.clock.now())
    tests = [*people_tests(world, params), *detail_tests(params), *_event_tests(params)]
    rows = find_activities(world, params["applicationName"], start, end)
    found = (row for row in each_of(rows) if all(test(row) for test in tests))
    shown, token = page(call, found, _PAGES)
    items = in_session_time(world, shown)
    if not params.get("includeSensitiveData"):
        items = [_without_sensitive(row) for row in items]
    head = {"kind": _KIND, "etag": etag({"of": [row["etag"] for row in items]})}
    return list_answer("items", items, token, head)


def _check_sensitive(params: JsonMapping) -> None:
    wanted = params.get("includeSensitiveData")
    if wanted and params["applicationName"] not in _WITH_SENSITIVE_DATA:
        raise ApiError(403, "Sensitive data is not supported for this application.")


def _event_tests(params: JsonMapping) -> list[Test]:
    name, filters = params.get("eventName"), params.get("filters")
    if not name and not filters:
        return []
    conditions = parse_conditions(filters) if filters else ()
    return [partial(_has_event, name=name, conditions=conditions)]


def _has_event(row: JsonMapping, *, name: str | None, conditions: tuple[Condition, ...]) -> bool:
    return any(
        (not name or event.get("name") == name) and meets_conditions(event, conditions)
        for event in row.get("events") or ()
    )


def _without_sensitive(row: JsonObject) -> JsonObject:
    """An activity without the parameters that are only answered on request."""
    if not any("sensitiveParameters" in event for event in row.get("events") or ()):
        return row
    events = [
        {key: value for key, value in event.items() if key != "sensitiveParameters"}
        for event in row["events"]
    ]
    return {**row, "events": events}


def _watch_activities(call: Call) -> JsonObject:
    """Answers `activities.watch`: no session adds activities, so the channel is told no more."""
    params = call.params
    path = f"activity/users/{params['userKey']}/applications/{params['applicationName']}"
    uri = watch_address(call, f"admin/reports/v1/{path}", "eventName", "filters", "actorIpAddress")
    return open_channel(call, Events(seconds=6 * 3600), AUDIT_EVENTS, "", uri)


HANDLERS: Mapping[str, Handler] = {
    "reports.activities.list": list_activities,
    "reports.activities.watch": _watch_activities,
    "admin.channels.stop": close_channel,
    **USAGE_HANDLERS,
}
