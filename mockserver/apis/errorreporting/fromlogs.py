"""Error events that Error Reporting finds in log entries.

A log entry is one when its payload is a reported error event, or when its severity is at least
ERROR and its message holds a stack trace (Error Reporting's page on log entries as errors).
"""

from mockserver.apis.errorreporting.stacks import group_id, has_stack
from mockserver.model import JsonObject
from mockserver.state import Table

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


def events_in(table: Table) -> tuple[tuple[str, JsonObject], ...]:
    """Keys of log entries that are errors, each with the event's row; see `Table.derived`."""
    found = ((key, _row(entry)) for key, entry in table.rows().items())
    return tuple((key, row) for key, row in found if row is not None)


def _row(entry: JsonObject) -> JsonObject | None:
    payload = entry.get("jsonPayload") or {}
    reported = payload.get("@type") == REPORTED
    if not reported and entry.get("severity") not in _SEVERE:
        return None
    message = _message(entry, payload)
    if not message or not (reported or has_stack(message) or _is_located(payload)):
        return None
    project = str(entry["logName"]).split("/")[1]
    event = {
        "eventTime": entry["timestamp"],
        "serviceContext": _service(entry, payload),
        "message": message,
    }
    context = _context(entry, payload)
    if context:
        event["context"] = context
    return {"projectId": project, "groupId": group_id(project, message), "event": event}


def _message(entry: JsonObject, payload: JsonObject) -> str:
    texts = [str(payload[name]) for name in _TEXTS if payload.get(name)]
    texts.append(str(entry.get("textPayload") or ""))
    return next((text for text in texts if has_stack(text)), texts[0])


def _is_located(payload: JsonObject) -> bool:
    """Whether a payload says where it was reported, which stands for a stack trace."""
    context = payload.get("context")
    return isinstance(context, dict) and bool(context.get("reportLocation"))


def _service(entry: JsonObject, payload: JsonObject) -> JsonObject:
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


def _context(entry: JsonObject, payload: JsonObject) -> JsonObject:
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
