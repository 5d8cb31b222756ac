"""Who signs the certificates of the fronts, and the files by which clients trust it.

A server has an authority of its own: its keys never leave the memory, it lives for days, and
clients accept it for the hosts that the server answers for alone. One that is kept in a folder is
for clients that cannot be told anew each time.
"""

import mmap
import os
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from typing_extensions import override

from mockserver.errors import FormatError
from mockserver.fronts.certificates import Issuer, SignedNames, domain_of, new_key
from mockserver.storage.home import private_folder, write_whole
from mockserver.storage.server_folders import ServerFolder

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey


LIFE = timedelta(days=7)
"""Of a server's own authority. A server that runs longer has another one at half of it."""

KEPT_LIFE = timedelta(days=365)
"""Of one that is kept."""

_SPARE = timedelta(hours=1)
_SECRET = "ca-key-and-cert.pem"  # noqa: S105  (a file's name)
_PUBLIC = "ca.pem"
_BUNDLE = "ca-bundle.pem"
_PREPARING = "preparing"
_SHARED_BYTES = 4 * 1024 * 1024
"""An issuer takes some thousand of them, and two come in a week."""

_SIZE = struct.Struct("Q")

Clock = Callable[[], datetime]
"""Real time."""

Hosts = Callable[[], Iterable[str]]
"""Hosts, or globs of hosts, as they are known by now."""


