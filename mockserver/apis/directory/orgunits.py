"""`directory.orgunits.*`, and changes of the tree that reach further than one unit."""

from operator import itemgetter

from mockserver.apis.directory.state import (
    list_with_etag,
    require_customer,
    require_unit,
    unit_row,
    with_kind_and_etag,
)
from mockserver.collections import Index
from mockserver.googleapi import Call, duplicate, invalid, precondition
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import ORG_UNITS, USERS, OrgTree, World, org_tree

_UNIT_OWNERS = {USERS: "user", "browsers": ""}
"""Collections whose resources have an `orgUnitPath`, and their Directory kind."""


def path_fields(tree: OrgTree, parent: str, name: str) -> dict[str, str]:
    """The path fields of a unit of this name below a parent (bare id)."""
    above = str(tree.by_id[parent]["orgUnitPath"])
    return {
        "orgUnitPath": f"{above.rstrip('/')}/{name}",
        "parentOrgUnitId": f"id:{parent}",
        "parentOrgUnitPath": above,
    }


def put_unit(world: World, unit_id: str, row: JsonObject) -> None:
    """Put a changed unit, and carry its new path to everything below it."""
    tree = org_tree(world)
    old, new = str(tree.by_id[unit_id]["orgUnitPath"]), str(row["orgUnitPath"])
    below = () if old == new else tree.below(unit_id)
    world.put(ORG_UNITS, unit_id, row)
    if old == new:
        return
    for other in below:
        unit = tree.by_id[other]
        paths = {key: new + unit[key][len(old) :] for key in ("orgUnitPath", "parentOrgUnitPath")}
        world.put(ORG_UNITS, other, unit_row({**unit, **paths}))
    for collection, kind in _UNIT_OWNERS.items():
        _move_accounts(world, collection, kind, old=old, new=new)


BY_UNIT = Index(lambda _, row: (str(row.get("orgUnitPath", "")).casefold(),))
"""Accounts and devices by the path of their org unit, in lower case."""


def _move_accounts(world: World, collection: str, kind: str, *, old: str, new: str) -> None:
    table, path = world.table(collection), old.casefold()
    found = table.find(BY_UNIT, path).entries() + table.starting(BY_UNIT, f"{path}/").entries()
    for _, _, key in sorted(found, key=itemgetter(1)):
        row = table.rows()[key]
        put = {**row, "orgUnitPath": new + str(row["orgUnitPath"])[len(old) :]}
        world.put(collection, key, with_kind_and_etag(kind, put) if kind else put)


def reason_to_keep(world: World, unit_id: str) -> str:
    """What keeps a unit from being deleted, in words; empty when nothing does."""
    tree = org_tree(world)
    children = len(tree.children(unit_id))
    path = str(tree.by_id[unit_id]["orgUnitPath"]).casefold()
    users = len(world.table(USERS).find(BY_UNIT, path))
    counts = ((children, "org units"), (users, "users"))
    return " and ".join(f"{count} {what}" for count, what in counts if count)


_BAD_PARENT = "Invalid Parent Orgunit Id"
_DEFAULT_TYPE = "children"


def list_units(call: Call) -> JsonObject:
    """Units below `orgUnitPath`: `all`, `children`, or `allIncludingParent` (also upper snake).

    The unit itself is only in the last; the list is left out when empty (Discovery document).

    Raises:
        ApiError: 403 or 400 for another customer, 404 for an unknown unit, 400 for an unknown type.
    """
    world = call.world
    require_customer(world, call.params["customerId"])
    path = str(call.params.get("orgUnitPath") or "/")
    kind = str(call.params.get("type") or _DEFAULT_TYPE).replace("_", "").casefold()
    return world.table(ORG_UNITS).remembered(
        (path, kind), lambda: _unit_listing(world, require_unit(world, path), kind)
    )


def _unit_listing(world: World, parent: str, kind: str) -> JsonObject:
    tree = org_tree(world)
    match kind:
        case "children":
            ids = tree.children(parent)
        case "all":
            ids = tree.below(parent)
        case "allincludingparent":
            ids = (parent, *tree.below(parent))
        case _:
            raise invalid("Invalid Input: type", location="type")
    return list_with_etag("orgUnits", "organizationUnits", (tree.by_id[unit] for unit in ids))


