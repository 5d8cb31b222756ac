from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.container import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

LINK = "https://container.googleapis.com/v1/projects/shop/locations/eu/clusters/prod"
CLUSTERS: list[JsonObject] = [
    {
        "name": "prod",
        "location": "eu",
        "selfLink": LINK,
        "nodePools": [{"name": "default-pool", "status": "RUNNING"}],
    },
    {
        "name": "dev",
        "location": "us",
        "selfLink": LINK.replace("eu/clusters/prod", "us/clusters/dev"),
    },
]


@pytest.fixture
def tenant() -> World:
    found = world(API, clusters=CLUSTERS)
    found.put("projects", "projects/42", {"name": "projects/42", "projectId": "shop"})
    return found


@pytest.fixture
def call(tenant: World) -> Callable[..., Any]:
    def answer(method: str, **params: Any) -> JsonObject:
        return ask(API, tenant, f"container.projects.{method}", params)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, **params: Any) -> ApiError:
        return refused(API, tenant, f"container.projects.{method}", params)

    return answer
