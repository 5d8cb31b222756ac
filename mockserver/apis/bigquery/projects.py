"""Projects as BigQuery lists them: those of Resource Manager."""

from mockserver.collections import Index
from mockserver.googleapi import Call, PageRule, list_page
from mockserver.model import JsonObject
from mockserver.state import PROJECTS

_PAGES = PageRule(default=50, maximum=1000, size="maxResults")
_BY_PRESENCE = Index(lambda _, row: (row.get("state") != "DELETE_REQUESTED",))


def list_projects(call: Call) -> JsonObject:
    """Answers `projects.list`."""
    rows = call.world.table(PROJECTS).find(_BY_PRESENCE, value=True)
    head = {"kind": "bigquery#projectList", "totalItems": len(rows)}
    return list_page(call, "projects", rows, _PAGES, _project, head)


def _project(row: JsonObject) -> JsonObject:
    return {
        "kind": "bigquery#project",
        "id": row["projectId"],
        "numericId": str(row["name"]).rpartition("/")[2],
        "projectReference": {"projectId": row["projectId"]},
        "friendlyName": row.get("displayName") or row["projectId"],
    }
