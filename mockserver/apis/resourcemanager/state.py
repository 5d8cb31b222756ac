"""Projects, folders and organizations: looked up, and shown as each version does."""

from collections.abc import Iterator

from mockserver.apis.resourcemanager import FOLDERS, ORGANIZATIONS
from mockserver.collections import Index, Range, Store
from mockserver.model import JsonObject
from mockserver.state import PROJECTS, World, find_project


def node_row(world: World, name: str) -> JsonObject | None:
    """The organization, folder or project of this name, or None."""
    kind, _, key = name.partition("/")
    if kind == PROJECTS:
        return find_project(world, key)
    return world.table(kind).get(name) if kind in {FOLDERS, ORGANIZATIONS} else None


def ancestors_of(world: World, row: JsonObject) -> Iterator[JsonObject]:
    """A node, then what it is in, up to its organization.

    Yields:
        Each node; a parent that the session does not hold ends it.
    """
    seen: set[str] = set()
    found: JsonObject | None = row
    while found is not None and found["name"] not in seen:
        seen.add(found["name"])
        yield found
        found = node_row(world, str(found.get("parent", "")))


def children_of(table: Store, parent: str) -> Range:
    """The rows of a table right below a parent."""
    return table.find(_BY_PARENT, parent)


_BY_PARENT = Index(lambda _, row: (str(row.get("parent", "")),))


def as_v1(row: JsonObject) -> JsonObject:
    """A project in the shape of v1. Source: Discovery document."""
    kind, _, key = str(row.get("parent", "")).partition("/")
    shown: JsonObject = {
        "projectNumber": row["name"].removeprefix("projects/"),
        "projectId": row["projectId"],
        "lifecycleState": row["state"],
        "name": row.get("displayName", ""),
        "createTime": row.get("createTime", ""),
        "labels": row.get("labels", {}),
        "parent": {"type": kind.removesuffix("s"), "id": key} if key else {},
    }
    return _without_empty(shown)


def organization_as_v1(row: JsonObject) -> JsonObject:
    """An organization in the shape of v1. Source: Discovery document."""
    customer = row.get("directoryCustomerId", "")
    shown: JsonObject = {
        "name": row["name"],
        "displayName": row.get("displayName", ""),
        "lifecycleState": row.get("state", ""),
        "creationTime": row.get("createTime", ""),
        "owner": {"directoryCustomerId": customer} if customer else {},
    }
    return _without_empty(shown)


def _without_empty(shown: JsonObject) -> JsonObject:
    return {name: value for name, value in shown.items() if value not in ("", {})}
