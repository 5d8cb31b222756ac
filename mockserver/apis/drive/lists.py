"""What lists of Drive select beside a query: orders, shared drives, corpora, spaces."""

import re
from collections.abc import Mapping

from mockserver.apis.drive.query import BY_FOLDER, drive_test, folder_asked
from mockserver.googleapi import Call, invalid, order_rows
from mockserver.googleapi.list_rules import (
    IndexedValue,
    ListRules,
    Rows,
    SentParameter,
    UnservedError,
    epoch_seconds,
)
from mockserver.model import JsonObject


def _by_query(parameter: SentParameter, rows: Rows) -> Rows:
    test = drive_test(str(parameter.value), parameter.call.caller.email)
    return [row for row in rows if test(row)]


def _folder_of_query(call: Call) -> IndexedValue | None:
    folder = folder_asked(str(call.params.get("q") or ""))
    return None if folder is None else (BY_FOLDER, (folder,))


_FOLDER = "application/vnd.google-apps.folder"


def _by_order(parameter: SentParameter, rows: Rows) -> Rows:
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


LISTS: Mapping[str, ListRules] = {
    "drive.files.list": ListRules(
        {
            "q": _by_query,
            "orderBy": _by_order,
            "driveId": _in_drive,
            "teamDriveId": _in_drive,
            "includeItemsFromAllDrives": _without_shared_drives,
            "includeTeamDriveItems": _without_shared_drives,
            "corpora": _check_corpora,
            "spaces": _in_spaces,
        },
        unsent={"includeItemsFromAllDrives", "spaces"},
        having=_folder_of_query,
    ),
    "drive.drives.list": ListRules({"q": _by_query}),
}
"""Method id to the rules of its parameters."""
