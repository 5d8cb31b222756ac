"""Emulates what conventions do not tell of Drive: copies, exports, conversions, search, orders."""

from functools import partial

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import
from mockserver.model import JsonObject


def _method(name: str, path: str, *queries: str) -> JsonObject:
    parameters: JsonObject = {each: {"type": "string", "location": "query"} for each in queries}
    for each in ("app", "fileId"):
        if f"{{{each}}}" in path:
            parameters[each] = {"type": "string", "location": "path", "required": True}
    return {"id": f"drive.links.{name}", "httpMethod": "GET", "path": path,
            "parameters": parameters, "supportsMediaDownload": True}  # fmt: skip


_METHODS = (
    _method("export", "{app}/d/{fileId}/export", "format", "gid"),
    _method("exportSpreadsheet", "spreadsheets/export", "id", "exportFormat"),
    _method("exportEditorFile", "feeds/download/{app}/export/Export", "id", "exportFormat"),
)
LINKS: JsonObject = {
    "name": "drive",
    "version": "links",
    "title": "Links of Google Docs editors",
    "rootUrl": "https://docs.google.com/",
    "servicePath": "",
    "schemas": {},
    "methods": {method["id"]: method for method in _METHODS},
}
"""A document of the links that `exportLinks` tells."""


LISTS = lazy_attribute(__name__, "lists", "LISTS")


_FILE = "kind,id,name,mimeType,resourceKey,driveId,teamDriveId"
_PERMISSION = "kind,id,type,role"
_SHOWN = {
    **{f"drive.files.{verb}": _FILE for verb in ("get", "create", "update", "copy")},
    "drive.files.list": f"kind,nextPageToken,incompleteSearch,files({_FILE})",
    **{f"drive.permissions.{verb}": _PERMISSION for verb in ("get", "create", "update")},
    "drive.permissions.list": f"kind,nextPageToken,permissions({_PERMISSION})",
}
"""What answers have without `fields`: as recordings (`create`) and the guide on fields show."""

_completing = partial(lazy_import, __name__, (), "resources", name="complete_rows")

API = Api(
    name="drive",
    documents=(("drive", "v3"),),
    supplements=(LINKS,),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    shown=_SHOWN,
    beside_conventions=True,
    complete_rows=_completing(module="permissions"),
    relies=(
        "Rely on: searches by `q` but for labels, orders, folders that give their permissions "
        "to what is in them, copies, conversions of uploads, exports, resumable uploads, "
        "revisions, comments, changes, trash, shared drives; files made by Docs, Sheets, Slides "
        "and Forms. Exports have text and structure, not Google's style. Not there: thumbnails, "
        "corpora of a domain. Proof: `tests/clients/test_usual_calls.py`, laws in "
        "`tests/mockserver/apis/test_workspace_laws.py`, `tests/mockserver/apis/drive`."
    ),
)
OLD_API = Api(
    name="drive_v2",
    documents=(("drive", "v2"),),
    handlers=LazyHandlers(__name__, name="OLD_HANDLERS"),
    dialect="legacy",
    beside_conventions=True,
    complete_rows=_completing(module="version2"),
)

__all__ = ["API", "LISTS", "OLD_API"]
