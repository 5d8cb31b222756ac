from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.apphub import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

PLACE = "projects/shop/locations/eu"
APP = f"{PLACE}/applications/online-shop"
RAW: JsonObject = {
    "apphubApplications": [
        {"name": APP, "displayName": "Online shop", "scope": {"type": "REGIONAL"}}
    ],
    "apphubDiscoveredServices": [
        {
            "name": f"{PLACE}/discoveredServices/d1",
            "serviceReference": {"uri": "//run/checkout"},
            "serviceProperties": {"location": "eu"},
        }
    ],
    "apphubDiscoveredWorkloads": [
        {"name": f"{PLACE}/discoveredWorkloads/d2", "workloadReference": {"uri": "//gke/cart"}}
    ],
    "apphubServiceProjectAttachments": [
        {
            "name": "projects/shop/locations/global/serviceProjectAttachments/shop",
            "serviceProject": "projects/42",
        }
    ],
}


@pytest.fixture
def tenant() -> World:
    found = world(API, **RAW)
    found.put("projects", "projects/42", {"name": "projects/42", "projectId": "shop"})
    return found


@pytest.fixture
def call(tenant: World) -> Callable[..., Any]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> JsonObject:
        return ask(API, tenant, f"apphub.projects.locations.{method}", params, body)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> ApiError:
        return refused(API, tenant, f"apphub.projects.locations.{method}", params, body)

    return answer
