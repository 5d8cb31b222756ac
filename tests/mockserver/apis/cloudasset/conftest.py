from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.cloudasset import API
from mockserver.apis.resourcemanager import API as PROJECTS
from mockserver.googleapi import ApiError, SnapshotImport
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

PLACE = "projects/42"
CLUSTER = "//container.googleapis.com/projects/shop/locations/eu/clusters/prod"
RAW: JsonObject = {
    "assets": [
        {
            "name": CLUSTER,
            "assetType": "container.googleapis.com/Cluster",
            "resource": {
                "location": "us-west1",
                "parent": "//cloudresourcemanager.googleapis.com/projects/42",
                "data": {
                    "name": "prod",
                    "status": "RUNNING",
                    "labels": {"env": "prod"},
                    "createTime": "2026-01-05T00:00:00Z",
                },
            },
            "iamPolicy": {"bindings": []},
            "ancestors": [PLACE, "folders/7", "organizations/1"],
            "updateTime": "2026-02-01T00:00:00Z",
        },
        {
            "name": "//storage.googleapis.com/exports",
            "assetType": "storage.googleapis.com/Bucket",
            "project": PLACE,
            "displayName": "Important exports",
            "location": "eu",
            "state": "ACTIVE",
            "labels": {"env": "dev"},
        },
        {
            "name": "//pubsub.googleapis.com/projects/other/topics/t",
            "assetType": "pubsub.googleapis.com/Topic",
            "ancestors": ["projects/99"],
            "resource": {"data": {"name": "projects/other/topics/t", "status": {"no": "text"}}},
        },
    ],
    "assetHistory": [
        {
            "window": {"startTime": "2026-01-05T00:00:00Z", "endTime": "2026-02-01T00:00:00Z"},
            "asset": {"name": CLUSTER, "assetType": "container.googleapis.com/Cluster"},
        },
        {
            "window": {"startTime": "2026-02-01T00:00:00Z"},
            "asset": {"name": CLUSTER, "assetType": "container.googleapis.com/Cluster"},
        },
    ],
    "iamPolicies": [
        {
            "resource": "//cloudresourcemanager.googleapis.com/projects/shop",
            "assetType": "cloudresourcemanager.googleapis.com/Project",
            "policy": {
                "bindings": [
                    {"role": "roles/owner", "members": ["user:amy@example.com"]},
                    {"role": "roles/compute.admin", "members": ["group:sre@example.com"]},
                ]
            },
        },
        {
            "resource": "//cloudresourcemanager.googleapis.com/organizations/1",
            "policy": {"bindings": [{"role": "roles/viewer", "members": ["user:bo@example.com"]}]},
        },
        {
            "resource": "//cloudresourcemanager.googleapis.com/folders/7",
            "policy": {"bindings": [{"role": "roles/viewer", "members": ["user:cy@example.com"]}]},
        },
        {
            "resource": "//storage.googleapis.com/exports",
            "project": PLACE,
            "policy": {"bindings": [{"role": "roles/viewer", "members": ["allUsers"]}]},
        },
        {"resource": "//storage.googleapis.com/unplaced", "policy": {"bindings": []}},
    ],
}


@pytest.fixture
def tenant() -> World:
    found = world(API, **RAW)
    projects = SnapshotImport(raw={"projects": [{"name": PLACE, "projectId": "shop"}]})
    assert PROJECTS.import_snapshot is not None
    PROJECTS.import_snapshot(projects)
    for name, row in projects.tables["projects"].items():
        found.put("projects", name, row)
    return found


@pytest.fixture
def call(tenant: World) -> Callable[..., Any]:
    def answer(method: str, **params: Any) -> JsonObject:
        return ask(API, tenant, f"cloudasset.{method}", params)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, **params: Any) -> ApiError:
        return refused(API, tenant, f"cloudasset.{method}", params)

    return answer
