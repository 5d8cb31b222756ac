"""Lists whose parameters mean what only reference pages tell: Drive, Tasks, Storage, others."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mockserver.apis.generic.calendar_events import PARAMETERS, select_events
from mockserver.apis.generic.drive_query import BY_FOLDER, drive_test, folder_asked
from mockserver.apis.generic.parameter_rules import (
    Path,
    RowRule,
    Rows,
    SentParameter,
    UnservedError,
    by_filter,
    epoch_seconds,
    equal_to,
    hide_marked,
    in_window,
    starting_with,
)
from mockserver.apis.generic.plans import Plan
from mockserver.apis.generic.rows import IndexedValue, value_at
from mockserver.googleapi import ApiError, Call, invalid, order_rows, values_at
from mockserver.model import Json, JsonObject


@dataclass(frozen=True, slots=True)
class MethodRule:
    """The rule of one parameter of one list.

    Attributes:
        rule: The rule.
        unasked: Whether it leaves rows out also when the parameter is not sent.
    """

    rule: RowRule
    applies_unsent: bool = False


@dataclass(frozen=True, slots=True)
class ListRule:
    """A list whose parameters work together.

    Attributes:
        select: The rows that a call asks for.
        parameters: The parameters that it honours or refuses.
    """

    select: Callable[[Plan, Call, Rows], Rows]
    parameters: frozenset[str]


class Prefix(dict[str, Json]):
    """Stands among the rows of a list for those below a prefix, which it names."""


def _refuse_sync_token(status: int, reason: str) -> RowRule:
    """Refuse every sync token: sessions issue none, so clients start a full sync."""

    def refuse(parameter: SentParameter, rows: Rows) -> Rows:
        text = "Sync token is no longer valid, a full sync is required."
        raise ApiError(
            status,
            text,
            reason=reason,
            domain="calendar",
            location=parameter.name,
            details=(
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "EXPIRED_SYNC_TOKEN",
                    "domain": parameter.plan.method.document.host,
                },
            )
            if status == 400
            else (),
        )

    return refuse


# Drive


def _by_drive_query(parameter: SentParameter, rows: Rows) -> Rows:
    test = drive_test(str(parameter.value), parameter.call.caller.email)
    return [row for row in rows if test(row)]


def _folder_of_query(call: Call) -> IndexedValue | None:
    folder = folder_asked(str(call.params.get("q") or ""))
    return None if folder is None else (BY_FOLDER, folder)


_FOLDER = "application/vnd.google-apps.folder"


def _by_drive_order(parameter: SentParameter, rows: Rows) -> Rows:
    """Orders files; `folder` puts folders first, `name_natural` counts digits as numbers."""
    terms = [each.split() for each in str(parameter.value).split(",") if each.strip()]
    for name, *way in reversed(terms):
        down = way == ["desc"]
        if way and not down:
            raise invalid("Invalid Value", location=parameter.name)
        if name == "folder":
            rows = sorted(rows, key=lambda row: row.get("mimeType") != _FOLDER, reverse=down)
        elif name.endswith("_natural"):
            field = name.removesuffix("_natural")
            rows = sorted(rows, key=lambda row: _natural_key(str(row.get(field, ""))), reverse=down)
        elif name == "recency":
            rows = sorted(rows, key=_recency, reverse=not down)
        else:
            term = f"{name} desc" if down else name
            order = Call(parameter.call.id, {"orderBy": term}, {}, parameter.call.world)
            rows = order_rows(order, rows)
    return rows


def _natural_key(text: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdecimal() else (-1, part.casefold())
        for part in re.split(r"(\d+)", text)
    ]


def _recency(row: JsonObject) -> float:
    times = (row.get(name) for name in ("modifiedTime", "viewedByMeTime", "createdTime"))
    return max((epoch_seconds(each) for each in times if each), default=0.0)


def _in_drive(parameter: SentParameter, rows: Rows) -> Rows:
    return [row for row in rows if row.get("driveId") == parameter.value]


def _without_shared_drives(parameter: SentParameter, rows: Rows) -> Rows:
    """What is in shared drives is listed only when it is asked for."""
    params = parameter.call.params
    names = ("includeItemsFromAllDrives", "includeTeamDriveItems")
    if any(params.get(name) is True for name in names):
        return rows
    return [row for row in rows if not row.get("driveId")]


def _check_corpora(parameter: SentParameter, rows: Rows) -> Rows:
    known = {"user", "drive", "allDrives", "default"}
    if str(parameter.value) not in known:
        raise UnservedError(f"who may see the files of {parameter.value!r} is not told by them")
    if parameter.value == "drive" and "driveId" not in parameter.call.params:
        raise invalid("The driveId parameter must be specified.", location=parameter.name)
    return rows


def _in_spaces(parameter: SentParameter, rows: Rows) -> Rows:
    wanted = set(parameter.texts) if parameter.value else {"drive"}
    return [row for row in rows if wanted & set(row.get("spaces") or ("drive",))]


_DRIVE: Mapping[str, MethodRule] = {
    "q": MethodRule(_by_drive_query),
    "orderBy": MethodRule(_by_drive_order),
    "driveId": MethodRule(_in_drive),
    "teamDriveId": MethodRule(_in_drive),
    "includeItemsFromAllDrives": MethodRule(_without_shared_drives, applies_unsent=True),
    "includeTeamDriveItems": MethodRule(_without_shared_drives),
    "corpora": MethodRule(_check_corpora),
    "spaces": MethodRule(_in_spaces, applies_unsent=True),
}


# Tasks


def _hide_unless(wanted: Callable[[JsonObject], bool], *, usual: bool) -> MethodRule:
    """A parameter that shows rows of a kind; absent, it is as `usual`."""

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        shown = usual if parameter.value is None else parameter.value is True
        return rows if shown else [row for row in rows if not wanted(row)]

    return MethodRule(choose, applies_unsent=True)


# Storage


def _by_name_bound(bound: Callable[[str, str], bool]) -> MethodRule:
    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        return [row for row in rows if bound(str(row.get("name", "")), str(parameter.value))]

    return MethodRule(choose)


def _by_glob(parameter: SentParameter, rows: Rows) -> Rows:
    """Matches names: `*` and `?` within a level, `**` across, `[a-z]` and `{a,b}`."""
    pattern = re.compile(_regex_of_glob(str(parameter.value)))
    return [row for row in rows if pattern.fullmatch(str(row.get("name", "")))]


_GLOB = re.compile(r"\*\*/?|\*|\?|\[[!^]?[^\]]+\]|\{|\}|,|\\.|.", re.DOTALL)
_SIGNS = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]", "{": "(?:"}


def _regex_of_glob(glob: str) -> str:
    made, depth = [], 0
    for part in _GLOB.findall(glob):
        if part in _SIGNS:
            depth += part == "{"
            made.append(_SIGNS[part])
        elif depth and part in {"}", ","}:
            depth -= part == "}"
            made.append(")" if part == "}" else "|")
        elif part.startswith("[") and len(part) > 1:
            body = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            made.append(f"[^{body[1:]}]" if body[0] in "!^" else f"[{body}]")
        else:
            made.append(re.escape(part.removeprefix("\\") or part))
    if depth:
        raise invalid("Invalid argument.", location="matchGlob")
    return "".join(made)


def _one_level(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows of one level, and in their place the prefixes of those below."""
    sign, params = str(parameter.value), parameter.call.params
    start = len(str(params.get("prefix", "")))
    trailing = params.get("includeTrailingDelimiter") is True
    found: dict[str, JsonObject] = {}
    for row in rows:
        name = str(row.get("name", ""))
        end = name.find(sign, start)
        if end < 0:
            found[name] = row
            continue
        prefix = name[: end + len(sign)]
        found.setdefault(f"{prefix}\0", Prefix(name=prefix))
        if trailing and prefix == name:
            found[name] = row
    return [found[key] for key in sorted(found)]


