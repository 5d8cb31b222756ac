"""What operations of declared collections do to rows: list, read, change them and their files."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from fnmatch import fnmatchcase
from urllib.parse import quote

import jsonpatch
import jsonpointer
import orjson

from mockserver.collections import BY_KEY
from mockserver.collections.collection import as_text
from mockserver.collections.places import place_of, put_in, value_at, with_value
from mockserver.collections.query import is_explaining
from mockserver.collections.refusals import (
    ImmutableFieldError,
    InvalidFieldsError,
    MissingRowError,
    StaleVersionError,
)
from mockserver.declared.calls import Answer, DeclaredCall, Header
from mockserver.declared.declaration import Action
from mockserver.declared.effects import answer_job
from mockserver.declared.errors import Detail, refusal, wrong_param
from mockserver.declared.queries import Page
from mockserver.declared.routes import Kind
from mockserver.declared.rows import Rows, silent_table
from mockserver.declared.templates import render, row_values
from mockserver.googleapi import ApiError, apply_merge_patch
from mockserver.model import Json, JsonObject, shortened
from mockserver.storage.layers import overlay
from mockserver.templates import has_templates

_LARGEST_FILE = 16 * 1024 * 1024


def _upload(rows: Rows, call: DeclaredCall) -> Answer:
    """Keep a file of a row: the body as it is, or the first file of a form."""
    declared = rows.declared.files[call.operation.name]
    row, file = rows.find(call.world, call.captures), call.file
    if file is None:
        raise refusal(400, "The request brings no file.")
    if len(file.content) > _LARGEST_FILE:
        raise refusal(413, f"Files of more than {_LARGEST_FILE >> 20} MiB are not taken.")
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


def _download(rows: Rows, call: DeclaredCall) -> Answer:
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


_MOST = 1000
"""Operations of one patch."""

_LARGEST = 4 * 1024 * 1024
"""Bytes that a patch may make of a row by copying."""


def _json_patched(row: JsonObject, operations: Json) -> JsonObject:
    """A row with a JSON patch applied, wholly or not at all (RFC 6902).

    Raises:
        ApiError: 400: it is no patch; 409: a test in it fails, or it names what is not there.
    """
    if not isinstance(operations, list):
        raise refusal(400, "A JSON patch is an array of operations.")
    if len(operations) > _MOST:
        raise refusal(400, f"A JSON patch of more than {_MOST} operations is not taken.")
    made: Json = deepcopy(row)
    operation: Json = None
    try:
        for operation in operations:
            made = jsonpatch.JsonPatch([operation]).apply(made, in_place=True)
            # what is copied into itself doubles each time
            if operation.get("op") == "copy" and len(orjson.dumps(made)) > _LARGEST:
                raise refusal(400, "The JSON patch makes too much of the resource.")
    except jsonpatch.JsonPatchTestFailed as error:
        raise _patch_failure(f"its test of {operation['path']} fails") from error
    except (jsonpatch.JsonPatchConflict, jsonpointer.JsonPointerException) as error:
        raise _patch_failure(str(error)) from error
    except (jsonpatch.JsonPatchException, TypeError, ValueError, KeyError, AttributeError) as error:
        raise refusal(400, f"The JSON patch is not valid: {shortened(str(error))}") from error
    if not isinstance(made, dict):
        raise refusal(400, "The JSON patch leaves no object.")
    return made


def _patch_failure(reason: str) -> ApiError:
    said, found, _ = reason.partition(" not found in ")  # and then the whole row
    told = f"{said} is not there" if found else reason
    return refusal(409, f"The JSON patch cannot be applied: {shortened(told)}")


_Method = Callable[[Rows, DeclaredCall], Answer]

_MERGE = "application/merge-patch+json"
_JSON_PATCH = "application/json-patch+json"
_MOST_ROWS = 10_000
"""Rows of one bulk request."""

_NOT_MODIFIED = 304


def list_rows(rows: Rows, call: DeclaredCall) -> Answer:
    """A page of the rows that a query selects."""
    if rows.collection.parents:
        rows.changes(call.world).check_around(rows.collection, call.captures)
    table = call.world.table(rows.table)
    asked = tuple((name, tuple(values)) for name, values in call.query.items())
    # rows: a declaration that is read again has others
    key = (rows, call.operation.id, call.url, call.captures, asked)
    if is_explaining():
        answer, ignored = _list_rows(rows, call)
    else:
        answer, ignored = table.remembered(key, lambda: _list_rows(rows, call))
    if ignored:
        call.ignored += ignored
    return answer


_ListAnswer = tuple[Answer, list[str]]


def _list_rows(rows: Rows, call: DeclaredCall) -> _ListAnswer:
    declared, world = rows.declared, call.world
    page = rows.lists.page(world.table(rows.table), call.query, call.captures)
    unknown = rows.lists.unknown(call.query)
    if unknown and declared.unknown_params == "refused":
        details = [Detail("", "is no parameter of this list", name) for name in unknown[:20]]
        raise refusal(400, f"{shortened(unknown[0])} is no parameter.", details=details)
    payload: Json = [
        _select_fields(rows.shape.show(row, call), declared.fields, call) for row in page.rows
    ]
    path = _filled_path(call)
    if declared.list_in:
        payload = put_in(declared.list_in, payload)
        further = declared.list_fields
        if has_templates(further):
            values = row_values(
                world, call.operation.id, params=call.params, path=f"{rows.base_path}{path}",
                total=page.total,
            )  # fmt: skip
            further = render(further, values)
        payload = overlay(payload, further)
        for place, value in _page_fields(rows, page, call, path):
            payload = with_value(payload, place_of(place), value)
    headers: list[Header] = []
    paging = declared.paging
    if paging is not None and paging.next == "link_header" and page.links:
        links = [f'<{call.url}{path}?{link.query}>; rel="{link.rel}"' for link in page.links]
        headers.append(("link", ", ".join(links)))
    if paging is not None and paging.total_header:
        headers.append((paging.total_header, str(page.total)))
    return Answer(payload, headers=tuple(headers), encoded=orjson.dumps(payload)), unknown


def _page_fields(
    rows: Rows, page: Page, call: DeclaredCall, path: str
) -> Iterator[tuple[str, Json]]:
    """What the body of a list says beside its rows.

    Yields:
        Field and value.
    """
    paging, links = rows.declared.paging, {link.rel: link for link in page.links}
    if paging is None:
        return
    start = call.url if paging.urls == "whole" else rows.base_path
    if paging.next not in {"none", "link_header"} and "next" in links:
        yield paging.next, links["next"].token
    for place, rel in ((paging.next_url, "next"), (paging.previous_url, "prev")):
        if place:
            yield place, f"{start}{path}?{links[rel].query}" if rel in links else None
    if paging.total:
        yield paging.total, page.total
    if paging.has_more:
        yield paging.has_more, page.has_more


def _filled_path(call: DeclaredCall) -> str:
    """The path that was asked for, below the base path."""
    path = call.operation.path
    for name, value in zip(call.operation.placeholders, call.captures, strict=True):
        path = path.replace(f"{{{name}}}", quote(value, safe=""), 1)
    return path


def _select_fields(row: Json, param: str, call: DeclaredCall) -> Json:
    asked = call.query.get(param, ()) if param else ()
    wanted = [name for each in asked for name in each.split(",") if name]
    if not wanted or not isinstance(row, dict):
        return row
    return {name: row[name] for name in wanted if name in row}


def _read_row(rows: Rows, call: DeclaredCall) -> Answer:
    """One row; 304 where the caller has it already."""
    row = rows.find(call.world, call.captures)
    tag = rows.tag(row)
    if tag and _has_tag(call.headers.get("if-none-match", ""), tag):
        return Answer(None, _NOT_MODIFIED, (("etag", tag),))
    shown = _select_fields(rows.wrap(row, call), rows.declared.fields, call)
    call.ignored += [name for name in call.query if name != rows.declared.fields]
    return Answer(shown, headers=(("etag", tag),) if tag else ())


def _has_tag(header: str, tag: str) -> bool:
    listed = {each.strip().removeprefix("W/") for each in header.split(",")}
    return "*" in listed or tag in listed


def _check_tags(rows: Rows, row: JsonObject, call: DeclaredCall) -> None:
    """Refuse a change whose condition does not hold.

    Raises:
        StaleVersionError: The row is not, or is, as the caller says.
    """
    tag = rows.tag(row)
    if not tag:
        return
    for header, wanted in (("if-match", True), ("if-none-match", False)):
        asked = call.headers.get(header)
        if asked is not None and _has_tag(asked, tag) is not wanted:
            raise StaleVersionError(rows.collection, header, tag)


def create(rows: Rows, call: DeclaredCall) -> Answer:
    """A new row; an array makes several, where the collection takes bulk."""
    body = rows.shape.unwrap(call.body)
    if isinstance(body, list) and (bulk := rows.declared.bulk) is not None and bulk.create:
        return _create_many(rows, call)
    params = call.params if rows.asks_params else {}
    row = rows.insert(call.world, _object(body), call.captures, params)
    location = ("location", f"{call.url}{rows.shape.path(row)}")
    return _one(rows, call, row, rows.create_status, (location,))


def _object(body: Json) -> JsonObject:
    if not isinstance(body, dict):
        raise refusal(400, "The body must be a JSON object.")
    return body


def _create_many(rows: Rows, call: DeclaredCall) -> Answer:
    """New rows of an array, all or none."""
    body = rows.shape.unwrap(call.body)
    if not isinstance(body, list):
        raise refusal(400, "The body must be a JSON array.")
    if len(body) > _MOST_ROWS:
        raise refusal(413, f"More than {_MOST_ROWS} rows in one request are not taken.")
    made = [rows.insert(call.world, _object(each), call.captures) for each in body]
    shown: Json = [rows.shape.show(row, call) for row in made]
    if rows.declared.list_in:
        shown = put_in(rows.declared.list_in, shown)
    return Answer(shown, rows.declared.create_status)


def _delete_many(rows: Rows, call: DeclaredCall) -> Answer:
    """Delete the rows whose keys the query lists, all or none."""
    bulk = rows.declared.bulk
    param = bulk.delete if bulk is not None else ""
    keys = [key for each in call.query.get(param, ()) for key in each.split(",") if key]
    if not keys:
        raise wrong_param(param, "is missing", f"{param} must name what is to be deleted.")
    found = {key: rows.find(call.world, (*call.captures, key)) for key in keys}
    for row in found.values():
        rows.changes(call.world).remove(rows.collection, row)
    return Answer(None, 204)


def replace(rows: Rows, call: DeclaredCall) -> Answer:
    """A row anew, of what the caller sends; created where the collection allows it."""
    world, body = call.world, _object(rows.shape.unwrap(call.body))
    key, collection, changes = call.captures[-1], rows.collection, rows.changes(world)
    try:
        own = changes.find(collection, call.captures)
    except MissingRowError:
        if not rows.declared.upsert:
            raise
        if call.headers.get("if-match") is not None:
            raise refusal(412, f"There is no {rows.name} {shortened(key)}.") from None
        if collection.own_key(body) is not None and as_text(collection.own_key(body)) != key:
            raise ImmutableFieldError(collection, collection.key) from None
        made = rows.insert(world, rows.with_key(body, key), call.captures[:-1])
        return _one(rows, call, made, 201)
    _check_tags(rows, own, call)
    if collection.own_key(body) is None:
        body = with_value(body, collection.key_place, collection.own_key(own))
    return _one(rows, call, changes.replace(collection, own, body))


def patch(rows: Rows, call: DeclaredCall) -> Answer:
    """A row with some fields changed: by a merge patch, or by a JSON patch."""
    own = rows.find(call.world, call.captures)
    _check_tags(rows, own, call)
    kind = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    taken = rows.declared.patch
    is_list = kind == _JSON_PATCH or (isinstance(call.body, list) and "json-patch" in taken)
    if is_list:
        if "json-patch" not in taken:
            raise refusal(415, f"{_JSON_PATCH} is not taken here.",
                          headers={"Accept-Patch": _MERGE})  # fmt: skip
        made: Json = _json_patched(own, call.body)
    elif "merge" not in taken:
        raise refusal(415, "Only JSON patches are taken here.",
                      headers={"Accept-Patch": _JSON_PATCH})  # fmt: skip
    else:
        made = apply_merge_patch(own, _object(rows.shape.unwrap(call.body)))
    return _one(rows, call, rows.changes(call.world).replace(rows.collection, own, _object(made)))


def _one(
    rows: Rows,
    call: DeclaredCall,
    row: JsonObject,
    status: int = 200,
    headers: tuple[Header, ...] = (),
) -> Answer:
    """A row as a change answers it."""
    tag = rows.tag(row)
    return Answer(rows.wrap(row, call), status, (*headers, ("etag", tag)) if tag else headers)


def delete(rows: Rows, call: DeclaredCall) -> Answer:
    """A row less."""
    row = rows.find(call.world, call.captures)
    _check_tags(rows, row, call)
    rows.changes(call.world).remove(rows.collection, row)
    shown = rows.shape.show(row, call)
    if rows.declared.delete_answer is not None:
        values = row_values(call.world, rows.table, row=shown, params=call.params)
        return Answer(render(rows.declared.delete_answer, values))
    if rows.declared.delete_status == 200:
        return Answer(rows.shape.wrap(shown))
    return Answer(None, 204)


def _act(rows: Rows, call: DeclaredCall) -> Answer:
    """What an action does to a row."""
    action = rows.declared.actions[call.operation.name]
    if action.where:
        return _act_on_all(rows, action, call)
    row = rows.find(call.world, call.captures)
    _check_tags(rows, row, call)
    _check_action(rows, action, row, call)
    values = row_values(call.world, rows.table, row=row, body=call.body or {}, params=call.params)
    wanted = {**row, **render(action.set, values)}
    changes = rows.changes(call.world)
    wanted = rows.placed(changes, wanted, call.params) if action.moves else wanted
    now = changes.update(rows.collection, row, wanted)
    if action.status == 204:
        return Answer(None, 204)
    if action.answer is not None:
        payload = render(action.answer, {**values, "row": rows.shape.show(now, call)})
        return Answer(payload, action.status)
    return _one(rows, call, now, action.status)


def _act_on_all(rows: Rows, action: Action, call: DeclaredCall) -> Answer:
    """What an action does to the rows of a list that have some values."""
    changes, world = rows.changes(call.world), call.world
    changes.check_around(rows.collection, call.captures)
    around = "".join(f"{key}/" for key in call.captures)
    for row in list(world.table(rows.table).starting(BY_KEY, around)):
        if action.where.items() <= row.items():
            values = row_values(world, rows.table, row=row, body=call.body or {})
            changes.update(rows.collection, row, {**row, **render(action.set, values)})
    return Answer(None, 204)


def _check_action(rows: Rows, action: Action, row: JsonObject, call: DeclaredCall) -> None:
    """Refuse an action whose body or row is not as it must be."""
    schema = rows.action_schemas[call.operation.name]
    found = schema.problems({} if call.body is None else call.body) if schema is not None else []
    if found:
        raise InvalidFieldsError(rows.collection, found)
    for field, wanted in action.when.items():
        value = value_at(row, place_of(field))
        allowed = wanted if isinstance(wanted, list) else [wanted]
        if value not in allowed:
            text = action.message or (
                f"{call.operation.name} needs {field} to be"
                f" {' or '.join(map(str, allowed))}, and it is {shortened(str(value))}."
            )
            raise refusal(action.refusal, text, details=[Detail(f"/{field}", "does not allow it")])


METHODS: dict[Kind, _Method] = {
    "list": list_rows,
    "get": _read_row,
    "create": create,
    "bulk": _create_many,
    "bulk_delete": _delete_many,
    "replace": replace,
    "patch": patch,
    "delete": delete,
    "action": _act,
    "job": answer_job,
    "upload": _upload,
    "download": _download,
    "remove_file": remove,
}
"""What answers each kind of operation of a collection."""
