"""Changes of the org unit tree that reach further than one unit."""

from mockserver.apis.directory.resources import stamped, unit_row
from mockserver.model import JsonObject
from mockserver.state import ORG_UNITS, USERS, World, org_tree

_PLACED = {USERS: "user", "browsers": ""}
"""Collections whose resources say their `orgUnitPath`, and the Directory kind of those."""


def place(world: World, parent: str, name: str) -> dict[str, str]:
    """The path fields of a unit of this name below a parent (bare id)."""
    above = str(org_tree(world).by_id[parent]["orgUnitPath"])
    return {
        "orgUnitPath": f"{above.rstrip('/')}/{name}",
        "parentOrgUnitId": f"id:{parent}",
        "parentOrgUnitPath": above,
    }


def rewrite(world: World, unit_id: str, row: JsonObject) -> None:
    """Put a changed unit, and carry its new path to everything below it."""
    tree = org_tree(world)
    old, new = str(tree.by_id[unit_id]["orgUnitPath"]), str(row["orgUnitPath"])
    below = tree.below(unit_id)
    world.put(ORG_UNITS, unit_id, row)
    if old == new:
        return
    for other in below:
        unit = tree.by_id[other]
        paths = {key: new + unit[key][len(old) :] for key in ("orgUnitPath", "parentOrgUnitPath")}
        world.put(ORG_UNITS, other, unit_row({**unit, **paths}))
    for collection, kind in _PLACED.items():
        _carry(world, collection, kind, moved=(old, new))


def _carry(world: World, collection: str, kind: str, *, moved: tuple[str, str]) -> None:
    old, new = moved
    for key, row in list(world.table(collection).rows().items()):
        path = str(row.get("orgUnitPath", ""))
        if _is_within(path, old):
            put = {**row, "orgUnitPath": new + path[len(old) :]}
            world.put(collection, key, stamped(kind, put) if kind else put)


def held_by(world: World, unit_id: str) -> str:
    """What keeps a unit from being deleted, in words; empty when nothing does."""
    tree = org_tree(world)
    children = len(tree.children.get(unit_id, ()))
    path = str(tree.by_id[unit_id]["orgUnitPath"]).casefold()
    users = sum(
        str(row.get("orgUnitPath", "")).casefold() == path
        for row in world.table(USERS).rows().values()
    )
    counts = ((children, "org units"), (users, "users"))
    return " and ".join(f"{count} {what}" for count, what in counts if count)


def _is_within(path: str, above: str) -> bool:
    path, above = path.casefold(), above.casefold()
    return path == above or path.startswith(above + "/")
