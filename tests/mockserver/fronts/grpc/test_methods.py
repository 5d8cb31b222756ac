"""What is known of calls is learned when they are first made."""

import asyncio
from typing import Any

import pytest
from google.longrunning import operations_pb2

from mockserver.apis import APIS
from mockserver.fronts.grpc.mapping import Transcoding
from mockserver.fronts.grpc.methods import GrpcMethods, KnownCall, PossibleMethod, package_of
from mockserver.fronts.grpc.registry import Rpc, Service, installed_services
from mockserver.googleapi import ApiError, Call
from mockserver.routing import Routes

ROUTES = Routes(APIS)
LIST = "/google.logging.v2.LoggingServiceV2/ListLogEntries"
TAIL = "/google.logging.v2.LoggingServiceV2/TailLogEntries"
GET_OPERATION = "/google.longrunning.Operations/GetOperation"


@pytest.fixture
def knowledge() -> GrpcMethods:
    return GrpcMethods(ROUTES)


def test_the_kind_of_a_call_is_known_before_it_is_learned(knowledge: GrpcMethods) -> None:
    assert knowledge.kind(TAIL) == "stream_stream"
    assert knowledge.kind(LIST) == "unary_unary"
    assert knowledge.kind("/example.Unheard/Call") == "unary_unary"
    assert knowledge.kind("/google.logging.v2.LoggingServiceV2/New") == "unary_unary"
    assert knowledge.at_hand(LIST) is None


async def test_a_service_is_learned_once_however_many_ask(
    knowledge: GrpcMethods, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = []
    learn = GrpcMethods._learn

    def count(self: GrpcMethods, service: Service) -> None:
        learned.append(service.name)
        learn(self, service)

    monkeypatch.setattr(GrpcMethods, "_learn", count)
    found = await asyncio.gather(*(knowledge.find(LIST) for _ in range(5)), knowledge.find(TAIL))
    assert len({id(call) for call in found}) == 2
    assert learned == ["google.logging.v2.LoggingServiceV2"]
    assert knowledge.at_hand(LIST) is found[0]


async def test_a_call_that_nobody_knows_is_none(knowledge: GrpcMethods) -> None:
    assert await knowledge.find("/example.Unheard/Call") is None
    assert await knowledge.find("/google.logging.v2.LoggingServiceV2/New") is None


async def test_a_client_that_cannot_be_imported_leaves_its_calls_unknown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = Service("example.v1.X", ("no.such.module",), {"Get": "unary_unary"})
    knowledge = GrpcMethods(ROUTES, {"example.v1.X": broken})
    assert await knowledge.find("/example.v1.X/Get") is None
    assert "the client of example.v1.X cannot be used" in caplog.text
    handler: Any = knowledge.unknown("/example.v1.X/Get").handler
    with pytest.raises(ApiError, match="The installed client of example"):
        handler(None)


async def test_methods_with_a_handler_come_first(knowledge: GrpcMethods) -> None:
    call = await knowledge.find("/google.logging.v2.LoggingServiceV2/ListLogs")
    assert call is not None
    handled = [meaning.route.handler is not None for meaning in call.meanings]
    assert handled == sorted(handled, reverse=True)


def shared(*hosts: str) -> KnownCall:
    method_id = "logging.projects.locations.operations.get"
    method = ROUTES.catalog.method(method_id)
    assert method is not None
    request, answer = operations_pb2.GetOperationRequest, operations_pb2.Operation
    meanings = [
        PossibleMethod(
            Transcoding(method, request.DESCRIPTOR),
            ROUTES.route_of_call(method, GET_OPERATION),
            host,
        )
        for host in hosts
    ]
    return KnownCall(Rpc(GET_OPERATION, hosts[0], request, answer), meanings)


def test_a_call_that_several_apis_have_means_the_one_that_was_asked_before() -> None:
    call = shared("a.googleapis.com", "b.googleapis.com")
    request = {"name": "projects/p/locations/l/operations/o"}
    assert call.is_shared
    assert call.meaning_of(request, "b.googleapis.com")[0].host == "b.googleapis.com"
    assert call.meaning_of(request)[0].host == "a.googleapis.com"
    assert call.meaning_of({"name": "x"}, "b.googleapis.com") == (call.meanings[0], "name")
    assert not shared("a.googleapis.com").is_shared


async def test_operations_are_those_of_every_installed_api() -> None:
    knowledge = GrpcMethods(ROUTES, installed_services())
    call = await knowledge.find(GET_OPERATION)
    assert call is not None
    assert call.is_shared
    assert {meaning.host for meaning in call.meanings} >= {
        "logging.googleapis.com", "cloudresourcemanager.googleapis.com",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "name", "package"),
    [
        ("/example.v1.X/Get", "example.v1.X.Get", True),
        (
            "/google.logging.v2.LoggingServiceV2/New",
            "google.logging.v2.LoggingServiceV2.New",
            False,
        ),
    ],
    ids=["package", "call"],
)
def test_an_unknown_call_refuses_with_its_id(
    knowledge: GrpcMethods, path: str, name: str, package: bool
) -> None:
    route = knowledge.unknown(path)
    handler: Any = route.handler
    with pytest.raises(ApiError) as caught:
        handler(Call(name, {}, {}, world=None))  # type: ignore[arg-type]
    assert (route.method_id, caught.value.status) == (name, 501)
    assert name in caught.value.message
    assert ("is installed" in caught.value.message) is package


@pytest.mark.parametrize(
    ("service", "package"),
    [
        ("google.pubsub.v1.Publisher", "google-cloud-pubsub"),
        ("google.firestore.v1.Firestore", "google-cloud-firestore"),
        ("google.firestore.admin.v1.FirestoreAdmin", "google-cloud-firestore"),
        ("google.cloud.secretmanager.v1.SecretManagerService", "google-cloud-secret-manager"),
        ("google.cloud.bigquery.storage.v1.BigQueryRead", "google-cloud-bigquery-storage"),
        ("google.cloud.tasks.v2.CloudTasks", "google-cloud-tasks"),
        ("google.storage.v2.Storage", "google-cloud-storage"),
        ("google.storage.control.v2.StorageControl", "google-cloud-storage-control"),
        ("google.monitoring.v3.MetricService", "google-cloud-monitoring"),
        ("google.monitoring.dashboard.v1.DashboardsService", "google-cloud-monitoring-dashboards"),
        ("google.nothing.v1.Known", ""),
        ("example.v1.Unheard", ""),
        ("", ""),
    ],
)
def test_the_package_of_a_service_is_named(service: str, package: str) -> None:
    assert package_of(service) == package
