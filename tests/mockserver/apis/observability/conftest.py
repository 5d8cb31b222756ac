from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.observability import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

PLACE = "projects/shop/locations/eu"
BUCKET = f"{PLACE}/buckets/_Trace"
DATASET = f"{BUCKET}/datasets/Spans"
RAW: JsonObject = {
    "observabilityBuckets": [
        {"name": BUCKET},
        {"name": f"{PLACE}/buckets/old", "deleteTime": "2026-02-01T00:00:00Z"},
    ],
    "observabilityDatasets": [{"name": DATASET}],
    "observabilityLinks": [{"name": f"{DATASET}/links/bq"}],
    "observabilityViews": [{"name": f"{DATASET}/views/_AllSpans"}],
    "observabilityScopes": [
        {"name": f"{PLACE}/scopes/_Default", "updateTime": "2026-02-01T00:00:00Z"}
    ],
}


@pytest.fixture
def tenant() -> World:
    return world(API, **RAW)


@pytest.fixture
def call(tenant: World) -> Callable[..., Any]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> JsonObject:
        return ask(API, tenant, f"observability.projects.locations.{method}", params, body)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> ApiError:
        return refused(API, tenant, f"observability.projects.locations.{method}", params, body)

    return answer
