import asyncio
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import certifi
import pytest
from cryptography import x509
from typing_extensions import override

from mockserver.errors import FormatError
from mockserver.fronts import certificates
from mockserver.fronts.certificates import (
    AnyContext,
    CertificateAuthority,
    RefusingContext,
    TlsContexts,
)
from tests.mockserver.fronts.conftest import ADMIN, Running
from tests.patience import PATIENCE_S

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def authority(tmp_path: Path) -> CertificateAuthority:
    made = CertificateAuthority(tmp_path / "home", NOW)
    made.ensure_files()
    return made


def secret(authority: CertificateAuthority) -> Path:
    return authority.certificate_file.with_name("ca-key-and-cert.pem")


def test_only_the_owner_reads_the_key(authority: CertificateAuthority) -> None:
    assert secret(authority).stat().st_mode & 0o777 == 0o600
    assert secret(authority).parent.stat().st_mode & 0o777 == 0o700
    for public in (authority.certificate_file, authority.bundle_file):
        assert b"PRIVATE" not in public.read_bytes()


def test_it_is_made_once(authority: CertificateAuthority) -> None:
    before = secret(authority).read_bytes()
    secret(authority).chmod(0o644)
    authority.ensure_files()
    assert secret(authority).read_bytes() == before
    assert secret(authority).stat().st_mode & 0o777 == 0o600


def test_two_servers_that_start_at_once_have_the_same_one(tmp_path: Path) -> None:
    code = (
        "from datetime import UTC, datetime; from pathlib import Path; import sys;"
        "from mockserver.fronts.certificates import CertificateAuthority;"
        "a = CertificateAuthority(Path(sys.argv[1]), datetime(2026, 3, 2, tzinfo=UTC));"
        "a.ensure_files();"
        "print(a.certificate_file.read_text())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "home")]
    racing = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = {process.communicate()[0] for process in racing}
    assert len(outputs) == 1
    assert "BEGIN CERTIFICATE" in outputs.pop()


def test_the_bundle_holds_the_public_ones_too_and_follows_them(
    authority: CertificateAuthority,
) -> None:
    roots = Path(certifi.where()).read_bytes()
    whole = authority.certificate_file.read_bytes() + roots
    assert authority.bundle_file.read_bytes() == whole
    authority.bundle_file.write_bytes(b"older")
    authority.ensure_files()
    assert authority.bundle_file.read_bytes() == whole


def test_it_satisfies_strict_verification(authority: CertificateAuthority) -> None:
    ca = x509.load_pem_x509_certificate(authority.certificate_file.read_bytes())
    leaf = x509.load_pem_x509_certificate(authority.leaf("*.googleapis.com"))
    leaf.verify_directly_issued_by(ca)
    constraints = ca.extensions.get_extension_for_class(x509.BasicConstraints)
    assert (constraints.critical, constraints.value.ca) == (True, True)
    assert ca.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    issuer = leaf.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    subject = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    assert issuer.key_identifier == subject.digest
    assert leaf.not_valid_before_utc < NOW < leaf.not_valid_after_utc
    assert (leaf.not_valid_after_utc - leaf.not_valid_before_utc).days <= 398


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("*.googleapis.com", ["*.googleapis.com", "googleapis.com"]),
        ("metadata", ["metadata"]),
    ],
)
def test_a_leaf_is_for_a_host_and_its_siblings(
    authority: CertificateAuthority, name: str, names: list[str]
) -> None:
    leaf = x509.load_pem_x509_certificate(authority.leaf(name))
    found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert found.get_values_for_type(x509.DNSName) == names


def test_a_leaf_may_be_for_an_address(authority: CertificateAuthority) -> None:
    leaf = x509.load_pem_x509_certificate(authority.leaf("127.0.0.1"))
    found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(ip) for ip in found.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]


