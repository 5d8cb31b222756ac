"""Error events, reported or found in log entries, and the stack traces that group them."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2s

from mockserver.apis.errorreporting import ERROR_EVENTS, ERROR_GROUPS
from mockserver.collections import Index, Store
from mockserver.model import JsonObject
from mockserver.state import World, find_project, parse_rfc3339, rfc3339, shift_time

REPORTED = "type.googleapis.com/google.devtools.clouderrorreporting.v1beta1.ReportedErrorEvent"

_SEVERE = frozenset({"ERROR", "CRITICAL", "ALERT", "EMERGENCY"})
_TEXTS = ("stack_trace", "exception", "message")
_SERVICES = {
    "k8s_container": ("container_name", ""),
    "cloud_run_revision": ("service_name", "revision_name"),
    "cloud_run_job": ("job_name", ""),
    "cloud_function": ("function_name", ""),
    "gae_app": ("module_id", "version_id"),
}
"""Resource type to the labels that name the service and its version."""
_HTTP = {
    "requestMethod": "method",
    "requestUrl": "url",
    "userAgent": "userAgent",
    "referer": "referrer",
    "status": "responseStatusCode",
    "remoteIp": "remoteIp",
}


def error_events(table: Store) -> list[tuple[str, JsonObject]]:
    """Keys of log entries that are errors, each with the event's row."""
    keys = table.ordered(_ERRORS).row_keys()
    return [(key, row or {}) for key, row in zip(keys, table.views(_event, keys), strict=True)]


def _event(_: str, entry: JsonObject) -> JsonObject | None:
    return _error_row(entry)


_ERRORS = Index(lambda _, entry: () if _error_row(entry) is None else ((),))


def _error_row(entry: JsonObject) -> JsonObject | None:
    payload = entry.get("jsonPayload") or {}
    reported = payload.get("@type") == REPORTED
    if not reported and entry.get("severity") not in _SEVERE:
        return None
    message = _error_message(entry, payload)
    if not message or not (reported or has_stack_trace(message) or _is_located(payload)):
        return None
    project = str(entry["logName"]).split("/")[1]
    event = {
        "eventTime": entry["timestamp"],
        "serviceContext": _service_context(entry, payload),
        "message": message,
    }
    context = _error_context(entry, payload)
    if context:
        event["context"] = context
    return {"projectId": project, "groupId": group_id(project, message), "event": event}


def _error_message(entry: JsonObject, payload: JsonObject) -> str:
    texts = [str(payload[name]) for name in _TEXTS if payload.get(name)]
    texts.append(str(entry.get("textPayload") or ""))
    return next((text for text in texts if has_stack_trace(text)), texts[0])


def _is_located(payload: JsonObject) -> bool:
    """Whether a payload has a report location, which replaces a stack trace."""
    context = payload.get("context")
    return isinstance(context, dict) and bool(context.get("reportLocation"))


def _service_context(entry: JsonObject, payload: JsonObject) -> JsonObject:
    resource = entry.get("resource") or {}
    kind = str(resource.get("type", ""))
    given = payload.get("serviceContext")
    if isinstance(given, dict) and given.get("service"):
        return {**given, "resourceType": kind}
    labels = resource.get("labels") or {}
    name, version = _SERVICES.get(kind, ("", ""))
    found = {"service": labels.get(name) or str(entry["logName"]).rpartition("/")[2]}
    if labels.get(version):
        found["version"] = labels[version]
    return {**found, "resourceType": kind}


def _error_context(entry: JsonObject, payload: JsonObject) -> JsonObject:
    given = payload.get("context")
    found = dict(given) if isinstance(given, dict) else {}
    request = entry.get("httpRequest") or {}
    if request and "httpRequest" not in found:
        found["httpRequest"] = {_HTTP[name]: request[name] for name in _HTTP if name in request}
    source = entry.get("sourceLocation") or {}
    if source and "reportLocation" not in found:
        line = str(source.get("line", ""))
        found["reportLocation"] = {
            "filePath": source.get("file", ""),
            "lineNumber": int(line) if line.isdecimal() else 0,
            "functionName": source.get("function", ""),
        }
    return found


DELETIONS = "errorEventDeletions"
"""Collection of project to the moment up to which its events were deleted."""

_LOG_ENTRIES = "logEntries"


def project_of(world: World, name: str) -> tuple[str, bool]:
    """The project's id in `projects/p` or `projects/p/locations/l`, and whether anything is there.

    Events are of the location `global`.
    """
    _, key, *rest = name.split("/")
    project = find_project(world, key)
    found = str(project.get("projectId", key)) if project else key
    return found, not rest or rest[-1] in {"global", "-"}


def events_of(world: World, project: str) -> list[JsonObject]:
    """A project's events in session time (`groupId`, `event`), newest first."""
    until = (world.table(DELETIONS).get(project) or {}).get("until", "")
    rows = [*_stored_events(world, project), *_logged_events(world, project)]
    if until:
        rows = [row for row in rows if event_time(row) > parse_rfc3339(until)]
    return sorted(rows, key=event_time, reverse=True)


def event_time(row: JsonObject) -> datetime:
    """When an event occurred."""
    return parse_rfc3339(row["event"]["eventTime"])


