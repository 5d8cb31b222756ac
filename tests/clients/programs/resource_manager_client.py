"""google-cloud-resource-manager over REST: a project found, read and changed.

Asks for it once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
from typing import Any

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import resourcemanager_v3

PLAIN: dict[str, Any] = {"retry": None, "timeout": 120}


def main() -> None:
    credentials, project = google.auth.default()
    client = resourcemanager_v3.ProjectsClient(credentials=credentials, transport="rest")
    found = [each.project_id for each in client.search_projects(query="state:ACTIVE", **PLAIN)]
    read = client.get_project(name=f"projects/{project}", **PLAIN)
    read.labels["tier"] = "gold"
    change: Any = client.update_project(project=read, update_mask="labels", **PLAIN)
    changed = change.result(timeout=120)
    folders = resourcemanager_v3.FoldersClient(credentials=credentials, transport="rest")
    told = []
    for _ in range(int(sys.argv[1])):
        try:
            folders.get_folder(name="folders/730000000001", **PLAIN)
        except GoogleAPICallError as error:
            told.append([type(error).__name__, error.code])
    facts = {"found": project in found, "labels": dict(changed.labels), "refusals": told}
    json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main()
