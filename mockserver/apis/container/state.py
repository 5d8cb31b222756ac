"""Clusters and node pools: their tables, what they count to, and what is being done to them."""

import re
from collections.abc import Iterable, Sequence

from mockserver.collections import Index
from mockserver.googleapi import Call, by_parent
from mockserver.googleapi.collections import Found, own_resource
from mockserver.googleapi.operations import pending_operation
from mockserver.googleapi.regions import REGIONS
from mockserver.model import JsonObject

CLUSTER_TABLE, POOL_TABLE = "container:v1/clusters", "container:v1/nodePools"
VERSIONS = (
    "1.34.1-gke.1829001",
    "1.33.5-gke.1308000",
    "1.33.4-gke.1172000",
    "1.32.9-gke.1239000",
    "1.31.13-gke.1139000",
)
"""Versions that are offered, the newest first."""
DEFAULT_VERSION = VERSIONS[1]
_ZONES_OF_CLUSTER = 3
_STATES = {"CREATE_CLUSTER": "PROVISIONING", "CREATE_NODE_POOL": "PROVISIONING"}


def zones_of(location: str) -> list[str]:
    """The zones in which a location has nodes.

    >>> zones_of("us-central1"), zones_of("europe-west1-b")
    (['us-central1-a', 'us-central1-b', 'us-central1-c'], ['europe-west1-b'])
    """
    return list(REGIONS.get(location, [location])[:_ZONES_OF_CLUSTER])


def pools_of(call: Call, cluster: str) -> Sequence[JsonObject]:
    """The node pools of a cluster, by its key."""
    return call.world.table(POOL_TABLE).find(by_parent(1), (f"{cluster}/nodePools",))


def count_nodes(call: Call, cluster: str) -> None:
    """Have a cluster tell the nodes of its pools and the oldest of their versions."""
    row, several = call.world.table(CLUSTER_TABLE).get(cluster), list(pools_of(call, cluster))
    if row is None:
        return
    zones = row.get("locations") or [""]
    count = sum(
        int(each.get("initialNodeCount") or 0) * len(each.get("locations") or zones)
        for each in several
    )
    kept = {name: value for name, value in row.items() if name != "nodePools"}
    versions = [str(each["version"]) for each in several if each.get("version")]
    oldest = {"currentNodeVersion": min(versions, key=version_key)} if versions else {}
    fields = {**kept, "currentNodeCount": count, **oldest}
    resource = own_resource(call, "container.projects.locations.clusters.get")
    call.world.put(CLUSTER_TABLE, cluster, resource.with_etag(fields))


def version_key(version: str) -> tuple[int, ...]:
    """What orders versions.

    >>> version_key("1.33.10-gke.5") > version_key("1.33.9-gke.70")
    True
    """
    return tuple(int(each) for each in re.findall(r"\d+", version))


def _cluster_of_operation(key: str, row: JsonObject) -> Iterable[str]:
    _, sign, rest = str(row["outcome"].get("targetLink", "")).partition("/clusters/")
    return (f"{key.partition('/operations/')[0]}{sign}{rest.partition('/')[0]}",) if sign else ()


_BY_CLUSTER = Index(_cluster_of_operation)


def pending_change(call: Call, cluster: str) -> JsonObject | None:
    """What an operation says that is being done to a cluster; None where nothing is."""
    return pending_operation(call.world, _BY_CLUSTER, cluster)


def with_states(call: Call, found: Found, seen: JsonObject) -> JsonObject:
    """A cluster as callers see it, with the states that a pending operation gives it."""
    done = pending_change(call, found[0])
    if done is None:
        return seen
    kind = str(done.get("operationType"))
    own = _STATES.get(kind, "RECONCILING") if kind == "CREATE_CLUSTER" else "RECONCILING"
    pools = [with_pool_state(done, each) for each in seen.get("nodePools") or ()]
    return {**seen, "status": own, **({"nodePools": pools} if pools else {})}


def with_pool_state(done: JsonObject, pool: JsonObject) -> JsonObject:
    """A node pool with the state that a pending operation gives it."""
    kind, link = str(done.get("operationType")), str(done.get("targetLink", ""))
    target = link.partition("/nodePools/")[2]
    is_meant = kind == "CREATE_CLUSTER" or target == pool.get("name")
    return {**pool, "status": _STATES.get(kind, "RECONCILING")} if is_meant else pool
