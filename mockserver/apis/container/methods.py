"""Methods of the Kubernetes Engine API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.container.state import cluster_name, clusters_below, find_cluster
from mockserver.googleapi import Call, Handler, get_operation, nearest, not_found
from mockserver.googleapi import operations_below as below
from mockserver.model import JsonObject


def _get_cluster(call: Call) -> JsonObject:
    """Answers `clusters.get`."""
    return find_cluster(call)


def _list_clusters(call: Call) -> JsonObject:
    """Answers `clusters.list`, which has no pages."""
    found = clusters_below(call)
    return {"clusters": list(found)} if found else {}


def _list_node_pools(call: Call) -> JsonObject:
    """Answers `nodePools.list`."""
    pools = find_cluster(call).get("nodePools", [])
    return {"nodePools": pools} if pools else {}


def _get_node_pool(call: Call) -> JsonObject:
    """Answers `nodePools.get`."""
    wanted = str(call.params.get("nodePoolId") or call.params.get("name", "").rpartition("/")[2])
    pools = {pool["name"]: pool for pool in find_cluster(call).get("nodePools", [])}
    if wanted not in pools:
        name = f"{cluster_name(call)}/nodePools/{wanted}"
        raise not_found(f"Not found: {name}.", name=name, nearest=nearest(wanted, pools))
    found: JsonObject = pools[wanted]
    return found


def _list_operations(call: Call) -> JsonObject:
    """Answers `operations.list`."""
    place = call.params.get("parent")
    found = below(
        call.world,
        str(place or f"projects/{call.params['projectId']}/locations/{call.params['zone']}"),
    )
    return {"operations": found} if found else {}


HANDLERS: Mapping[str, Handler] = {
    "container.projects.locations.clusters.get": _get_cluster,
    "container.projects.locations.clusters.list": _list_clusters,
    "container.projects.locations.clusters.nodePools.get": _get_node_pool,
    "container.projects.locations.clusters.nodePools.list": _list_node_pools,
    "container.projects.zones.clusters.get": _get_cluster,
    "container.projects.zones.clusters.list": _list_clusters,
    "container.projects.zones.clusters.nodePools.get": _get_node_pool,
    "container.projects.zones.clusters.nodePools.list": _list_node_pools,
    "container.projects.locations.operations.get": get_operation,
    "container.projects.locations.operations.list": _list_operations,
}
