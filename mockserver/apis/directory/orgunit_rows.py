"""Makes the org unit tree from a snapshot's `orgUnits`."""

from collections.abc import Iterator

from mockserver.apis.directory.resources import unit_row
from mockserver.errors import Problem
from mockserver.googleapi import Import, Rows, bare_org_unit, each_object, nearest
from mockserver.model import JsonObject
from mockserver.state import ORG_UNITS, fixed_base36

_ID_PREFIX = "03ph8a2z"
_KEY = ORG_UNITS


def import_org_units(found: Import, *, root_name: str) -> None:
    """Fill the table of org units: ids in one form, paths and parents complete, the root included.

    A unit needs a path, or a name with its parent's path or id. Unknown parents and doubles are
    problems. `root_name` names a root that is added.
    """
    units = [_Unit(found, pointer, row) for pointer, row in each_object(found, _KEY)]
    _complete_paths(found, units)
    placed = [unit for unit in units if unit.path]
    root = next((unit for unit in placed if unit.path == "/"), None)
    root_id = root.id if root else _root_id(found, placed)
    rows: Rows = {}
    if root is None:
        rows[root_id] = unit_row(
            {"name": root_name, "orgUnitId": f"id:{root_id}", "orgUnitPath": "/"}
        )
        found.changes.append((f"/{_KEY}", f"the root is added, as id:{root_id}"))
    by_path = {unit.path.casefold(): unit.id for unit in placed} | {"/": root_id}
    seen_paths: set[str] = set()
    for unit in placed:
        if unit.id in rows or unit.path.casefold() in seen_paths:
            found.problems.append(Problem(unit.pointer, f"org unit {unit.path!r} is there twice"))
            continue
        seen_paths.add(unit.path.casefold())
        rows.update(_row(found, unit, by_path))
    found.tables[ORG_UNITS] = rows


class _Unit:
    """One raw org unit with the id and path it was found to have."""

    def __init__(self, found: Import, pointer: str, row: JsonObject) -> None:
        self.pointer = pointer
        self.row = row
        self.path = _path(row)
        self.parent_id = bare_org_unit(str(row.get("parentOrgUnitId") or ""))
        self.id = bare_org_unit(str(row.get("orgUnitId") or ""))
        if not self.id:
            self.id = _ID_PREFIX + fixed_base36(f"{self.path}{row.get('name')}", 7)
            found.changes.append((pointer, f"gets the id id:{self.id}"))
        elif row["orgUnitId"] != f"id:{self.id}":
            found.changes.append((f"{pointer}/orgUnitId", f"written as id:{self.id}"))


def _path(row: JsonObject) -> str:
    """The path of a raw unit, or an empty string while it is not known."""
    path = row.get("orgUnitPath")
    if not path and row.get("parentOrgUnitPath") and row.get("name"):
        path = f"{row['parentOrgUnitPath']}/{row['name']}"
    return "/" + "/".join(part for part in str(path).split("/") if part) if path else ""


def _complete_paths(found: Import, units: list[_Unit]) -> None:
    """Find the paths of units that only say their parent's id."""
    by_id = {unit.id: unit for unit in units}
    waiting = [unit for unit in units if not unit.path]
    progress = True
    while waiting and progress:
        progress = False
        for unit in list(waiting):
            parent = by_id.get(unit.parent_id)
            if parent is not None and parent.path and unit.row.get("name"):
                unit.path = f"{parent.path.rstrip('/')}/{unit.row['name']}"
                found.changes.append((unit.pointer, f"gets the path {unit.path}"))
                waiting.remove(unit)
                progress = True
    found.problems += [
        Problem(
            unit.pointer, "org unit without a place", "give orgUnitPath, or name and its parent"
        )
        for unit in waiting
    ]


def _root_id(found: Import, units: list[_Unit]) -> str:
    """The id of a root that the snapshot leaves out: what its children call it, or a fixed one."""
    named = (unit.parent_id for unit in units if unit.path.count("/") == 1 and unit.parent_id)
    return next(named, _ID_PREFIX + fixed_base36(found.customer, 7))


def _row(found: Import, unit: _Unit, by_path: dict[str, str]) -> Iterator[tuple[str, JsonObject]]:
    known = {**unit.row, "orgUnitId": f"id:{unit.id}", "orgUnitPath": unit.path}
    name = unit.path.rpartition("/")[2]
    if unit.path == "/":
        yield unit.id, unit_row({**known, "name": unit.row.get("name") or "/"})
        return
    parent_path = unit.path.removesuffix(f"/{name}") or "/"
    parent = by_path.get(parent_path.casefold())
    if parent is None:
        hint = nearest(parent_path, by_path)
        found.problems.append(
            Problem(
                unit.pointer,
                f"org unit {unit.path!r} has no parent: no {parent_path!r}",
                f"nearest: {hint}" if hint else "add the parent",
            )
        )
        return
    said = unit.row.get("parentOrgUnitPath")
    if isinstance(said, str) and said.casefold().rstrip("/") != parent_path.casefold().rstrip("/"):
        found.problems.append(
            Problem(
                f"{unit.pointer}/parentOrgUnitPath",
                f"the parent of {unit.path!r} is {parent_path!r}, not {said!r}",
                "the path decides: write the parent that it has",
                "warning",
            )
        )
    if unit.row.get("name") not in (None, name):  # a tuple: it may be of any kind
        text = f"is named {name!r}, as the end of its path says"
        found.changes.append((f"{unit.pointer}/name", text))
    if unit.parent_id not in {"", parent}:
        text = f"written as id:{parent}, the id of {parent_path!r}"
        found.changes.append((f"{unit.pointer}/parentOrgUnitId", text))
    placed = {"name": name, "parentOrgUnitId": f"id:{parent}", "parentOrgUnitPath": parent_path}
    yield unit.id, unit_row({**known, **placed})
