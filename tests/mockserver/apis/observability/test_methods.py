from collections.abc import Callable
from typing import Any

from tests.mockserver.apis.observability.conftest import DATASET, PLACE

Ask = Callable[..., Any]


def test_buckets_datasets_links_and_views_are_listed(call: Ask) -> None:
    everywhere = "projects/shop/locations/-"
    assert len(call("buckets.list", parent=everywhere)["buckets"]) == 1
    assert len(call("buckets.list", parent=everywhere, showDeleted=True)["buckets"]) == 2
    assert call("buckets.datasets.list", parent=f"{PLACE}/buckets/-")["datasets"]
    assert call("buckets.datasets.links.list", parent=DATASET)["links"]
    assert call("buckets.datasets.views.list", parent=DATASET)["views"]


def test_operations_are_found_again(call: Ask) -> None:
    started = call("buckets.create", {}, parent=PLACE, bucketId="b")
    assert call("operations.get", name=started["name"]) == started
    assert call("operations.list", name=PLACE)["operations"] == [started]
    assert call("list", name="projects/shop")["locations"][0]["locationId"] == "eu"
