"""Reading a plain collection: one row by name, or the rows under a parent."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain

from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import invalid, not_found
from mockserver.googleapi.etags import etag
from mockserver.googleapi.names import WILDCARD, is_under, name_pattern, parent_of
from mockserver.googleapi.nearest import nearest
from mockserver.googleapi.paging import page
from mockserver.googleapi.resources import Resource
from mockserver.model import JsonObject
from mockserver.state import Table, World, project_names


def get_row(resource: Resource, call: Call) -> JsonObject:
    """Answers `get`."""
    return shown(resource, call, find_row(resource, call))


def find_row(resource: Resource, call: Call) -> JsonObject:
    """The row that a call names; a project's number and id mean the same.

    Raises:
        ApiError: 404; the session has no such row.
    """
    name = named(resource, call)
    found = row_of(resource, call.world, name)
    if found is None:
        rows = call.world.table(resource.collection).rows()
        text = resource.missing.format(name=name)
        raise not_found(text, asked=name, nearest=nearest(name, rows))
    return found


def named(resource: Resource, call: Call) -> str:
    """The name that a call gives; in the body when the transport has no path."""
    return str(call.params.get(resource.name_param) or call.body.get("name") or "")


def row_of(resource: Resource, world: World, name: str) -> JsonObject | None:
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
    answer: JsonObject = {}
    if several:
        answer[resource.list_key] = [shown(resource, call, row) for row in several]
    if token:
        answer["nextPageToken"] = token
    if resource.total:
        answer[resource.total] = len(rows)
    return answer


def rows_under(resource: Resource, call: Call) -> Sequence[JsonObject]:
    """The rows under the parent that a call names, in the order they were put."""
    parents = call.world.table(resource.collection).derived(_by_parent(resource.depth))
    wanted = project_names(call.world, parent_asked(resource, call))
    if not any(WILDCARD in each.split("/") for each in wanted):
        return _joined([parents.get(each, ()) for each in wanted])
    return _joined(
        [rows for parent, rows in parents.items() if any(is_under(each, parent) for each in wanted)]
    )


def parent_asked(resource: Resource, call: Call) -> str:
    """The parent that a call names.

    Raises:
        ApiError: 400 when it is not of the resource's parents.
    """
    parent = str(call.params.get(resource.parent_param, ""))
    pattern = name_pattern(resource.parent or resource.names.parent())
    if parent and pattern.captures(parent) is None:
        raise invalid(f"Invalid resource name '{parent}'.", location=resource.parent_param)
    return parent


def shown(resource: Resource, call: Call, row: JsonObject) -> JsonObject:
    """What a caller gets of a row."""
    if resource.etags and "etag" not in row:
        row = {**row, "etag": etag_of(row)}
    return row if resource.show is None else resource.show(call, row)


def etag_of(row: JsonObject) -> str:
    """A row's etag: its own, or the one of its content, as the newer APIs write it."""
    return str(row.get("etag") or etag(row).strip('"'))


@cache
def _by_parent(depth: int) -> Callable[[Table], Mapping[str, tuple[JsonObject, ...]]]:
    def build(table: Table) -> Mapping[str, tuple[JsonObject, ...]]:
        parents: dict[str, list[JsonObject]] = {}
        for name, row in table.rows().items():
            parents.setdefault(parent_of(name, depth), []).append(row)
        return {parent: tuple(rows) for parent, rows in parents.items()}

    return build


def _joined(several: Sequence[Sequence[JsonObject]]) -> Sequence[JsonObject]:
    filled = [rows for rows in several if rows]
    return filled[0] if len(filled) == 1 else list(chain.from_iterable(filled))
