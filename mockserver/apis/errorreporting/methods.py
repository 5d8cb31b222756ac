"""Methods of Error Reporting: events, groups, figures. Source: Discovery document."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from mockserver.apis.errorreporting import ERROR_GROUPS
from mockserver.apis.errorreporting.state import (
    add_event,
    delete_events,
    event_time,
    events_of,
    group_id,
    group_ids,
    group_name,
    group_of,
    has_stack_trace,
    project_of,
)
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    duration_s,
    forgives,
    invalid,
    list_page,
    nearest,
    not_found,
)
from mockserver.googleapi.profiles import NO_GROUP
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

PERIODS: Mapping[str, timedelta] = {
    "PERIOD_1_HOUR": timedelta(hours=1),
    "PERIOD_6_HOURS": timedelta(hours=6),
    "PERIOD_1_DAY": timedelta(days=1),
    "PERIOD_1_WEEK": timedelta(weeks=1),
    "PERIOD_30_DAYS": timedelta(days=30),
}

ORDERS: dict[str, Callable[[JsonObject], Any]] = {
    "COUNT_DESC": lambda stats: int(stats["count"]),
    "LAST_SEEN_DESC": lambda stats: stats["lastSeenTime"],
    "CREATED_DESC": lambda stats: stats["firstSeenTime"],
    "AFFECTED_USERS_DESC": lambda stats: int(stats["affectedUsersCount"]),
}


def report_event(call: Call) -> JsonObject:
    """Add an error event; without a time it is of the session's present.

    Raises:
        ApiError: 400; no message, no service, a message without stack trace and without location,
            or a time that is none.
    """
    body = call.body
    message = str(body.get("message") or "")
    if not message:
        raise invalid("ReportedErrorEvent.message cannot be empty.", location="message")
    service = body.get("serviceContext") or {}
    if not service.get("service"):
        text = "ReportedErrorEvent.service_context.service cannot be empty."
        raise invalid(text, location="serviceContext")
    context = body.get("context") or {}
    if not has_stack_trace(message) and not context.get("reportLocation"):
        raise invalid(
            "ReportedErrorEvent.context must contain a location unless `message` contain an "
            "exception or stacktrace.",
            location="context",
        )
    event: JsonObject = {
        "eventTime": _event_time(call),
        "serviceContext": {**service, "resourceType": "global"},
        "message": message,
    }
    if context:
        event["context"] = context
    project, _ = project_of(call.world, call.params["projectName"])
    add_event(call.world, project, group_id(project, message), event)
    return {}


def delete_all_events(call: Call) -> JsonObject:
    """Delete the events that a project has now."""
    project, here = project_of(call.world, call.params["projectName"])
    if here:
        delete_events(call.world, project)
    return {}


def update_group(call: Call) -> JsonObject:
    """Replace a group's resolution status and tracking issues.

    Raises:
        ApiError: 404 for an unknown group, 400 for an unknown status.
    """
    project, group = find_group(call, call.params["name"])
    status = str(call.body.get("resolutionStatus") or "")
    status = _STATUSES_BY_NUMBER.get(status, status)
    if status in {"", "0", "RESOLUTION_STATUS_UNSPECIFIED"}:
        status = "OPEN"
    if status not in _STATUSES:
        text = f"Invalid resolution status '{status}': one of {', '.join(_STATUSES)}."
        raise invalid(text, location="resolutionStatus")
    name = group_name(project, group)
    row: JsonObject = {"name": name, "groupId": group, "resolutionStatus": status}
    if call.body.get("trackingIssues"):
        row["trackingIssues"] = call.body["trackingIssues"]
    call.world.put(ERROR_GROUPS, name, row)
    return row


def list_events(call: Call) -> JsonObject:
    """Events of one group in a period up to now, newest first.

    The group is required, as documented; the lenient profile lists the events of all groups without
    it.

    Raises:
        ApiError: 400; no group, no such period, or a token of another query.
    """
    group = str(call.params.get("groupId") or "")
    if not group and not forgives(call, NO_GROUP):
        raise invalid("The group id is required.", location="groupId")
    project, here = project_of(call.world, call.params["projectName"])
    start, fits = period_start(call), service_test(call)
    rows = events_since(events_of(call.world, project), start) if here else []
    found = [row for row in rows if group in ("", row["groupId"]) and fits(row)]
    head = {"timeRangeBegin": rfc3339(start)}
    return list_page(call, "errorEvents", found, _PAGES, itemgetter("event"), head)


def list_group_stats(call: Call) -> JsonObject:
    """Figures of the groups that have events in a period up to now.

    Raises:
        ApiError: 400; no such period or order, steps that cannot be, or a token of another query.
    """
    project, here = project_of(call.world, call.params["projectName"])
    start, fits, order = period_start(call), service_test(call), _read_order(call)
    wanted = set(call.params.get("groupId") or ())
    ever: dict[str, list[JsonObject]] = {}
    for row in events_of(call.world, project) if here else ():
        if fits(row) and (not wanted or row["groupId"] in wanted):
            ever.setdefault(row["groupId"], []).append(row)
    found = []
    for group, rows in sorted(ever.items()):
        shown = events_since(rows, start)
        if shown:
            stats = group_stats(group_of(call.world, project, group), rows, shown)
            found.append({**stats, **_timed_counts_field(call, shown, start)})
    found.sort(key=ORDERS[order], reverse=True)
    head = {"timeRangeBegin": rfc3339(start)}
    return list_page(call, "errorGroupStats", found, _PAGES, head=head)


def get_group(call: Call) -> JsonObject:
    """A group of errors.

    Raises:
        ApiError: 404; the project has no such group.
    """
    return group_of(call.world, *find_group(call, call.params["groupName"]))


_METHODS: Mapping[str, Handler] = {
    "deleteEvents": delete_all_events,
    "events.list": list_events,
    "groupStats.list": list_group_stats,
    "groups.get": get_group,
    "groups.update": update_group,
}


_STATUSES = ("OPEN", "ACKNOWLEDGED", "RESOLVED", "MUTED")
_PERIODS_BY_NUMBER = {str(number): name for number, name in enumerate(PERIODS, start=1)}
_STATUSES_BY_NUMBER = {str(number): name for number, name in enumerate(_STATUSES, start=1)}

HANDLERS: Mapping[str, Handler] = {
    "clouderrorreporting.projects.events.report": report_event,
    **{f"clouderrorreporting.projects.{name}": each for name, each in _METHODS.items()},
    **{f"clouderrorreporting.projects.locations.{name}": each for name, each in _METHODS.items()},
}
_ORDERS_BY_NUMBER = {str(number): name for number, name in enumerate(ORDERS, start=1)}
_DEFAULT_PERIOD = "PERIOD_30_DAYS"
"""The period when none is asked for; the live API's own is not documented."""

