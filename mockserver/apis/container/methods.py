"""Methods of the Kubernetes Engine API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.container.state import cluster_name, cluster_of, clusters_below
from mockserver.googleapi import Call, Handler, get_operation, nearest, not_found
from mockserver.googleapi import operations_below as below
from mockserver.model import JsonObject


def _get(call: Call) -> JsonObject:
    """Answers `clusters.get`."""
    return cluster_of(call)


def _list(call: Call) -> JsonObject:
    """Answers `clusters.list`, which has no pages."""
    found = clusters_below(call)
    return {"clusters": list(found)} if found else {}


def _pools(call: Call) -> JsonObject:
    """Answers `nodePools.list`."""
    pools = cluster_of(call).get("nodePools", [])
    return {"nodePools": pools} if pools else {}


def _pool(call: Call) -> JsonObject:
    """Answers `nodePools.get`."""
    wanted = str(call.params.get("nodePoolId") or call.params.get("name", "").rpartition("/")[2])
    pools = {pool["name"]: pool for pool in cluster_of(call).get("nodePools", [])}
    if wanted not in pools:
        name = f"{cluster_name(call)}/nodePools/{wanted}"
        raise not_found(f"Not found: {name}.", asked=name, nearest=nearest(wanted, pools))
    found: JsonObject = pools[wanted]
    return found


def _operations(call: Call) -> JsonObject:
    """Answers `operations.list`."""
    place = call.params.get("parent")
    found = below(
        call.world,
        str(place or f"projects/{call.params['projectId']}/locations/{call.params['zone']}"),
    )
    return {"operations": found} if found else {}


HANDLERS: Mapping[str, Handler] = {
    "container.projects.locations.clusters.get": _get,
    "container.projects.locations.clusters.list": _list,
    "container.projects.locations.clusters.nodePools.get": _pool,
    "container.projects.locations.clusters.nodePools.list": _pools,
    "container.projects.zones.clusters.get": _get,
    "container.projects.zones.clusters.list": _list,
    "container.projects.zones.clusters.nodePools.get": _pool,
    "container.projects.zones.clusters.nodePools.list": _pools,
    "container.projects.locations.operations.get": get_operation,
    "container.projects.locations.operations.list": _operations,
}
