"""The certificate authority of this machine's mock servers: made on first use, then kept.

Key and certificate are one file, so that two servers that make one at the same time end up with
the same: the first to link it wins, and both read what is there.
"""

from datetime import datetime, timedelta
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import FormatError
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


class Authority:
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

    def prepare(self) -> None:
        """Make what is not there yet, and bring the files for clients up to date.

        Raises:
            MockServerError: The folder cannot be written, or holds something else.
        """
        import certifi

        private_folder(self._folder)
        secret = self._folder / _SECRET
        if not secret.exists():
            write_whole(secret, _made(self._now), mode=0o600, replace=False)
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


def _made(now: datetime) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    key = _new_key()
    name = _name("Understudy mock server")
    built = (
        _draft(name, name, now, _YEARS)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_signing(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _pem(key, built.sign(key, hashes.SHA256()))


def _signing() -> "KeyUsage":
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