_SERVICE_FIELDS = ("service", "version", "resourceType")


def message_field(call: Call, outer: str, inner: str) -> str:
    """A part of a parameter that is a message: `timeRange.period`, or nested as gRPC has it."""
    nested = call.params.get(outer)
    value = nested.get(inner) if isinstance(nested, dict) else None
    return str(call.params.get(f"{outer}.{inner}") or value or "")


def period_start(call: Call) -> datetime:
    """When the period that a call asks for began, in session time.

    Raises:
        ApiError: 400; no such period.
    """
    name = message_field(call, "timeRange", "period")
    name = _PERIODS_BY_NUMBER.get(name, name)
    if name in {"", "0", "PERIOD_UNSPECIFIED"}:
        name = _DEFAULT_PERIOD
    if name not in PERIODS:
        text = f"Invalid period '{name}': it must be one of {', '.join(PERIODS)}."
        raise invalid(text, location="timeRange.period")
    return call.world.clock.now() - PERIODS[name]


def service_test(call: Call) -> Callable[[JsonObject], bool]:
    """Whether an event is of the service that a call asks for; exact, and all parts must fit."""
    wanted = {name: message_field(call, "serviceFilter", name) for name in _SERVICE_FIELDS}
    wanted = {name: text for name, text in wanted.items() if text}

    def test(row: JsonObject) -> bool:
        context = row["event"].get("serviceContext") or {}
        return all(context.get(name) == text for name, text in wanted.items())

    return test


def events_since(rows: list[JsonObject], start: datetime) -> list[JsonObject]:
    """The events after a moment."""
    return [row for row in rows if event_time(row) > start]


_MOST_COUNTS = 10_000
_MIDNIGHT = datetime(1970, 1, 1, tzinfo=UTC)


