"""What the operations of declared collections do: list, read, create, change and delete rows."""

from collections.abc import Callable, Iterator
from urllib.parse import quote

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
from mockserver.declared.media import download, remove, upload
from mockserver.declared.patches import json_patched
from mockserver.declared.queries import Page
from mockserver.declared.routes import Kind
from mockserver.declared.rows import Rows
from mockserver.declared.templates import render, row_values
from mockserver.googleapi import apply_merge_patch
from mockserver.model import Json, JsonObject, shortened
from mockserver.storage.layers import overlay
from mockserver.templates import has_templates

Method = Callable[[Rows, DeclaredCall], Answer]

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
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


def read_row(rows: Rows, call: DeclaredCall) -> Answer:
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


def check_tags(rows: Rows, row: JsonObject, call: DeclaredCall) -> None:
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
        return create_many(rows, call)
    params = call.params if rows.asks_params else {}
    row = rows.insert(call.world, _object(body), call.captures, params)
    location = ("location", f"{call.url}{rows.shape.path(row)}")
    return _one(rows, call, row, rows.create_status, (location,))


def _object(body: Json) -> JsonObject:
    if not isinstance(body, dict):
        raise refusal(400, "The body must be a JSON object.")
    return body


def create_many(rows: Rows, call: DeclaredCall) -> Answer:
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


def delete_many(rows: Rows, call: DeclaredCall) -> Answer:
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
        return Answer(rows.wrap(made, call), 201)
    check_tags(rows, own, call)
    if collection.own_key(body) is None:
        body = with_value(body, collection.key_place, collection.own_key(own))
    return _one(rows, call, changes.replace(collection, own, body))


def patch(rows: Rows, call: DeclaredCall) -> Answer:
    """A row with some fields changed: by a merge patch, or by a JSON patch."""
    own = rows.find(call.world, call.captures)
    check_tags(rows, own, call)
    kind = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    taken = rows.declared.patch
    is_list = kind == JSON_PATCH or (isinstance(call.body, list) and "json-patch" in taken)
    if is_list:
        if "json-patch" not in taken:
            raise refusal(415, f"{JSON_PATCH} is not taken here.",
                          headers={"Accept-Patch": MERGE})  # fmt: skip
        made: Json = json_patched(own, call.body)
    elif "merge" not in taken:
        raise refusal(415, "Only JSON patches are taken here.",
                      headers={"Accept-Patch": JSON_PATCH})  # fmt: skip
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
    check_tags(rows, row, call)
    rows.changes(call.world).remove(rows.collection, row)
    shown = rows.shape.show(row, call)
    if rows.declared.delete_answer is not None:
        values = row_values(call.world, rows.table, row=shown, params=call.params)
        return Answer(render(rows.declared.delete_answer, values))
    if rows.declared.delete_status == 200:
        return Answer(rows.shape.wrap(shown))
    return Answer(None, 204)


def act(rows: Rows, call: DeclaredCall) -> Answer:
    """What an action does to a row."""
    action = rows.declared.actions[call.operation.name]
    if action.where:
        return _act_on_all(rows, action, call)
    row = rows.find(call.world, call.captures)
    check_tags(rows, row, call)
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


METHODS: dict[Kind, Method] = {
    "list": list_rows,
    "get": read_row,
    "create": create,
    "bulk": create_many,
    "bulk_delete": delete_many,
    "replace": replace,
    "patch": patch,
    "delete": delete,
    "action": act,
    "job": answer_job,
    "upload": upload,
    "download": download,
    "remove_file": remove,
}
"""What answers each kind of operation of a collection."""
