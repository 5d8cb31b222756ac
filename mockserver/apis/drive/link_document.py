"""Links of files at `docs.google.com` by which Google's own files are exported."""

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
