"""Files that belong to declared rows: sent, fetched and removed."""

from base64 import b64decode, b64encode
from fnmatch import fnmatchcase

from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.errors import refusal
from mockserver.declared.rows import Rows, silent_table
from mockserver.model import JsonObject, shortened

_LARGEST = 16 * 1024 * 1024


def upload(rows: Rows, call: DeclaredCall) -> Answer:
    """Keep a file of a row: the body as it is, or the first file of a form."""
    declared = rows.declared.files[call.operation.name]
    row, file = rows.find(call.world, call.captures), call.file
    if file is None:
        raise refusal(400, "The request brings no file.")
    if len(file.content) > _LARGEST:
        raise refusal(413, f"Files of more than {_LARGEST >> 20} MiB are not taken.")
    kind = file.content_type.partition(";")[0].strip().lower()
    if declared.required and not fnmatchcase(kind, declared.required):
        raise refusal(415, f"{shortened(kind)} is not taken; {declared.required} is.")
    table, key = _place(rows, call)
    is_new = call.world.table(table).get(key) is None
    meta: JsonObject = {
        "name": file.name,
        "contentType": file.content_type,
        "size": len(file.content),
    }
    call.world.put(table, key, {**meta, "content": b64encode(file.content).decode()})
    if declared.meta:
        row = {**row, declared.meta: meta}
        call.world.put(rows.table, rows.collection.key_of(row), row)
        return Answer(rows.wrap(row, call), 201 if is_new else 200)
    return Answer(meta, 201 if is_new else 200)


def download(rows: Rows, call: DeclaredCall) -> Answer:
    """A file of a row."""
    rows.find(call.world, call.captures)
    table, key = _place(rows, call)
    kept = call.world.table(table).get(key)
    if kept is None:
        raise refusal(404, f"The {rows.name} has no {call.operation.name}.")
    name = str(kept["name"]).replace('"', "")
    told = (("content-disposition", f'attachment; filename="{name}"'),) if name else ()
    content = b64decode(kept["content"])
    return Answer(headers=told, content=content, content_type=str(kept["contentType"]))


def remove(rows: Rows, call: DeclaredCall) -> Answer:
    """Remove a file of a row."""
    row = rows.find(call.world, call.captures)
    declared = rows.declared.files[call.operation.name]
    table, key = _place(rows, call)
    if call.world.table(table).get(key) is None:
        raise refusal(404, f"The {rows.name} has no {call.operation.name}.")
    call.world.delete(table, key)
    if declared.meta and declared.meta in row:
        left = {name: value for name, value in row.items() if name != declared.meta}
        call.world.put(rows.table, rows.collection.key_of(row), left)
    return Answer(None, 204)


def _place(rows: Rows, call: DeclaredCall) -> tuple[str, str]:
    key = f"{rows.name}/{'/'.join(call.captures)}/{call.operation.name}"
    return silent_table(rows.api, "files"), key
