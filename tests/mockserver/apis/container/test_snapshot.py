from typing import Any

import pytest

from mockserver.apis.container import API
from mockserver.apis.container.snapshot import CAPTURES, complete_rows
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json, JsonObject, SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker

LINK = "https://container.googleapis.com/v1/projects/p/locations/eu/clusters/a"
CLUSTER: JsonObject = {
    "name": "a", "location": "eu", "selfLink": LINK,
    "nodePools": [{"name": "default-pool", "status": "RUNNING", "initialNodeCount": 1}],
}  # fmt: skip


def test_a_cluster_without_a_link_is_of_the_only_project() -> None:
    raw: dict[str, Json] = {
        "projects": [{"projectId": "shop"}],
        "clusters": [{"name": "a", "location": "eu"}],
    }
    found = SnapshotImport(raw=raw)
    assert API.complete_rows is not None
    API.complete_rows(found)
    ((name, row),) = found.tables["container:v1/clusters"].items()
    assert name == "projects/shop/locations/eu/clusters/a"
    assert row["selfLink"] == f"https://container.googleapis.com/v1/{name}"
    assert row["status"] == "RUNNING"


@pytest.mark.parametrize(
    "given",
    [{"clusters": [CLUSTER]}, {"resources": {"container:v1": {"clusters": [CLUSTER]}}}],
    ids=["clusters", "resources"],
)
def test_node_pools_are_read_and_changed_by_themselves(given: Any) -> None:
    with Asker(transport=EmulatorTransport(spec=SessionSpec(overrides=(given,)))) as ask:
        before = ask("GET", LINK)
        pool = ask("GET", f"{LINK}/nodePools/default-pool")
        assert pool["status"] == "RUNNING"
        assert [each["name"] for each in before["nodePools"]] == ["default-pool"]
        ask("POST", f"{LINK}/nodePools/default-pool:setSize", {"nodeCount": 3})
        assert ask("GET", LINK)["nodePools"][0]["initialNodeCount"] == 3
        ask("DELETE", LINK)
        ask("GET", f"{LINK}/nodePools/default-pool", status=404)


def test_what_cannot_be_served_is_a_problem() -> None:
    raw: dict[str, Json] = {
        "clusters": [
            {"name": "a", "location": "eu", "selfLink": LINK},
            {"name": "a", "location": "eu", "selfLink": LINK},
            {"name": "b", "location": "eu"},
            {"name": "c"},
        ]
    }
    found = SnapshotImport(raw=raw)
    complete_rows(found)
    assert [problem.where for problem in found.problems] == [
        "/clusters/1/name",
        "/clusters/2/selfLink",
        "/clusters/3/location",
    ]


def test_clusters_are_told_by_their_links_for_names_are_of_one_location() -> None:
    assert {captures[0].identity for captures in CAPTURES.values()} == {("selfLink",)}
