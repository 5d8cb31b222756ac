"""Certificates of the fronts: the authority of this machine, and TLS in the name of any host.

The authority is made on first use, then kept. One TLS context serves each parent domain; contexts
are kept in memory.
"""

import ssl
import tempfile
from datetime import datetime, timedelta
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mockserver.errors import FormatError
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.storage.home import private_folder, write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import (
        Certificate,
        CertificateBuilder,
        KeyUsage,
        Name,
        SubjectAlternativeName,
    )


_SECRET = "ca-key-and-cert.pem"  # noqa: S105  (a file's name)
_PUBLIC = "ca.pem"
_BUNDLE = "ca-bundle.pem"
_YEARS = timedelta(days=3650)
_LEAF = timedelta(days=397)
_BACKDATED = timedelta(days=1)
"""Clocks of containers differ a little."""

_BEGIN = b"-----BEGIN CERTIFICATE-----"


class CertificateAuthority:
    """Signs for the hosts that a server stands in for.

    Args:
        folder: Where it is kept.
        now: Real time.
    """

    def __init__(self, folder: Path, now: datetime) -> None:
        self._folder = folder
        self._now = now

    @property
    def certificate_file(self) -> Path:
        """Its certificate alone, for clients that add it to the ones they trust."""
        return self._folder / _PUBLIC

    @property
    def bundle_file(self) -> Path:
        """Its certificate and the public ones, for clients whose trust is replaced by a file."""
        return self._folder / _BUNDLE

    def ensure_files(self) -> None:
        """Make what is not there yet, and bring the files for clients up to date.

        Raises:
            MockServerError: The folder cannot be written, or holds something else.
        """
        import certifi

        private_folder(self._folder)
        secret = self._folder / _SECRET
        if not secret.exists():
            write_whole(secret, _new_authority(self._now), mode=0o600, replace=False)
        elif secret.stat().st_mode & 0o077:
            secret.chmod(0o600)
        public = _certificate_part(secret)
        _keep_current(self.certificate_file, public)
        _keep_current(self.bundle_file, public + Path(certifi.where()).read_bytes())

    def leaf(self, name: str) -> bytes:
        """A key and a certificate for a host and its siblings, as PEM.

        Args:
            name: `*.googleapis.com` (then for `googleapis.com`, too), or a full name or address.
        """
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.x509.oid import ExtendedKeyUsageOID

        issuer_key, issuer = self._signer
        built = (
            _draft(_name(name.removeprefix("*.")), issuer.subject, self._now, _LEAF)
            .public_key(self._leaf_key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_alternatives(name), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
                critical=False,
            )
        )
        return _pem(self._leaf_key, built.sign(issuer_key, hashes.SHA256()))

    @cached_property
    def _leaf_key(self) -> "EllipticCurvePrivateKey":
        return _new_key()

    @cached_property
    def _signer(self) -> "tuple[EllipticCurvePrivateKey, Certificate]":
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        path = self._folder / _SECRET
        content = path.read_bytes()
        try:
            key = load_pem_private_key(content, None)
            certificate = x509.load_pem_x509_certificate(content)
        except ValueError as error:
            raise _unreadable(path) from error
        if not isinstance(key, EllipticCurvePrivateKey):
            raise _unreadable(path)
        return key, certificate


def _certificate_part(path: Path) -> bytes:
    content = path.read_bytes()
    start = content.find(_BEGIN)
    if start < 0:
        raise _unreadable(path)
    return content[start:]


def _unreadable(path: Path) -> FormatError:
    return FormatError(
        str(path), "holds no certificate authority", hint="delete it; a new one is made"
    )


