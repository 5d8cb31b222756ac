"""Plain collections: declared, read, changed, and served by the five standard methods."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2s
from itertools import chain
from typing import Literal

import orjson

from mockserver.collections import Index
from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.errors import ApiError, bad_fields, duplicate, invalid, not_found
from mockserver.googleapi.lists import PageRule, list_answer, page
from mockserver.googleapi.masks import EVERYTHING, read_update_mask, unknown_paths, update_resource
from mockserver.googleapi.names import (
    WILDCARD,
    NamePattern,
    is_under,
    name_pattern,
    nearest,
    parent_of,
)
from mockserver.googleapi.scalars import snake_case
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import (
    World,
    project_names,
)


def etag(resource: Json) -> str:
    """The entity tag of a JSON value, in its quotes; an `etag` of the value itself does not count.

    >>> etag({"id": "1", "etag": "old"}) == etag({"id": "1"}), len(etag({}))
    (True, 29)
    """
    if isinstance(resource, dict) and "etag" in resource:
        resource = {key: value for key, value in resource.items() if key != "etag"}
    text = orjson.dumps(resource, option=orjson.OPT_SORT_KEYS)
    digest = urlsafe_b64encode(blake2s(text, digest_size=20).digest()).decode().rstrip("=")
    return f'"{digest}"'


Verb = Literal["list", "get", "create", "patch", "update", "delete"]
Rows = Sequence[JsonObject]
Test = Callable[[JsonObject], bool]

ANY_PAGE = PageRule(default=50, maximum=1000)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A collection whose rows are keyed by full resource name and hold it as `name`.

    Attributes:
        collection: Name of the table, `dashboards`.
        pattern: Names of its rows, `projects/{project}/dashboards/{dashboard}`; `{variables}` are
            one segment and may stand for a collection too (`{kind}/{id}/locations/{location}`).
        list_key: Field of a list's answer that holds the rows.
        page: How a list pages.
        parent: Names of the parents of a list; without the last two segments when empty.
        parent_param: The parameter that names the parent of a list or of a new row.
        name_param: The parameter that names a row.
        id_param: The parameter that gives a new row's last id; None when the server makes ids.
        id_required: Whether a new row without that parameter is refused.
        new_id: Makes the last id of a new row that has none given; a UUID when None.
        named_by_body: Whether a new row may bring its full name along.
        order: Puts the rows of a list in order; as they were put when None.
        filter: What makes a list's test of its call, or None when the call asks for none; raises
            ApiError.
        show: What a caller gets of a row (a view); the row itself when None.
        defaults: Fields of a new row that gives none.
        on_create: Completes and checks a new row; raises ApiError.
        on_change: Completes and checks a changed row, given call, row before and row after.
        on_delete: Checks a deletion; raises ApiError.
        reply: What a write answers with, given call, verb and row (a long-running operation).
        fields: Top-level fields of a row; a mask with others is refused. Empty knows none.
        immutable: Fields that a change may repeat and not change.
        output_only: Fields that only the server writes; `name` and `etag` always are.
        etags: Whether rows have etags.
        missing: Text of the 404, `{name}` is the name asked for.
        exists: Text of the 409, `{name}` likewise.
        total: Field of a list's answer that counts all rows, or an empty string.
    """

    collection: str
    pattern: str
    list_key: str
    page: PageRule = ANY_PAGE
    parent: str = ""
    parent_param: str = "parent"
    name_param: str = "name"
    id_param: str | None = None
    id_required: bool = False
    new_id: Callable[[Call], str] | None = None
    named_by_body: bool = False
    order: Callable[[Call, Rows], Rows] | None = None
    filter: Callable[[Call], Test | None] | None = None
    show: Callable[[Call, JsonObject], JsonObject] | None = None
    defaults: JsonMapping = field(default_factory=dict)
    on_create: Callable[[Call, JsonObject], JsonObject] | None = None
    on_change: Callable[[Call, JsonObject, JsonObject], JsonObject] | None = None
    on_delete: Callable[[Call, JsonObject], None] | None = None
    reply: Callable[[Call, Verb, JsonObject], JsonObject] | None = None
    fields: tuple[str, ...] = ()
    immutable: tuple[str, ...] = ()
    output_only: tuple[str, ...] = ()
    etags: bool = False
    missing: str = "Requested entity was not found."
    exists: str = "Requested entity already exists"
    total: str = ""

    @property
    def names(self) -> NamePattern:
        """The pattern of a row's name."""
        return name_pattern(self.pattern)

    @property
    def depth(self) -> int:
        """How many segments of a name are below its parent."""
        if not self.parent:
            return 2
        return len(self.names.segments) - len(name_pattern(self.parent).segments)


