"""Message classes come from the clients that are installed; no connection is ever made."""

import sys
from types import MappingProxyType

import grpc
import pytest
from google.iam.v1 import iam_policy_pb2
from google.longrunning import operations_pb2
from google.protobuf import empty_pb2

from mockserver.fronts.grpc.registry import (
    Rpc,
    Service,
    _Recorder,
    installed_services,
    rpcs_of_service,
    services_in,
)

SERVICES = installed_services()


def rpcs(service: str) -> dict[str, Rpc]:
    return {rpc.name: rpc for rpc in rpcs_of_service(SERVICES[service])}


def test_calls_have_their_message_classes_and_their_host() -> None:
    found = rpcs("google.logging.v2.LoggingServiceV2")
    listing = found["ListLogEntries"]
    assert listing.host == "logging.googleapis.com"
    assert listing.service == "google.logging.v2.LoggingServiceV2"
    assert listing.request.DESCRIPTOR.full_name == "google.logging.v2.ListLogEntriesRequest"
    assert listing.response.DESCRIPTOR.full_name == "google.logging.v2.ListLogEntriesResponse"
    assert found["DeleteLog"].response is empty_pb2.Empty
    assert found.keys() == SERVICES["google.logging.v2.LoggingServiceV2"].kinds.keys()


def test_plain_requests_are_known_by_the_services_they_are_from() -> None:
    found = rpcs("google.cloud.resourcemanager.v3.Projects")
    assert found["GetIamPolicy"].request is iam_policy_pb2.GetIamPolicyRequest


def test_a_mixin_is_harvested_for_each_host_that_has_it() -> None:
    found = rpcs_of_service(SERVICES["google.longrunning.Operations"])
    getting = [rpc for rpc in found if rpc.name == "GetOperation"]
    hosts = {"logging.googleapis.com", "cloudresourcemanager.googleapis.com"}
    assert {rpc.host for rpc in getting} >= hosts
    assert {rpc.request for rpc in getting} == {operations_pb2.GetOperationRequest}
    cancelling = next(rpc for rpc in found if rpc.name == "CancelOperation")
    assert cancelling.response is empty_pb2.Empty


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_installed_service_can_be_harvested(name: str) -> None:
    found = {rpc.name for rpc in rpcs_of_service(SERVICES[name])}
    assert found >= SERVICES[name].kinds.keys()


def test_a_call_whose_request_class_nobody_names_is_left_out() -> None:
    module = "tests.mockserver.fronts.grpc.plain_transport"
    assert rpcs_of_service(Service("google.example.v1.Plain", (module,), {})) == ()


def test_the_recorder_is_a_channel_that_leads_nowhere() -> None:
    with _Recorder() as channel:
        assert isinstance(channel, grpc.Channel)
        channel.subscribe(print)
        channel.unsubscribe(print)
        assert channel.unary_unary("/x/Y", None, bytes)("anything") is None
    assert channel.stubs == {"/x/Y": (None, bytes)}


LOGGING = "google.logging.v2.LoggingServiceV2"
STUB = 'self._stubs["x"] = channel.{}(\n    "/google.x.v1.{}/{}", request_serializer=None)'


def test_services_are_read_from_the_text_of_transports() -> None:
    text = STUB.format("unary_unary", "X", "GetX") + STUB.format("stream_stream", "X", "Tail")
    found = services_in([("a.transports.grpc", text)])
    kinds = {"GetX": "unary_unary", "Tail": "stream_stream"}
    assert found == {
        "google.x.v1.X": Service("google.x.v1.X", ("a.transports.grpc",), MappingProxyType(kinds))
    }


def test_a_mixin_is_of_all_modules_that_call_it() -> None:
    text = STUB.format("unary_unary", "Ops", "Get")
    (service,) = services_in([("a", text), ("b", text), ("a", text)]).values()
    assert service.modules == ("a", "b")


def test_installed_packages_are_found_and_not_imported() -> None:
    before = {name for name in sys.modules if "logging_v2" in name}
    service = installed_services()[LOGGING]
    assert service.kinds["TailLogEntries"] == "stream_stream"
    assert service.modules == (
        "google.cloud.logging_v2.services.logging_service_v2.transports.grpc",
    )
    assert {name for name in sys.modules if "logging_v2" in name} == before
