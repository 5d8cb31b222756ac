"""What a query of log entries reads from: projects and their like, and views of log buckets."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mockserver.apis.logging.query import Entry, compile_query
from mockserver.apis.logging.state import timeline
from mockserver.googleapi import ApiError, invalid, nearest, not_found
from mockserver.model import Miss
from mockserver.state import PROJECTS, World, find_project

LOG_BUCKETS = "logBuckets"
LOG_VIEWS = "logViews"
BUILT_IN_BUCKETS = ("_Default", "_Required")
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
class Source:
    """One thing that a query reads from.

    Attributes:
        parent: `projects/shop-prod`, with the project's id.
        test: What of it can be seen (a view), or None for everything.
    """

    parent: str
    test: Test | None = None


def sources(world: World, names: Sequence[str]) -> tuple[Source, ...]:
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
    return tuple(_source(world, name) for name in dict.fromkeys(names))


def _source(world: World, name: str) -> Source:
    match = _NAME.fullmatch(name)
    if match is None:
        raise invalid(f"Invalid resource name: '{name}'.", location="resourceNames")
    parent, location, bucket, view = match.groups()
    parent = known_parent(world, parent)
    if bucket is None:
        return Source(parent)
    bucket_name = f"{parent}/locations/{location}/buckets/{bucket}"
    _check_bucket(world, bucket_name, bucket)
    return Source(parent, _view_test(world, bucket_name, bucket, view))


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
    if ids and not timeline(world, parent).entries:
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
        raise not_found(asked=name, nearest=nearest(name, buckets.rows()))


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
        raise not_found(asked=name, nearest=nearest(name, views.rows()))
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
