"""gRPC services of the installed client packages, and their calls with the message classes.

Which services a package speaks is read from its text, not imported; the calls of a service are
those that its installed client would make.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import grpc
from google.longrunning import operations_pb2
from google.protobuf import descriptor_pool, empty_pb2, message_factory
from typing_extensions import override

_TRANSPORT = "transports/grpc.py"
_STUB = re.compile(r'\.((?:unary|stream)_(?:unary|stream))\(\s*"/([\w.]+)/(\w+)"')


@dataclass(frozen=True)
class Service:
    """One gRPC service that some installed package has a client for, or that is packed.

    Attributes:
        name: With its package, `google.logging.v2.LoggingServiceV2`.
        modules: The transport modules that call it; several for a mixin that many APIs share.
        kinds: Name of each call to its kind: `unary_unary`, `stream_stream`, ...
        packed: Makes the calls that no module has.
    """

    name: str
    modules: tuple[str, ...]
    kinds: Mapping[str, str]
    packed: "Callable[[], Iterable[Rpc]]" = tuple


def installed_services(packages: Iterable[Distribution] | None = None) -> Mapping[str, Service]:
    """Every gRPC service of some packages, or of all that are installed, by name."""
    return services_in(_transports(distributions() if packages is None else packages))


def services_in(transports: Iterable[tuple[str, str]]) -> Mapping[str, Service]:
    """The services that transport modules call.

    Args:
        transports: Name and text of each module.

    >>> text = 'self._stubs["x"] = channel.unary_unary("/google.x.v1.X/GetX", ...)'
    >>> services_in([("google.x.transports.grpc", text)])["google.x.v1.X"].kinds
    {'GetX': 'unary_unary'}
    """
    modules: dict[str, dict[str, None]] = {}
    kinds: dict[str, dict[str, str]] = {}
    for module, text in transports:
        for kind, service, name in _STUB.findall(text):
            modules.setdefault(service, {})[module] = None
            kinds.setdefault(service, {})[name] = kind
    return {name: Service(name, tuple(found), kinds[name]) for name, found in modules.items()}


def _transports(installed: Iterable[Distribution]) -> Iterator[tuple[str, str]]:
    for distribution in installed:
        # the list of files as text: parsing that of every package would take far longer
        record = distribution.read_text("RECORD") or ""
        for line in record.splitlines() if _TRANSPORT in record else ():
            name = line.partition(",")[0]
            if name.endswith(f"/{_TRANSPORT}"):
                path = Path(str(distribution.locate_file(name)))
                module = name.removesuffix(".py").replace("/", ".")
                yield module, path.read_text(encoding="utf-8")


MIXINS = (
    "google.longrunning.Operations",
    "google.iam.v1.IAMPolicy",
    "google.cloud.location.Locations",
)
"""Services whose requests other services take, too."""

_POOL = descriptor_pool.Default()
_KNOWN = operations_pb2
"""Imported so that the pool has its descriptors."""


@dataclass(frozen=True, eq=False)
class Rpc:
    """One call of a gRPC service; equal only to itself.

    Attributes:
        path: As sent, `/google.logging.v2.LoggingServiceV2/ListLogEntries`.
        host: The API's host, `logging.googleapis.com`.
        request: The class of its request.
        response: The class of its answer.
    """

    path: str
    host: str
    request: Any
    response: Any

    @property
    def name(self) -> str:
        """The call's own name, `ListLogEntries`."""
        return self.path.rpartition("/")[2]

    @property
    def service(self) -> str:
        """The service's name with its package."""
        return self.path[1:].partition("/")[0]


def rpcs_of_service(service: Service) -> tuple[Rpc, ...]:
    """The calls of a service, once for each host that has it; clients are imported."""
    found: dict[tuple[str, str], Rpc] = {}
    for module in service.modules:
        for rpc in _calls_of(module):
            if rpc.service == service.name:
                found.setdefault((rpc.path, rpc.host), rpc)
    for rpc in service.packed():
        found.setdefault((rpc.path, rpc.host), rpc)
    return tuple(found.values())


def _calls_of(module: str) -> Iterator[Rpc]:
    transport = _transport_class(module)
    for path, (serializer, deserializer) in _stubs(transport).items():
        request = _request_class(path, serializer)
        if request is not None:
            yield Rpc(path, transport.DEFAULT_HOST, request, _response_class(deserializer))


def _transport_class(module: str) -> Any:
    names = vars(import_module(module))
    return next(
        each
        for name, each in names.items()
        if name.endswith("GrpcTransport") and each.__module__ == module
    )


class _Recorder(grpc.Channel):  # type: ignore[misc]
    """A channel that leads nowhere and notes which stubs are asked for."""

    def __init__(self) -> None:
        self.stubs: dict[str, tuple[Any, Any]] = {}

    def _note(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None,
        *_: Any, **__: Any,
    ) -> Callable[..., None]:  # fmt: skip
        self.stubs[method] = (request_serializer, response_deserializer)
        return _stub

    unary_unary = unary_stream = stream_unary = stream_stream = _note

    @override
    def subscribe(self, callback: Any, try_to_connect: bool = False) -> None:
        """Nothing will ever change."""

    @override
    def unsubscribe(self, callback: Any) -> None:
        """Nothing was subscribed to."""

    @override
    def close(self) -> None:
        """Nothing is open."""

    @override
    def __enter__(self) -> "_Recorder":
        return self

    @override
    def __exit__(self, *_: object) -> None:
        self.close()


def _stub(*_: Any, **__: Any) -> None:
    """A stub that nobody calls."""


def _stubs(transport: Any) -> Mapping[str, tuple[Any, Any]]:
    channel = _Recorder()
    made = transport(channel=channel)
    # newer clients wrap their channel, and the wrapper forgets the serializers
    vars(made).update(_logged_channel=channel, _stubs={})
    channel.stubs.clear()
    for name in dir(transport):
        if isinstance(getattr(transport, name), property):
            getattr(made, name)
    return channel.stubs


def _request_class(path: str, serializer: Any) -> Any:
    owner = getattr(serializer, "__self__", None)
    return _plain(owner) if owner is not None else _mixin_request(path.rpartition("/")[2])


def _mixin_request(name: str) -> Any:
    """The request class of a call that takes a plain message: its serializer does not name it."""
    for mixin in MIXINS:
        try:
            method = _POOL.FindServiceByName(mixin).methods_by_name.get(name)
        except KeyError:
            continue
        if method is not None:
            return message_factory.GetMessageClass(method.input_type)
    return None


def _response_class(deserializer: Any) -> Any:
    owner = getattr(deserializer, "__self__", None)
    return empty_pb2.Empty if owner is None else _plain(owner)


def _plain(message: Any) -> Any:
    """The generated class below a wrapped one."""
    return message.pb() if hasattr(message, "pb") else message
