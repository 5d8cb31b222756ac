"""Answers `events.report`, `deleteEvents` and `groups.update`. Source: Discovery document."""

from mockserver.apis.errorreporting.reading import find_group
from mockserver.apis.errorreporting.stacks import group_id, has_stack
from mockserver.apis.errorreporting.state import (
    ERROR_GROUPS,
    add_event,
    delete_events,
    group_name,
    project_of,
)
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_STATUSES = ("OPEN", "ACKNOWLEDGED", "RESOLVED", "MUTED")
_NUMBERS = {str(number): name for number, name in enumerate(_STATUSES, start=1)}


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
    if not has_stack(message) and not context.get("reportLocation"):
        raise invalid(
            "ReportedErrorEvent.context must contain a location unless `message` contain an "
            "exception or stacktrace.",
            location="context",
        )
    event: JsonObject = {
        "eventTime": _moment(call),
        "serviceContext": {**service, "resourceType": "global"},
        "message": message,
    }
    if context:
        event["context"] = context
    project, _ = project_of(call.world, call.params["projectName"])
    add_event(call.world, project, group_id(project, message), event)
    return {}


def _moment(call: Call) -> str:
    given = call.body.get("eventTime")
    try:
        return rfc3339(parse_rfc3339(str(given)) if given else call.world.clock.now())
    except ValueError as error:
        raise invalid(f"Invalid event time: '{given}'.", location="eventTime") from error


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
    status = _NUMBERS.get(status, status)
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