def _stored_events(world: World, project: str) -> Iterator[JsonObject]:
    for row in world.table(ERROR_EVENTS).rows().values():
        if row["projectId"] == project:
            yield row


def _logged_events(world: World, project: str) -> Iterator[JsonObject]:
    table, shift = world.stored_table(_LOG_ENTRIES)
    captured = world.base.tables.get(_LOG_ENTRIES)
    known = captured.rows() if captured is not None and _is_declared(world, project) else {}
    for key, row in error_events(table):
        if row["projectId"] == project and key not in known:
            event = {**row["event"], "eventTime": shift_time(row["event"]["eventTime"], shift)}
            yield {**row, "event": event}


def _is_declared(world: World, project: str) -> bool:
    """Whether the snapshot has error events of the project."""
    table = world.base.tables.get(ERROR_EVENTS)
    return table is not None and any(row["projectId"] == project for row in table.rows().values())


def add_event(world: World, project: str, group: str, event: JsonObject) -> None:
    """Keep a reported event; a resolved group is open again."""
    key = f"{project}/{world.ids.base36('errorEvent', 16)}"
    world.put(ERROR_EVENTS, key, {"projectId": project, "groupId": group, "event": event})
    name = group_name(project, group)
    found = world.table(ERROR_GROUPS).get(name)
    if found and found.get("resolutionStatus") == "RESOLVED":
        world.put(ERROR_GROUPS, name, {**found, "resolutionStatus": "OPEN"})


def delete_events(world: World, project: str) -> None:
    """Delete the events that a project has now."""
    now = rfc3339(world.clock.now())
    latest = [row["event"]["eventTime"] for row in events_of(world, project)[:1]]
    until = max([now, *latest], key=parse_rfc3339)
    world.put(DELETIONS, project, {"projectId": project, "until": until})


def group_name(project: str, group: str) -> str:
    """A group's resource name."""
    return f"projects/{project}/groups/{group}"


def group_of(world: World, project: str, group: str) -> JsonObject:
    """A group; open and without issues where none is stored."""
    name = group_name(project, group)
    found = world.table(ERROR_GROUPS).get(name) or {}
    return {"resolutionStatus": "OPEN", **found, "name": name, "groupId": group}


def group_ids(world: World, project: str) -> set[str]:
    """Ids of the groups that a project has: those with events, and those of the snapshot."""
    prefix = group_name(project, "")
    named = {
        name.removeprefix(prefix)
        for name in world.table(ERROR_GROUPS).rows()
        if name.startswith(prefix)
    }
    return named | {row["groupId"] for row in events_of(world, project)}


_STACK = re.compile(
    r"""Traceback\ \(most\ recent\ call\ last\)   # Python
    | ^[ \t]+at\ \S.*[:(]                            # Java, JavaScript, C#
    | ^goroutine\ \d+\ \[ | ^panic:\              # Go
    | :\d+:in\ [`']                               # Ruby
    | ^\#\d+\ .+\(\d+\):\ | ^PHP\ (?:Fatal|Parse) # PHP
    | panicked\ at\                               # Rust""",
    re.VERBOSE | re.MULTILINE,
)
_FRAME = re.compile(
    r"""File\ "(?P<file>[^"]+)",\ line\ \d+,\ in\ (?P<python>\S+)
    | ^[ \t]+at\ (?:async\ |new\ )?(?P<at>[\w.$<>/\[\]]+)
    | :\d+:in\ [`'](?P<ruby>[^']+)'
    | ^(?P<go>[\w./*()\-]{1,200})\([^)\n]*\)$""",
    re.VERBOSE | re.MULTILINE,
)
_HEADER = re.compile(r"^(?:Exception in thread \"[^\"]*\" |Uncaught )?([A-Za-z_][\w.$:]*)(?::|$)")
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+")
_FRAMES = 5


def has_stack_trace(text: str) -> bool:
    """Whether a text holds a stack trace in one of the supported formats."""
    return _STACK.search(text) is not None


def group_id(project: str, message: str) -> str:
    """The group of an error: the same for errors that differ in lines, numbers and addresses only.

    >>> group_id("p", "timeout after 3 s") == group_id("p", "timeout after 5 s")
    True
    """
    text = "\n".join((project, *group_signature(message)))
    return "C" + urlsafe_b64encode(blake2s(text.encode(), digest_size=12).digest()).decode()[:15]


def group_signature(message: str) -> tuple[str, ...]:
    r"""The exception's type and the functions on the stack; without a stack the first line.

    >>> group_signature("TypeError: x is null\n    at pay (pay.js:3:14)")
    ('TypeError', 'pay')
    """
    frames = [" ".join(filter(None, match.groups())) for match in _FRAME.finditer(message)]
    if not frames:
        return (_VARYING.sub("N", headline(message)),)
    return (_exception_line(message), *frames[:_FRAMES])


def headline(message: str) -> str:
    """The line with the type and text of the error."""
    lines = [line for line in message.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1].strip() if lines[0].startswith("Traceback ") else lines[0].strip()


def _exception_line(message: str) -> str:
    line = headline(message)
    match = _HEADER.match(line)
    return _VARYING.sub("N", match.group(1) if match else line)
