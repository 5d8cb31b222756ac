"""Buckets of Storage: configurations, who may use them, keys, notifications."""

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mockserver.testing import EmulatorTransport

BUCKETS = "/storage/v1/b"
SHOP = f"{BUCKETS}/shop"
ANN = "user-ann@example.com"


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    base = "https://storage.googleapis.com"
    with httpx.Client(transport=EmulatorTransport(), base_url=base) as made:
        made.headers["Authorization"] = "Bearer t"
        assert made.post(f"{BUCKETS}?project=p", json={"name": "shop"}).status_code == 200
        where = {"uploadType": "media", "name": "a"}
        assert made.post(f"/upload{SHOP}/o", params=where, content=b"1").status_code == 200
        yield made


def uniform(enabled: bool) -> dict[str, Any]:
    return {"iamConfiguration": {"uniformBucketLevelAccess": {"enabled": enabled}}}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"retentionPolicy": {"retentionPeriod": "5"}}, "retentionPolicy effectiveTime"),
        ({"softDeletePolicy": {"retentionDurationSeconds": "9"}}, "softDeletePolicy effectiveTime"),
        (uniform(True), "iamConfiguration uniformBucketLevelAccess lockedTime"),
        ({"autoclass": {"enabled": True}}, "autoclass terminalStorageClassUpdateTime"),
        (
            {
                "encryption": {
                    "googleManagedEncryptionEnforcementConfig": {
                        "restrictionMode": "FullyRestricted"
                    }
                }
            },
            "encryption googleManagedEncryptionEnforcementConfig effectiveTime",
        ),
    ],
)
def test_the_service_adds_to_configurations(
    client: httpx.Client, body: dict[str, Any], path: str
) -> None:
    found = client.patch(SHOP, json=body).json()
    for name in path.split():
        found = found[name]
    assert found


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"name": "Shop!"}, 400),
        ({"name": "shop"}, 409),
        ({"name": "tree", "hierarchicalNamespace": {"enabled": True}}, 400),
        ({"name": "odd", "iamConfiguration": {"publicAccessPrevention": "maybe"}}, 400),
        ({"name": "two", "customPlacementConfig": {"dataLocations": ["A", "B"]}}, 200),
    ],
)
def test_new_buckets(client: httpx.Client, body: dict[str, Any], status: int) -> None:
    made = client.post(f"{BUCKETS}?project=p&enableObjectRetention=true", json=body)
    assert made.status_code == status
    if status == 200:
        row = made.json()
        assert (row["locationType"], row["objectRetention"]) == ("dual-region", {"mode": "Enabled"})
        assert client.get(f"{BUCKETS}/two/storageLayout").json()["locationType"] == "dual-region"


def test_preconditions_and_patches(client: httpx.Client) -> None:
    client.patch(SHOP, json={"labels": {"a": "1", "b": "2"}})
    row = client.patch(SHOP, json={"labels": {"a": None, "c": "3"}}).json()
    assert (row["labels"], row["metageneration"]) == ({"b": "2", "c": "3"}, "3")
    for verb, params, status in (
        ("GET", {"ifMetagenerationMatch": "1"}, 412),
        ("GET", {"ifMetagenerationNotMatch": "3"}, 304),
        ("PATCH", {"ifMetagenerationMatch": "1"}, 412),
        ("DELETE", {"ifMetagenerationMatch": "1"}, 409),
        ("PATCH", {"ifMetagenerationMatch": "3"}, 200),
    ):
        body = b"{}" if verb == "PATCH" else b""
        assert client.request(verb, SHOP, params=params, content=body).status_code == status


def test_a_locked_policy_stays(client: httpx.Client) -> None:
    lock = {"ifMetagenerationMatch": "1"}
    assert client.post(f"{SHOP}/lockRetentionPolicy", params=lock).status_code == 400
    client.patch(SHOP, json={"retentionPolicy": {"retentionPeriod": "5"}})
    lock = {"ifMetagenerationMatch": "2"}
    row = client.post(f"{SHOP}/lockRetentionPolicy", params=lock).json()
    assert row["retentionPolicy"]["isLocked"] is True
    gone: dict[str, Any] = {"retentionPolicy": None}
    assert client.patch(SHOP, json=gone).status_code == 403


