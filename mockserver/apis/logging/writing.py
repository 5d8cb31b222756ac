"""Answers `entries.write` and `logs.delete`.

Source: Discovery document. The texts of refusals are not verified against the live API.
"""

import re
from collections.abc import Mapping
from datetime import timedelta

from mockserver.apis.logging.parents import known_parent
from mockserver.apis.logging.query import SEVERITIES, encoded_log_name
from mockserver.apis.logging.state import LOG_ENTRIES, entry_key
from mockserver.googleapi import ApiError, Call, invalid, nearest, not_found
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339, rfc3339, shifted

RETENTION = timedelta(days=30)
_AHEAD = timedelta(days=1)
_LOG_NAME = re.compile(
    r"(?:projects|folders|organizations|billingAccounts)/[^/]+/logs/[A-Za-z0-9/_.%\-]{1,511}"
)
_PARTIAL = "type.googleapis.com/google.logging.v2.WriteLogEntriesPartialErrors"
_PAYLOADS = ("textPayload", "jsonPayload", "protoPayload")
_BY_NUMBER = {rank: name for name, rank in SEVERITIES.items()}


def write_entries(call: Call) -> JsonObject:
    """Add entries; those without a time get the session's, those without an insert id one in order.

    Entries older than 30 days or more than a day ahead are accepted and not kept. With
    `partialSuccess` the good entries are written and the error names the others by their index.

    Raises:
        ApiError: 400 or 403 for an entry that cannot be; nothing is written then, unless
            `partialSuccess` was asked for.
    """
    given = call.body.get("entries") or []
    if not given:
        raise invalid("At least one log entry is required.", location="entries")
    rows: list[JsonObject] = []
    errors: dict[int, ApiError] = {}
    for number, entry in enumerate(given):
        try:
            rows.append(_complete(call, entry, number))
        except ApiError as error:
            errors[number] = error
    if errors and not call.body.get("partialSuccess"):
        raise _first(errors)
    if not call.body.get("dryRun"):
        _keep(call, rows)
    if errors:
        raise _partial(errors)
    return {}


def _keep(call: Call, rows: list[JsonObject]) -> None:
    now = call.world.clock.now()
    for row in rows:
        if now - RETENTION <= parse_rfc3339(row["timestamp"]) <= now + _AHEAD:
            key = entry_key(row["logName"], row["timestamp"], row["insertId"])
            call.world.put(LOG_ENTRIES, key, row)


def _complete(call: Call, entry: JsonObject, number: int) -> JsonObject:
    """An entry as it is kept: the request's defaults, its time, its id."""
    body, world = call.body, call.world
    now = rfc3339(world.clock.now())
    row = {
        **entry,
        "logName": _log_name(call, str(entry.get("logName") or body.get("logName") or "")),
        "resource": entry.get("resource") or body.get("resource"),
        "timestamp": _moment(entry.get("timestamp"), now),
        "receiveTimestamp": now,
        "insertId": str(entry.get("insertId") or _insert_id(call, number)),
    }
    if row["resource"] is None:
        raise invalid("A monitored resource is required.", location=f"entries[{number}].resource")
    if sum(name in entry for name in _PAYLOADS) > 1:
        raise invalid("A log entry has at most one payload.", location=f"entries[{number}]")
    labels = {**(body.get("labels") or {}), **(entry.get("labels") or {})}
    if labels:
        row["labels"] = labels
    if "severity" in entry:
        row["severity"] = severity_name(entry["severity"])
    return row


def _insert_id(call: Call, number: int) -> str:
    """An id that sorts after those of the entries before it."""
    written = len(call.world.table(LOG_ENTRIES))
    return f"{written + number:08d}{call.world.ids.base36('logEntry', 10)}"


def _log_name(call: Call, name: str) -> str:
    if _LOG_NAME.fullmatch(name) is None:
        raise invalid(f"Invalid log name: '{name}'.", location="logName")
    return _of_known_parent(call, name)


def _of_known_parent(call: Call, name: str) -> str:
    parent, _, log = encoded_log_name(name).partition("/logs/")
    return f"{known_parent(call.world, parent)}/logs/{log}"


def _moment(given: Json, now: str) -> str:
    """A timestamp in UTC with all its digits; the present moment when none was given."""
    if not given:
        return now
    try:
        parse_rfc3339(str(given))
    except ValueError as error:
        raise invalid(f"Invalid timestamp: '{given}'.", location="timestamp") from error
    return shifted(str(given), timedelta(0))


def severity_name(given: Json) -> str:
    """The name of a severity that is given as name or number.

    >>> severity_name(500), severity_name("error")
    ('ERROR', 'ERROR')
    """
    return _BY_NUMBER.get(given, str(given).upper())


def _first(errors: Mapping[int, ApiError]) -> ApiError:
    return errors[min(errors)]


def _partial(errors: Mapping[int, ApiError]) -> ApiError:
    codes = {400: 3, 403: 7}
    first = _first(errors)
    details = {
        "@type": _PARTIAL,
        "logEntryErrors": {
            str(number): {"code": codes.get(error.status, 2), "message": error.message}
            for number, error in errors.items()
        },
    }
    return ApiError(first.status, first.message, first.reason, miss=first.miss, details=(details,))


def delete_log(call: Call) -> JsonObject:
    """Delete all entries of a log.

    Raises:
        ApiError: 404; the session has no entries of that log.
    """
    name = _of_known_parent(call, str(call.params["logName"]))
    rows = call.world.table(LOG_ENTRIES).rows()
    keys = [key for key, row in rows.items() if row["logName"] == name]
    if not keys:
        names = {row["logName"] for row in rows.values()}
        raise not_found(asked=name, nearest=nearest(name, names))
    for key in keys:
        call.world.delete(LOG_ENTRIES, key)
    return {}