def _folder_level(parameter: SentParameter, rows: Rows) -> Rows:
    """The folders that are the prefix, or one level below it."""
    start = str(parameter.call.params.get("prefix", ""))
    return [
        row for row in rows if "/" not in str(row.get("name", "")).removeprefix(start).rstrip("/")
    ]


def _select_objects(plan: Plan, call: Call, rows: Rows) -> Rows:
    """Objects by name; live ones, unless others are asked for."""
    params = call.params
    for name, rule in _OBJECT_RULES:
        value = params.get(name)
        asked = SentParameter(plan, call, name, value)
        if name in {"softDeleted", "versions"} or value not in (None, "", False):
            rows = rule(asked, rows)
    return rows


def _soft_deleted(parameter: SentParameter, rows: Rows) -> Rows:
    wanted = parameter.value is True
    return [row for row in rows if bool(row.get("softDeleteTime")) is wanted]


def _live_objects(parameter: SentParameter, rows: Rows) -> Rows:
    if parameter.value is True or parameter.call.params.get("softDeleted") is True:
        return rows
    return [row for row in rows if not row.get("timeDeleted")]


def _sorted_by_name(parameter: SentParameter, rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: (str(row.get("name", "")), str(row.get("generation", ""))))


def _no_folders(parameter: SentParameter, rows: Rows) -> Rows:
    raise UnservedError("which folders there are beside objects is not told by the objects")


def _keep_all(parameter: SentParameter, rows: Rows) -> Rows:
    """Keep all rows: the rule of another parameter reads this one."""
    return rows


