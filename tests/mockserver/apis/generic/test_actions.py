"""Methods beside the standard six: they set fields, change a state, add to lists, make parts."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.conftest import Generic

Over: TypeAlias = Callable[..., Generic]

NETWORK: JsonObject = {
    "name": "n", "selfLink": "https://example.com/compute/v1/projects/p/global/networks/n",
    "peerings": [{"name": "a"}, {"name": "b"}],
}  # fmt: skip
KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
CLUSTER: JsonObject = {"name": "projects/p/locations/l/clusters/c", "loggingService": "old"}
POOL = f"{CLUSTER['name']}/nodePools/n"
UPDATES: list[tuple[str, Json, str, Json]] = [
    ("InTransitEncryptionConfig", "OFF", "networkConfig", {"inTransitEncryptionConfig": "OFF"}),
    ("ClusterAutoscaling", {"autoscalingProfile": "x"}, "autoscaling", {"autoscalingProfile": "x"}),
    ("NodePoolAutoConfigNetworkTags", {"tags": ["t"]},
     "nodePoolAutoConfig", {"networkTags": {"tags": ["t"]}}),
    ("AdditionalIpRangesConfig", {"additionalIpRangesConfigs": [{"subnetwork": "s"}]},
     "ipAllocationPolicy", {"additionalIpRangesConfigs": [{"subnetwork": "s"}]}),
]  # fmt: skip
PLACE: JsonObject = {"project": "p", "network": "n"}
RULE: JsonObject = {"firewallPolicy": "7", "priority": 9}
POLICY: JsonObject = {
    "name": "7", "id": "7", "rules": [{"priority": 8}, {"priority": 9, "action": "deny"}],
    "selfLink": "https://example.com/compute/v1/locations/global/firewallPolicies/7",
}  # fmt: skip
Change: TypeAlias = tuple[str, JsonObject, str, JsonObject, JsonObject, str, str, Json]
CHANGES: list[Change] = [
    ("compute:v1", {"networks": [NETWORK]}, "compute.networks.removePeering", PLACE,
     {"name": "a"}, "compute.networks.get", "peerings", [{"name": "b"}]),
    ("compute:v1", {"networks": [NETWORK]}, "compute.networks.addPeering", PLACE,
     {"name": "c"}, "compute.networks.get", "peerings",
     [{"name": "a"}, {"name": "b"}, {"name": "c"}]),
    ("compute:v1", {"firewallPolicies": [POLICY]}, "compute.firewallPolicies.patchRule", RULE,
     {"action": "allow"}, "compute.firewallPolicies.getRule", "action", "allow"),
    ("compute:v1", {"firewallPolicies": [POLICY]}, "compute.firewallPolicies.removeRule",
     RULE, {}, "compute.firewallPolicies.get", "rules", [{"priority": 8}]),
    ("storage:v1", {"buckets": [{"name": "b", "metageneration": "1"}]},
     "storage.buckets.patch", {"bucket": "b"}, {"labels": {"a": "b"}},
     "storage.buckets.get", "metageneration", "2"),
    ("cloudkms:v1", {"cryptoKeyVersions": [{"name": f"{KEY}/cryptoKeyVersions/1"}]},
     "cloudkms.projects.locations.keyRings.cryptoKeys.cryptoKeyVersions.destroy",
     {"name": f"{KEY}/cryptoKeyVersions/1"}, {},
     "cloudkms.projects.locations.keyRings.cryptoKeys.cryptoKeyVersions.get",
     "state", "DESTROY_SCHEDULED"),
    ("iam:v1", {"serviceAccounts": [{"name": "projects/p/serviceAccounts/a@b"}]},
     "iam.projects.serviceAccounts.disable", {"name": "projects/p/serviceAccounts/a@b"}, {},
     "iam.projects.serviceAccounts.get", "disabled", True),
    ("container:v1beta1", {"clusters": [CLUSTER]},
     "container.projects.locations.clusters.update", {"name": CLUSTER["name"]},
     {"update": {"desiredLoggingService": "none"}},
     "container.projects.locations.clusters.get", "loggingService", "none"),
    *(("container:v1beta1", {"clusters": [CLUSTER]},
       "container.projects.locations.clusters.update", {"name": CLUSTER["name"]},
       {"update": {f"desired{name}": value}},
       "container.projects.locations.clusters.get", field, expected)
      for name, value, field, expected in UPDATES),
    ("container:v1beta1", {"nodePools": [{"name": POOL, "config": {"imageType": "COS"}}]},
     "container.projects.locations.clusters.nodePools.update", {"name": POOL},
     {"imageType": "UBUNTU"},
     "container.projects.locations.clusters.nodePools.get", "config", {"imageType": "UBUNTU"}),
    ("serviceusage:v1", {}, "serviceusage.services.enable",
     {"name": "projects/p/services/run.googleapis.com"}, {},
     "serviceusage.services.get", "state", "ENABLED"),
    ("cloudbilling:v1", {}, "cloudbilling.projects.updateBillingInfo", {"name": "projects/p"},
     {"billingAccountName": "billingAccounts/b"},
     "cloudbilling.projects.getBillingInfo", "billingAccountName", "billingAccounts/b"),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change[2]}-{change[6]}")
def test_what_a_method_changes_is_read_afterwards(over: Over, change: Change) -> None:
    key, rows, changes, params, body, reads, field, expected = change
    generic = over(**{key: rows})
    generic.ask(key, changes, params, body)
    found = generic.get(key, reads, **params)[field]
    assert {**found, **expected} == found if isinstance(expected, dict) else found == expected


def test_a_key_comes_with_its_first_version(over: Over) -> None:
    generic, keys = over(**{"cloudkms:v1": {}}), "cloudkms.projects.locations.keyRings.cryptoKeys"
    ring = KEY.rpartition("/cryptoKeys/")[0]
    body: JsonObject = {"purpose": "ENCRYPT_DECRYPT"}
    generic.get("cloudkms:v1", f"{keys}.create", body, parent=ring, cryptoKeyId="k")
    several = generic.get("cloudkms:v1", f"{keys}.cryptoKeyVersions.list", parent=KEY)
    version = f"{KEY}/cryptoKeyVersions/1"
    assert [each["name"] for each in several["cryptoKeyVersions"]] == [version]
    assert several["totalSize"] == 1
    gone = generic.get("cloudkms:v1", f"{keys}.cryptoKeyVersions.destroy", {}, name=version)
    assert (gone["state"], gone["destroyTime"][:7]) == ("DESTROY_SCHEDULED", "2026-04")


def test_a_cluster_has_its_node_pools_in_it(over: Over) -> None:
    generic, key, place = (
        over(**{"container:v1beta1": {}}),
        "container:v1beta1",
        "projects/p/locations",
    )
    clusters, parent = "container.projects.locations.clusters", f"{place}/us-east1"
    network: JsonObject = {"subnetwork": "s"}
    cluster: JsonObject = {"name": "c", "initialNodeCount": 2, "networkConfig": network}
    body: JsonObject = {"cluster": cluster}
    name = f"{parent}/clusters/c"
    pools = f"{clusters}.nodePools"

    def read() -> dict[str, JsonObject]:
        row = generic.get(key, f"{clusters}.get", name=name)
        assert row["selfLink"].endswith(f"{parent}/clusters/c")
        return {pool["name"]: pool for pool in row.get("nodePools", [])}

    generic.get(key, f"{clusters}.create", body, parent=parent)
    assert read()["default-pool"]["initialNodeCount"] == 2
    assert read()["default-pool"]["networkConfig"]["subnetwork"] == "s"
    made = generic.get(key, f"{pools}.create", {"nodePool": {"name": "n"}}, parent=name)
    operation = f"{parent}/operations/{made['name']}"
    assert generic.get(key, "container.projects.locations.operations.get", name=operation)
    assert set(read()) == {"default-pool", "n"}
    generic.get(key, f"{pools}.delete", name=f"{name}/nodePools/default-pool")
    assert set(read()) == {"n"}
    generic.get(key, f"{clusters}.delete", name=name)
    generic.get(key, f"{clusters}.create", body, parent=parent)
    assert set(read()) == {"default-pool"}


def test_nothing_is_added_that_is_not_there(over: Over) -> None:
    disk: JsonObject = {"name": "d", "zone": "z", "selfLink": "projects/p/zones/z/disks/d"}
    generic = over(**{"compute:v1": {"disks": [disk]}})
    policies: JsonObject = {"resourcePolicies": ["projects/p/regions/r/resourcePolicies/none"]}
    place: JsonObject = {"project": "p", "zone": "z", "disk": "d"}
    with pytest.raises(ApiError) as caught:
        generic.ask("compute:v1", "compute.disks.addResourcePolicies", place, policies)
    assert caught.value.status == 404
    missing: JsonObject = {**place, "disk": "none"}
    with pytest.raises(ApiError) as caught:
        generic.ask("compute:v1", "compute.disks.createSnapshot", missing, {"name": "s"})
    assert caught.value.status == 404


def test_a_policy_s_etag_survives_the_encodings_of_bytes(over: Over) -> None:
    generic, topics = over(**{"pubsub:v1": {}}), "pubsub.projects.topics"
    for number in range(20):
        bindings: Json = [{"role": f"roles/r{number}", "members": ["user:a@example.com"]}]
        policy: JsonObject = {"policy": {"bindings": bindings, "version": 3}}
        answer = generic.get(
            "pubsub:v1", f"{topics}.setIamPolicy", policy, resource="projects/p/topics/t"
        )
        assert not set("-_") & set(answer["etag"])
        assert answer["version"] == 1


def test_a_family_is_its_newest_image(over: Over) -> None:
    place = "https://example.com/compute/v1/projects/p/global/images"
    images: list[Json] = [
        {"name": f"i{day}", "selfLink": f"{place}/i{day}", "family": "f", **more,
         "creationTimestamp": f"2026-01-0{day}T00:00:00Z"}
        for day, more in ((1, {}), (3, {}), (2, {}), (4, {"deprecated": {"state": "OBSOLETE"}}))
    ]  # fmt: skip
    generic, reads = over(**{"compute:v1": {"images": images}}), "compute.images.getFromFamily"
    assert generic.get("compute:v1", reads, project="p", family="f")["name"] == "i3"
    policy = "compute.firewallPolicies.getRule"
    missing: JsonObject = {"project": "p", "family": "g"}
    for method, params in ((reads, missing), (policy, RULE)):
        with pytest.raises(ApiError) as caught:
            generic.get("compute:v1", method, **params)
        assert caught.value.status == 404
    generic = over(**{"compute:v1": {"firewallPolicies": [POLICY]}})
    with pytest.raises(ApiError) as caught:
        generic.get("compute:v1", policy, firewallPolicy="7", priority=1)
    assert caught.value.status == 400


def test_tags_are_read_and_bound_by_their_namespaced_names(over: Over) -> None:
    generic, key, api = (
        over(**{"cloudresourcemanager:v3": {}}),
        "cloudresourcemanager:v3",
        "cloudresourcemanager",
    )
    named = "71/tier"
    for kind, body in (("tagKeys", {"parent": "organizations/71", "shortName": "tier"}),
                       ("tagValues", {"parent": "", "shortName": "a"})):  # fmt: skip
        body["parent"] = (
            body["parent"] or generic.get(key, f"{api}.tagKeys.getNamespaced", name=named)["name"]
        )
        generic.get(key, f"{api}.{kind}.create", body)
    value = generic.get(key, f"{api}.tagValues.getNamespaced", name=f"{named}/a")
    bucket = "//storage.googleapis.com/projects/_/buckets/b"
    generic.get(
        key, f"{api}.tagBindings.create", {"parent": bucket, "tagValueNamespacedName": f"{named}/a"}
    )
    (bound,) = generic.get(key, f"{api}.tagBindings.list", parent=bucket)["tagBindings"]
    assert bound["tagValue"] == value["name"]
    generic.get(key, f"{api}.tagBindings.delete", name=bound["name"])
    assert "tagBindings" not in generic.get(key, f"{api}.tagBindings.list", parent=bucket)
    with pytest.raises(ApiError) as caught:
        generic.get(key, f"{api}.tagKeys.getNamespaced", name="none")
    assert caught.value.status == 404
