"""Clusters and node pools as a client meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.apis.container.state import VERSIONS
from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker

PLACE = "projects/shop/locations/us-central1"
ROOT = f"https://container.googleapis.com/v1/{PLACE}"
OLDER = "https://container.googleapis.com/v1/projects/shop/zones/us-central1"
PROD = f"{ROOT}/clusters/prod"
POOL = f"{PROD}/nodePools/default-pool"


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker() as made:
        made("POST", f"{ROOT}/clusters", {"cluster": {"name": "prod", "initialNodeCount": 2}})
        yield made


def test_a_cluster_has_nodes_in_each_zone_of_its_region(ask: Asker) -> None:
    found = ask("GET", PROD)
    assert (found["status"], found["currentNodeCount"]) == ("RUNNING", 6)
    assert found["locations"] == [f"us-central1-{each}" for each in "abc"]
    assert found["currentNodeVersion"] == found["nodePools"][0]["version"] == VERSIONS[1]
    ask("POST", f"{POOL}:setSize", {"nodeCount": 5})
    ask("POST", f"{PROD}/nodePools", {"nodePool": {"name": "big", "locations": ["us-central1-a"]}})
    assert ask("GET", PROD)["currentNodeCount"] == 16
    assert [each["name"] for each in ask("GET", f"{PROD}/nodePools")["nodePools"]] == [
        "default-pool", "big",
    ]  # fmt: skip
    ask("POST", f"{PROD}:setLocations", {"locations": ["us-central1-b"]})
    assert ask("GET", PROD)["currentNodeCount"] == 6
    ask("DELETE", POOL)
    ask("DELETE", f"{PROD}/nodePools/big")
    assert ask("GET", PROD).get("nodePools") is None


@pytest.mark.parametrize(
    ("path", "body", "place", "expected", "kind"),
    [
        (":setLogging", {"loggingService": "none"}, "loggingService", "none", "UPDATE_CLUSTER"),
        (":setMonitoring", {"monitoringService": "none"}, "monitoringService", "none",
         "UPDATE_CLUSTER"),
        (":setResourceLabels", {"resourceLabels": {"a": "b"}}, "resourceLabels", {"a": "b"},
         "SET_LABELS"),
        (":setLegacyAbac", {"enabled": True}, "legacyAbac", {"enabled": True}, "UPDATE_CLUSTER"),
        (":updateMaster", {"masterVersion": "latest"}, "currentMasterVersion", VERSIONS[0],
         "UPGRADE_MASTER"),
        (":setMasterAuth", {"action": "SET_USERNAME", "update": {"username": "ann"}},
         "masterAuth.username", "ann", "SET_MASTER_AUTH"),
        (":setNetworkPolicy", {"networkPolicy": {"enabled": True}}, "networkPolicy.enabled", True,
         "SET_NETWORK_POLICY"),
        (":startIpRotation", {}, "status", "RUNNING", "UPDATE_CLUSTER"),
        ("/nodePools/default-pool:setAutoscaling",
         {"autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 3}},
         "nodePools.0.autoscaling.maxNodeCount", 3, "UPDATE_CLUSTER"),
        ("/nodePools/default-pool:setManagement", {"management": {"autoRepair": True}},
         "nodePools.0.management", {"autoRepair": True}, "SET_NODE_POOL_MANAGEMENT"),
        ("/nodePools/default-pool:setSize", {"nodeCount": 4}, "currentNodeCount", 12,
         "SET_NODE_POOL_SIZE"),
    ],
)  # fmt: skip
def test_a_method_sets_what_it_is_called_for(
    ask: Asker, path: str, body: Any, place: str, expected: Any, kind: str
) -> None:
    done = ask("POST", f"{PROD}{path}", body)
    assert (done["operationType"], done["zone"]) == (kind, "us-central1")
    found = ask("GET", PROD)
    for each in place.split("."):
        found = found[int(each)] if each.isdecimal() else found[each]
    assert found == expected


@pytest.mark.parametrize(
    ("desired", "place", "expected", "kind"),
    [
        ({"desiredMasterVersion": "1.34"}, "currentMasterVersion", VERSIONS[0], "UPGRADE_MASTER"),
        ({"desiredNodeVersion": "1.32", "desiredNodePoolId": "default-pool"},
         "currentNodeVersion", VERSIONS[3], "UPGRADE_NODES"),
        ({"desiredReleaseChannel": {"channel": "RAPID"}}, "releaseChannel", {"channel": "RAPID"},
         "UPDATE_CLUSTER"),
        ({"desiredLocations": ["us-central1-f"]}, "currentNodeCount", 2, "UPDATE_CLUSTER"),
        ({"desiredNodePoolAutoscaling": {"enabled": True, "maxNodeCount": 3}},
         "currentNodeCount", 6, "UPDATE_CLUSTER"),
    ],
)  # fmt: skip
def test_an_update_sets_what_is_desired(
    ask: Asker, desired: Any, place: str, expected: Any, kind: str
) -> None:
    done = ask("PUT", PROD, {"update": desired})
    assert done["operationType"] == kind
    assert ask("GET", f"{ROOT}/operations/{done['name']}")["operationType"] == kind
    assert ask("GET", PROD)[place] == expected


def test_addons_that_are_not_named_stay(ask: Asker) -> None:
    before = ask("GET", PROD)["addonsConfig"]
    addon = {"httpLoadBalancing": {"disabled": True}}
    ask("PUT", PROD, {"update": {"desiredAddonsConfig": addon}})
    ask("POST", f"{PROD}:setAddons", {"addonsConfig": {"cloudRunConfig": {"disabled": True}}})
    assert ask("GET", PROD)["addonsConfig"] == {
        **before, **addon, "cloudRunConfig": {"disabled": True},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "words"),
    [
        ("POST", "/clusters", {"cluster": {"name": "prod", "initialNodeCount": 1}}, 409,
         f"Already exists: {PLACE}/clusters/prod."),
        ("POST", "/clusters", {"cluster": {"name": "new"}}, 400,
         "Cluster.initial_node_count must be greater than zero."),
        ("POST", "/clusters", {"cluster": {"initialNodeCount": 1}}, 400,
         "Cluster.name must be specified."),
        ("POST", "/clusters", {"cluster": {"name": "Prod", "initialNodeCount": 1}}, 400,
         "Must be a match of regex"),
        ("POST", "/clusters",
         {"cluster": {"name": "n", "initialNodeCount": 1, "initialClusterVersion": "1.9"}}, 400,
         'No valid versions with the prefix "1.9" found.'),
        ("GET", "/clusters/none", None, 404, f"Not found: {PLACE}/clusters/none."),
        ("DELETE", "/clusters/none", None, 404, f"Not found: {PLACE}/clusters/none."),
        ("GET", "/clusters/none/nodePools", None, 404, f"Not found: {PLACE}/clusters/none."),
        ("GET", "/clusters/prod/nodePools/none", None, 404, "not found"),
        ("PUT", "/clusters/prod", {"update": {}}, 400, "Must specify a field to update."),
        ("PUT", "/clusters/prod", {"update": {"desiredMasterVersion": "1.31"}}, 400, "is older"),
        ("PUT", "/clusters/prod", {"update": {"desiredNodeVersion": "1.34"}}, 400, "not be newer"),
        ("PUT", "/clusters/prod",
         {"update": {"desiredNodePoolId": "none", "desiredNodeVersion": "1.33"}}, 404, "not found"),
        ("POST", "/clusters/prod/nodePools", {"nodePool": {"name": "default-pool"}}, 409,
         f"Already exists: {PLACE}/clusters/prod/nodePools/default-pool."),
        ("PUT", "/clusters/prod/nodePools/default-pool", {}, 400, "Must specify a field"),
        ("POST", "/clusters/prod/nodePools/default-pool:setSize", {"nodeCount": -1}, 400, "zero"),
        ("POST", "/clusters/prod/nodePools/default-pool:setAutoscaling",
         {"autoscaling": {"enabled": True, "minNodeCount": 5, "maxNodeCount": 3}}, 400, "less"),
        ("POST", "/clusters/prod:setResourceLabels",
         {"resourceLabels": {}, "labelFingerprint": "old"}, 412, "fingerprint mismatch"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    ask: Asker, verb: str, path: str, body: Any, status: int, words: str
) -> None:
    before = ask("GET", PROD)
    assert words in ask(verb, f"{ROOT}{path}", body, status)["error"]["message"]
    assert ask("GET", PROD) == before


def test_autopilot_has_no_node_pools_to_change(ask: Asker) -> None:
    ask("POST", f"{ROOT}/clusters", {"cluster": {"name": "auto", "autopilot": {"enabled": True}}})
    path = f"{ROOT}/clusters/auto/nodePools"
    for verb, more, body in (
        ("POST", "", {"nodePool": {"name": "x"}}),
        ("POST", "/default-pool:setSize", {"nodeCount": 1}),
        ("DELETE", "/default-pool", None),
    ):
        error = ask(verb, f"{path}{more}", body, 400)["error"]
        assert error["message"] == "Autopilot clusters do not support mutating node pools."


def test_what_is_being_made_is_not_changed() -> None:
    spec = SessionSpec(overrides=({"operationPolls": 2},))
    with Asker(transport=EmulatorTransport(spec=spec)) as ask:
        new = {"cluster": {"name": "prod", "initialNodeCount": 1}}
        made = ask("POST", f"{ROOT}/clusters", new)
        assert made["status"] == "RUNNING"
        found = ask("GET", PROD)
        assert (found["status"], found["nodePools"][0]["status"]) == (("PROVISIONING",) * 2)
        assert ask("GET", f"{ROOT}/clusters")["clusters"][0]["status"] == "PROVISIONING"
        error = ask("DELETE", PROD, status=400)["error"]
        assert error["message"] == (
            f"Operation {made['name']} is currently creating cluster prod. Please wait and try "
            "again once it is done."
        )
        states = [ask("GET", f"{ROOT}/operations/{made['name']}")["status"] for _ in range(3)]
        assert states == ["RUNNING", "DONE", "DONE"]
        assert ask("GET", PROD)["status"] == "RUNNING"
        sized = ask("POST", f"{POOL}:setSize", {"nodeCount": 3})
        assert ask("GET", PROD)["status"] == "RECONCILING"
        assert ask("GET", POOL)["status"] == "RECONCILING"
        error = ask("POST", f"{PROD}:setLogging", {"loggingService": "none"}, 400)["error"]
        assert error["status"] == "FAILED_PRECONDITION"
        assert error["message"].endswith(f"incompatible operation {sized['name']}.")


def test_the_older_methods_mean_the_same_resources(ask: Asker) -> None:
    assert ask("GET", f"{OLDER}/clusters/prod") == ask("GET", PROD)
    assert ask("GET", f"{OLDER}/clusters") == ask("GET", f"{ROOT}/clusters")
    done = ask("POST", f"{OLDER}/clusters/prod/nodePools/default-pool/setSize", {"nodeCount": 1})
    assert ask("GET", f"{OLDER}/operations/{done['name']}")["status"] == "DONE"
    ask("POST", f"{OLDER}/clusters/prod/resourceLabels", {"resourceLabels": {"a": "b"}})
    assert ask("GET", PROD)["resourceLabels"] == {"a": "b"}
    assert ask("GET", f"{OLDER}/serverconfig") == ask("GET", f"{ROOT}/serverConfig")


def test_clusters_are_listed_by_location(ask: Asker) -> None:
    other = ROOT.replace("us-central1", "europe-west1-b")
    ask("POST", f"{other}/clusters", {"cluster": {"name": "dev", "initialNodeCount": 1}})
    for place, expected in (("-", ["prod", "dev"]), ("europe-west1-b", ["dev"]), ("asia", [])):
        found = ask("GET", ROOT.replace("us-central1", place) + "/clusters")
        assert [each["name"] for each in found.get("clusters", [])] == expected
    assert ask("GET", f"{other}/clusters/dev")["currentNodeCount"] == 1
