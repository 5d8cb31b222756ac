"""What lists of Drive select beside a query: orders, shared drives, corpora, spaces."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from mockserver.apis.drive.query import LATEST, by_query
from mockserver.collections import LAST, Index
from mockserver.collections.query import Sortable, SortKey
from mockserver.collections.selections import AllOf, ByIndex, Selection, Without
from mockserver.googleapi import BY_GRANTEE, caller_keys, invalid
from mockserver.googleapi.list_rules import (
    ListRules,
    Order,
    Ranked,
    SentParameter,
    UnservedError,
    epoch_seconds,
    later_times,
    marked,
    sort_keys,
)
from mockserver.model import JsonObject

_FOLDER = "application/vnd.google-apps.folder"


def _by_order(sent: SentParameter) -> Order:
    """Orders files; `folder` puts folders first, `name_natural` counts digits as numbers."""
    found: list[SortKey] = []
    for name, *way in [each.split() for each in str(sent.value).split(",") if each.strip()]:
        down = way == ["desc"]
        if way and not down:
            raise invalid("Invalid Value", location=sent.name)
        own = _order_named(name)
        if own is None:
            found += sort_keys(sent, f"{name} desc" if down else name)
        else:
            found.append((own, down is not (name == "recency")))  # the latest comes first
    return tuple(found)


@lru_cache(256)
def _order_named(name: str) -> Sortable | None:
    """An order that is not by a field's value as it stands, or None."""
    field = name.removesuffix("_natural")
    rank: Callable[[JsonObject], tuple[Any, ...]] | None = None
    if name == "folder":
        rank = lambda row: (0, row.get("mimeType") != _FOLDER)  # noqa: E731
    elif name == "recency":
        rank = lambda row: (1, _recency(row))  # noqa: E731
    elif field != name:
        rank = lambda row: (2, *_natural_key(str(row.get(field, ""))))  # noqa: E731
    return None if rank is None else Ranked(name, rank, timed=name == "recency", later=later_times)


def _natural_key(text: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdecimal() else (-1, part.casefold())
        for part in re.split(r"(\d+)", text)
    ]


def _recency(row: JsonObject) -> float:
    times = (row.get(name) for name in ("modifiedTime", "viewedByMeTime", "createdTime"))
    return max((epoch_seconds(each) for each in times if each), default=0.0)


def _in_drive(sent: SentParameter) -> Selection:
    return sent.field("driveId").equal(sent.table, [str(sent.value)])


def _without_shared_drives(sent: SentParameter) -> Selection | None:
    """What is in shared drives is listed only when it is asked for."""
    params = sent.call.params
    names = ("includeItemsFromAllDrives", "includeTeamDriveItems")
    if any(params.get(name) is True for name in names):
        return None
    shared = marked(sent.table, _is_shared, "in shared drives")
    return Without(sent.table, shared) if len(shared) else None


def _is_shared(row: JsonObject) -> bool:
    return bool(row.get("driveId"))


def _check_corpora(sent: SentParameter) -> None:
    known = {"user", "drive", "allDrives", "default"}
    if str(sent.value) not in known:
        raise UnservedError(f"who may see the files of {sent.value!r} is not told by them")
    if sent.value == "drive" and "driveId" not in sent.call.params:
        raise invalid("The driveId parameter must be specified.", location=sent.name)


def _in_spaces(sent: SentParameter) -> Selection | None:
    """The files of the spaces that are asked for, of which the caller has any in lists."""
    wanted = sent.texts if sent.value else ("drive",)
    bounds = [((each,), (each, LAST)) for each in wanted]
    spaces = ByIndex(sent.table, _SPACES, bounds, words=f"spaces {wanted}")
    listed = [((each,), (each, LAST)) for each in ("", *sorted(caller_keys(sent.call)))]
    grantees = ByIndex(sent.table, BY_GRANTEE, listed, words="shared with the caller")
    parts = [
        each
        for each in (spaces, grantees)
        if all(len(rows) < len(sent.table) for rows in each.ranges)
    ]
    return AllOf(parts) if parts else None


_SPACES = Index(lambda _, row: dict.fromkeys((each,) for each in row.get("spaces") or ("drive",)))

LISTS: Mapping[str, ListRules] = {
    "drive.files.list": ListRules(
        {
            "q": by_query,
            "orderBy": _by_order,
            "driveId": _in_drive,
            "teamDriveId": _in_drive,
            "includeItemsFromAllDrives": _without_shared_drives,
            "includeTeamDriveItems": _without_shared_drives,
            "corpora": _check_corpora,
            "spaces": _in_spaces,
        },
        unsent={"includeItemsFromAllDrives", "spaces"},
        order=((LATEST, True),),  # what was changed last comes first, as recordings show
        keeps_empty=True,
    ),
    "drive.drives.list": ListRules({"q": by_query}, keeps_empty=True),
    **{
        f"drive.{name}.list": ListRules(keeps_empty=True)
        for name in ("comments", "permissions", "replies", "revisions")
    },
}
"""Method id to the rules of its parameters."""
