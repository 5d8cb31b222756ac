"""Organizations, folders and projects, as a snapshot holds them: in the shape of v3."""

from mockserver.apis.resourcemanager import FOLDERS, ORGANIZATIONS
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, named_rows, text_at
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.state import PROJECTS

_ROOT = "cloudresourcemanager"


def node_as_version_3(row: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """A resource in the form of version 3; older forms have `projectNumber`.

    >>> node_as_version_3({"projectNumber": "42"}, AnsweredCall("", {}, {}, {})) is None
    True
    """
    return row if "/" in str(row.get("name", "")) else None


CAPTURES: Captures = {
    f"{_ROOT}.{collection}.{verb}": (
        Capture(collection, "" if verb == "get" else collection, reshape=node_as_version_3),
    )
    for collection in ("organizations", "folders", "projects")
    for verb in ("list", "search", "get")
}
"""Discovery id to what its answers fill."""


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables; a row without a state is active."""
    for key in (ORGANIZATIONS, FOLDERS, PROJECTS):
        rows = named_rows(found, key, f"{key}/{{{key[:-1]}}}")
        found.tables[key] = {name: {"state": "ACTIVE", **row} for name, row in rows.items()}
    seen: set[str] = set()
    for number, row in enumerate(found.tables[PROJECTS].values()):
        pointer = f"/{PROJECTS}/{number}"
        project = text_at(found, pointer, row, "projectId")
        if project in seen:
            found.problems.append(Problem(f"{pointer}/projectId", f"{project!r} is there twice"))
        seen.add(project or "")