_NAME: Path = ("name",)
_FROM = _by_name_bound(lambda name, bound: name >= bound)
_UNTIL = _by_name_bound(lambda name, bound: name < bound)
_OBJECT_RULES: Sequence[tuple[str, RowRule]] = (
    ("softDeleted", _soft_deleted),
    ("versions", _live_objects),
    ("prefix", starting_with(_NAME)),
    ("startOffset", _FROM.rule),
    ("endOffset", _UNTIL.rule),
    ("filter", by_filter),
    ("includeFoldersAsPrefixes", _no_folders),
    ("matchGlob", _by_glob),
    ("includeTrailingDelimiter", _keep_all),
    ("delimiter", _one_level),
)


def _select_sorted_objects(plan: Plan, call: Call, rows: Rows) -> Rows:
    return _select_objects(plan, call, _sorted_by_name(SentParameter(plan, call, "", None), rows))


# People, and others

_PEOPLE_ORDERS = {
    "LAST_MODIFIED_ASCENDING": ("metadata.sources.updateTime", False),
    "LAST_MODIFIED_DESCENDING": ("metadata.sources.updateTime", True),
    "FIRST_NAME_ASCENDING": ("names.givenName", False),
    "LAST_NAME_ASCENDING": ("names.familyName", False),
}


def _people_order(parameter: SentParameter, rows: Rows) -> Rows:
    place, down = _PEOPLE_ORDERS[str(parameter.value)]
    return sorted(rows, key=lambda row: [str(each) for each in values_at(row, place)], reverse=down)


_ACCESS = ("freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")


def _with_access(parameter: SentParameter, rows: Rows) -> Rows:
    least = _ACCESS[_ACCESS.index(str(parameter.value)) :]
    return [row for row in rows if row.get("accessRole") in least]


def _without_hidden_datasets(parameter: SentParameter, rows: Rows) -> Rows:
    """Datasets whose names begin with `_` are hidden."""
    place = ("datasetReference", "datasetId")
    if parameter.value is True:
        return rows
    return [row for row in rows if not str(value_at(row, place) or "").startswith("_")]


def _of_parent_job(parameter: SentParameter, rows: Rows) -> Rows:
    place = ("statistics", "parentJobId")
    return [row for row in rows if value_at(row, place) == parameter.value]


_STATE: Path = ("status", "state")
_CREATED: Path = ("statistics", "creationTime")

RULES: Mapping[str, Mapping[str, MethodRule]] = {
    "drive.files.list": _DRIVE,
    "drive.drives.list": {"q": MethodRule(_by_drive_query)},
    "drive.comments.list": {"startModifiedTime": MethodRule(in_window(("modifiedTime",), ">="))},
    "tasks.tasks.list": {
        "showCompleted": _hide_unless(lambda row: row.get("status") == "completed", usual=True),
        "showHidden": _hide_unless(lambda row: row.get("hidden") is True, usual=False),
        "showAssigned": _hide_unless(lambda row: bool(row.get("assignmentInfo")), usual=False),
    },
    "storage.folders.list": {
        "startOffset": _FROM,
        "endOffset": _UNTIL,
        "delimiter": MethodRule(_folder_level),
    },
    "storage.buckets.list": {"softDeleted": MethodRule(_soft_deleted, applies_unsent=True)},
    "calendar.calendarList.list": {
        "minAccessRole": MethodRule(_with_access),
        "showHidden": MethodRule(hide_marked(of="hidden"), applies_unsent=True),
        "syncToken": MethodRule(_refuse_sync_token(410, "fullSyncRequired")),
    },
    "calendar.acl.list": {"syncToken": MethodRule(_refuse_sync_token(410, "fullSyncRequired"))},
    "calendar.settings.list": {
        "syncToken": MethodRule(_refuse_sync_token(410, "fullSyncRequired"))
    },
    "people.people.connections.list": {
        "sortOrder": MethodRule(_people_order),
        "syncToken": MethodRule(_refuse_sync_token(400, "badRequest")),
    },
    "people.contactGroups.list": {"syncToken": MethodRule(_refuse_sync_token(400, "badRequest"))},
    "directory.resources.calendars.list": {"query": MethodRule(by_filter)},
    "bigquery.datasets.list": {"all": MethodRule(_without_hidden_datasets, applies_unsent=True)},
    "bigquery.jobs.list": {
        "stateFilter": MethodRule(equal_to(_STATE, {})),
        "minCreationTime": MethodRule(in_window(_CREATED, ">=")),
        "maxCreationTime": MethodRule(in_window(_CREATED, "<=")),
        "parentJobId": MethodRule(_of_parent_job),
    },
}
"""Method id to parameter to its rule."""

INDEXED_VALUES: Mapping[str, Callable[[Call], IndexedValue | None]] = {
    "drive.files.list": _folder_of_query,
}
"""Method id to what all rows have that a call asks for, where an index knows them."""

LIST_RULES: Mapping[str, ListRule] = {
    "calendar.events.list": ListRule(select_events, PARAMETERS),
    "storage.objects.list": ListRule(
        _select_sorted_objects, frozenset(name for name, _ in _OBJECT_RULES)
    ),
}
"""Method id to what chooses by several parameters together."""
