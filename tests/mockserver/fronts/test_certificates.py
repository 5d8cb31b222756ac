import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from mockserver.fronts.certificates import Issuer, SignedNames, domain_of, new_key

NOW = datetime(2026, 3, 2, tzinfo=UTC)
WEEK = timedelta(days=7)
HOSTS = ["*.googleapis.com", "accounts.google.com", "metadata", "169.254.169.254"]


def leaf_of(issuer: Issuer, domain: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(issuer.leaf(domain, NOW, new_key()))


def test_it_satisfies_strict_verification() -> None:
    issuer = Issuer.new(NOW, WEEK, SignedNames.of(HOSTS))
    ca, leaf = issuer.certificate, leaf_of(issuer, "*.googleapis.com")
    leaf.verify_directly_issued_by(ca)
    constraints = ca.extensions.get_extension_for_class(x509.BasicConstraints)
    assert (constraints.critical, constraints.value.ca) == (True, True)
    assert ca.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    own = leaf.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    subject = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    assert own.key_identifier == subject.digest
    assert leaf.not_valid_before_utc < NOW < leaf.not_valid_after_utc == ca.not_valid_after_utc


def test_only_what_limits_a_certificate_is_critical() -> None:
    issuer = Issuer.new(NOW, WEEK, SignedNames.of(HOSTS))
    found = [
        {each.value.__class__.__name__: each.critical for each in certificate.extensions}
        for certificate in (issuer.certificate, leaf_of(issuer, "metadata"))
    ]
    assert found == [
        {"BasicConstraints": True, "KeyUsage": True, "SubjectKeyIdentifier": False,
         "NameConstraints": True},
        {"BasicConstraints": True, "SubjectAlternativeName": False, "ExtendedKeyUsage": False,
         "AuthorityKeyIdentifier": False},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("*.googleapis.com", ["*.googleapis.com", "googleapis.com"]),
        ("metadata", ["metadata"]),
    ],
)
def test_a_leaf_is_for_a_host_and_its_siblings(name: str, names: list[str]) -> None:
    leaf = leaf_of(Issuer.new(NOW, WEEK), name)
    found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert found.get_values_for_type(x509.DNSName) == names


def test_a_leaf_may_be_for_an_address() -> None:
    leaf = leaf_of(Issuer.new(NOW, WEEK), "127.0.0.1")
    found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(ip) for ip in found.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]


def test_a_leaf_lives_no_longer_than_clients_allow() -> None:
    leaf = leaf_of(Issuer.new(NOW, timedelta(days=3650)), "x")
    assert (leaf.not_valid_after_utc - NOW).days <= 397


@pytest.mark.parametrize(
    ("hosts", "domains"),
    [
        (HOSTS, {"googleapis.com", "accounts.google.com", "metadata"}),
        (["a.example.com", "*.example.com", "example.com"], {"example.com"}),
        (["API.Example.com.", "xexample.com"], {"api.example.com", "xexample.com"}),
        (["bedrock.*.amazonaws.com", "no host"], {"amazonaws.com"}),
        ([], set()),
        (["*"], None),
        (["api.example.*"], None),
    ],
)
def test_the_fewest_names_hold_all_hosts(hosts: list[str], domains: set[str] | None) -> None:
    found = SignedNames.of(hosts)
    assert (None if found is None else found.domains) == domains


LABELS = st.sampled_from(["a", "b", "ab", "com", "1.2.3.4"])
NAMES = st.lists(st.lists(LABELS, min_size=1, max_size=3).map(".".join), max_size=5)


@given(NAMES, NAMES)
def test_names_hold_their_hosts_and_what_is_left_are_the_others(
    some: list[str], others: list[str]
) -> None:
    one, other = SignedNames.of(some), SignedNames.of(others)
    assert one is not None
    assert other is not None
    assert all(one.hold(host) for host in some)
    left = one.without(other)
    assert all(left.hold(host) or other.hold(host) for host in some)
    assert bool(left) == (not all(other.hold(host) for host in some))


@pytest.mark.parametrize(
    ("hosts", "name", "accepted"),
    [
        (HOSTS, "*.googleapis.com", True),
        (HOSTS, "accounts.google.com", True),
        (HOSTS, "metadata", True),
        (HOSTS, "169.254.169.254", True),
        (HOSTS, "*.google.com", False),
        (HOSTS, "mybank.example.com", False),
        (HOSTS, "10.0.0.1", False),
        (HOSTS, "::1", False),
        (["a.example.com"], "127.0.0.1", False),
        (["127.0.0.1"], "a.example.com", False),
        (["*"], "mybank.example.com", True),
    ],
)
def test_openssl_refuses_what_is_not_among_the_names(
    tmp_path: Path, hosts: list[str], name: str, accepted: bool
) -> None:
    issuer = Issuer.new(NOW, WEEK, SignedNames.of(hosts))
    (tmp_path / "ca.pem").write_bytes(issuer.public)
    (tmp_path / "leaf.pem").write_bytes(issuer.leaf(name, NOW, new_key()))
    at = ("-attime", str(int(NOW.timestamp())))
    done = subprocess.run(
        ["openssl", "verify", "-x509_strict", *at, "-CAfile", "ca.pem", "leaf.pem"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) is accepted, done.stderr
    if not accepted:
        assert "permitted subtree violation" in done.stderr or "excluded" in done.stderr
    context = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    assert len(context.get_ca_certs()) == 1


@pytest.mark.parametrize(
    ("host", "domain"), [("A.Example.com.", "*.example.com"), ("::01", "::1"), ("x", "x")]
)
def test_a_domain_is_a_host_with_its_siblings(host: str, domain: str) -> None:
    assert domain_of(host) == domain
