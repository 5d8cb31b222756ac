"""Certificates of the fronts: what an authority may sign for, and how it is made and signs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import (
        Certificate,
        CertificateBuilder,
        KeyUsage,
        Name,
        NameConstraints,
        SubjectAlternativeName,
    )


BACKDATED = timedelta(days=2)
"""Clocks of containers differ, and some were put back."""

_LEAF = timedelta(days=397)
_GLOB = frozenset("*?[")
_IS_NAME = re.compile(r"[a-z0-9_.*?\[\]!:-]+").fullmatch
_NO_DOMAIN = "understudy.invalid"


@dataclass(frozen=True)
class SignedNames:
    """The names that an authority may sign for.

    Attributes:
        domains: Each stands for itself and for all names below it.
        addresses: IP addresses.
    """

    domains: frozenset[str] = frozenset()
    addresses: frozenset[IPv4Address | IPv6Address] = frozenset()

    @classmethod
    def of(cls, hosts: Iterable[str]) -> "SignedNames | None":
        """The fewest names that hold some hosts, which may be globs; None where only all do.

        >>> sorted(SignedNames.of(["a.example.com", "*.example.com", "metadata"]).domains)
        ['example.com', 'metadata']
        >>> SignedNames.of(["api.*"]) is None
        True
        """
        domains, addresses = set(), set()
        for host in hosts:
            name = _plain(host)
            if not _IS_NAME(name):
                continue  # no client asks TLS for it
            try:
                addresses.add(ip_address(name))
                continue
            except ValueError:
                pass
            fixed = _fixed_part(name)
            if not fixed:
                return None
            domains.add(fixed)
        needed = {one for one in domains if not any(_is_below(one, other) for other in domains)}
        return cls(frozenset(needed), frozenset(addresses))

    def hold(self, name: str) -> bool:
        """Whether a host, or a domain as `domain_of` has it, is among them."""
        try:
            return ip_address(name) in self.addresses
        except ValueError:
            plain = _plain(name).removeprefix("*.")
            return any(plain == one or _is_below(plain, one) for one in self.domains)

    def without(self, other: "SignedNames") -> "SignedNames":
        """Those of these that others do not hold."""
        domains = frozenset(one for one in self.domains if not other.hold(one))
        return SignedNames(domains, self.addresses - other.addresses)

    def __bool__(self) -> bool:
        return bool(self.domains or self.addresses)


def _plain(host: str) -> str:
    return host.lower().rstrip(".")


def _is_below(name: str, domain: str) -> bool:
    return name.endswith(f".{domain}")


def _fixed_part(name: str) -> str:
    """The labels behind the last one that is a pattern."""
    labels = name.split(".")
    patterns = [number for number, label in enumerate(labels) if _GLOB & set(label)]
    return ".".join(labels[patterns[-1] + 1 :]) if patterns else name


@dataclass(frozen=True)
class Issuer:
    """A certificate that signs others, and its key.

    Attributes:
        key: The key.
        certificate: The certificate.
        names: What it may sign for; None for any name.
    """

    key: "EllipticCurvePrivateKey"
    certificate: "Certificate"
    names: SignedNames | None = None

    @classmethod
    def new(cls, now: datetime, life: timedelta, names: SignedNames | None = None) -> "Issuer":
        """Make one.

        Args:
            now: Real time.
            life: How long it is valid from now on.
            names: What it may sign for: clients refuse whatever else it would sign.
        """
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes

        key = new_key()
        public = key.public_key()
        identifier = x509.SubjectKeyIdentifier.from_public_key(public)
        name = _name(f"Understudy mock server {identifier.digest.hex()[:8]}")
        built = (
            _draft(name, name, now, now + life)
            .public_key(public)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_signing_usage(), critical=True)
            .add_extension(identifier, critical=False)
        )
        if names is not None:
            built = built.add_extension(_name_constraints(names), critical=True)
        return cls(key, built.sign(key, hashes.SHA256()), names)

    @classmethod
    def load(cls, secret: bytes, names: SignedNames | None = None) -> "Issuer":
        """Read one.

        Args:
            secret: The key and the certificate, PEM.
            names: What it may sign for; None for any name.

        Raises:
            ValueError: It is no elliptic key with a certificate.
        """
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        key = load_pem_private_key(secret, None)
        certificate = x509.load_pem_x509_certificate(secret)
        if not isinstance(key, EllipticCurvePrivateKey):
            raise ValueError(type(key).__name__)  # noqa: TRY004  (of bytes, not of an argument)
        return cls(key, certificate, names)

    @property
    def ends(self) -> datetime:
        """Until when it is valid."""
        return self.certificate.not_valid_after_utc

    @cached_property
    def public(self) -> bytes:
        """The certificate, PEM."""
        from cryptography.hazmat.primitives.serialization import Encoding

        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def secret(self) -> bytes:
        """The key and the certificate, PEM."""
        return _key_pem(self.key) + self.public

    def may_sign(self, name: str) -> bool:
        """Whether clients would accept a certificate of it for a host or a domain."""
        return self.names is None or self.names.hold(name)

    def leaf(self, domain: str, now: datetime, key: "EllipticCurvePrivateKey") -> bytes:
        """A certificate for a host, or for a host and its siblings, with its key, as PEM.

        Args:
            domain: `*.googleapis.com` (then for `googleapis.com`, too), or a full name or address.
            now: Real time.
            key: The key that is certified.
        """
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding
        from cryptography.x509.oid import ExtendedKeyUsageOID

        # an address would be read as the name of a host there
        subject = _name(f"host {domain}" if _is_address(domain) else domain.removeprefix("*."))
        ends = min(now + _LEAF, self.ends)
        own = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        built = (
            _draft(subject, self.certificate.subject, now, ends)
            .public_key(key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_alternatives(domain), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(own, critical=False)
        )
        signed = built.sign(self.key, hashes.SHA256())
        return _key_pem(key) + signed.public_bytes(Encoding.PEM)


def domain_of(host: str) -> str:
    """A host and its siblings, or the host itself where it has no siblings.

    >>> domain_of("logging.googleapis.com"), domain_of("monitoring.us-central1.rep.googleapis.com")
    ('*.googleapis.com', '*.us-central1.rep.googleapis.com')
    >>> domain_of("metadata"), domain_of("127.0.0.1"), domain_of("google.com")
    ('metadata', '127.0.0.1', 'google.com')
    """
    name = _plain(host)
    if _is_address(name):
        return str(ip_address(name))
    parent = name.partition(".")[2]
    return f"*.{parent}" if "." in parent else name


def new_key() -> "EllipticCurvePrivateKey":
    """A key for a certificate."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    return generate_private_key(SECP256R1())