def get_unit(call: Call) -> JsonObject:
    """One unit by path (with or without its first `/`), by `id:03...`, or the root by `/`.

    Raises:
        ApiError: 404 `Org unit not found`; 403 or 400 for another customer.
    """
    require_customer(call.world, call.params["customerId"])
    return org_tree(call.world).by_id[_path_of_call(call)]


def insert_unit(call: Call) -> JsonObject:
    """A new unit below `parentOrgUnitPath` or `parentOrgUnitId`.

    Raises:
        ApiError: 400 for a bad name or parent, 409 for a path that is taken.
    """
    world, body = call.world, call.body
    require_customer(world, call.params["customerId"])
    name = _name_of_body(body)
    tree = org_tree(world)
    parent = _parent_of_body(tree, body)
    if parent is None:
        raise invalid(_BAD_PARENT)
    placed = path_fields(tree, parent, name)
    _require_free(tree, placed["orgUnitPath"])
    unit_id = "03ph8a2z" + world.ids.base36("orgUnit", 7)
    row = unit_row({**body, **placed, "name": name, "orgUnitId": f"id:{unit_id}"})
    world.put(ORG_UNITS, unit_id, row)
    return row


def change_unit(call: Call) -> JsonObject:
    """Rename, describe or move a unit; what is not in the body stays, also with `update`.

    A move or new name rewrites the paths of everything below, users included.

    Raises:
        ApiError: 400 for a bad name or parent (also the unit itself or one below it), 404, 409.
    """
    world, body = call.world, call.body
    require_customer(world, call.params["customerId"])
    unit_id = _path_of_call(call)
    tree = org_tree(world)
    unit = tree.by_id[unit_id]
    name = (
        str(unit["name"]) if body.get("name", unit["name"]) == unit["name"] else _name_of_body(body)
    )
    parent = _new_parent(tree, body, unit)
    if unit_id == tree.root:
        if parent or name != unit["name"]:
            raise invalid("Invalid Org Unit")
    elif unit_id in tree.ancestors(parent):
        raise invalid(_BAD_PARENT)
    else:
        _require_free(tree, path_fields(tree, parent, name)["orgUnitPath"], but=unit_id)
    described = {**unit, "name": name}
    if "description" in body:
        described["description"] = body["description"]
    if parent:
        described |= path_fields(tree, parent, name)
    put_unit(world, unit_id, unit_row(described))
    return org_tree(world).by_id[unit_id]


def delete_unit(call: Call) -> None:
    """Remove a unit that holds no units and no users.

    Raises:
        ApiError: 404; 400 for the root; 412 when it is not empty.
    """
    require_customer(call.world, call.params["customerId"])
    unit_id = _path_of_call(call)
    if unit_id == org_tree(call.world).root:
        raise invalid("Invalid Org Unit")
    held = reason_to_keep(call.world, unit_id)
    if held:
        raise precondition(f"Org unit is not empty: it has {held}.")
    call.world.delete(ORG_UNITS, unit_id)


def _path_of_call(call: Call) -> str:
    return require_unit(call.world, call.params["orgUnitPath"])


def _name_of_body(body: JsonMapping) -> str:
    name = body.get("name")
    if not isinstance(name, str) or not name.strip() or "/" in name:
        raise invalid("Invalid Ou Name")
    return name.strip()


def _parent_of_body(tree: OrgTree, body: JsonMapping) -> str | None:
    """The bare id of the parent that a body names, or None when it names none."""
    name = body.get("parentOrgUnitId") or body.get("parentOrgUnitPath")
    if not name:
        return None
    found = tree.find(str(name))
    if found is None:
        raise invalid(_BAD_PARENT)
    return found


def _new_parent(tree: OrgTree, body: JsonMapping, unit: JsonMapping) -> str:
    """Where a change puts a unit; of two that are given, the one that was changed counts."""
    old_id, old_path = unit.get("parentOrgUnitId", ""), unit.get("parentOrgUnitPath", "")
    given = {key: body[key] for key in ("parentOrgUnitId", "parentOrgUnitPath") if body.get(key)}
    if given.get("parentOrgUnitPath", old_path) != old_path:
        given.pop("parentOrgUnitId", None)
    return _parent_of_body(tree, given) or str(old_id).removeprefix("id:")


def _require_free(tree: OrgTree, path: str, *, but: str = "") -> None:
    holder = tree.at_path(path)
    if holder is not None and holder != but:
        raise duplicate()
