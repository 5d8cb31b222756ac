"""The resources of a collection: found by path, listed by parent."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from mockserver.apis.generic.collections import SERVED_DOCUMENTS
from mockserver.apis.generic.plans import (
    ANY,
    Plan,
    fill_template,
    limit_segments,
    may_equal,
    placeholders,
)
from mockserver.collections import Store
from mockserver.googleapi import Call, parent_of
from mockserver.model import Json, JsonObject
from mockserver.state import (
    World,
)

_NAMES = ("id", "name")


def document_key(plan: Plan) -> str:
    """How a snapshot names a plan's document, `drive:v3`."""
    return plan.table.partition("/")[0]


def is_served(plan: Plan, world: World) -> bool:
    """Whether a session holds anything of a plan's document: given, or written."""
    key = document_key(plan)
    if key in world.table(SERVED_DOCUMENTS):
        return True
    return any(name.startswith(f"{key}/") for name in world.names())


def item_path(plan: Plan, call: Call) -> str:
    """The path of the resource that a call means; some APIs name it outside of their paths."""
    path = fill_template(plan.template, call.params)
    names = placeholders(plan.template)
    if plan.template == f"{{+{names[0] if names else ''}}}":
        return limit_segments(path, plan.method.parameters[names[0]].pattern)
    if plan.template.endswith("}") or plan.method.id.endswith(".get"):
        return path
    ident = call.params.get("id") or call.body.get("id") or call.body.get("name")
    return f"{path}/{ident}" if ident else path


def find_resource(plan: Plan, world: World, path: str) -> tuple[str, JsonObject] | None:
    """The key and the row of a path, or None.

    A parent that the snapshot did not tell is any parent, and an API that knows its resources by
    name and by number finds them by both.
    """
    table = world.table(plan.table)
    row = table.get(path)
    if row is not None:
        return path, row
    parent, last = parent_of(path, plan.depth), "/".join(path.split("/")[-plan.depth :])
    for known, rows in table.derived(_by_parent(plan.depth)).items():
        if may_equal(parent, known):
            for key, each in rows.items():
                names = {str(each[name]) for name in _NAMES if name in each}
                if last in names or key.endswith(f"/{last}") or (not parent and key == last):
                    return key, each
    return _only_row(plan, table, path)


def _only_row(plan: Plan, table: Store, path: str) -> tuple[str, JsonObject] | None:
    """The one row of something of which a session has but one (`about`)."""
    if plan.ids or plan.named or len(table) != 1 or not path.endswith(plan.collection):
        return None
    return next(iter(table.rows().items()))


def rows_below(plan: Plan, world: World, parent: str) -> Sequence[JsonObject]:
    """The rows of a collection, by its path."""
    found = world.table(plan.table).derived(_by_parent(plan.depth))
    return [
        row for known, rows in found.items() if may_equal(parent, known) for row in rows.values()
    ]


def value_at(row: Json, path: tuple[str, ...]) -> Json:
    """The value at a path of fields, or None."""
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def with_value(row: JsonObject, path: tuple[str, ...], value: Json) -> JsonObject:
    """A row with another value at a path of fields."""
    if not path:
        return row
    inner = row.get(path[0])
    below_it = inner if isinstance(inner, dict) else {}
    return {**row, path[0]: with_value(below_it, path[1:], value) if path[1:] else value}


def path_parameters_of(row: JsonObject, names: Sequence[str]) -> dict[str, str]:
    """The parameters of a row's path, as far as its fields have them; `-` for the others."""
    references = [each for name, each in row.items() if name.endswith("Reference")]
    known = {
        name: each for one in references if isinstance(one, dict) for name, each in one.items()
    }
    found = {}
    for name in names:
        value = row.get(name, known.get(name))
        text = str(value).rstrip("/").rpartition("/")[2] if isinstance(value, str | int) else ""
        found[name] = text or ANY
    return found


@cache
def _by_parent(depth: int) -> Callable[[Store], Mapping[str, dict[str, JsonObject]]]:
    def build(table: Store) -> Mapping[str, dict[str, JsonObject]]:
        parents: dict[str, dict[str, JsonObject]] = {}
        for key, row in table.rows().items():
            parents.setdefault(parent_of(key, depth), {})[key] = row
        return parents

    return build
