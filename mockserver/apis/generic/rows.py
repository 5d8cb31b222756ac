"""The resources of a collection: found by path, listed by parent."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from mockserver.apis.generic.collections import SERVED_DOCUMENTS
from mockserver.apis.generic.plans import (
    ANY,
    Plan,
    fill_template,
    limit_segments,
    may_equal,
    placeholders,
)
from mockserver.collections import Index, Store
from mockserver.googleapi import Call, by_parent, parent_of
from mockserver.googleapi.list_rules import IndexedValue
from mockserver.model import JsonObject
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
    named = table.find(_by_name(plan.depth), last).row_keys()
    found = [key for key in named if may_equal(parent, parent_of(key, plan.depth))]
    if found:
        # of several parents that may be meant it is the one whose rows came first
        places = {each: number for number, each in enumerate(_parents(plan, table, parent))}
        key = min(found, key=lambda each: places[parent_of(each, plan.depth)])
        return key, table.rows()[key]
    return _only_row(plan, table, path)


def _only_row(plan: Plan, table: Store, path: str) -> tuple[str, JsonObject] | None:
    """The one row of something of which a session has but one (`about`)."""
    if plan.ids or plan.named or len(table) != 1 or not path.endswith(plan.collection):
        return None
    return next(iter(table.rows().items()))


def rows_below(
    plan: Plan, world: World, parent: str, having: IndexedValue | None = None
) -> Sequence[JsonObject]:
    """The rows of a collection, by its path; only those that have a value, where one is given."""
    table, index = world.table(plan.table), by_parent(plan.depth)
    if having is not None:
        keys = table.find(*having).row_keys()
        rows = table.rows()
        return [rows[key] for key in keys if may_equal(parent, parent_of(key, plan.depth))]
    several = [table.find(index, each) for each in _parents(plan, table, parent)]
    return several[0] if len(several) == 1 else list(chain.from_iterable(several))


def _parents(plan: Plan, table: Store, parent: str) -> Sequence[str]:
    """The parents of rows that may be the one that is meant, in the order of their first rows."""
    index = by_parent(plan.depth)
    known = dict.fromkeys(table.values(index if ANY in parent.split("/") else _open(plan.depth)))
    if parent not in known and table.first(index, parent) is not None:
        known[parent] = None
    found = [each for each in known if may_equal(parent, each)]
    if len(found) < 2:
        return found
    firsts = {each: table.find(index, each).entries(0, 1)[0][1] for each in found}
    return sorted(found, key=firsts.__getitem__)


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
def _open(depth: int) -> Index:
    """Rows whose parents may be several, by those parents."""

    def parents(key: str, _: JsonObject) -> Iterable[str]:
        parent = parent_of(key, depth)
        return (parent,) if ANY in parent.split("/") else ()

    return Index(parents)


@cache
def _by_name(depth: int) -> Index:
    """Rows by what the end of a path may call them: their ids and names, the ends of their keys."""

    def names(key: str, row: JsonObject) -> Iterable[str]:
        parts = key.split("/")
        ends = ["/".join(parts[-size:]) for size in range(1, min(depth + 1, len(parts)))]
        return dict.fromkeys([*(str(row[name]) for name in _NAMES if name in row), *ends])

    return Index(names)