class CertificateAuthority(ABC):
    """Signs for the hosts that a server stands in for.

    Args:
        folder: Where its files are.
        clock: Real time.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    @property
    def certificate_file(self) -> Path:
        """Its certificate alone, for clients that add it to the ones they trust."""
        return self._folder / _PUBLIC

    @property
    def bundle_file(self) -> Path:
        """Its certificate and the public ones, for clients whose trust is replaced by a file."""
        return self._folder / _BUNDLE

    @abstractmethod
    def prepare(self) -> None:
        """Make the files for clients, or bring them up to date: whoever is told of them reads them.

        Raises:
            MockServerError: The folder cannot be written, or holds something else.
        """

    @property
    def is_expected(self) -> bool:
        """Whether clients may read the files without being told of them anew."""
        return False

    @abstractmethod
    def sign_for(self, hosts: Hosts) -> None:
        """Be told which hosts the server answers for; until then, it is any."""

    @abstractmethod
    def generation(self) -> int:
        """A number that changes when what was signed before is not to be used any more."""

    @abstractmethod
    def domain_of(self, host: str) -> str:
        """What the certificate of a host is for: its siblings too, where that can be."""

    @abstractmethod
    def leaf(self, domain: str) -> bytes:
        """A key and a certificate, as PEM.

        Args:
            domain: As `domain_of` has it.
        """

    @abstractmethod
    def close(self) -> None:
        """The server has ended."""

    @cached_property
    def _leaf_key(self) -> "EllipticCurvePrivateKey":
        return new_key()

    def _write_public(self, public: bytes) -> None:
        import certifi

        _keep_current(self.certificate_file, public)
        _keep_current(self.bundle_file, public + Path(certifi.where()).read_bytes())


class OwnAuthority(CertificateAuthority):
    """The authority of one server, gone with it.

    Args:
        folder: Where its public files are; removed at the end.
        clock: Real time.
    """

    def __init__(self, folder: ServerFolder, clock: Clock) -> None:
        super().__init__(folder.path, clock)
        self._place = folder
        self._hosts: Hosts | None = None
        self._seen: frozenset[str] = frozenset()
        self._issuers: list[Issuer] = []
        self._renewal: datetime | None = None
        self._generation = 0

    @property
    @override
    def is_expected(self) -> bool:
        return self._place.is_named

    @override
    def sign_for(self, hosts: Hosts) -> None:
        self._hosts = hosts

    @override
    def prepare(self) -> None:
        now = self._clock()
        hosts = frozenset(self._hosts() if self._hosts else ["*"])
        is_due = self._renewal is None or now >= self._renewal
        if hosts == self._seen and not is_due:
            return
        names = SignedNames.of(hosts)
        self._drop_ended(now)
        if not is_due:
            names = self._unsigned(names)
        if names is None or names:
            self._issuers.append(Issuer.new(now, LIFE, names))
            self._write_public(b"".join(each.public for each in self._issuers))
        if is_due:
            self._renewal = now + LIFE / 2
        self._seen = hosts

    def _unsigned(self, names: SignedNames | None) -> SignedNames | None:
        """The names that no authority signs for so far; those that have one keep it."""
        if names is None:
            is_any = any(each.names is None for each in self._issuers)
            return SignedNames() if is_any else None
        for each in self._issuers:
            names = SignedNames() if each.names is None else names.without(each.names)
        return names

    def _drop_ended(self, now: datetime) -> None:
        going_on = [each for each in self._issuers if each.ends - now > _SPARE]
        if len(going_on) != len(self._issuers):
            self._issuers = going_on
            self._generation += 1

    @override
    def generation(self) -> int:
        if self._renewal is not None and self._clock() >= self._renewal:
            self.prepare()
        return self._generation

    @override
    def domain_of(self, host: str) -> str:
        domain = domain_of(host)
        if not self._signs(domain) and not self._signs(host):
            self.prepare()  # what a session or a file has brought since
        return domain if self._signs(domain) else host.lower().rstrip(".")

    def _signs(self, name: str) -> bool:
        return any(each.may_sign(name) for each in self._issuers)

    @override
    def leaf(self, domain: str) -> bytes:
        if not self._issuers:
            self.prepare()
        # the oldest that can: it is the one that most clients have read
        able = [each for each in self._issuers if each.may_sign(domain)]
        return (able or self._issuers)[0].leaf(domain, self._clock(), self._leaf_key)

    @override
    def close(self) -> None:
        self._place.close()


class SharedAuthority(OwnAuthority):
    """The authority of a server of several processes: clients accept whichever of them signs.

    Its keys are in memory that only the process which made it has, and those that this one forks.
    What one of them makes is appended there under a lock that ends with its process; the size comes
    last, so that an addition that was cut short counts for nothing.

    Args:
        folder: Where its public files are.
        clock: Real time.
    """

    def __init__(self, folder: ServerFolder, clock: Clock) -> None:
        super().__init__(folder, clock)
        self._memory = mmap.mmap(-1, _SHARED_BYTES)
        self._known_bytes = 0

    @override
    def prepare(self) -> None:
        with self._alone():
            self._take_over()
            known = tuple(self._issuers)
            super().prepare()
            for issuer in self._issuers:
                if issuer not in known:
                    self._hand_on(issuer)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        import fcntl  # it is there wherever processes are forked

        lock = os.open(self._folder / _PREPARING, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _take_over(self) -> None:
        """Learn what other processes made."""
        (size,) = _SIZE.unpack_from(self._memory)
        start, end = _SIZE.size + self._known_bytes, _SIZE.size + size
        for line in self._memory[start:end].splitlines():
            secret, names, renewal = orjson.loads(line)
            signed = None
            if names is not None:
                domains, addresses = names
                signed = SignedNames(frozenset(domains), frozenset(map(ip_address, addresses)))
            self._issuers.append(Issuer.load(secret.encode(), signed))
            self._renewal = datetime.fromisoformat(renewal)
        if start < end:
            self._known_bytes = size
            self._drop_ended(self._clock())

    def _hand_on(self, issuer: Issuer) -> None:
        names = issuer.names
        listed = None
        if names is not None:
            listed = [sorted(names.domains), sorted(map(str, names.addresses))]
        line = orjson.dumps([issuer.secret.decode(), listed, self._renewal]) + b"\n"
        start = _SIZE.size + self._known_bytes
        self._memory[start : start + len(line)] = line
        self._known_bytes += len(line)
        _SIZE.pack_into(self._memory, 0, self._known_bytes)


class KeptAuthority(CertificateAuthority):
    """An authority that is made on first use and kept; it signs for any host.

    Whoever has its key can answer as any host to everybody who trusts it.
    """

    @override
    def prepare(self) -> None:
        private_folder(self._folder)
        secret = self._folder / _SECRET
        if not secret.exists():
            made = Issuer.new(self._clock(), KEPT_LIFE).secret
            write_whole(secret, made, mode=0o600, replace=False)
        elif secret.stat().st_mode & 0o077:
            secret.chmod(0o600)
        ends = self._issuer.ends
        if ends <= self._clock():
            raise FormatError(
                str(secret),
                f"the certificate authority ended on {ends:%Y-%m-%d}",
                hint="delete it; a new one is made, which clients must be given anew",
            )
        self._write_public(self._issuer.public)

    @override
    def sign_for(self, hosts: Hosts) -> None:
        """It signs for any host, as servers with other hosts share it."""

    @override
    def generation(self) -> int:
        return 0

    @override
    def domain_of(self, host: str) -> str:
        return domain_of(host)

    @override
    def leaf(self, domain: str) -> bytes:
        return self._issuer.leaf(domain, self._clock(), self._leaf_key)

    @override
    def close(self) -> None:
        """It outlives the server."""

    @cached_property
    def _issuer(self) -> Issuer:
        path = self._folder / _SECRET
        try:
            return Issuer.load(path.read_bytes())
        except ValueError as error:
            raise _unreadable(path) from error


def _unreadable(path: Path) -> FormatError:
    return FormatError(
        str(path), "holds no certificate authority", hint="delete it; a new one is made"
    )


def _keep_current(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        write_whole(path, content, mode=0o644)
