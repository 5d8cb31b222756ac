"""Which hosts a front answers for, which it lets through, and why it refuses the others."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from fnmatch import fnmatchcase

from mockserver.googleapi import Catalog

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

_ANY = "*"
_GLOB = frozenset("*?[")


class Verdict(Enum):
    """What becomes of a connection."""

    EMULATED = auto()
    TUNNELLED = auto()
    REFUSED = auto()


class Hosts:
    """The explicit list of emulated hosts, and those that the user lets through.

    Args:
        catalog: Knows regional hosts and `.mtls.` hosts for what they are.
        emulated: Globs of further hosts to answer for; the generic API serves them.
        tunnelled: Globs of hosts to let through.
        recorded: Whether a cassette has recordings of a host.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        emulated: Sequence[str] = (),
        tunnelled: Sequence[str] = (),
        recorded: Callable[[str], bool] = lambda host: False,
    ) -> None:
        self._catalog = catalog
        self._recorded = recorded
        self._own = (catalog.own_hosts() | FURTHER_HOSTS) - {_ANY}
        self._more = _lower(emulated)
        self._tunnelled = _lower(tunnelled)

    def verdict(self, host: str) -> Verdict:
        """What becomes of a connection to a host.

        A host that is let through by its full name is let through even if it is emulated; a glob
        only lets through what is not.
        """
        name = host.lower().rstrip(".")
        if name in self._tunnelled and not _GLOB & set(name):
            return Verdict.TUNNELLED
        if self._is_emulated(name):
            return Verdict.EMULATED
        if _matches(name, self._tunnelled):
            return Verdict.TUNNELLED
        return Verdict.REFUSED

    def names(self) -> tuple[str, ...]:
        """The emulated hosts as listed, regional and `.mtls.` forms left out."""
        return tuple(sorted({*self._own, *self._more}))

    def reason(self, host: str) -> str:
        """Why a host is refused, and what to do about it; one sentence."""
        ways = f"--tunnel {host} lets it through"
        if self._catalog.canonical(host):
            ways += f", --emulate {host} answers for it"
        return f"{host} is not emulated; nothing leaves this machine unless listed: {ways}"

    def _is_emulated(self, name: str) -> bool:
        known = self._catalog.canonical(name)
        return (
            name in self._own
            or known in self._own
            or _matches(name, self._more)
            or (bool(known) and _matches(known, self._more))
            or self._recorded(name)
        )


def _lower(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.lower().rstrip(".") for name in names)


def _matches(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