def _name_constraints(names: SignedNames) -> "NameConstraints":
    """Only these names: a kind of name that is not mentioned would be free.

    Addresses are left free where clients may ask one by TLS, which is none of the metadata server's
    kind: BoringSSL, which gRPC and Chromium use, refuses every certificate of an address whose
    authority has constraints of addresses.
    """
    from cryptography.x509 import DNSName, IPAddress, NameConstraints

    domains = [DNSName(one) for one in sorted(names.domains)] or [DNSName(_NO_DOMAIN)]
    everywhere = [IPAddress(ip_network(one)) for one in ("0.0.0.0/0", "::/0")]
    if any(not one.is_link_local for one in names.addresses):
        return NameConstraints(domains, None)
    addresses = [IPAddress(ip_network(one)) for one in sorted(names.addresses, key=str)]
    return NameConstraints([*domains, *addresses], None if addresses else everywhere)


def _signing_usage() -> "KeyUsage":
    from cryptography.x509 import KeyUsage

    return KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name(text: str) -> "Name":
    from cryptography.x509 import Name, NameAttribute
    from cryptography.x509.oid import NameOID

    return Name([NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _draft(subject: "Name", issuer: "Name", now: datetime, ends: datetime) -> "CertificateBuilder":
    from cryptography.x509 import CertificateBuilder, random_serial_number

    return (
        CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .serial_number(random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(ends)
    )


def _alternatives(name: str) -> "SubjectAlternativeName":
    from cryptography.x509 import DNSName, IPAddress, SubjectAlternativeName

    if _is_address(name):
        return SubjectAlternativeName([IPAddress(ip_address(name))])
    names = dict.fromkeys([name, name.removeprefix("*.")])
    return SubjectAlternativeName([DNSName(one) for one in names])


def _key_pem(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
