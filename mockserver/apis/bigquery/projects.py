"""Projects as BigQuery lists them: those of Resource Manager."""

from mockserver.googleapi import Call, PageRule, each_of, list_page
from mockserver.model import JsonObject
from mockserver.state import PROJECTS

_PAGES = PageRule(default=50, maximum=1000, size="maxResults")


def list_projects(call: Call) -> JsonObject:
    """Answers `projects.list`."""
    rows = [
        {
            "kind": "bigquery#project",
            "id": row["projectId"],
            "numericId": str(row["name"]).rpartition("/")[2],
            "projectReference": {"projectId": row["projectId"]},
            "friendlyName": row.get("displayName") or row["projectId"],
        }
        for row in each_of(call.world.table(PROJECTS).in_order())
        if row.get("state") != "DELETE_REQUESTED"
    ]
    head = {"kind": "bigquery#projectList", "totalItems": len(rows)}
    return list_page(call, "projects", rows, _PAGES, None, head)
