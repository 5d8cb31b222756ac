"""Reads the raw collections of a snapshot, and notes what cannot be read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mockserver.errors import Problem
from mockserver.googleapi.names import name_pattern
from mockserver.model import Fault, Json, JsonObject

Rows = dict[str, JsonObject]
"""Resources by key, in order."""


@dataclass
class SnapshotImport:
    """What one API makes of a raw snapshot; filled by its `import_snapshot`.

    Attributes:
        raw: The resolved snapshot as written, top-level key to JSON. Never changed.
        customer: The tenant's customer id (`C...`).
        tables: Collection name to resources by key, API-shaped.
        sources: Collection name to what its `Collection.make` makes resources of, by key.
        times: Timestamp fields of tables that are not known before a snapshot is read; as
            `Collection.times`.
        faults: Faults that the raw snapshot implies (`errors.<tool>`).
        changes: What was reshaped on the way in: JSON pointer of the raw value, and one sentence.
        problems: What cannot be served, each with its JSON pointer as `where`.
        checks: Look for warnings; called when somebody asks for them.
        silent: Tables that tell how a change was told, not what was changed; no diff has them.
    """

    raw: Mapping[str, Json]
    customer: str = "C00000000"
    tables: dict[str, Rows] = field(default_factory=dict)
    sources: dict[str, Rows] = field(default_factory=dict)
    times: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    checks: list[Callable[[], Iterable[Problem]]] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)


FACTS = "facts"
"""Collection of the facts that a session knows beside those that come along, by API."""

OPERATION_POLLS = "operationPolls"
"""Collection of one row: how many times `get` answers a pending operation."""

OPERATION_SECONDS = "operationSeconds"
"""Collection of one row: for how many seconds of the session's clock an operation is pending."""


_PREFIXES = ("id:", "orgunits/", "orgUnits/")


def each_object(found: SnapshotImport, key: str) -> Iterator[tuple[str, JsonObject]]:
    """The objects of the array at a top-level key, each with its JSON pointer.

    A key that is absent or null has none. Whatever is not an object is noted as a problem.

    Yields:
        JSON pointer and object, in order.
    """
    value = found.raw.get(key)
    if value is None:
        return
    if not isinstance(value, list):
        found.problems.append(Problem(f"/{key}", f"expected an array, found {json_kind(value)}"))
        return
    for number, item in enumerate(value):
        pointer = f"/{key}/{number}"
        if isinstance(item, dict):
            yield pointer, item
        else:
            found.problems.append(Problem(pointer, f"expected an object, found {json_kind(item)}"))


def add_row(
    found: SnapshotImport, rows: Rows, key: str, row: JsonObject, *, pointer: str, noun: str
) -> None:
    """Put a resource into its table; a second one of the same key is served beside the first.

    The live API would not hold it, but a snapshot may be about just that, so it is a warning.

    Args:
        found: The import.
        rows: The table.
        key: The resource's key.
        row: The resource.
        pointer: Where it is written.
        noun: What it is called in the warning.
    """
    free, copies = key, 1
    while free in rows:
        copies += 1
        free = f"{key} ({copies})"
    if copies > 1:
        text = f"{noun} {key!r} is there {'twice' if copies == 2 else f'{copies} times'}"
        hint = "it is served as it is written; the live API would hold it once"
        found.problems.append(Problem(pointer, text, hint, "warning"))
    rows[free] = row


def named_rows(found: SnapshotImport, key: str, *patterns: str) -> Rows:
    """The objects of the array at a top-level key by their `name`; what cannot be is a problem.

    Args:
        found: The import.
        key: The top-level key.
        patterns: What names may be like, `projects/{project}/things/{thing}`; anything when none is
            given.
    """
    rows: Rows = {}
    for pointer, row in each_object(found, key):
        name = text_at(found, pointer, row, "name")
        if name is None:
            continue
        if patterns and all(name_pattern(each).captures(name) is None for each in patterns):
            text = f"{name!r} is not a name such as {patterns[0]}"
            found.problems.append(Problem(f"{pointer}/name", text))
        elif name in rows:
            found.problems.append(Problem(f"{pointer}/name", f"{name!r} is there twice"))
        else:
            rows[name] = row
    return rows


def text_at(found: SnapshotImport, pointer: str, row: JsonObject, name: str) -> str | None:
    """A required text of a raw object; its absence is noted as a problem, and None."""
    value = row.get(name)
    if isinstance(value, str) and value:
        return value
    what = "is missing" if value is None else f"is {json_kind(value)}, expected text"
    found.problems.append(Problem(f"{pointer}/{name}", f"{name!r} {what}"))
    return None


def json_kind(value: Json) -> str:
    """What a JSON value is, in JSON's words.

    >>> json_kind([]), json_kind(True), json_kind(None), json_kind("")
    ('an array', 'a boolean', 'null', 'text')
    """
    if isinstance(value, bool):
        return "a boolean"
    names = {dict: "an object", list: "an array", str: "text", type(None): "null"}
    return names.get(type(value), "a number")


def bare_org_unit(name: str) -> str:
    """An org unit id without the prefixes that different APIs put before it.

    >>> [bare_org_unit(name) for name in ("id:03ph1", "orgunits/03ph1", "orgUnits/id:03ph1")]
    ['03ph1', '03ph1', '03ph1']
    """
    while name.startswith(_PREFIXES):
        name = name.removeprefix("id:").removeprefix("orgunits/").removeprefix("orgUnits/")
    return name


def org_units_by_path(found: SnapshotImport) -> dict[str, str]:
    """Case-folded path to bare id of the raw org units; of the root too, when a unit names it."""
    units = found.raw.get("orgUnits")
    by_path: dict[str, str] = {}
    for unit in units if isinstance(units, list) else ():
        if not isinstance(unit, dict):
            continue
        path = str(unit.get("orgUnitPath", ""))
        by_path[path.casefold()] = bare_org_unit(str(unit.get("orgUnitId", "")))
        if path.count("/") == 1 and path != "/" and unit.get("parentOrgUnitId"):
            by_path.setdefault("/", bare_org_unit(str(unit["parentOrgUnitId"])))
    return by_path
