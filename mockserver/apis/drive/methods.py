"""Methods of Drive that conventions do not tell; spreadsheets are read and made through Sheets.

Source: the reference of Drive, and recordings of the live service; not verified: which fields of a
file a copy has, and the words about a conversion that is not there.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO

from mockserver.apis.drive.permissions import GUARDED, inherit_permissions, named_file
from mockserver.apis.drive.permissions import HANDLERS as PERMISSION_HANDLERS
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    Media,
    etag,
    invalid,
    not_found,
)
from mockserver.model import JsonObject
from mockserver.state import World, rfc3339

_FILES, _OLD_FILES = "drive:v3/files", "drive:v2/files"
_ABOUT = "drive:v3/about"
_OF_SPREADSHEETS = ("sheets:v4/spreadsheets", "sheets:v4/values")
_DOCUMENTS = "docs:v1/documents"
_DOCUMENT = "application/vnd.google-apps.document"
_SPREADSHEET = "application/vnd.google-apps.spreadsheet"
_COPIED = ("mimeType", "description", "parents", "properties", "appProperties")
_TEXT_TABLES = {"text/csv": ",", "text/tab-separated-values": "\t"}
"""Type of a table as text to what stands between its columns."""
_FORMATS = {
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/x-vnd.oasis.opendocument.spreadsheet": "ods",
    "application/pdf": "pdf",
    "application/zip": "zip",
}
"""Type of what a spreadsheet is exported as to the name of the format in links."""
_LABELS = {"starred": False, "hidden": False, "trashed": False, "restricted": False,
           "viewed": True}  # fmt: skip
_QUOTA = 15 * 1024**3
_IMPORTED_ZONE = "America/Los_Angeles"


def _file(call: Call) -> JsonObject:
    return call.ask("drive.files.get", {"fileId": call.params["fileId"]})


def _copy_file(call: Call) -> JsonObject:
    """Answers `files.copy`: a spreadsheet with all of its sheets."""
    source = _file(call)
    kept = {name: source[name] for name in _COPIED if name in source}
    name = f"Copy of {source.get('name', 'Untitled')}"
    made = call.ask("drive.files.create", {}, {"name": name, **kept, **call.body})
    if source.get("mimeType") == _SPREADSHEET:
        _copy_rows(call.world, str(source["id"]), str(made["id"]))
    if source.get("mimeType") == _DOCUMENT:
        document = call.ask("docs.documents.get", {"documentId": source["id"]})
        row = {**document, "documentId": made["id"], "title": made["name"]}
        call.world.put(_DOCUMENTS, f"documents/{made['id']}", row)
    return made


def _copy_rows(world: World, source: str, target: str) -> None:
    for table in _OF_SPREADSHEETS:
        for key, row in list(world.table(table).rows().items()):
            parts = key.split("/")
            if str(row.get("spreadsheetId") or parts[1]) == source:
                copied = {**row, "spreadsheetId": target}
                world.put(table, "/".join([parts[0], target, *parts[2:]]), copied)


def _export_file(call: Call) -> None:
    """Answers `files.export`: the first sheet of a spreadsheet as a text."""
    file, kind = _file(call), str(call.params.get("mimeType", ""))
    if not str(file.get("mimeType", "")).startswith("application/vnd.google-apps."):
        text = "Export only supports Docs Editors files."
        raise ApiError(403, text, reason="fileNotExportable", location="alt")
    if file["mimeType"] == _DOCUMENT and kind == "text/plain":
        document = call.ask("docs.documents.get", {"documentId": file["id"]})
        text = "".join(_texts_of(document["body"]["content"])).removesuffix("\n")
        call.download = Media(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), kind)
        return
    is_spreadsheet = file["mimeType"] == _SPREADSHEET
    if not is_spreadsheet or (kind in _FORMATS and kind not in _TEXT_TABLES):
        known = ", ".join(_TEXT_TABLES)
        text = (
            f"{call.id} to {kind!r} is not emulated; that of spreadsheets to {known} is, and that"
            " of documents to text/plain"
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    if kind not in _TEXT_TABLES:
        raise ApiError(
            400, "The requested conversion is not supported.",
            reason="badRequest", location="convertTo",
        )  # fmt: skip
    shown = call.ask("sheets.spreadsheets.get", {"spreadsheetId": file["id"]})
    title = shown["sheets"][0]["properties"]["title"].replace("'", "''")
    where = {"spreadsheetId": file["id"], "range": f"'{title}'"}
    rows = call.ask("sheets.spreadsheets.values.get", where).get("values", [])
    width = max(map(len, rows), default=0)
    table = StringIO(newline="")
    lines = [[*row, *[""] * (width - len(row))] for row in rows]
    csv.writer(table, delimiter=_TEXT_TABLES[kind], lineterminator="\r\n").writerows(lines)
    call.download = Media(table.getvalue().removesuffix("\r\n").encode(), kind)


def _texts_of(content: Sequence[JsonObject]) -> Iterator[str]:
    """The texts of a document's content, with those of its tables, in order.

    Yields:
        Texts.
    """
    for each in content:
        for element in (each.get("paragraph") or {}).get("elements", ()):
            yield str((element.get("textRun") or {}).get("content", ""))
        for row in (each.get("table") or {}).get("tableRows", ()):
            for cell in row["tableCells"]:
                yield from _texts_of(cell["content"])


def _about(call: Call) -> JsonObject:
    """Answers `about.get`, where the snapshot does not."""
    if call.world.table(_ABOUT):
        raise LeftToConventionsError
    if call.mask is None:
        text = "The 'fields' parameter is required for this method."
        raise ApiError(400, text, reason="required", location="fields", location_type="parameter")
    email = call.caller.email
    sizes = (int(row.get("size") or 0) for row in call.world.table(_FILES).rows().values())
    used = str(sum(sizes))
    return {
        "kind": "drive#about",
        "user": {
            "kind": "drive#user",
            "displayName": email.partition("@")[0],
            "me": True,
            "emailAddress": email,
        },
        "storageQuota": {"limit": str(_QUOTA), "usage": used, "usageInDrive": used,
                         "usageInDriveTrash": "0"},
        "exportFormats": {_SPREADSHEET: [*_TEXT_TABLES]},
        "importFormats": {kind: [_SPREADSHEET] for kind in _TEXT_TABLES},
        "canCreateDrives": False,
    }  # fmt: skip


def _delimiter(media: Media | None) -> str:
    """What stands between the columns of an uploaded table; an empty string for other media."""
    return _TEXT_TABLES.get(media.content_type.partition(";")[0].strip(), "") if media else ""


def _create_file(call: Call) -> JsonObject:
    """Answers `files.create`: a folder gives its permissions; a table becomes a spreadsheet."""
    inherit_permissions(call)
    if call.body.get("mimeType") != _SPREADSHEET or not _delimiter(call.media):
        raise LeftToConventionsError
    made = call.ask("drive.files.create", {}, call.body)
    _import_table(call, made)
    return made


def _update_file(call: Call) -> JsonObject:
    """Answers `files.update` of a spreadsheet by a table."""
    named_file(call, "writer")
    if not _delimiter(call.media):
        raise LeftToConventionsError
    file = _file(call)
    if file.get("mimeType") != _SPREADSHEET:
        raise LeftToConventionsError
    _import_table(call, file)
    return call.ask("drive.files.update", {"fileId": file["id"]}, call.body)


def _update_old_file(call: Call) -> JsonObject:
    """Answers `files.update` of version 2: a spreadsheet that is among the files of version 3."""
    ident = str(call.params["fileId"])
    held = call.world.table(_FILES).get(f"files/{ident}") or {}
    if held.get("mimeType") != _SPREADSHEET or call.params.get("convert") is not True:
        raise LeftToConventionsError
    if not _delimiter(call.media):
        raise invalid("Bad Request", location="convert")
    _import_table(call, held)
    row = {**held, "modifiedTime": rfc3339(call.world.clock.now())}
    row["name"] = call.body.get("title", row["name"])
    call.world.put(_FILES, f"files/{ident}", row)
    return _old_file(call, row)


def _old_file(call: Call, row: JsonObject) -> JsonObject:
    """A spreadsheet's file as version 2 shows it."""
    link, email = f"https://www.googleapis.com/drive/v2/files/{row['id']}", call.caller.email
    user = {"kind": "drive#user", "displayName": email, "isAuthenticatedUser": True,
            "emailAddress": email}  # fmt: skip
    page = f"https://docs.google.com/spreadsheets/d/{row['id']}"
    export = f"https://docs.google.com/spreadsheets/export?id={row['id']}&exportFormat="
    return {
        "kind": "drive#file",
        "etag": etag(row),
        "id": row["id"],
        "title": row["name"],
        "mimeType": row["mimeType"],
        "selfLink": link,
        "alternateLink": f"{page}/edit?usp=drivesdk",
        "embedLink": f"{page}/htmlembed",
        "iconLink": f"https://drive-thirdparty.googleusercontent.com/16/type/{_SPREADSHEET}",
        "createdDate": row.get("createdTime"),
        "modifiedDate": row["modifiedTime"],
        "owners": [user],
        "ownerNames": [email],
        "lastModifyingUser": user,
        "lastModifyingUserName": email,
        "modifiedByMeDate": row["modifiedTime"],
        "lastViewedByMeDate": row["modifiedTime"],
        "exportLinks": {kind: f"{export}{name}" for kind, name in _FORMATS.items()},
        "userPermission": {"kind": "drive#permission", "id": "me", "type": "user", "role": "owner",
                           "selfLink": f"{link}/permissions/me", "pendingOwner": False},
        "capabilities": {"canEdit": True, "canCopy": True},
        "labels": _LABELS,
        "editable": True,
        "copyable": True,
        "writersCanShare": True,
        "shared": False,
        "appDataContents": False,
        "copyRequiresWriterPermission": False,
        "spaces": ["drive"],
        "explicitlyTrashed": False,
    }  # fmt: skip


