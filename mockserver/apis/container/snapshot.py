"""Clusters as a snapshot holds them: the rows of `clusters.list`, with their node pools in them."""

from mockserver.apis.container import CLUSTERS
from mockserver.apis.container.state import CLUSTER_TABLE, POOL_TABLE
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport, each_object, text_at
from mockserver.model import Capture, Captures, JsonObject

_BY_LINK = ("selfLink",)

CAPTURES: Captures = {
    "container.projects.locations.clusters.list": (Capture("clusters", "clusters", _BY_LINK),),
    "container.projects.locations.clusters.get": (Capture("clusters", "", _BY_LINK),),
    "container.projects.zones.clusters.list": (Capture("clusters", "clusters", _BY_LINK),),
    "container.projects.zones.clusters.get": (Capture("clusters", "", _BY_LINK),),
}
"""Discovery id to what its answers fill."""


_LINK = "https://container.googleapis.com/v1/"
_TIMES = (("createTime",), ("expireTime",), ("conditions", "*", "lastTransitionTime"))


def complete_rows(found: SnapshotImport) -> None:
    """Make the tables, by full names; a cluster without a link is of the snapshot's one project."""
    rows = found.tables.get(CLUSTER_TABLE, {})
    for pointer, row in each_object(found, CLUSTERS):
        name, place = (text_at(found, pointer, row, field) for field in ("name", "location"))
        if name is None or place is None:
            continue
        project = _project_of_cluster(found, row)
        if not project:
            text = "a cluster needs a 'selfLink' that tells its project"
            found.problems.append(Problem(f"{pointer}/selfLink", text))
            continue
        full = f"projects/{project}/locations/{place}/clusters/{name}"
        if full in rows:
            found.problems.append(Problem(f"{pointer}/name", f"{full!r} is there twice"))
        rows[full] = {"selfLink": f"{_LINK}{full}", "status": "RUNNING", **row}
    if not rows:
        return
    pools = found.tables.get(POOL_TABLE, {})
    for full, row in rows.items():
        for pool in row.get("nodePools") or ():
            if isinstance(pool, dict):
                path = f"{full}/nodePools/{pool.get('name')}"
                pools.setdefault(path, {"selfLink": f"{_LINK}{path}", **pool})
        rows[full] = {name: value for name, value in row.items() if name != "nodePools"}
    found.tables |= {CLUSTER_TABLE: rows, POOL_TABLE: pools}
    found.times[CLUSTER_TABLE] = _TIMES


def _project_of_cluster(found: SnapshotImport, row: JsonObject) -> str:
    _, _, rest = str(row.get("selfLink", "")).partition("/projects/")
    if rest:
        return rest.partition("/")[0]
    projects = found.raw.get("projects")
    ids = [
        str(each["projectId"])
        for each in (projects if isinstance(projects, list) else ())
        if isinstance(each, dict) and "projectId" in each
    ]
    return ids[0] if len(ids) == 1 else ""
