"""Methods of Docs; every document is a file of Drive, whose name is its title."""

from collections.abc import Mapping
from copy import deepcopy

from mockserver.apis.docs.documents import Document
from mockserver.apis.docs.requests import REQUESTS
from mockserver.collections import Index
from mockserver.collections.collection import content_hash
from mockserver.googleapi import ApiError, Call, Handler, check_editor_file, nearest, not_found
from mockserver.googleapi.batch_updates import apply_requests
from mockserver.model import JsonObject
from mockserver.state import rfc3339

DOCUMENTS, FILES = "docs:v1/documents", "drive:v3/files"
MIME_TYPE = "application/vnd.google-apps.document"
_BY_ID = Index(lambda key, row: (str(row.get("documentId") or key.rpartition("/")[2]),))
_BY_FILE = Index(
    lambda _, row: (str(row["id"]),) if row.get("mimeType") == MIME_TYPE and "id" in row else ()
)


def _file_key(call: Call, ident: str) -> str | None:
    return call.world.table(FILES).first(_BY_FILE, ident)


def _open_document(call: Call) -> Document:
    """The document that a call names; ApiError 404 for none."""
    ident, world = str(call.params["documentId"]), call.world
    key = world.table(DOCUMENTS).first(_BY_ID, ident)
    row = None if key is None else world.table(DOCUMENTS).get(key)
    file_key = _file_key(call, ident)
    file = None if file_key is None else world.table(FILES).get(file_key)
    if row is None and file is None:
        known = map(str, world.table(DOCUMENTS).values(_BY_ID))
        raise not_found(name=ident, nearest=nearest(ident, known))
    check_editor_file(call, file, reads=call.id.endswith(".get"))
    title = (file or {}).get("name") or (row or {}).get("title", "Untitled document")
    kept = {**deepcopy(row or {}), "documentId": ident, "title": title}
    return Document(kept, world.ids)


def _answer(call: Call, document: Document) -> JsonObject:
    row = document.to_row()
    mode = str(call.params.get("suggestionsViewMode") or "DEFAULT_FOR_CURRENT_ACCESS")
    shown = "SUGGESTIONS_INLINE" if mode == "DEFAULT_FOR_CURRENT_ACCESS" else mode
    head = {name: row[name] for name in ("documentId", "title")}
    head |= {"suggestionsViewMode": shown, "revisionId": content_hash(row)}
    if call.params.get("includeTabsContent") is True:
        return {**head, "tabs": document.nested_tabs("")}
    beside = {name: each for name, each in row.items() if name != "tabs"}
    return {**beside, **document.tabs[0].write(), **head}


def _create_document(call: Call) -> JsonObject:
    """Answers `documents.create`: of a document only the title counts."""
    title = str(call.body.get("title") or "Untitled document")
    file = call.ask("drive.files.create", {}, {"name": title, "mimeType": MIME_TYPE})
    call.params["documentId"] = file["id"]
    document = _open_document(call)
    call.world.put(DOCUMENTS, f"documents/{file['id']}", document.to_row())
    return _answer(call, document)


def _update_document(call: Call) -> JsonObject:
    """Answers `documents.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that cannot be or a revision that is another, 501 for a kind
            that is not emulated.
    """
    document = _open_document(call)
    control = call.body.get("writeControl") or {}
    wanted = control.get("requiredRevisionId")
    if wanted and wanted != content_hash(document.to_row()):
        text = f"The required revision ID '{wanted}' does not match the latest revision."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    replies = apply_requests(call, REQUESTS, document)
    row, ident = document.to_row(), str(document.row["documentId"])
    key = call.world.table(DOCUMENTS).first(_BY_ID, ident) or f"documents/{ident}"
    call.world.put(DOCUMENTS, key, row)
    file_key = _file_key(call, ident)
    file = call.world.table(FILES).get(file_key) if file_key else None
    if file_key and file is not None:
        now = rfc3339(call.world.clock.now())
        call.world.put(FILES, file_key, {**file, "modifiedTime": now})
    control = {"requiredRevisionId": content_hash(row)}
    return {"documentId": ident, "replies": replies, "writeControl": control}


HANDLERS: Mapping[str, Handler] = {
    "docs.documents.create": _create_document,
    "docs.documents.get": lambda call: _answer(call, _open_document(call)),
    "docs.documents.batchUpdate": _update_document,
}
