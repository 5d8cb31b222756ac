"""What the operations of declared collections do: list, read, create, change and delete rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import orjson

from mockserver.declared.calls import Answer, DeclaredCall, Header
from mockserver.declared.columns import value_at
from mockserver.declared.declaration import Action, Collection
from mockserver.declared.errors import Detail, refusal
from mockserver.declared.patches import json_patched, merge_patched
from mockserver.declared.queries import Page
from mockserver.declared.routes import Kind
from mockserver.declared.rows import Rows, invalid_body, put_in
from mockserver.declared.schemas import RowSchema
from mockserver.declared.templates import rendered, row_values
from mockserver.model import Json, JsonObject, shortened
from mockserver.state import rfc3339


class Siblings(Protocol):
    """What a method needs to know of its API."""

    @property
    def rows(self) -> Mapping[str, Rows]:
        """The collections by name."""
        ...

    def schema_of(self, *place: str) -> RowSchema | None:
        """The JSON Schema declared at a place, or None."""
        ...


Method = Callable[[Siblings, Rows, DeclaredCall], Answer]

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
_MOST_ROWS = 10_000
"""Rows of one bulk request."""

_NOT_MODIFIED = 304


def list_rows(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """A page of the rows that a query selects."""
    for depth, ring in enumerate(rows.rings, 1):
        api.rows[ring.collection].find(call.world, call.captures[:depth])
    table = call.world.table(rows.table)
    # an answer holds until the next write, for all sessions that share the table
    kept = table.derived(_answers)
    key = (call.operation.id, call.url, call.captures, _frozen(call.query))
    answer = kept.get(key)
    if answer is None:
        answer = _listed(rows, call)
        if len(kept) >= _KEPT:
            kept.clear()
        kept[key] = answer
    call.ignored += answer[1]
    return answer[0]


_KEPT = 256
_Listed = tuple[Answer, list[str]]


def _answers(table: object) -> dict[object, _Listed]:
    """Where the answers that are made of a table are kept."""
    return {}


def _frozen(query: Mapping[str, Sequence[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(values)) for name, values in query.items())


def _listed(rows: Rows, call: DeclaredCall) -> _Listed:
    declared = rows.declared
    page = rows.lists.page(call.world.table(rows.table), call.query, call.captures)
    unknown = [name for name in call.query if name not in page.used and name != declared.fields]
    if unknown and declared.unknown_params == "refused":
        details = [Detail("", "is no parameter of this list", name) for name in unknown[:20]]
        raise refusal(400, f"{shortened(unknown[0])} is no parameter.", details=details)
    shown: list[Json] = [rows.shown(row) for row in page.rows]
    if declared.fields:
        shown = [_selected(row, declared.fields, call) for row in shown]
    payload: Json = shown
    extra = _told_of_pages(declared, page, call)
    if declared.list_in:
        payload = put_in(declared.list_in, shown)
    if extra and isinstance(payload, dict):
        for place, value in extra:
            payload = _merged(payload, put_in(place, value))
    headers = _headers_of_page(declared, page, call)
    return Answer(payload, headers=headers, encoded=orjson.dumps(payload)), unknown


def _merged(into: JsonObject, more: JsonObject) -> JsonObject:
    for name, value in more.items():
        old = into.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            into[name] = _merged(old, value)
        else:
            into[name] = value
    return into


def _told_of_pages(declared: Collection, page: Page, call: DeclaredCall) -> list[tuple[str, Json]]:
    """What the body of a list says beside its rows: field and value."""
    paging = declared.paging
    if paging is None:
        return []
    links = {link.rel: link for link in page.links}
    found: list[tuple[str, Json]] = []
    following, before = links.get("next"), links.get("prev")
    if paging.next not in {"none", "link_header"} and following is not None:
        found.append((paging.next, following.token))
    if paging.next_url:
        found.append((paging.next_url, _address(call, following.query) if following else None))
    if paging.previous_url:
        found.append((paging.previous_url, _address(call, before.query) if before else None))
    if paging.total:
        found.append((paging.total, page.total))
    if paging.has_more:
        found.append((paging.has_more, following is not None))
    return found


def _headers_of_page(declared: Collection, page: Page, call: DeclaredCall) -> tuple[Header, ...]:
    paging = declared.paging
    if paging is None:
        return ()
    headers: list[Header] = []
    if paging.next == "link_header" and page.links:
        told = [f'<{_address(call, link.query)}>; rel="{link.rel}"' for link in page.links]
        headers.append(("link", ", ".join(told)))
    if paging.total_header:
        headers.append((paging.total_header, str(page.total)))
    return tuple(headers)


def _address(call: DeclaredCall, query: str) -> str:
    path = call.operation.path
    for name, value in zip(call.operation.placeholders, call.captures, strict=True):
        path = path.replace(f"{{{name}}}", value, 1)
    return f"{call.url}{path}?{query}"


def _selected(row: Json, param: str, call: DeclaredCall) -> Json:
    wanted = [name for each in call.query.get(param, ()) for name in each.split(",") if name]
    if not wanted or not isinstance(row, dict):
        return row
    return {name: row[name] for name in wanted if name in row}


def read_row(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """One row; 304 where the caller has it already."""
    row = rows.find(call.world, call.captures)
    tag = rows.tag(row)
    if tag and _has_tag(call.headers.get("if-none-match", ""), tag):
        return Answer(None, _NOT_MODIFIED, (("etag", tag),))
    shown = _selected(rows.wrapped(row), rows.declared.fields, call)
    call.ignored += [name for name in call.query if name != rows.declared.fields]
    return Answer(shown, headers=(("etag", tag),) if tag else ())


def _has_tag(header: str, tag: str) -> bool:
    listed = {each.strip().removeprefix("W/") for each in header.split(",")}
    return "*" in listed or tag in listed


def check_tags(rows: Rows, row: JsonObject, call: DeclaredCall) -> None:
    """Refuse a change whose condition does not hold.

    Raises:
        ApiError: 412: the row is not, or is, as the caller says.
    """
    tag = rows.tag(row)
    if not tag:
        return
    for header, wanted in (("if-match", True), ("if-none-match", False)):
        asked = call.headers.get(header)
        if asked is not None and _has_tag(asked, tag) is not wanted:
            raise refusal(412, f"The {rows.name} has changed: {header.title()} does not hold.")


def create(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """A new row; an array makes several, where the collection takes bulk."""
    body = rows.unwrapped(call.body)
    bulk = rows.declared.bulk
    if isinstance(body, list) and bulk is not None and bulk.create:
        return create_many(api, rows, call)
    row = _created(api, rows, call, _object(body))
    location = f"{call.url}{_path_of(rows, call, row)}"
    tag = rows.tag(row)
    tags: tuple[Header, ...] = (("etag", tag),) if tag else ()
    headers = (("location", location), *tags)
    return Answer(rows.wrapped(row), rows.declared.create_status, headers)


def _path_of(rows: Rows, call: DeclaredCall, row: JsonObject) -> str:
    path = call.operation.path
    for name, value in zip(call.operation.placeholders, call.captures, strict=True):
        path = path.replace(f"{{{name}}}", value, 1)
    return f"{path}/{row[rows.declared.key]}"


def _object(body: Json) -> JsonObject:
    if not isinstance(body, dict):
        raise refusal(400, "The body must be a JSON object.")
    return body


def _created(api: Siblings, rows: Rows, call: DeclaredCall, body: JsonObject) -> JsonObject:
    world = call.world
    for depth, ring in enumerate(rows.rings, 1):
        api.rows[ring.collection].find(world, call.captures[:depth])
    with rows.sequence_kept(world):
        row = rows.made(world, body, call.captures)
        rows.check(world, row, api.rows, own="")
        if rows.key_taken(world, row):
            told = Detail(f"/{rows.declared.key}", "is taken")
            text = f"There is a {rows.name} {row[rows.declared.key]} already."
            raise refusal(409, text, details=[told])
    world.put(rows.table, rows.key_of(row), row)
    return row


def create_many(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """New rows of an array, all or none."""
    body = rows.unwrapped(call.body)
    if not isinstance(body, list):
        raise refusal(400, "The body must be a JSON array.")
    if len(body) > _MOST_ROWS:
        raise refusal(413, f"More than {_MOST_ROWS} rows in one request are not taken.")
    made: list[JsonObject] = []
    try:
        made += (_created(api, rows, call, _object(each)) for each in body)
    except Exception:
        for row in made:
            call.world.delete(rows.table, rows.key_of(row))
        raise
    shown: Json = [rows.shown(row) for row in made]
    if rows.declared.list_in:
        shown = put_in(rows.declared.list_in, shown)
    return Answer(shown, rows.declared.create_status)


def delete_many(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """Delete the rows whose keys the query lists, all or none."""
    bulk = rows.declared.bulk
    param = bulk.delete if bulk is not None else ""
    keys = [key for each in call.query.get(param, ()) for key in each.split(",") if key]
    if not keys:
        raise refusal(400, f"{param} must name what is to be deleted.",
                      details=[Detail("", "is missing", param)])  # fmt: skip
    found = {key: rows.find(call.world, (*call.captures, key)) for key in keys}
    for row in found.values():
        _delete(rows, call, row)
    return Answer(None, 204)


def replace(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """A row anew, of what the caller sends; created where the collection allows it."""
    world, body = call.world, _object(rows.unwrapped(call.body))
    key, *_ = reversed(call.captures)
    own = world.table(rows.table).get(rows.key_in_table(call.captures))
    if own is None:
        if not rows.declared.upsert:
            raise rows.no_row(world.table(rows.table), call.captures)
        if call.headers.get("if-match") is not None:
            raise refusal(412, f"There is no {rows.name} {shortened(key)}.")
        inner = DeclaredCall(
            call.operation, call.captures[:-1], {}, None, world, call.headers, url=call.url
        )
        made = _created(api, rows, inner, {**body, rows.declared.key: _own_key(rows, key)})
        return Answer(rows.wrapped(made), 201)
    check_tags(rows, own, call)
    return _changed(api, rows, call, own, {**_kept(rows, own), **body})


def _own_key(rows: Rows, key: str) -> Json:
    return int(key) if rows.key_is_number and key.isdecimal() else key


def _kept(rows: Rows, row: JsonObject) -> JsonObject:
    """What a replacement cannot take away: the key, where it stands, what callers cannot set."""
    declared = rows.declared
    names = [
        declared.key,
        *(ring.field for ring in rows.rings),
        *declared.readonly_fields,
        *declared.hidden_fields,
        *filter(None, (declared.created, declared.updated)),
    ]
    return {name: row[name] for name in names if name in row}


def patch(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
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
        made = merge_patched(own, _object(rows.unwrapped(call.body)))
    return _changed(api, rows, call, own, _object(made))


def _changed(
    api: Siblings, rows: Rows, call: DeclaredCall, own: JsonObject, row: JsonObject
) -> Answer:
    """A row as it is after a change."""
    declared, world = rows.declared, call.world
    kept = _kept(rows, own)
    if str(row.get(declared.key)) != str(own[declared.key]):
        details = [Detail(f"/{declared.key}", "cannot be changed")]
        raise refusal(422, f"The field {declared.key} cannot be changed.", details=details)
    row = {**row, **kept}
    if declared.updated:
        row[declared.updated] = rfc3339(world.clock.now())
    key = rows.key_of(own)
    rows.check(world, row, api.rows, own=key)
    world.put(rows.table, key, row)
    tag = rows.tag(row)
    return Answer(rows.wrapped(row), 200, (("etag", tag),) if tag else ())


def delete(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """A row less."""
    row = rows.find(call.world, call.captures)
    check_tags(rows, row, call)
    _delete(rows, call, row)
    if rows.declared.delete_status == 200:
        return Answer(rows.wrapped(row))
    return Answer(None, 204)


def _delete(rows: Rows, call: DeclaredCall, row: JsonObject) -> None:
    nested = list(rows.nested(call.world, row))
    if nested and not rows.declared.cascade:
        raise refusal(409, f"The {rows.name} has {nested[0][0].name} in it.")
    for inner, key, _ in nested:
        call.world.delete(inner.table, key)
    call.world.delete(rows.table, rows.key_of(row))


def act(api: Siblings, rows: Rows, call: DeclaredCall) -> Answer:
    """What an action does to a row."""
    action = rows.declared.actions[call.operation.name]
    row = rows.find(call.world, call.captures)
    check_tags(rows, row, call)
    _check_action(api, rows, action, row, call)
    values = row_values(call.world, rows.table, row=row, body=call.body or {}, params=call.params)
    answer = _changed(api, rows, call, row, {**row, **rendered(action.set, values)})
    if action.status == 204:
        return Answer(None, 204)
    if action.answer is not None:
        now = call.world.table(rows.table).get(rows.key_of(row)) or row
        payload = rendered(action.answer, {**values, "row": rows.shown(now)})
        return Answer(payload, action.status)
    return Answer(answer.payload, action.status, answer.headers)


def _check_action(
    api: Siblings, rows: Rows, action: Action, row: JsonObject, call: DeclaredCall
) -> None:
    """Refuse an action whose body or row is not as it must be."""
    schema: RowSchema | None = api.schema_of("collections", rows.name, "actions",
                                             call.operation.name)  # fmt: skip
    if schema is not None:
        found = schema.problems({} if call.body is None else call.body)
        if found:
            raise invalid_body([Detail(*each) for each in found])
    for field, wanted in action.when.items():
        value = value_at(row, field.split("."))
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
}
"""What answers each kind of operation of a collection."""