def _labelled_file(call: Call) -> JsonObject:
    """Answers `files.get` and `insert` of version 2: a file has labels, also one of a fixture."""
    row = call.answer_by_conventions()
    return {**row, "labels": {**_LABELS, **(row.get("labels") or {})}}


def _trash_old_file(call: Call) -> JsonObject:
    """Answers `files.trash` and `untrash` of version 2."""
    key = f"files/{call.params['fileId']}"
    row = call.world.table(_OLD_FILES).get(key)
    if row is None:
        raise not_found(name=str(call.params["fileId"]))
    is_trashed = call.id.endswith(".trash")
    labels = {**_LABELS, **(row.get("labels") or {}), "trashed": is_trashed}
    row = {**row, "labels": labels, "explicitlyTrashed": is_trashed}
    call.world.put(_OLD_FILES, key, row)
    return row


def _old_about(call: Call) -> JsonObject:
    """Answers `about.get` of version 2."""
    email = call.caller.email
    name = email.partition("@")[0]
    user = {"kind": "drive#user", "displayName": name, "isAuthenticatedUser": True,
            "emailAddress": email}  # fmt: skip
    return {
        "kind": "drive#about",
        "name": name,
        "user": user,
        "rootFolderId": "root",
        "quotaBytesTotal": str(_QUOTA),
        "quotaType": "LIMITED",
        "isCurrentAppInstalled": False,
    }


