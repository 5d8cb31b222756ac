"""Messages of gRPC services packed into one file, which the build makes out of client packages.

The file is a line that names the format, a line of JSON that says which calls each service has and
where its descriptors begin, and the descriptors, those of each service compressed by themselves.
The build imports this module, so that it needs nothing but client packages.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from mockserver.fronts.grpc.registry import (
    MIXINS,
    Rpc,
    Service,
    installed_services,
    rpcs_of_service,
)

FILE = "grpc-descriptors.pack"
"""The file's name, in the folder of this module."""

_FORMAT = b"understudy descriptor pack 1\n"
_LEVEL = 9
_ONE = "unary_unary"


class PackedCall(NamedTuple):
    """One call of a packed service.

    Attributes:
        name: Its own name, `ListLogEntries`.
        kind: How many messages go each way: `unary_unary`, `stream_stream`, ...
        host: The API's host.
        request: The full name of its request.
        response: The full name of its answer.
    """

    name: str
    kind: str
    host: str
    request: str
    response: str


def write_pack(target: Path, packages: Iterable[Distribution]) -> int:
    """Write a pack.

    Args:
        target: The file to write.
        packages: Whose services are packed; their clients are imported.

    Returns:
        How many services are in it.
    """
    packages = tuple(packages)
    services, pieces, start = {}, [], 0
    for name, service in sorted(installed_services(packages).items()):
        files: dict[str, Any] = {}
        calls = []
        for rpc in rpcs_of_service(service):
            messages = rpc.request.DESCRIPTOR, rpc.response.DESCRIPTOR
            for message in messages:
                _add_file(files, message.file)
            names = (message.full_name for message in messages)
            calls.append(PackedCall(rpc.name, service.kinds.get(rpc.name, _ONE), rpc.host, *names))
        several = descriptor_pb2.FileDescriptorSet(file=files.values())
        piece = zlib.compress(several.SerializeToString(deterministic=True), _LEVEL)
        services[name] = {"start": start, "size": len(piece), "calls": sorted(calls)}
        pieces.append(piece)
        start += len(piece)
    versions = {package.name: package.version for package in packages}
    head = {"packages": versions, "services": services}
    text = json.dumps(head, separators=(",", ":")).encode()
    target.write_bytes(b"".join([_FORMAT, text, b"\n", *pieces]))
    return len(services)


def _add_file(files: dict[str, Any], file: Any) -> None:
    """Add a file behind those that it needs, always in the same order."""
    if file.name not in files:
        for each in sorted(file.dependencies, key=lambda each: str(each.name)):
            _add_file(files, each)
        made = descriptor_pb2.FileDescriptorProto.FromString(file.serialized_pb)
        if not made.public_dependency:  # which is by number
            made.dependency.sort()  # proto-plus keeps them in a set
        files[file.name] = made


class DescriptorPack:
    """A pack, read as late as possible; its messages are apart from those of installed packages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pool = descriptor_pool.DescriptorPool()

    @cached_property
    def _head(self) -> tuple[Mapping[str, Any], int]:
        """What the head says, and where the descriptors begin."""
        with self.path.open("rb") as file:
            if file.readline() != _FORMAT:
                raise ValueError(f"{self.path} is no pack of descriptors of this version")
            return json.loads(file.readline()), file.tell()

    @cached_property
    def services(self) -> Mapping[str, tuple[PackedCall, ...]]:
        """The calls of every service that it holds."""
        return {
            name: tuple(PackedCall(*each) for each in found["calls"])
            for name, found in self._head[0]["services"].items()
        }

    @property
    def packages(self) -> Mapping[str, str]:
        """The packages that the descriptors are from, and their versions."""
        found: Mapping[str, str] = self._head[0]["packages"]
        return found

    def rpcs(self, service: str) -> Iterator[Rpc]:
        """The calls of a service that it holds, with their messages.

        Yields:
            Each call, once for each host.
        """
        self._load(service)
        for each in self.services[service]:
            messages = (
                message_factory.GetMessageClass(self._pool.FindMessageTypeByName(name))
                for name in (each.request, each.response)
            )
            yield Rpc(f"/{service}/{each.name}", each.host, *messages)

    def _load(self, service: str) -> None:
        head, begin = self._head
        place = head["services"][service]
        with self.path.open("rb") as file:
            file.seek(begin + place["start"])
            content = zlib.decompress(file.read(place["size"]))
        for each in descriptor_pb2.FileDescriptorSet.FromString(content).file:
            self._pool.Add(each)  # again for what services share, which changes nothing


def known_services() -> Mapping[str, Service]:
    """Every gRPC service of the installed packages, and every other one of the pack, by name."""
    path = Path(__file__).with_name(FILE)
    installed = installed_services()
    return with_packed(installed, DescriptorPack(path)) if path.is_file() else installed


def with_packed(installed: Mapping[str, Service], pack: DescriptorPack) -> Mapping[str, Service]:
    """Services with those of a pack; mixins are of the hosts of both."""
    found = dict(installed)
    for name, calls in pack.services.items():
        packed = partial(pack.rpcs, name)
        own = installed.get(name)
        if own is None:
            found[name] = Service(name, (), {each.name: each.kind for each in calls}, packed)
        elif name in MIXINS:
            found[name] = replace(own, packed=packed)
    return found