@pytest.mark.parametrize("place", ["acl", "defaultObjectAcl", "o/a/acl"])
def test_lists_of_access(client: httpx.Client, place: str) -> None:
    path = f"{SHOP}/{place}"
    usual = client.get(path).json()["items"]
    assert {each["projectTeam"]["team"] for each in usual} == {"owners", "editors", "viewers"}
    made = client.post(path, json={"entity": ANN, "role": "READER"}).json()
    assert (made["email"], made["role"]) == ("ann@example.com", "READER")
    changed = client.patch(f"{path}/{ANN}", json={"role": "OWNER"}).json()
    assert client.get(f"{path}/{ANN}").json() == changed
    assert client.get(f"{path}/allUsers").status_code == 404
    assert client.post(path, json={"entity": ANN, "role": "king"}).status_code == 400
    assert client.delete(f"{path}/{ANN}").status_code == 204
    assert len(client.get(path).json()["items"]) == 3
    client.patch(SHOP, json=uniform(True))
    assert client.get(path).status_code == 400


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("publicRead", {"allUsers": "READER"}),
        ("authenticatedRead", {"allAuthenticatedUsers": "READER"}),
        ("private", {}),
    ],
)
def test_predefined_lists(client: httpx.Client, name: str, roles: dict[str, str]) -> None:
    full = {"projection": "full", "predefinedAcl": name}
    row = client.patch(f"{SHOP}/o/a", params=full, json={}).json()
    found = {each["entity"]: each["role"] for each in row["acl"]}
    assert {k: each for k, each in found.items() if not k.startswith("project")} == roles
    listed = client.get(f"{SHOP}/o").json()["items"][0]
    assert "acl" not in listed
    wrong = {"predefinedAcl": "everybody"}
    assert client.patch(f"{SHOP}/o/a", params=wrong, json={}).status_code == 400


def test_public_access_may_be_prevented(client: httpx.Client) -> None:
    client.patch(SHOP, json={"iamConfiguration": {"publicAccessPrevention": "enforced"}})
    for path in (SHOP, f"{SHOP}/o/a"):
        acl = {"acl": [{"entity": "allUsers", "role": "READER"}]}
        assert client.patch(path, json=acl).status_code == 412
    binding: dict[str, Any] = {"role": "roles/storage.objectViewer", "members": ["allUsers"]}
    body: dict[str, Any] = {"bindings": [binding]}
    assert client.put(f"{SHOP}/iam", json=body).status_code == 412


def test_conditions_of_policies(client: httpx.Client) -> None:
    condition = {"title": "t", "expression": "true"}
    bindings = [{"role": "r", "members": ["user:ann@example.com"], "condition": condition}]
    for version, is_uniform, status in ((3, False, 412), (1, True, 400), (3, True, 200)):
        client.patch(SHOP, json=uniform(is_uniform))
        body = {"version": version, "bindings": bindings}
        assert client.put(f"{SHOP}/iam", json=body).status_code == status
    assert client.get(f"{SHOP}/iam").json()["version"] == 3


def test_keys_of_the_xml_api(client: httpx.Client) -> None:
    path = "/storage/v1/projects/p/hmacKeys"
    made = client.post(path, params={"serviceAccountEmail": "robot@example.com"}).json()
    key = f"{path}/{made['metadata']['accessId']}"
    assert len(made["secret"]) == 40
    assert client.get(key).json()["state"] == "ACTIVE"
    assert client.delete(key).status_code == 400
    assert client.put(key, json={"state": "LOST"}).status_code == 400
    assert client.put(key, json={"state": "INACTIVE"}).json()["state"] == "INACTIVE"
    assert client.delete(key).status_code == 204
    assert client.get(key).status_code == 404
    assert "items" not in client.get(path).json()
    assert len(client.get(path, params={"showDeletedKeys": True}).json()["items"]) == 1
    email = client.get("/storage/v1/projects/p/serviceAccount").json()["email_address"]
    assert email.endswith("@gs-project-accounts.iam.gserviceaccount.com")


def test_notifications_are_published(client: httpx.Client) -> None:
    pubsub = "https://pubsub.googleapis.com/v1/projects/p"
    client.put(f"{pubsub}/topics/news", json={})
    client.put(f"{pubsub}/subscriptions/desk", json={"topic": "projects/p/topics/news"})
    config: dict[str, Any] = {"topic": "//pubsub.googleapis.com/projects/p/topics/news"}
    path = f"{SHOP}/notificationConfigs"
    assert client.post(path, json={}).status_code == 400
    assert client.post(path, json={**config, "event_types": ["LOST"]}).status_code == 400
    config |= {"event_types": ["OBJECT_FINALIZE"], "object_name_prefix": "in/"}
    assert client.post(path, json=config).json()["id"] == "1"
    assert client.post(path, json={"topic": "projects/p/topics/none"}).json()["id"] == "2"
    for name in ("in/b", "out/b", "in/b"):
        where = {"uploadType": "media", "name": name}
        client.post(f"/upload{SHOP}/o", params=where, content=b"1")
    client.delete(f"{SHOP}/o/in%2Fb")
    pulled = client.post(f"{pubsub}/subscriptions/desk:pull", json={"maxMessages": 9}).json()
    told = [each["message"] for each in pulled["receivedMessages"]]
    kinds = [(e["attributes"]["eventType"], e["attributes"]["objectId"]) for e in told]
    assert kinds == [("OBJECT_FINALIZE", "in/b")] * 2
    assert "overwroteGeneration" in told[1]["attributes"]
    assert b'"in/b"' in b64decode(told[0]["data"])
