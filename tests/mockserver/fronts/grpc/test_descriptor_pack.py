"""The pack of the build against the client packages that it is made of."""

from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

import pytest

from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.descriptor_pack import DescriptorPack, with_packed, write_pack
from mockserver.fronts.grpc.registry import Rpc, Service, installed_services, rpcs_of_service
from mockserver.model import JsonObject

LOGGING, OPERATIONS = "google.logging.v2.LoggingServiceV2", "google.longrunning.Operations"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> DescriptorPack:
    path = tmp_path_factory.mktemp("pack") / "messages.pack"
    assert write_pack(path, [distribution("google-cloud-logging")]) == 4
    return DescriptorPack(path)


def by_path(services: Mapping[str, Service], name: str) -> dict[str, Rpc]:
    return {rpc.path: rpc for rpc in rpcs_of_service(services[name])}


def test_a_pack_has_the_calls_of_the_clients(pack: DescriptorPack) -> None:
    packed, installed = with_packed({}, pack), installed_services()
    assert packed[LOGGING].kinds == installed[LOGGING].kinds
    own, theirs = by_path(packed, LOGGING), by_path(installed, LOGGING)
    for path, rpc in theirs.items():
        assert own[path].host == rpc.host
        for ours, given in ((own[path].request, rpc.request), (own[path].response, rpc.response)):
            assert ours is not given
            assert ours.DESCRIPTOR.full_name == given.DESCRIPTOR.full_name


def test_installed_packages_come_first_and_mixins_are_of_both(pack: DescriptorPack) -> None:
    installed = installed_services([distribution("google-cloud-resource-manager")])
    both = with_packed({**installed, LOGGING: Service(LOGGING, (), {})}, pack)
    assert rpcs_of_service(both[LOGGING]) == ()
    hosts = {rpc.host for rpc in rpcs_of_service(both[OPERATIONS])}
    assert hosts == {"cloudresourcemanager.googleapis.com", "logging.googleapis.com"}


ENTRY: JsonObject = {
    "logName": "projects/p/logs/l", "timestamp": "2026-01-01T00:00:00.500Z",
    "jsonPayload": {"a": [1, None, {"b": True}]}, "httpRequest": {"latency": "1.500s"},
    "protoPayload": {"@type": "type.googleapis.com/google.protobuf.Empty", "value": {}},
}  # fmt: skip


@pytest.mark.parametrize("field", [each for each in ENTRY if each != "logName"])
def test_answers_are_written_with_packed_messages_as_with_installed_ones(
    pack: DescriptorPack, field: str
) -> None:
    answer = {"entries": [{"logName": ENTRY["logName"], field: ENTRY[field]}]}
    path = f"/{LOGGING}/ListLogEntries"
    written = [
        MessageWriter(by_path(services, LOGGING)[path].response).write(answer)
        for services in (with_packed({}, pack), installed_services())
    ]
    assert written[0] == written[1]
    assert written[0][1] == ()


def test_a_file_that_is_no_pack_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"something else\n{}\n")
    with pytest.raises(ValueError, match="no pack of descriptors"):
        _ = DescriptorPack(path).services