def get_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `get`."""
    return visible_row(resource, call, find_row(resource, call))


def find_row(resource: Resource, call: Call) -> JsonObject:
    """The row that a call names; a project's number and id mean the same.

    Raises:
        ApiError: 404; the session has no such row.
    """
    name = resource_name(resource, call)
    found = row_by_name(resource, call.world, name)
    if found is None:
        rows = call.world.table(resource.collection).rows()
        text = resource.missing.format(name=name)
        raise not_found(text, name=name, nearest=nearest(name, rows))
    return found


def resource_name(resource: Resource, call: Call) -> str:
    """The name that a call gives; in the body when the transport has no path."""
    return str(call.params.get(resource.name_param) or call.body.get("name") or "")


def row_by_name(resource: Resource, world: World, name: str) -> JsonObject | None:
    """The row of this name, or None."""
    table = world.table(resource.collection)
    for each in project_names(world, name):
        found = table.get(each)
        if found is not None:
            return found
    return None


def list_rows(resource: Resource, call: Call) -> JsonObject:
    """Answers `list`: filtered, in order, paged; `-` in the parent is every id.

    Raises:
        ApiError: 400 for a filter, an order or a page token that cannot be.
    """
    rows = rows_under(resource, call)
    if resource.filter is not None:
        test = resource.filter(call)
        if test is not None:
            rows = [row for row in rows if test(row)]
    if resource.order is not None:
        rows = resource.order(call, rows)
    several, token = page(call, rows, resource.page)
    visible = [visible_row(resource, call, row) for row in several]
    answer = list_answer(resource.list_key, visible, token)
    if resource.total:
        answer[resource.total] = len(rows)
    return answer


def rows_under(resource: Resource, call: Call) -> Sequence[JsonObject]:
    """The rows under the parent that a call names, in the order they were put."""
    table, index = call.world.table(resource.collection), by_parent(resource.depth)
    wanted = project_names(call.world, parent_of_list(resource, call))
    if any(WILDCARD in each.split("/") for each in wanted):
        under = [
            each for each in table.values(index) if any(is_under(name, each) for name in wanted)
        ]
        # in the order of their first rows
        wanted = tuple(sorted(under, key=lambda each: table.find(index, each).entries(0, 1)[0][1]))
    return _join_rows([table.find(index, each) for each in wanted])


def parent_of_list(resource: Resource, call: Call) -> str:
    """The parent that a call names.

    Raises:
        ApiError: 400 when it is not of the resource's parents.
    """
    parent = str(call.params.get(resource.parent_param, ""))
    pattern = name_pattern(resource.parent or resource.names.parent())
    if parent and pattern.captures(parent) is None:
        raise invalid(f"Invalid resource name '{parent}'.", location=resource.parent_param)
    return parent


def visible_row(resource: Resource, call: Call, row: JsonObject) -> JsonObject:
    """What a caller gets of a row."""
    if resource.etags and "etag" not in row:
        row = {**row, "etag": etag_of(row)}
    return row if resource.show is None else resource.show(call, row)


def etag_of(row: JsonObject) -> str:
    """A row's etag: its own, or the one of its content, as the newer APIs write it."""
    return str(row.get("etag") or etag(row).strip('"'))


@cache
def by_parent(depth: int) -> Index:
    """The index of rows by what is left of their keys without the last `depth` segments."""
    return Index(lambda name, _: (parent_of(name, depth),))


def _join_rows(several: Sequence[Sequence[JsonObject]]) -> Sequence[JsonObject]:
    filled = [rows for rows in several if rows]
    return filled[0] if len(filled) == 1 else list(chain.from_iterable(filled))


_ALWAYS_KEPT = ("name", "etag")


def create_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `create`.

    Raises:
        ApiError: 400 for an id that cannot be or is missing, 409 when the name is taken; what
            `on_create` raises.
    """
    name = _new_name(resource, call)
    if row_by_name(resource, call.world, name) is not None:
        raise duplicate(resource.exists.format(name=name))
    return _put_new_row(resource, call, name)


def patch_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `patch`: what the mask names, or what the body holds when there is no mask.

    Raises:
        ApiError: 404; 400 for a mask or an immutable field; 409 for a stale etag.
    """
    return _change_row(resource, call, "patch", [(name,) for name in call.body])