@pytest.mark.parametrize(
    "content",
    [b"nothing", b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"],
    ids=["nothing", "half"],
)
def test_what_is_no_authority_is_told_with_its_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ca-key-and-cert.pem").write_bytes(content)

    def used() -> None:
        broken = CertificateAuthority(tmp_path, NOW)
        broken.ensure_files()
        broken.leaf("x")

    with pytest.raises(FormatError, match=r"ca-key-and-cert\.pem: holds no .*; a new one"):
        used()


def test_a_key_of_another_kind_is_none_of_ours(authority: CertificateAuthority) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    secret(authority).write_bytes(text + authority.certificate_file.read_bytes())
    with pytest.raises(FormatError):
        authority.leaf("x")


def test_clients_load_the_files(authority: CertificateAuthority) -> None:
    assert len(ssl.create_default_context(cafile=authority.certificate_file).get_ca_certs()) == 1
    assert len(ssl.create_default_context(cafile=authority.bundle_file).get_ca_certs()) > 50


NAMES = [
    ADMIN,
    "cloudidentity.mtls.googleapis.com",
    "cloudidentity.us-central1.rep.googleapis.com",
    "accounts.google.com",
    "metadata.google.internal",
]


@contextmanager
def secured(port: int, context: ssl.SSLContext, name: str | None) -> Iterator[ssl.SSLSocket]:
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection,
        context.wrap_socket(connection, server_hostname=name) as agreed,
    ):
        yield agreed


def version_of(port: int, context: ssl.SSLContext, name: str | None) -> str | None:
    with secured(port, context, name) as agreed:
        return agreed.version()


def protocol_of(port: int, context: ssl.SSLContext, name: str) -> str | None:
    with secured(port, context, name) as agreed:
        return agreed.selected_alpn_protocol()


def names_of(port: int, context: ssl.SSLContext, name: str) -> set[str]:
    with secured(port, context, name) as agreed:
        certificate = agreed.getpeercert()
    assert certificate is not None
    return {str(entry[1]) for entry in certificate["subjectAltName"]}


@pytest.mark.parametrize("name", NAMES)
async def test_each_host_has_a_certificate_that_its_clients_accept(
    running: Running, name: str
) -> None:
    found = await asyncio.to_thread(names_of, running.tls, running.trust(), name)
    assert f"*.{name.partition('.')[2]}" in found


async def test_without_a_name_the_certificate_is_that_of_the_apis(running: Running) -> None:
    trust = running.trust()
    trust.check_hostname = False
    version = await asyncio.to_thread(version_of, running.tls, trust, None)
    assert version in {"TLSv1.2", "TLSv1.3"}


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [((), None), (("h2", "http/1.1"), "http/1.1"), (("http/1.1",), "http/1.1"), (("h2",), "h2")],
    ids=["nothing", "both", "HTTP/1.1", "HTTP/2"],
)
async def test_http2_is_only_for_who_speaks_nothing_else(
    running: Running, offered: tuple[str, ...], agreed: str | None
) -> None:
    trust = running.trust(*offered)
    assert await asyncio.to_thread(protocol_of, running.tls, trust, ADMIN) == agreed


async def test_old_tls_is_not_spoken(running: Running) -> None:
    trust = running.trust()
    trust.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        trust.minimum_version = trust.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        await asyncio.to_thread(version_of, running.tls, trust, ADMIN)


def test_contexts_are_made_once_for_a_domain_and_not_kept_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    class Counting(TlsContexts):
        @override
        def _load(self, context: AnyContext, domain: str) -> AnyContext:
            made.append(domain)
            return context

    monkeypatch.setattr(certificates, "_MOST", 2)
    counting = Counting(None, None)  # type: ignore[arg-type]
    assert counting.of("a.example.com") is counting.of("b.example.com")
    for host in ("x", "y", "a.example.com", "y"):
        counting.of(host)
    assert made == ["*.example.com", "x", "y", "*.example.com"]


async def test_a_host_that_is_not_emulated_gets_a_context_that_says_so(running: Running) -> None:
    found = await asyncio.to_thread(names_of, running.tls, running.trust(), "api.example.com")
    assert found == {"api.example.com"}
    assert issubclass(RefusingContext, ssl.SSLContext)
