"""What Firestore makes of a snapshot: documents by path in plain JSON, and those in wire form.

{"firestore": {"projects/shop/databases/(default)": {"users/ann": {"name": "Ann"}}}}
"""

from collections.abc import Iterator

from mockserver.apis.firestore import DOCUMENTS, TRANSACTIONS
from mockserver.apis.firestore.paths import read_document_name
from mockserver.apis.firestore.values import short_time, stored_fields, value_of_json
from mockserver.errors import Problem
from mockserver.googleapi import ApiError, SnapshotImport, json_kind
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

_KEY = "firestore"
_TIMES = ("createTime", "updateTime")
_LONG_AGO = "2026-01-01T00:00:00Z"


def import_snapshot(found: SnapshotImport) -> None:
    """Make the documents that are told by their paths, and complete those in wire form."""
    found.silent.add(TRANSACTIONS)
    time = _captured_at(found)
    rows = {row["name"]: row for row in _in_wire_form(found, time)}
    found.tables[DOCUMENTS] = rows
    given = found.raw.get(_KEY)
    if given is not None and not isinstance(given, dict):
        text = f"expected an object by database, found {json_kind(given)}"
        found.problems.append(Problem(f"/{_KEY}", text))
        given = None
    for database, documents in (given or {}).items():
        pointer = f"/{_KEY}/{_escaped(database)}"
        if not isinstance(documents, dict):
            text = f"expected an object by path, found {json_kind(documents)}"
            found.problems.append(Problem(pointer, text))
            continue
        for path, fields in documents.items():
            place = f"{pointer}/{_escaped(path)}"
            _add(found, place, f"{database}/documents/{path.strip('/')}", fields, time)
    paths = {path for row in rows.values() for path in _time_paths(row.get("fields") or {})}
    own = [("fields", *path) for path in sorted(paths)]
    if rows:
        found.times[DOCUMENTS] = (*((each,) for each in _TIMES), *own)
    else:
        del found.tables[DOCUMENTS]


def _in_wire_form(found: SnapshotImport, time: str) -> Iterator[JsonObject]:
    """The documents of `resources`, complete; what is no document is told of with the others.

    Yields:
        Rows.
    """
    held = found.raw.get("resources")
    held = held.get("firestore:v1") if isinstance(held, dict) else None
    given = held.get("documents") if isinstance(held, dict) else None
    for number, row in enumerate(given if isinstance(given, list) else ()):
        if isinstance(row, dict) and "/documents/" in str(row.get("name")):
            yield _complete(found, f"/resources/firestore:v1/documents/{number}", row, time)


def _escaped(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def _captured_at(found: SnapshotImport) -> str:
    time = found.raw.get("capturedAt")
    try:
        parse_rfc3339(time if isinstance(time, str) else "")
    except ValueError:
        return _LONG_AGO
    return short_time(str(time))


def _add(found: SnapshotImport, pointer: str, name: str, fields: Json, time: str) -> None:
    if not isinstance(fields, dict):
        text = f"expected the fields of a document, found {json_kind(fields)}"
        found.problems.append(Problem(pointer, text))
        return
    if name in found.tables[DOCUMENTS]:
        found.problems.append(Problem(pointer, f"the document {name!r} is there twice"))
        return
    try:
        read_document_name(name)
        values = stored_fields({key: value_of_json(each) for key, each in fields.items()})
    except ApiError as error:
        hint = 'databases are "projects/shop/databases/(default)", documents "users/ann"'
        found.problems.append(Problem(pointer, error.message, hint))
        return
    row: JsonObject = {"name": name, "fields": values, "createTime": time, "updateTime": time}
    found.tables[DOCUMENTS][name] = row


def _complete(found: SnapshotImport, pointer: str, row: JsonObject, time: str) -> JsonObject:
    try:
        fields = stored_fields(row.get("fields") or {})
    except (ApiError, AttributeError, TypeError, ValueError) as error:
        found.problems.append(Problem(pointer, f"its fields are none of Firestore: {error}"))
        return row
    created = row.get("createTime") or time
    times = {"createTime": created, "updateTime": row.get("updateTime") or created}
    return {**row, "fields": fields, **times}


def _time_paths(fields: JsonObject) -> Iterator[tuple[str, ...]]:
    """The paths of timestamps in fields.

    Yields:
        Names as `Collection.times` has them.
    """
    for name, value in fields.items():
        for path in _time_paths_of(value):
            yield (name, *path)


def _time_paths_of(value: JsonObject) -> Iterator[tuple[str, ...]]:
    if "timestampValue" in value:
        yield ("timestampValue",)
    elif "mapValue" in value:
        for path in _time_paths(value["mapValue"].get("fields") or {}):
            yield ("mapValue", "fields", *path)
    elif "arrayValue" in value:
        for each in value["arrayValue"].get("values") or ():
            for path in _time_paths_of(each):
                yield ("arrayValue", "values", "*", *path)
