import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import certifi
import pytest
from cryptography import x509

from mockserver.errors import FormatError
from mockserver.fronts import authorities
from mockserver.fronts.authorities import (
    KEPT_LIFE,
    LIFE,
    KeptAuthority,
    OwnAuthority,
    SharedAuthority,
)
from mockserver.storage.server_folders import ServerFolder

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def kept(tmp_path: Path) -> KeptAuthority:
    made = KeptAuthority(tmp_path / "home", lambda: NOW)
    made.prepare()
    return made


def secret(authority: KeptAuthority) -> Path:
    return authority.certificate_file.with_name("ca-key-and-cert.pem")


def test_only_the_owner_reads_the_key(kept: KeptAuthority) -> None:
    assert secret(kept).stat().st_mode & 0o777 == 0o600
    assert secret(kept).parent.stat().st_mode & 0o777 == 0o700
    for public in (kept.certificate_file, kept.bundle_file):
        assert b"PRIVATE" not in public.read_bytes()


def test_what_is_kept_is_made_once(kept: KeptAuthority) -> None:
    before = secret(kept).read_bytes()
    secret(kept).chmod(0o644)
    kept.prepare()
    kept.close()
    assert secret(kept).read_bytes() == before
    assert secret(kept).stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_two_servers_that_start_at_once_have_the_same_one(tmp_path: Path) -> None:
    code = (
        "from datetime import UTC, datetime; from pathlib import Path; import sys;"
        "from mockserver.fronts.authorities import KeptAuthority;"
        "a = KeptAuthority(Path(sys.argv[1]), lambda: datetime(2026, 3, 2, tzinfo=UTC));"
        "a.prepare();"
        "print(a.certificate_file.read_text())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "home")]
    racing = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = {process.communicate()[0] for process in racing}
    assert len(outputs) == 1
    assert "BEGIN CERTIFICATE" in outputs.pop()


def test_the_bundle_holds_the_public_ones_too_and_follows_them(kept: KeptAuthority) -> None:
    roots = Path(certifi.where()).read_bytes()
    whole = kept.certificate_file.read_bytes() + roots
    assert kept.bundle_file.read_bytes() == whole
    kept.bundle_file.write_bytes(b"older")
    kept.prepare()
    assert kept.bundle_file.read_bytes() == whole
    assert len(ssl.create_default_context(cafile=kept.bundle_file).get_ca_certs()) > 50


@pytest.mark.parametrize(
    "content",
    [b"nothing", b"-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"],
    ids=["nothing", "half"],
)
def test_what_is_no_authority_is_told_with_its_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ca-key-and-cert.pem").write_bytes(content)
    with pytest.raises(FormatError, match=r"ca-key-and-cert\.pem: holds no .*; a new one"):
        KeptAuthority(tmp_path, lambda: NOW).prepare()


def test_a_key_of_another_kind_is_none_of_ours(kept: KeptAuthority) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    secret(kept).write_bytes(text + kept.certificate_file.read_bytes())
    with pytest.raises(FormatError):
        KeptAuthority(secret(kept).parent, lambda: NOW).prepare()


def test_one_that_has_ended_is_not_used(kept: KeptAuthority) -> None:
    later = KeptAuthority(secret(kept).parent, lambda: NOW + KEPT_LIFE)
    with pytest.raises(FormatError, match=r"ended on 2027-03-02 \(delete it; a new one"):
        later.prepare()


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[OwnAuthority, SharedAuthority])
def own(tmp_path: Path, clock: Clock, request: pytest.FixtureRequest) -> Iterator[OwnAuthority]:
    authority: OwnAuthority = request.param(ServerFolder(tmp_path / "servers", NOW), clock)
    yield authority
    authority.close()


def told(authority: OwnAuthority) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(authority.certificate_file.read_bytes())


def permitted(certificate: x509.Certificate) -> set[str]:
    found = certificate.extensions.get_extension_for_class(x509.NameConstraints)
    assert found.critical
    return {str(each.value) for each in found.value.permitted_subtrees or ()}


def issuer_of(authority: OwnAuthority, host: str) -> x509.Certificate:
    leaf = x509.load_pem_x509_certificate(authority.leaf(authority.domain_of(host)))
    for each in told(authority):
        if each.subject == leaf.issuer:
            leaf.verify_directly_issued_by(each)
            return each
    raise AssertionError(leaf.issuer)


def test_each_server_has_its_own_key_and_writes_it_nowhere(
    tmp_path: Path, own: OwnAuthority, clock: Clock
) -> None:
    other = OwnAuthority(ServerFolder(tmp_path / "servers", NOW), clock)
    for each in (own, other):
        each.prepare()
        each.leaf("x")
    assert told(own)[0].public_key() != told(other)[0].public_key()
    files = [path for path in (tmp_path / "servers").rglob("*") if path.is_file()]
    assert not any(b"PRIVATE" in path.read_bytes() for path in files)
    other.close()
    assert not other.certificate_file.parent.exists()
    assert own.certificate_file.exists()


