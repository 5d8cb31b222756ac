"""Which hosts a front answers for, which it lets through, and why it refuses the others."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from fnmatch import fnmatchcase

from mockserver.googleapi import Catalog
from mockserver.messages.sdk_telemetry import TELEMETRY_HOSTS, is_telemetry_host

FURTHER_HOSTS = frozenset(
    {
        "169.254.169.254",
        "accounts.google.com",
        "iamcredentials.googleapis.com",
        "metadata",
        "metadata.google.internal",
        "oauth2.googleapis.com",
        "openidconnect.googleapis.com",
        "sts.googleapis.com",
        "www.googleapis.com",
    }
)
"""What clients ask beside the APIs themselves: credentials, metadata, documents, batches."""

_GOOGLE = ("googleapis.com",)
"""All hosts of Discovery documents are below it."""

_ANY = "*"
_GLOB = frozenset("*?[")


class Verdict(Enum):
    """What becomes of a connection."""

    EMULATED = auto()
    TUNNELLED = auto()
    REFUSED = auto()


class Hosts:
    """The emulated hosts, those of every Discovery document, and those that the user lets through.

    Args:
        catalog: Knows the hosts of all documents, also regional hosts and `.mtls.` hosts.
        emulated: Globs of further hosts to answer for.
        tunnelled: Globs of hosts to let through.
        known: Whether a cassette has recordings of a host, or a stub names it.
        listed: Those hosts, or globs of them, as far as they are known by now.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        emulated: Sequence[str] = (),
        tunnelled: Sequence[str] = (),
        known: Callable[[str], bool] = lambda host: False,
        listed: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._catalog = catalog
        self._known = known
        self._listed = listed
        self._own = (catalog.own_hosts() | FURTHER_HOSTS) - {_ANY}
        self._more = _lower(emulated)
        self._tunnelled = _lower(tunnelled)

    def verdict(self, host: str) -> Verdict:
        """What becomes of a connection to a host.

        A host that is let through by its full name is let through even if it is emulated; a glob
        only lets through hosts of which no API is emulated with a semantic of its own.
        """
        name = host.lower().rstrip(".")
        if name in self._tunnelled and not _GLOB & set(name):
            return Verdict.TUNNELLED
        if self._is_emulated(name):
            return Verdict.EMULATED
        if _matches(name, self._tunnelled):
            return Verdict.TUNNELLED
        is_answered = self._catalog.is_host(name) or is_telemetry_host(name)
        return Verdict.EMULATED if is_answered else Verdict.REFUSED

    def is_wanted(self, host: str) -> bool:
        """Whether the user named a host as one to answer for."""
        return _matches(host.lower().rstrip("."), self._more)

    def emulated(self) -> frozenset[str]:
        """The hosts that are answered for, or globs of them, as they are known by now."""
        return self._own.union(_GOOGLE, TELEMETRY_HOSTS, self._more, set(self._listed()) - {_ANY})

    def reason(self, host: str) -> str:
        """Why a host is refused, and what to do about it; one sentence."""
        return (
            f"{host} is not emulated, and nothing leaves this machine: `hosts: [{host}]` in"
            f" apis/*.yaml or an `http` stub serves it, --tunnel {host} lets it through"
        )

    def _is_emulated(self, name: str) -> bool:
        canonical = self._catalog.canonical(name)
        return (
            name in self._own
            or canonical in self._own
            or _matches(name, self._more)
            or (bool(canonical) and _matches(canonical, self._more))
            or self._known(name)
        )


def _lower(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.lower().rstrip(".") for name in names)


def _matches(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
