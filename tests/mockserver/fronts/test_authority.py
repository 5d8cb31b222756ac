import ssl
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import certifi
import pytest
from cryptography import x509

from mockserver.errors import FormatError
from mockserver.fronts.certificates import CertificateAuthority

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
