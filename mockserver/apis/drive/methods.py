"""Methods of Drive that conventions do not tell; Google's own files are read and made through them.

Source: the reference of Drive, and recordings of the live service; not verified: which fields of a
file a copy has.
"""

from collections.abc import Mapping

from mockserver.apis.drive.conversions import (
    DOCUMENT,
    EXPORTS,
    GOOGLE_TYPES,
    IMPORTS,
    LINK_FORMATS,
    SPREADSHEET,
    convert_media,
    export_file,
)
from mockserver.apis.drive.history import HANDLERS as HISTORY_HANDLERS
from mockserver.apis.drive.history import forget_history, keep_revision
from mockserver.apis.drive.permissions import HANDLERS as PERMISSION_HANDLERS
from mockserver.apis.drive.permissions import display_name, inherit_permissions, named_file
from mockserver.apis.drive.query import BY_FOLDER
from mockserver.apis.drive.version2 import OLD_HANDLERS
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    Media,
    check_file,
    file_role,
    invalid,
    missing_file,
)
from mockserver.model import JsonObject
from mockserver.state import World, admin_email

_FILES, _DRIVES = "drive:v3/files", "drive:v3/drives"
_PAGES_OF = {
    "document": "docs.google.com/document/d/{}/edit",
    "spreadsheet": "docs.google.com/spreadsheets/d/{}/edit",
    "presentation": "docs.google.com/presentation/d/{}/edit",
    "form": "docs.google.com/forms/d/{}/edit",
    "folder": "drive.google.com/drive/folders/{}",
}
"""Where the pages of files are, by the end of their MIME type."""
_EDITED = {
    "docs:v1/documents": "documents",
    "forms:v1/forms": "forms",
    "sheets:v4/spreadsheets": "spreadsheets",
    "slides:v1/presentations": "presentations",
}
"""Tables of what editors keep of files, and what the keys of their rows begin with."""
_ABOUT = "drive:v3/about"
_OF_SPREADSHEETS = ("sheets:v4/spreadsheets", "sheets:v4/values")
_DOCUMENTS = "docs:v1/documents"
_COPIED = ("mimeType", "description", "parents", "properties", "appProperties")
_OF_CONTENT = ("size", "md5Checksum", "headRevisionId", "originalFilename")
_QUOTA = 15 * 1024**3


def _file(call: Call) -> JsonObject:
    return call.ask("drive.files.get", {"fileId": call.params["fileId"]})


def _copy_file(call: Call) -> JsonObject:
    """Answers `files.copy`: with what is in it."""
    source = _file(call)
    kept = {name: source[name] for name in (*_COPIED, *_OF_CONTENT) if name in source}
    name = f"Copy of {source.get('name', 'Untitled')}"
    made = call.ask("drive.files.create", {}, {"name": name, **kept, **call.body})
    old, new, kind = str(source["id"]), str(made["id"]), source.get("mimeType")
    if kind == SPREADSHEET:
        _copy_rows(call.world, old, new)
    if kind == DOCUMENT:
        asked = {"documentId": old, "includeTabsContent": True}
        document = call.ask("docs.documents.get", asked)
        row = {**document, "documentId": new, "title": made["name"]}
        call.world.put(_DOCUMENTS, f"documents/{new}", row)
    if call.contents is not None:
        media = call.contents.get(("drive.files.get", (("fileId", old),)))
        if media is not None:
            call.contents.put(("drive.files.get", (("fileId", new),)), media)
    return made


def _copy_rows(world: World, source: str, target: str) -> None:
    for table in _OF_SPREADSHEETS:
        for key, row in list(world.table(table).rows().items()):
            parts = key.split("/")
            if str(row.get("spreadsheetId") or parts[1]) == source:
                copied = {**row, "spreadsheetId": target}
                world.put(table, "/".join([parts[0], target, *parts[2:]]), copied)


def _export_file(call: Call) -> None:
    call.download = export_file(call, _file(call), str(call.params.get("mimeType", "")))


def _export_link(call: Call) -> None:
    """Answers the links of `exportLinks`, and those of the pages of editors."""
    params = call.params
    ident = str(params.get("fileId") or params.get("id") or "")
    wanted = str(params.get("format") or params.get("exportFormat") or "")
    file = call.ask("drive.files.get", {"fileId": ident})
    formats = LINK_FORMATS.get(str(file.get("mimeType")), {})
    kind = next((each for each, name in formats.items() if name == wanted), "")
    sheet = str(params.get("gid") or "")
    call.download = export_file(call, file, kind, int(sheet) if sheet.isdecimal() else None)


def _about(call: Call) -> JsonObject:
    """Answers `about.get`, where the snapshot does not."""
    if call.world.table(_ABOUT):
        raise LeftToConventionsError
    if call.mask is None:
        text = "The 'fields' parameter is required for this method."
        raise ApiError(400, text, reason="required", location="fields", location_type="parameter")
    email = call.caller.email or admin_email(call.world)
    sizes = (int(row.get("size") or 0) for row in call.world.table(_FILES).rows().values())
    used = str(sum(sizes))
    return {
        "kind": "drive#about",
        "user": {
            "kind": "drive#user",
            "displayName": display_name(call.world, email),
            "me": True,
            "emailAddress": email,
        },
        "storageQuota": {"limit": str(_QUOTA), "usage": used, "usageInDrive": used,
                         "usageInDriveTrash": "0"},
        "exportFormats": EXPORTS,
        "importFormats": IMPORTS,
        "canCreateDrives": False,
    }  # fmt: skip


