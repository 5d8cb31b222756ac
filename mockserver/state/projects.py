"""Cloud projects: an id and a number that mean the same project."""

from collections.abc import Mapping

from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state.world import (
    World,
)

PROJECTS = "projects"
_PREFIX = "projects/"


def find_project(world: World, key: str) -> JsonObject | None:
    """The project with this id or number, or None."""
    table = world.table(PROJECTS)
    return table.get(table.derived(_keys_by_name).get(key, ""))


def project_names(world: World, name: str) -> tuple[str, ...]:
    """A resource name as given, and as it is with the project's number for its id or its id for it.

    Names that are not of a project, or of one that the session does not know, have no second form.
    """
    if not name.startswith(_PREFIX):
        return (name,)
    key, slash, rest = name.removeprefix(_PREFIX).partition("/")
    other = world.table(PROJECTS).derived(_other_names).get(key)
    return (name,) if other is None else (name, f"{_PREFIX}{other}{slash}{rest}")


def _keys_by_name(table: Store) -> Mapping[str, str]:
    keys: dict[str, str] = {}
    for key, row in table.rows().items():
        keys[str(row.get("projectId", ""))] = key
        keys[str(row.get("name", "")).removeprefix(_PREFIX)] = key
    keys.pop("", None)
    return keys


def _other_names(table: Store) -> Mapping[str, str]:
    others: dict[str, str] = {}
    for row in table.rows().values():
        project, number = row.get("projectId"), str(row.get("name", "")).removeprefix(_PREFIX)
        if project and number and project != number:
            others[project], others[number] = number, project
    return others
