"""Log entries in order of time, what a query reads from, and writing of entries.

Entries are indexed once for all sessions, then searched. Every project has the buckets `_Default`
and `_Required` in `global`. Source: Discovery document.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from mockserver.apis.logging.collections import (
    BUILT_IN_BUCKETS,
    LOG_BUCKETS,
    LOG_ENTRIES,
    LOG_VIEWS,
)
from mockserver.apis.logging.query.compiler import (
    EARLIEST,
    LATEST,
    Entry,
    EntryFilter,
    compile_query,
    encode_log_name,
)
from mockserver.apis.logging.query.values import SEVERITIES, time_ns
from mockserver.collections import Index, Range, Store
from mockserver.googleapi import ApiError, Call, invalid, nearest, not_found
from mockserver.model import Json, JsonObject, Miss
from mockserver.state import PROJECTS, World, find_project, parse_rfc3339, rfc3339, shift_time

_CHUNK = 256
"""Entries that are looked up together."""


def entries_of(
    table: Store,
    parent: str,
    start: int = EARLIEST,
    end: int = LATEST,
    *,
    descending: bool = False,
) -> Iterator[Entry]:
    """The log entries of `projects/shop-prod` from `start` up to and without `end`, by time.

    Ties are by insert id either way.
    """
    found = table.between(_BY_TIME, (parent, start), (parent, end))
    return chain.from_iterable(_latest_first(found) if descending else _earliest_first(found))


def _entry(key: str, row: JsonObject) -> Entry:
    return Entry(row, key, time_ns(row["timestamp"]))


def _place(_: str, row: JsonObject) -> tuple[tuple[str, int, str], ...]:
    return ((parent_of_log(row["logName"]), time_ns(row["timestamp"]), str(row["insertId"])),)


_BY_TIME = Index(_place, timed=True, make=_entry)
BY_LOG = Index(lambda _, row: (row["logName"],))
"""Log entries by the names of their logs."""


def _earliest_first(found: Range) -> Iterator[list[Entry]]:
    for start in range(0, len(found), _CHUNK):
        yield [entry[3] for entry in found.entries(start, start + _CHUNK)]


def _latest_first(found: Range) -> Iterator[list[Entry]]:
    stop, size = len(found), _CHUNK
    while stop:
        part = found.entries(max(0, stop - size), stop)
        if len(part) < stop:  # the first moment may have begun before
            first = part[0][0][1]
            part = [entry for entry in part if entry[0][1] != first]
            if not part:
                size *= 2
                continue
        stop, size = stop - len(part), _CHUNK
        part.sort(key=lambda entry: -entry[0][1])
        yield [entry[3] for entry in part]


def parent_of_log(name: str) -> str:
    """What a log belongs to.

    >>> parent_of_log("projects/p/logs/cloudaudit.googleapis.com%2Factivity")
    'projects/p'
    """
    return name.partition("/logs/")[0]


def latest_number(world: World) -> int:
    """The number of the entry that was put last; -1 without any."""
    rows = world.table(LOG_ENTRIES).in_order()
    return int(rows.entries(len(rows) - 1)[0][1]) if rows else -1


def entries_since(world: World, number: int) -> tuple[int, list[Entry]]:
    """The number of the latest entry, and those put after the one with a number, by time."""
    rows = world.table(LOG_ENTRIES).in_order()
    found: list[Entry] = []
    latest = number
    for at in range(len(rows) - 1, -1, -1):
        (_, put, key), row = rows.entries(at, at + 1)[0], rows[at]
        if put <= number:
            break
        latest = max(latest, put)
        found.append(_entry(key, row))
    return latest, sorted(found, key=lambda entry: (entry.ns, str(entry.row["insertId"])))


def matching_entries(filter_: EntryFilter, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries of the filter's span that it holds for."""
    return iter(entries) if filter_.always else filter(filter_.holds, entries)


def in_session_time(world: World, entries: Iterable[Entry]) -> list[JsonObject]:
    """Entries as the session's clients see them."""
    _, shift = world.stored_table(LOG_ENTRIES)
    if not shift:
        return [entry.row for entry in entries]
    return [world.in_session_time(LOG_ENTRIES, entry.row) for entry in entries]


def entry_key(log_name: str, timestamp: str, insert_id: str) -> str:
    """Key of a row: entries of one parent with the same time and insert id are one entry."""
    return f"{parent_of_log(log_name)}/{time_ns(timestamp)}/{insert_id}"


MOST = 100
"""Resource names that one query may read from."""

_NAME = re.compile(
    r"((?:projects|folders|organizations|billingAccounts)/[^/]+)"
    r"(?:/locations/([^/]+)/buckets/([^/]+)/views/([^/]+))?"
)
_REQUIRED_LOGS = (
    "cloudaudit.googleapis.com%2Factivity",
    "cloudaudit.googleapis.com%2Fsystem_event",
    "cloudaudit.googleapis.com%2Faccess_transparency",
)
_DATA_ACCESS = ("cloudaudit.googleapis.com%2Fdata_access",)

Test = Callable[[Entry], bool]


@dataclass(frozen=True)
class QuerySource:
    """One thing that a query reads from.

    Attributes:
        parent: `projects/shop-prod`, with the project's id.
        test: What of it can be seen (a view), or None for everything.
    """

    parent: str
    test: Test | None = None


def sources(world: World, names: Sequence[str]) -> tuple[QuerySource, ...]:
    """What resource names mean; a project's number means its id, and each name is read once.

    Raises:
        ApiError: 400 for no name, too many or a malformed one; 403 for a project that the session
            does not know; 404 for an unknown bucket or view. The texts are not verified against
            the live API.
    """
    if not names:
        raise invalid("At least one resource name is required.", location="resourceNames")
    if len(names) > MOST:
        raise invalid(f"At most {MOST} resource names are allowed, found {len(names)}.")
    return tuple(_read_source(world, name) for name in dict.fromkeys(names))