def group_stats(
    group: JsonObject, all_events: Sequence[JsonObject], shown: Sequence[JsonObject]
) -> JsonObject:
    """Figures of one group.

    Args:
        group: The group.
        all_events: All its events of the asked service, newest first; not empty.
        shown: Those of the asked period; not empty.
    """
    services: list[JsonObject] = []
    for row in shown:
        context = row["event"].get("serviceContext") or {}
        if context not in services:
            services.append(context)
    return {
        "group": group,
        "count": str(len(shown)),
        "affectedUsersCount": str(len(_affected_users(shown))),
        "firstSeenTime": all_events[-1]["event"]["eventTime"],
        "lastSeenTime": all_events[0]["event"]["eventTime"],
        "affectedServices": services,
        "numAffectedServices": len(services),
        "representative": shown[0]["event"],
    }


def _affected_users(rows: Sequence[JsonObject]) -> set[str]:
    contexts = [row["event"].get("context") or {} for row in rows]
    named = (
        str(context.get("user") or (context.get("httpRequest") or {}).get("remoteIp") or "")
        for context in contexts
    )
    return {user for user in named if user}


def timed_counts(
    rows: Sequence[JsonObject], start: datetime, end: datetime, *, step: timedelta, align: datetime
) -> list[JsonObject]:
    """Counts of events by even steps inside a span, oldest first; steps without events too.

    Args:
        rows: The events.
        start: When the span begins.
        end: When it ends.
        step: How long a step is.
        align: A moment at which a step begins or ends.

    Raises:
        ApiError: 400; no positive step, or far too many of them.
    """
    if step <= timedelta(0) or (end - start) / step > _MOST_COUNTS:
        text = "The timed count duration is not positive, or too short for the time range."
        raise invalid(text, location="timedCountDuration")
    found = Counter((event_time(row) - align) // step for row in rows)
    first = -((align - start) // step)
    last = (end - align) // step
    return [
        {
            "count": str(found.get(number, 0)),
            "startTime": rfc3339(align + number * step),
            "endTime": rfc3339(align + (number + 1) * step),
        }
        for number in range(first, last)
    ]


def alignment(rule: str, moment: datetime | None, end: datetime) -> datetime:
    """The moment that steps are aligned with.

    Args:
        rule: `ALIGNMENT_EQUAL_ROUNDED`, or anything else for steps that end with the time range.
        moment: The moment asked for with the former; midnight UTC when None.
        end: The end of the time range.
    """
    return (moment or _MIDNIGHT) if rule in {"ALIGNMENT_EQUAL_ROUNDED", "1"} else end


def _event_time(call: Call) -> str:
    given = call.body.get("eventTime")
    try:
        return rfc3339(parse_rfc3339(str(given)) if given else call.world.clock.now())
    except ValueError as error:
        raise invalid(f"Invalid event time: '{given}'.", location="eventTime") from error


_PAGES = PageRule(default=20, maximum=1000)


def _read_order(call: Call) -> str:
    name = str(call.params.get("order") or "")
    name = _ORDERS_BY_NUMBER.get(name, name)
    if name in {"", "0", "GROUP_ORDER_UNSPECIFIED"}:
        return "COUNT_DESC"
    if name not in ORDERS:
        text = f"Invalid order '{name}': it must be one of {', '.join(ORDERS)}."
        raise invalid(text, location="order")
    return name


def _timed_counts_field(call: Call, rows: Sequence[JsonObject], start: datetime) -> JsonObject:
    duration = str(call.params.get("timedCountDuration") or "")
    if not duration:
        return {}
    try:
        step = timedelta(seconds=duration_s(duration))
        given = call.params.get("alignmentTime")
        moment = parse_rfc3339(given) if given else None
    except (ValueError, OverflowError) as error:
        raise invalid(
            f"Invalid duration or time: {error}", location="timedCountDuration"
        ) from error
    end = call.world.clock.now()
    align = alignment(str(call.params.get("alignment") or ""), moment, end)
    return {"timedCounts": timed_counts(rows, start, end, step=step, align=align)}


def find_group(call: Call, name: str) -> tuple[str, str]:
    """Project and id of the group that a call names.

    Raises:
        ApiError: 404; the project has no such group.
    """
    parent, _, group = name.partition("/groups/")
    project, here = project_of(call.world, parent)
    if here and group_name(project, group) in call.world.table(ERROR_GROUPS):
        return project, group
    known = group_ids(call.world, project) if here else set()
    if group not in known:
        raise not_found(name=name, nearest=nearest(group, known))
    return project, group