def test_it_lives_for_days_and_clocks_may_be_behind(own: OwnAuthority) -> None:
    own.prepare()
    (made,) = told(own)
    assert made.not_valid_before_utc <= NOW - timedelta(days=1)
    assert made.not_valid_after_utc == NOW + LIFE < NOW + timedelta(days=14)


def test_it_is_for_the_hosts_of_its_server_alone(own: OwnAuthority) -> None:
    own.sign_for(lambda: ["*.googleapis.com", "api.orders.example.com", "169.254.169.254"])
    own.prepare()
    (made,) = told(own)
    names = {"googleapis.com", "api.orders.example.com", "169.254.169.254/32"}
    assert permitted(made) == names
    assert own.domain_of("logging.googleapis.com") == "*.googleapis.com"
    assert own.domain_of("API.orders.example.com") == "api.orders.example.com"


@pytest.mark.parametrize("hosts", [None, ["*"], ["a.example.com", "api.*"]])
def test_a_server_that_answers_for_any_host_has_one_for_any(
    own: OwnAuthority, hosts: list[str] | None
) -> None:
    if hosts:
        own.sign_for(lambda: hosts)
    own.prepare()
    (made,) = told(own)
    with pytest.raises(x509.ExtensionNotFound):
        made.extensions.get_extension_for_class(x509.NameConstraints)
    assert own.domain_of("a.example.com") == "*.example.com"


def test_hosts_that_come_later_get_one_more_and_the_others_keep_theirs(own: OwnAuthority) -> None:
    hosts = ["a.example.com"]
    own.sign_for(lambda: hosts)
    own.prepare()
    first = issuer_of(own, "a.example.com")
    hosts += ["b.example.com"]
    own.prepare()
    assert [permitted(each) for each in told(own)] == [{"a.example.com"}, {"b.example.com"}]
    assert issuer_of(own, "a.example.com") == first
    hosts += ["c.example.com"]
    assert permitted(issuer_of(own, "c.example.com")) == {"c.example.com"}
    before = own.bundle_file.stat().st_mtime_ns
    own.prepare()
    assert own.bundle_file.stat().st_mtime_ns == before
    hosts += ["*"]
    own.prepare()
    hosts += ["d.example.com"]
    own.prepare()
    assert len(told(own)) == 4
    assert issuer_of(own, "d.example.com") == told(own)[3]


def test_it_is_renewed_at_half_of_its_life_and_signs_as_long_as_it_lives(
    own: OwnAuthority, clock: Clock
) -> None:
    own.sign_for(lambda: ["a.example.com"])
    first = issuer_of(own, "a.example.com")
    clock.now += LIFE / 2
    own.prepare()
    assert len(told(own)) == 2
    assert issuer_of(own, "a.example.com") == first
    before = own.generation()
    clock.now += LIFE / 2
    assert own.generation() != before
    assert first not in told(own)
    assert issuer_of(own, "a.example.com").not_valid_after_utc > clock.now


@pytest.fixture
def shared(tmp_path: Path, clock: Clock) -> Iterator[SharedAuthority]:
    authority = SharedAuthority(ServerFolder(tmp_path / "servers", NOW), clock)
    authority.sign_for(lambda: ["a.example.com", "192.0.2.1"])
    yield authority
    authority.close()


def prepare_in_another_process(authority: SharedAuthority) -> None:
    """Let a process that is forked be the first that signs."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            authority.prepare()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_processes_of_one_server_sign_with_one_authority(
    shared: SharedAuthority, clock: Clock
) -> None:
    prepare_in_another_process(shared)
    (first,) = told(shared)
    assert issuer_of(shared, "a.example.com") == issuer_of(shared, "192.0.2.1") == first
    clock.now += LIFE / 2
    prepare_in_another_process(shared)
    assert shared.generation() == 0
    assert told(shared)[0] == first == issuer_of(shared, "a.example.com")
    assert len(told(shared)) == 2
    clock.now += LIFE / 2
    prepare_in_another_process(shared)
    assert shared.generation() == 1
    assert issuer_of(shared, "a.example.com") == told(shared)[0] != first


def test_what_a_process_that_was_killed_half_added_counts_for_nothing(
    shared: SharedAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(authorities, "_SIZE", _Killed())
        with pytest.raises(KeyboardInterrupt):
            shared.prepare()
    prepare_in_another_process(shared)
    assert issuer_of(shared, "a.example.com") in told(shared)


class _Killed:
    """Ends a process when all but the size was added."""

    size = 8

    def unpack_from(self, _memory: object) -> tuple[int]:
        return (0,)

    def pack_into(self, *_: object) -> None:
        raise KeyboardInterrupt


def test_keys_that_processes_share_are_in_no_file(shared: SharedAuthority, tmp_path: Path) -> None:
    prepare_in_another_process(shared)
    shared.leaf("a.example.com")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"PRIVATE" in path.read_bytes() for path in files)
