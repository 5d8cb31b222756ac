"""Organizations, folders and projects, as a snapshot holds them: in the shape of v3."""

from mockserver.apis.resourcemanager import FOLDERS, ORGANIZATIONS
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, named_rows, text_at
from mockserver.state import PROJECTS


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
