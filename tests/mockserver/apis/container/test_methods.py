from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError, Call, start_operation
from mockserver.state import World

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]
PROD = "projects/shop/locations/eu/clusters/prod"


@pytest.mark.parametrize(
    ("parent", "found"),
    [
        ("projects/shop/locations/eu", ["prod"]),
        ("projects/shop/locations/-", ["prod", "dev"]),
        ("projects/42/locations/-", ["prod", "dev"]),
        ("projects/none/locations/-", []),
    ],
    ids=str,
)
def test_clusters_are_listed_by_location(call: Ask, parent: str, found: list[str]) -> None:
    answer = call("locations.clusters.list", parent=parent)
    assert [cluster["name"] for cluster in answer.get("clusters", [])] == found


def test_a_cluster_is_read_by_name_and_in_the_older_way(call: Ask) -> None:
    one = call("locations.clusters.get", name=PROD)
    assert one == call("locations.clusters.get", name=PROD.replace("shop", "42"))
    older = {"projectId": "shop", "zone": "eu", "clusterId": "prod"}
    assert call("zones.clusters.get", **older) == one
    assert call("zones.clusters.list", projectId="shop", zone="-")["clusters"][0] == one
    assert call("zones.clusters.nodePools.list", **older) == {"nodePools": one["nodePools"]}
    pool = call("zones.clusters.nodePools.get", nodePoolId="default-pool", **older)
    assert pool["status"] == "RUNNING"


def test_node_pools_are_those_of_their_cluster(call: Ask, refusal: Refusal) -> None:
    pools = call("locations.clusters.nodePools.list", parent=PROD)["nodePools"]
    assert (
        call("locations.clusters.nodePools.get", name=f"{PROD}/nodePools/default-pool") == pools[0]
    )
    dev = "projects/shop/locations/us/clusters/dev"
    assert call("locations.clusters.nodePools.list", parent=dev) == {}
    error = refusal("locations.clusters.nodePools.get", name=f"{PROD}/nodePools/defaultpool")
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.nearest == "default-pool"


def test_what_is_not_there_is_404(refusal: Refusal) -> None:
    error = refusal("locations.clusters.get", name=f"{PROD}x")
    assert error.status == 404
    assert error.message == f"Not found: {PROD}x."


def test_operations_are_listed_and_read(call: Ask, tenant: World) -> None:
    place = "projects/shop/locations/eu"
    assert call("locations.operations.list", parent=place) == {}
    started = start_operation(
        Call("x", {}, {}, tenant), f"{place}/operations/o", {"name": "o", "status": "DONE"}
    )
    assert call("locations.operations.list", parent=place) == {"operations": [started]}
    assert call("locations.operations.get", name=f"{place}/operations/o") == started
