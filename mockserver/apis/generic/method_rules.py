"""Lists whose parameters mean what only reference pages tell: Tasks, Storage, People, BigQuery."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from mockserver.apis.generic.collections import ROOMS
from mockserver.apis.generic.parameter_rules import (
    Path,
    by_filter,
    equal_to,
    in_window,
    starting_with,
)
from mockserver.collections.places import value_at
from mockserver.googleapi import ApiError, Call, Method, invalid, values_at
from mockserver.googleapi.list_rules import (
    ListRules,
    RowRule,
    Rows,
    SentParameter,
    UnservedError,
)
from mockserver.model import Json, JsonObject


class Prefix(dict[str, Json]):
    """Stands among the rows of a list for those below a prefix, which it names."""


# Tasks


def _hide_unless(wanted: Callable[[JsonObject], bool], *, usual: bool) -> RowRule:
    """A parameter that shows rows of a kind; absent, it is as `usual`."""

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        shown = usual if parameter.value is None else parameter.value is True
        return rows if shown else [row for row in rows if not wanted(row)]

    return choose


# Storage


def _by_name_bound(bound: Callable[[str, str], bool]) -> RowRule:
    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        return [row for row in rows if bound(str(row.get("name", "")), str(parameter.value))]

    return choose


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


def _select_objects(method: Method, call: Call, rows: Rows) -> Rows:
    """Objects by name; live ones, unless others are asked for."""
    params = call.params
    rows = sorted(rows, key=lambda row: (str(row.get("name", "")), str(row.get("generation", ""))))
    for name, rule in _OBJECT_RULES:
        value = params.get(name)
        asked = SentParameter(method, call, name, value)
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
    ("startOffset", _FROM),
    ("endOffset", _UNTIL),
    ("filter", by_filter),
    ("includeFoldersAsPrefixes", _no_folders),
    ("matchGlob", _by_glob),
    ("includeTrailingDelimiter", _keep_all),
    ("delimiter", _one_level),
)


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


def _refuse_sync_token(parameter: SentParameter, rows: Rows) -> Rows:
    """Refuse every sync token: sessions issue none, so clients start a full sync."""
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "EXPIRED_SYNC_TOKEN",
        "domain": parameter.method.document.host,
    }
    raise ApiError(
        400,
        "Sync token is no longer valid, a full sync is required.",
        reason="badRequest",
        domain="calendar",
        location=parameter.name,
        details=(info,),
    )


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

_RULES: Mapping[str, ListRules] = {
    "tasks.tasks.list": ListRules(
        {
            "showCompleted": _hide_unless(lambda row: row.get("status") == "completed", usual=True),
            "showHidden": _hide_unless(lambda row: row.get("hidden") is True, usual=False),
            "showAssigned": _hide_unless(lambda row: bool(row.get("assignmentInfo")), usual=False),
        },
        unsent={"showCompleted", "showHidden", "showAssigned"},
    ),
    "storage.folders.list": ListRules(
        {"startOffset": _FROM, "endOffset": _UNTIL, "delimiter": _folder_level}
    ),
    "storage.buckets.list": ListRules({"softDeleted": _soft_deleted}, unsent={"softDeleted"}),
    "storage.objects.list": ListRules(
        select=_select_objects, together={name for name, _ in _OBJECT_RULES}
    ),
    "people.people.connections.list": ListRules(
        {"sortOrder": _people_order, "syncToken": _refuse_sync_token}
    ),
    "people.contactGroups.list": ListRules({"syncToken": _refuse_sync_token}),
    "directory.resources.calendars.list": ListRules({"query": by_filter}),
    "bigquery.datasets.list": ListRules({"all": _without_hidden_datasets}, unsent={"all"}),
    "bigquery.jobs.list": ListRules(
        {
            "stateFilter": equal_to(_STATE, {}),
            "minCreationTime": in_window(_CREATED, ">="),
            "maxCreationTime": in_window(_CREATED, "<="),
            "parentJobId": _of_parent_job,
        }
    ),
}
"""Method id to the rules of its parameters."""
_NONE = ListRules()


@lru_cache(8192)
def rules_of(method: Method) -> ListRules:
    """The rules of a list: those that its API's room has, or ours."""
    room = ROOMS.get(method.api)
    return (_RULES if room is None else room()).get(method.id, _NONE)