def _keep_current(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        write_whole(path, content, mode=0o644)


def _new_authority(now: datetime) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    key = _new_key()
    name = _name("Understudy mock server")
    built = (
        _draft(name, name, now, _YEARS)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_signing_usage(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _pem(key, built.sign(key, hashes.SHA256()))


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


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    return generate_private_key(SECP256R1())


def _name(text: str) -> "Name":
    from cryptography.x509 import Name, NameAttribute
    from cryptography.x509.oid import NameOID

    return Name([NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _draft(subject: "Name", issuer: "Name", now: datetime, life: timedelta) -> "CertificateBuilder":
    from cryptography.x509 import CertificateBuilder, random_serial_number

    return (
        CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .serial_number(random_serial_number())
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + life)
    )


def _alternatives(name: str) -> "SubjectAlternativeName":
    from cryptography.x509 import DNSName, IPAddress, SubjectAlternativeName

    try:
        return SubjectAlternativeName([IPAddress(ip_address(name))])
    except ValueError:
        names = dict.fromkeys([name, name.removeprefix("*.")])
        return SubjectAlternativeName([DNSName(one) for one in names])


def _pem(key: "EllipticCurvePrivateKey", certificate: "Certificate") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return secret + certificate.public_bytes(Encoding.PEM)


HTTP1, HTTP2 = "http/1.1", "h2"
_OFFERED = [HTTP1, HTTP2]
"""In this order: only a client that speaks nothing but HTTP/2, as gRPC does, is given that."""

AnyContext = TypeVar("AnyContext", bound=ssl.SSLContext)

_WITHOUT_NAME = "*.googleapis.com"
_MOST = 256
"""Domains that are kept; the list of hosts may hold globs."""


class RefusingContext(ssl.SSLContext):
    """TLS in the name of a host that is not emulated, only to say so in words.

    An alert would not do: the loop drops the connection before it is sent.

    Attributes:
        host: The name that the client asked for.
    """

    host: str


class TlsContexts:
    """TLS contexts by the name that a client asks for.

    Args:
        authority: Who signs.
        hosts: For which hosts; other names get a `Refusing` context.
    """

    def __init__(self, authority: CertificateAuthority, hosts: Hosts) -> None:
        self._authority = authority
        self._hosts = hosts
        self._by_domain: dict[str, ssl.SSLContext] = {}

    def of(self, host: str = "") -> ssl.SSLContext:
        """The context to begin with: that of a host, or of Google's APIs when none is known.

        A client that then names another emulated host gets the certificate of that one.
        """
        domain = domain_of(host) if host else _WITHOUT_NAME
        found = self._by_domain.get(domain)
        if found is None:
            found = self._load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), domain)
            if len(self._by_domain) >= _MOST:
                del self._by_domain[next(iter(self._by_domain))]
            self._by_domain[domain] = found
        return found

    def _load(self, context: AnyContext, domain: str) -> AnyContext:
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(_OFFERED)
        context.sni_callback = self._choose_context
        # the ssl module reads certificates from files only
        with tempfile.TemporaryDirectory(prefix="mockserver-") as folder:
            file = Path(folder) / "leaf.pem"
            file.write_bytes(self._authority.leaf(domain))
            context.load_cert_chain(file)
        return context

    def _choose_context(
        self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext
    ) -> None:
        if name is None:
            return
        if self._hosts.verdict(name) is Verdict.EMULATED:
            wanted = self.of(name)
        else:
            wanted = self._refusing_context(name)
        if wanted is not context:
            connection.context = wanted

    def _refusing_context(self, name: str) -> RefusingContext:
        context = self._load(RefusingContext(ssl.PROTOCOL_TLS_SERVER), name)
        context.host = name
        return context


def domain_of(host: str) -> str:
    """What a host's certificate is for: its siblings too, or itself where it has no siblings.

    >>> domain_of("logging.googleapis.com"), domain_of("monitoring.us-central1.rep.googleapis.com")
    ('*.googleapis.com', '*.us-central1.rep.googleapis.com')
    >>> domain_of("metadata"), domain_of("127.0.0.1"), domain_of("google.com")
    ('metadata', '127.0.0.1', 'google.com')
    """
    name = host.lower().rstrip(".")
    try:
        return str(ip_address(name))
    except ValueError:
        parent = name.partition(".")[2]
        return f"*.{parent}" if "." in parent else name
