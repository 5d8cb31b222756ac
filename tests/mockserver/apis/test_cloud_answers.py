"""Answers over the bundled cloud project have the shapes that the Discovery documents tell."""

from functools import cache
from pathlib import Path

import pytest

from mockserver.apis import APIS
from mockserver.apis.generic import MethodConventions
from mockserver.googleapi import Call, Handler, Method
from mockserver.model import JsonObject, SessionSpec
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import Clock, Ids, World
from tests.discoverydocs import check_answer, method
from tests.tenants import NOW

FIXTURES = Path(__file__).parents[3] / "fixtures" / "sre"
PROJECT = "projects/shop-prod"
EU = f"{PROJECT}/locations/europe-west1"
CLUSTER = f"{EU}/clusters/prod-eu"
APP = f"{EU}/applications/online-shop"
SPANS = f"{PROJECT}/locations/eu/buckets/_Trace/datasets/Spans"
CART = (
    "//container.googleapis.com/projects/shop-prod/locations/europe-west1/clusters/prod-eu"
    "/k8s/namespaces/shop/apps/deployments/cart"
)
LONG_AGO = "2020-01-01T00:00:00Z"
MAIL = {"raw": "VG86IGFubkBleGFtcGxlLmNvbQ0KDQpIaQ"}
READS: list[tuple[str, str, JsonObject]] = [
    ("cloudresourcemanager:v3", "cloudresourcemanager.projects.search", {"query": "id:shop*"}),
    ("cloudresourcemanager:v3", "cloudresourcemanager.projects.get", {"name": PROJECT}),
    (
        "cloudresourcemanager:v3",
        "cloudresourcemanager.projects.getIamPolicy",
        {"resource": PROJECT},
    ),
    ("cloudresourcemanager:v3", "cloudresourcemanager.folders.search", {}),
    ("cloudresourcemanager:v3", "cloudresourcemanager.organizations.search", {}),
    ("cloudresourcemanager:v1", "cloudresourcemanager.projects.get", {"projectId": "shop-prod"}),
    ("cloudresourcemanager:v1", "cloudresourcemanager.projects.list", {}),
    (
        "cloudresourcemanager:v1",
        "cloudresourcemanager.projects.getAncestry",
        {"projectId": "shop-prod"},
    ),
    (
        "container:v1",
        "container.projects.locations.clusters.list",
        {"parent": f"{PROJECT}/locations/-"},
    ),
    ("container:v1", "container.projects.locations.clusters.get", {"name": CLUSTER}),
    ("container:v1", "container.projects.locations.clusters.nodePools.list", {"parent": CLUSTER}),
    ("cloudasset:v1", "cloudasset.searchAllResources", {"scope": PROJECT}),
    ("cloudasset:v1", "cloudasset.searchAllIamPolicies", {"scope": PROJECT}),
    ("cloudasset:v1", "cloudasset.assets.list", {"parent": PROJECT, "contentType": "RESOURCE"}),
    (
        "cloudasset:v1",
        "cloudasset.batchGetAssetsHistory",
        {"parent": PROJECT, "assetNames": [CART], "readTimeWindow.startTime": LONG_AGO},
    ),
    ("apphub:v1", "apphub.projects.locations.list", {"name": PROJECT}),
    ("apphub:v1", "apphub.projects.locations.applications.list", {"parent": EU}),
    ("apphub:v1", "apphub.projects.locations.applications.services.list", {"parent": APP}),
    ("apphub:v1", "apphub.projects.locations.applications.workloads.list", {"parent": APP}),
    ("apphub:v1", "apphub.projects.locations.discoveredServices.list", {"parent": EU}),
    ("apphub:v1", "apphub.projects.locations.discoveredWorkloads.list", {"parent": EU}),
    ("apphub:v1", "apphub.projects.locations.applications.delete", {"name": APP}),
    (
        "apphub:v1",
        "apphub.projects.locations.lookupServiceProjectAttachment",
        {"name": f"{PROJECT}/locations/global"},
    ),
    (
        "observability:v1",
        "observability.projects.locations.buckets.list",
        {"parent": f"{PROJECT}/locations/-"},
    ),
    ("observability:v1", "observability.projects.locations.buckets.datasets.get", {"name": SPANS}),
    (
        "observability:v1",
        "observability.projects.locations.buckets.datasets.links.list",
        {"parent": SPANS},
    ),
    (
        "observability:v1",
        "observability.projects.locations.buckets.datasets.views.list",
        {"parent": SPANS},
    ),
    (
        "observability:v1",
        "observability.projects.locations.traceScopes.list",
        {"parent": f"{PROJECT}/locations/global"},
    ),
    ("gmail:v1", "gmail.users.getProfile", {"userId": "me"}),
    ("gmail:v1", "gmail.users.messages.send", {"userId": "me"}),
    ("gmail:v1", "gmail.users.messages.list", {"userId": "me"}),
]


@cache
def handlers() -> dict[str, Handler]:
    return {name: handler for api in APIS for name, handler in api.handlers.items()}


@pytest.fixture(scope="module")
def shop() -> World:
    base = SnapshotResolver(FIXTURES).base(SessionSpec())
    clock = Clock("frozen", captured_at=base.captured_at, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


def ask(of: Method, world: World, params: JsonObject) -> JsonObject:
    body = MAIL if of.id.endswith("send") else {}
    call = Call(of.id, params, body, world, of.version)
    call.conventions = MethodConventions(of)
    answer = handlers()[of.id](call)
    assert answer
    return answer


@pytest.mark.parametrize(
    ("key", "method_id", "params"), READS, ids=[f"{r[1]}-{r[0]}" for r in READS]
)
def test_an_answer_has_the_shape_of_its_schema(
    shop: World, key: str, method_id: str, params: JsonObject
) -> None:
    of = method(key, method_id)
    assert set(params) <= set(of.parameters)
    check_answer(of, ask(of, shop, params))


def test_a_message_has_the_shape_of_its_schema(shop: World) -> None:
    of = method("gmail:v1", "gmail.users.messages.get")
    sent = ask(method("gmail:v1", "gmail.users.messages.send"), shop, {"userId": "me"})
    for form in ("full", "metadata", "minimal", "raw"):
        check_answer(of, ask(of, shop, {"userId": "me", "id": sent["id"], "format": form}))
