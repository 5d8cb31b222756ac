"""Which gRPC services the installed client packages speak; read from their text, not imported."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

_TRANSPORT = "transports/grpc.py"
_STUB = re.compile(r'\.((?:unary|stream)_(?:unary|stream))\(\s*"/([\w.]+)/(\w+)"')


@dataclass(frozen=True)
class Service:
    """One gRPC service that some installed package has a client for.

    Attributes:
        name: With its package, `google.logging.v2.LoggingServiceV2`.
        modules: The transport modules that call it; several for a mixin that many APIs share.
        kinds: Name of each call to its kind: `unary_unary`, `stream_stream`, ...
    """

    name: str
    modules: tuple[str, ...]
    kinds: Mapping[str, str]


def installed_services() -> Mapping[str, Service]:
    """Every gRPC service of the installed packages, by name."""
    return services_in(_transports(distributions()))


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