def update_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `update`: what the mask names, or the whole row when there is no mask.

    Raises:
        ApiError: As `patch_row`.
    """
    return _change_row(resource, call, "update", [(EVERYTHING,)])


def delete_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `delete`.

    Raises:
        ApiError: 404, unless `allowMissing`; 409 for a stale etag; what `on_delete` raises.
    """
    name = resource_name(resource, call)
    row = row_by_name(resource, call.world, name)
    if row is None and call.params.get("allowMissing"):
        return {}
    row = find_row(resource, call)
    _check_etag(resource, row, str(call.params.get("etag", "")))
    if resource.on_delete is not None:
        resource.on_delete(call, row)
    call.world.delete(resource.collection, row["name"])
    return {} if resource.reply is None else resource.reply(call, "delete", row)


def _new_name(resource: Resource, call: Call) -> str:
    given = str(call.body.get("name", ""))
    if resource.named_by_body and resource.names.captures(given) is not None:
        return given
    parent = parent_of_list(resource, call)
    last = str(call.params.get(resource.id_param, "")) if resource.id_param else ""
    field = snake_case(resource.id_param or "")
    if not last and resource.id_required:
        raise bad_fields([(field, f"The field '{field}' is required.")])
    if "/" in last or last == "-":
        raise bad_fields([(field, f"Invalid resource id '{last}'.")])
    if not last:
        made = resource.new_id
        last = made(call) if made else call.world.ids.uuid(resource.collection)
    return resource.names.name(parent, last)


def _put_new_row(resource: Resource, call: Call, name: str) -> JsonObject:
    given = {
        key: value
        for key, value in call.body.items()
        if key not in _ALWAYS_KEPT and key not in resource.output_only
    }
    row: JsonObject = {"name": name, **resource.defaults, **given}
    if resource.on_create is not None:
        row = resource.on_create(call, row)
    return _put_row(resource, call, "create", row)


def _change_row(
    resource: Resource, call: Call, verb: Verb, whole: list[tuple[str, ...]]
) -> JsonObject:
    name = resource_name(resource, call)
    before = row_by_name(resource, call.world, name)
    if before is None and call.params.get("allowMissing"):
        return _put_new_row(resource, call, name)
    before = find_row(resource, call)
    _check_etag(resource, before, str(call.body.get("etag", "")))
    paths = read_update_mask(str(call.params.get("updateMask", ""))) or whole
    known = (*resource.fields, *_ALWAYS_KEPT, *resource.output_only)
    wrong = unknown_paths(paths, known) if resource.fields else None
    if wrong is not None:
        raise wrong
    keep = (*_ALWAYS_KEPT, *resource.output_only)
    after = update_resource(before, call.body, paths, (*keep, *resource.immutable))
    _check_immutable(resource, before, call.body, paths)
    if resource.on_change is not None:
        after = resource.on_change(call, before, after)
    return _put_row(resource, call, verb, after)


def _put_row(resource: Resource, call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    if resource.etags:
        row = {**row, "etag": etag(row).strip('"')}
    call.world.put(resource.collection, row["name"], row)
    seen = visible_row(resource, call, row)
    return seen if resource.reply is None else resource.reply(call, verb, seen)


def _check_etag(resource: Resource, row: JsonObject, etag: str) -> None:
    if resource.etags and etag and etag.strip('"') != etag_of(row).strip('"'):
        text = "The etag of the resource does not match: it was changed in the meantime."
        raise ApiError(409, text, reason="aborted", code_name="ABORTED")


def _check_immutable(
    resource: Resource, before: JsonObject, given: JsonObject, paths: Sequence[tuple[str, ...]]
) -> None:
    masked = {path[0] for path in paths}
    wrong = [
        name
        for name in resource.immutable
        if (name in masked or EVERYTHING in masked)
        and name in given
        and given[name] != before.get(name)
    ]
    if wrong:
        text = "The field '{}' is immutable."
        raise bad_fields([(snake_case(name), text.format(snake_case(name))) for name in wrong])


_ANSWERS_BY_VERB: Mapping[Verb, Callable[[Resource, Call], JsonObject]] = {
    "list": list_rows,
    "get": get_row,
    "create": create_row,
    "patch": patch_row,
    "update": update_row,
    "delete": delete_row,
}


def crud_handlers(
    resource: Resource, methods: Mapping[Verb, str | Sequence[str]]
) -> Mapping[str, Handler]:
    """Handlers of a collection's standard methods.

    Args:
        resource: What the collection is like.
        methods: Verb to Discovery id, or to several ids where an API has the same collection under
            projects, folders and organizations. `patch` without a mask changes what the body
            holds, `update` replaces the row.

    Returns:
        Discovery id to handler.
    """
    return {
        each: partial(_ANSWERS_BY_VERB[verb], resource)
        for verb, ids in methods.items()
        for each in ((ids,) if isinstance(ids, str) else ids)
    }
