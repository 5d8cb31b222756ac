"""Emulates what conventions do not tell of Drive: copies, exports, conversions, search, orders."""

from functools import partial

from mockserver.apis.drive.link_document import LINKS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

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
