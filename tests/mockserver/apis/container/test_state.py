import pytest

from mockserver.apis.container.state import CLUSTER
from mockserver.googleapi import Call, find_row, rows_under
from mockserver.model import JsonObject
from mockserver.state import World

PROD = "projects/shop/locations/eu/clusters/prod"


@pytest.mark.parametrize(
    "params",
    [
        {"name": PROD},
        {"parent": PROD},
        {"name": f"{PROD}/nodePools/a"},
        {"projectId": "shop", "zone": "eu", "clusterId": "prod"},
    ],
    ids=str,
)
def test_a_cluster_is_named_in_several_ways(tenant: World, params: JsonObject) -> None:
    call = Call("x", params, {}, tenant)
    assert CLUSTER.name_in(call) == PROD
    assert find_row(CLUSTER, call)["name"] == "prod"


def test_clusters_below_a_place(tenant: World) -> None:
    call = Call("x", {"projectId": "42", "zone": "us"}, {}, tenant)
    assert [row["name"] for row in rows_under(CLUSTER, call)] == ["dev"]