def _read_source(world: World, name: str) -> QuerySource:
    match = _NAME.fullmatch(name)
    if match is None:
        raise invalid(f"Invalid resource name: '{name}'.", location="resourceNames")
    parent, location, bucket, view = match.groups()
    parent = known_parent(world, parent)
    if bucket is None:
        return QuerySource(parent)
    bucket_name = f"{parent}/locations/{location}/buckets/{bucket}"
    _check_bucket(world, bucket_name, bucket)
    return QuerySource(parent, _view_test(world, bucket_name, bucket, view))


def known_parent(world: World, parent: str) -> str:
    """A parent with its project's id.

    Raises:
        ApiError: 403; the session has projects, and neither this one nor log entries of it. The
            live API does not tell what is missing from what is forbidden.
    """
    kind, _, key = parent.partition("/")
    if kind != "projects":
        return parent
    project = find_project(world, key)
    if project is not None:
        return f"projects/{project.get('projectId', key)}"
    ids = [row.get("projectId", "") for row in world.table(PROJECTS).rows().values()]
    stored, _ = world.stored_table(LOG_ENTRIES)
    if ids and next(entries_of(stored, parent), None) is None:
        miss = Miss(
            blame="fixture_gap",
            reason=f"no project {key!r} in this session",
            nearest=nearest(key, ids),
        )
        raise ApiError(403, "The caller does not have permission", reason="forbidden", miss=miss)
    return parent


def _check_bucket(world: World, name: str, bucket: str) -> None:
    buckets = world.table(LOG_BUCKETS)
    if bucket not in BUILT_IN_BUCKETS and name not in buckets:
        raise not_found(name=name, nearest=nearest(name, buckets))


def _view_test(world: World, bucket_name: str, bucket: str, view: str) -> Test | None:
    """What a view shows.

    `_Required` holds the audit logs that cannot be switched off, `_Default` everything else, any
    other bucket everything: sinks are not followed. The view `_Default` leaves out data access.
    """
    if view == "_AllLogs":
        return _bucket_test(bucket, hidden=())
    if view == "_Default":
        return _bucket_test(bucket, hidden=_DATA_ACCESS)
    views = world.table(LOG_VIEWS)
    row = views.get(f"{bucket_name}/views/{view}")
    if row is None:
        name = f"{bucket_name}/views/{view}"
        raise not_found(name=name, nearest=nearest(name, views))
    in_bucket = _bucket_test(bucket, hidden=())
    shown = compile_query(str(row.get("filter", "")), timedelta(0)).holds
    if in_bucket is None:
        return shown
    return lambda entry: in_bucket(entry) and shown(entry)


def _bucket_test(bucket: str, *, hidden: tuple[str, ...]) -> Test | None:
    if bucket == "_Required":
        return lambda entry: _log_id(entry) in _REQUIRED_LOGS
    absent = (*_REQUIRED_LOGS, *hidden) if bucket == "_Default" else hidden
    return (lambda entry: _log_id(entry) not in absent) if absent else None


def _log_id(entry: Entry) -> str:
    return str(entry.row["logName"]).partition("/logs/")[2]


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
            rows.append(_complete_entry(call, entry, number))
        except ApiError as error:
            errors[number] = error
    if errors and not call.body.get("partialSuccess"):
        raise _first_error(errors)
    if not call.body.get("dryRun"):
        _put_entries(call, rows)
    if errors:
        raise _partial_errors(errors)
    return {}


def _put_entries(call: Call, rows: list[JsonObject]) -> None:
    now = call.world.clock.now()
    for row in rows:
        if now - RETENTION <= parse_rfc3339(row["timestamp"]) <= now + _AHEAD:
            key = entry_key(row["logName"], row["timestamp"], row["insertId"])
            call.world.put(LOG_ENTRIES, key, row)


def _complete_entry(call: Call, entry: JsonObject, number: int) -> JsonObject:
    """An entry as it is kept: the request's defaults, its time, its id."""
    body, world = call.body, call.world
    now = rfc3339(world.clock.now())
    row = {
        **entry,
        "logName": _log_name(call, str(entry.get("logName") or body.get("logName") or "")),
        "resource": entry.get("resource") or body.get("resource"),
        "timestamp": _entry_time(entry.get("timestamp"), now),
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
    parent, _, log = encode_log_name(name).partition("/logs/")
    return f"{known_parent(call.world, parent)}/logs/{log}"


def _entry_time(value: Json, now: str) -> str:
    """A timestamp in UTC with all its digits; the present moment when none was given."""
    if not value:
        return now
    try:
        parse_rfc3339(str(value))
    except ValueError as error:
        raise invalid(f"Invalid timestamp: '{value}'.", location="timestamp") from error
    return shift_time(str(value), timedelta(0))


def severity_name(value: Json) -> str:
    """The name of a severity that is given as name or number.

    >>> severity_name(500), severity_name("error")
    ('ERROR', 'ERROR')
    """
    return _BY_NUMBER.get(value, str(value).upper())


def _first_error(errors: Mapping[int, ApiError]) -> ApiError:
    return errors[min(errors)]


def _partial_errors(errors: Mapping[int, ApiError]) -> ApiError:
    codes = {400: 3, 403: 7}
    first = _first_error(errors)
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
    table = call.world.table(LOG_ENTRIES)
    keys = table.find(BY_LOG, name).row_keys()
    if not keys:
        raise not_found(name=name, nearest=nearest(name, list(table.values(BY_LOG))))
    for key in keys:
        call.world.delete(LOG_ENTRIES, key)
    return {}
