"""Methods of the Kubernetes Engine API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.container.state import CLUSTER
from mockserver.googleapi import (
    Call,
    Handler,
    crud_handlers,
    find_row,
    get_operation,
    nearest,
    not_found,
    operations_below,
)
from mockserver.model import JsonObject


def _list_node_pools(call: Call) -> JsonObject:
    """Answers `nodePools.list`."""
    pools = find_row(CLUSTER, call).get("nodePools", [])
    return {"nodePools": pools} if pools else {}


def _get_node_pool(call: Call) -> JsonObject:
    """Answers `nodePools.get`."""
    wanted = str(call.params.get("nodePoolId") or call.params.get("name", "").rpartition("/")[2])
    pools = {pool["name"]: pool for pool in find_row(CLUSTER, call).get("nodePools", [])}
    if wanted not in pools:
        name = f"{CLUSTER.name_in(call)}/nodePools/{wanted}"
        raise not_found(f"Not found: {name}.", name=name, nearest=nearest(wanted, pools))
    found: JsonObject = pools[wanted]
    return found


def _list_operations(call: Call) -> JsonObject:
    """Answers `operations.list`."""
    found = operations_below(call.world, CLUSTER.parent_in(call))
    return {"operations": found} if found else {}


_PLACES = ("container.projects.locations.clusters", "container.projects.zones.clusters")

HANDLERS: Mapping[str, Handler] = {
    **crud_handlers(CLUSTER, _PLACES, ("list", "get")),
    **{f"{place}.nodePools.get": _get_node_pool for place in _PLACES},
    **{f"{place}.nodePools.list": _list_node_pools for place in _PLACES},
    "container.projects.locations.operations.get": get_operation,
    "container.projects.locations.operations.list": _list_operations,
}
