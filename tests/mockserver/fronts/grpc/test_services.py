"""Which services the installed packages speak."""

import sys
from types import MappingProxyType

from mockserver.fronts.grpc.registry import Service, installed_services, services_in

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