def _create_file(call: Call) -> JsonObject:
    """Answers `files.create`: a folder gives its permissions; uploads are converted or kept."""
    inherit_permissions(call)
    kind = str(call.body.get("mimeType") or "application/octet-stream")
    if call.media is None:
        if kind.startswith("application/vnd.google-apps.") or "shortcutDetails" in call.body:
            return _with_link(call, call.answer_by_conventions())
        call.media = Media(b"", kind)  # a file without content is an empty one
    if kind not in GOOGLE_TYPES:
        return keep_revision(call, _with_link(call, call.answer_by_conventions()))
    made = call.ask("drive.files.create", {}, call.body)
    convert_media(call, made)
    return made


def _with_link(call: Call, row: JsonObject) -> JsonObject:
    """A file that was made, with the address of its page."""
    kind, ident = str(row.get("mimeType")).rpartition(".")[2], str(row["id"])
    place = _PAGES_OF.get(kind) or "drive.google.com/file/d/{}/view"
    row = {"webViewLink": f"https://{place.format(ident)}?usp=drivesdk", **row}
    call.world.put(_FILES, f"files/{ident}", row)
    return row


def _move(call: Call) -> None:
    """Put a file into other folders, as `addParents` and `removeParents` say.

    Raises:
        ApiError: 404 for a folder that is not there, 403 for `parents` in the body, for a folder
            that the caller may not change, and for more parents than before.
    """
    if "parents" in call.body:
        text = "The parents field is not directly writable in update requests. Use the addParents "
        text += "and removeParents parameters instead."
        raise ApiError(403, text, reason="fieldNotWritable")
    added, removed = (
        [each.strip() for each in str(call.params.get(name) or "").split(",") if each.strip()]
        for name in ("addParents", "removeParents")
    )
    if not added and not removed:
        return
    table, key, row = named_file(call, "writer")
    for ident in added:
        folder = call.world.table(_FILES).get(f"files/{ident}")
        if folder is not None:
            check_file(call, folder, "writer")
        elif ident != "root" and f"drives/{ident}" not in call.world.table(_DRIVES):
            raise missing_file(ident)
    before = [str(each) for each in row.get("parents") or ["root"]]
    after = [each for each in before if each not in removed]
    after += [each for each in added if each not in after]
    if len(after) > max(1, len(before)):
        text = "Increasing the number of parents is not allowed"
        raise ApiError(403, text, reason="cannotAddParent")
    call.world.put(table, key, {**row, "parents": after})


def _update_file(call: Call) -> JsonObject:
    """Answers `files.update`: what is uploaded is converted, or the newest revision."""
    table, key, _ = named_file(call, "writer")
    _move(call)
    if call.media is None:
        row = call.answer_by_conventions()
    elif (file := _file(call)).get("mimeType") in GOOGLE_TYPES:
        convert_media(call, file)
        return call.ask("drive.files.update", {"fileId": file["id"]}, call.body)
    else:
        row = keep_revision(call, call.answer_by_conventions())
    if told := call.body.get("modifiedTime"):  # conventions say now
        row = {**row, "modifiedTime": told}
        call.world.put(table, key, row)
    return row


def _get_file(call: Call) -> JsonObject:
    """Answers `files.get`: also of the root, which is a folder."""
    if call.params["fileId"] == "root":
        kind = "application/vnd.google-apps.folder"
        return {"kind": "drive#file", "id": "root", "name": "My Drive", "mimeType": kind}
    _, _, row = named_file(call, "reader")
    found = call.answer_by_conventions()
    is_in_root = not row.get("parents") and file_role(call, row) == "owner"
    return {**found, "parents": ["root"]} if is_in_root and found else found


def _make_ids(call: Call) -> JsonObject:
    count = int(call.params.get("count", 10))
    if not 1 <= count <= 1000:
        raise invalid("Invalid value", location="count")
    made = [f"1{call.world.ids.base36('file', 32)}" for _ in range(count)]
    return {"kind": "drive#generatedIds", "space": call.params.get("space", "drive"), "ids": made}


def _empty_trash(call: Call) -> None:
    where: JsonObject = {"q": "trashed = true", "pageSize": 1000}
    if drive := call.params.get("driveId"):
        every = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
        where |= {"driveId": drive, "corpora": "drive", **every}
    while files := call.ask("drive.files.list", where)["files"]:
        for each in files:
            _delete(call, f"files/{each['id']}")


def _delete_file(call: Call) -> None:
    """Answers `files.delete`: what is in a folder goes with it."""
    table, key, _ = named_file(call, "owner")
    if table != _FILES:
        raise missing_file(str(call.params["fileId"]))
    _delete(call, key)


def _delete(call: Call, key: str) -> None:
    waiting = [key]
    for each in waiting:
        ident = each.partition("/")[2]
        forget_history(call, ident)
        waiting += call.world.table(_FILES).find(BY_FOLDER, (ident,)).row_keys()
        for table, kind in _EDITED.items():
            if f"{kind}/{ident}" in call.world.table(table):
                call.world.delete(table, f"{kind}/{ident}")
        if each in call.world.table(_FILES):
            call.world.delete(_FILES, each)


HANDLERS: Mapping[str, Handler] = {
    "drive.about.get": _about,
    "drive.files.copy": _copy_file,
    "drive.files.create": _create_file,
    "drive.files.delete": _delete_file,
    "drive.files.emptyTrash": _empty_trash,
    "drive.files.export": _export_file,
    "drive.files.generateIds": _make_ids,
    "drive.files.get": _get_file,
    "drive.files.update": _update_file,
    **dict.fromkeys(
        ("drive.links.export", "drive.links.exportSpreadsheet", "drive.links.exportEditorFile"),
        _export_link,
    ),
    **HISTORY_HANDLERS,
    **PERMISSION_HANDLERS,
}

__all__ = ["HANDLERS", "OLD_HANDLERS"]
