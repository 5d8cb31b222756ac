"""Cloud projects: an id and a number that mean the same project."""

from mockserver.collections import Index
from mockserver.model import JsonObject
from mockserver.state.world import (
    World,
)

PROJECTS = "projects"
_PREFIX = "projects/"
_BUCKETS = "storage:v1/buckets"


def find_project(world: World, key: str) -> JsonObject | None:
    """The project with this id or number, or None."""
    table = world.table(PROJECTS)
    return table.get(table.last(_BY_NAME, key) or "")


def project_of_bucket(world: World, bucket: str) -> JsonObject | None:
    """The project that a bucket of Storage is in, or None where it is not told."""
    row = world.table(_BUCKETS).get(f"b/{bucket}") or {}
    number = row.get("projectNumber")
    return find_project(world, str(number)) if number else None


def project_names(world: World, name: str) -> tuple[str, ...]:
    """A resource name as given, and as it is with the project's number for its id or its id for it.

    Names that are not of a project, or of one that the session does not know, have no second form.
    """
    if not name.startswith(_PREFIX):
        return (name,)
    key, slash, rest = name.removeprefix(_PREFIX).partition("/")
    table = world.table(PROJECTS)
    row = table.get(table.last(_BY_BOTH_NAMES, key) or "")
    if row is None:
        return (name,)
    project, number = _names(row)
    return (name, f"{_PREFIX}{number if key == project else project}{slash}{rest}")


def _names(row: JsonObject) -> tuple[str, str]:
    """The id and the number of a project."""
    return str(row.get("projectId") or ""), str(row.get("name", "")).removeprefix(_PREFIX)


def _both_names(_: str, row: JsonObject) -> tuple[str, ...]:
    """The names of a project that has two."""
    names = _names(row)
    return names if all(names) and names[0] != names[1] else ()


_BY_NAME = Index(lambda _, row: {name for name in _names(row) if name})
_BY_BOTH_NAMES = Index(_both_names)