def _import_table(call: Call, file: JsonObject) -> None:
    """Put a table in place of all sheets of a spreadsheet; its sheet has the name of the file."""
    where = {"spreadsheetId": file["id"]}
    before = call.ask("sheets.spreadsheets.get", where)["sheets"]
    known = [each["properties"]["sheetId"] for each in before]
    title, ident = str(file["name"]), int(call.world.ids.digits("sheet", 9))
    text = call.media.content.decode("utf-8", "replace") if call.media else ""
    requests: list[JsonObject] = [
        {"addSheet": {"properties": {"sheetId": ident, "title": f"import {ident}"}}},
        *({"deleteSheet": {"sheetId": each}} for each in known),
        {"updateSheetProperties": {"properties": {"sheetId": ident, "title": title},
                                   "fields": "title"}},
        {"updateSpreadsheetProperties": {"properties": {"timeZone": _IMPORTED_ZONE},
                                         "fields": "timeZone"}},
        {"pasteData": {"coordinate": {"sheetId": ident}, "data": text,
                       "delimiter": _delimiter(call.media)}},
    ]  # fmt: skip
    call.ask("sheets.spreadsheets.batchUpdate", where, {"requests": requests})


def _make_ids(call: Call) -> JsonObject:
    """Answers `files.generateIds`."""
    count = int(call.params.get("count", 10))
    if not 1 <= count <= 1000:
        raise invalid("Invalid value", location="count")
    made = [f"1{call.world.ids.base36('file', 32)}" for _ in range(count)]
    return {"kind": "drive#generatedIds", "space": call.params.get("space", "drive"), "ids": made}


def _empty_trash(call: Call) -> None:
    """Answers `files.emptyTrash`."""
    where: JsonObject = {"q": "trashed = true", "pageSize": 1000}
    if drive := call.params.get("driveId"):
        every = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
        where |= {"driveId": drive, "corpora": "drive", **every}
    while files := call.ask("drive.files.list", where)["files"]:
        for each in files:
            call.world.delete(_FILES, f"files/{each['id']}")


HANDLERS: Mapping[str, Handler] = {
    **GUARDED,
    "drive.about.get": _about,
    "drive.files.copy": _copy_file,
    "drive.files.create": _create_file,
    "drive.files.emptyTrash": _empty_trash,
    "drive.files.export": _export_file,
    "drive.files.generateIds": _make_ids,
    "drive.files.update": _update_file,
    **PERMISSION_HANDLERS,
}

OLD_HANDLERS: Mapping[str, Handler] = {
    "drive.about.get": _old_about,
    "drive.files.get": _labelled_file,
    "drive.files.insert": _labelled_file,
    "drive.files.trash": _trash_old_file,
    "drive.files.untrash": _trash_old_file,
    "drive.files.update": _update_old_file,
}
"""Those of version 2."""
