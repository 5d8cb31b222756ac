from mockserver.apis.logging import API
from mockserver.state import World
from tests.tenants import ask

LIST = "logging.monitoredResourceDescriptors.list"


def test_the_types_that_most_logs_come_from_are_built_in(shop: World) -> None:
    found = ask(API, shop, LIST)["resourceDescriptors"]
    kinds = [row["type"] for row in found]
    assert kinds == sorted(kinds)
    assert {"k8s_container", "cloud_run_revision", "gce_instance"} <= set(kinds)
    (container,) = (row for row in found if row["type"] == "k8s_container")
    assert [label["key"] for label in container["labels"]][-1] == "container_name"


def test_those_of_the_snapshot_stand_for_them_and_have_no_names(shop: World) -> None:
    for kind in ("b", "a"):
        name = f"projects/p/monitoredResourceDescriptors/{kind}"
        shop.put("monitoredResourceDescriptors", name, {"name": name, "type": kind})
    first = ask(API, shop, LIST, {"pageSize": 1})
    assert first["resourceDescriptors"] == [{"type": "a"}]
    rest = ask(API, shop, LIST, {"pageSize": 1, "pageToken": first["nextPageToken"]})
    assert rest == {"resourceDescriptors": [{"type": "b"}]}
