from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.resourcemanager import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

RAW: JsonObject = {
    "organizations": [{"name": "organizations/1", "displayName": "example.com"}],
    "folders": [
        {"name": "folders/10", "parent": "organizations/1", "displayName": "Shop"},
        {"name": "folders/11", "parent": "folders/10", "displayName": "Carts"},
    ],
    "projects": [
        {
            "name": "projects/42",
            "projectId": "shop-prod",
            "displayName": "Shop production",
            "parent": "folders/10",
            "labels": {"env": "prod"},
            "createTime": "2026-01-01T00:00:00Z",
        },
        {
            "name": "projects/43",
            "projectId": "shop-dev",
            "displayName": "Howl",
            "parent": "folders/10",
        },
        {
            "name": "projects/44",
            "projectId": "data",
            "displayName": "Data",
            "state": "DELETE_REQUESTED",
        },
    ],
}


@pytest.fixture
def tenant() -> World:
    return world(API, **RAW)


@pytest.fixture
def call(tenant: World) -> Callable[..., JsonObject]:
    def answer(
        method: str, body: JsonObject | None = None, version: str = "v3", **params: Any
    ) -> Any:
        name = f"cloudresourcemanager.{method}"
        return ask(API, tenant, name, params, body, version=version)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> ApiError:
        return refused(API, tenant, f"cloudresourcemanager.{method}", params, body)

    return answer
