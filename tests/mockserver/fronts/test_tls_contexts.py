import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from mockserver.fronts import tls_contexts
from mockserver.fronts.authorities import LIFE, KeptAuthority, OwnAuthority
from mockserver.fronts.tls_contexts import AnyContext, TlsContexts
from mockserver.storage.server_folders import ServerFolder
from tests.mockserver.fronts.conftest import ADMIN, Running, asked
from tests.patience import PATIENCE_S

NOW = datetime(2026, 3, 2, tzinfo=UTC)

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
    assert {name, f"*.{name.partition('.')[2]}"} & found


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
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = []

    class Counting(TlsContexts):
        @override
        def _load(self, context: AnyContext, domain: str) -> AnyContext:
            made.append(domain)
            return context

    monkeypatch.setattr(tls_contexts, "_MOST", 2)
    authority = KeptAuthority(tmp_path, lambda: NOW)
    counting = Counting(authority, None)  # type: ignore[arg-type]
    assert counting.of("a.example.com") is counting.of("b.example.com")
    for host in ("x", "y", "a.example.com", "y"):
        counting.of(host)
    assert made == ["*.example.com", "x", "y", "*.example.com"]


async def test_a_host_that_is_not_emulated_is_refused_by_clients_and_noted(
    running: Running,
) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        await asyncio.to_thread(names_of, running.tls, running.trust(), "api.example.com")
    (entry,) = running.entries()
    assert (entry["host"], entry["status"]) == ("api.example.com", 403)


async def test_a_client_that_verifies_nothing_hears_why(running: Running) -> None:
    streams = await asyncio.open_connection(
        "127.0.0.1", running.tls, ssl=running.blind(), server_hostname="api.example.com"
    )
    assert b"api.example.com is not emulated" in await asked(streams, "api.example.com")
    assert len(running.entries()) == 1


def test_what_an_ended_authority_signed_is_not_shown_any_more(tmp_path: Path) -> None:
    now = [NOW]
    place = ServerFolder(tmp_path / "servers", NOW)
    authority = OwnAuthority(place, lambda: now[0])
    contexts = TlsContexts(authority, None)  # type: ignore[arg-type]
    first = contexts.of("a.example.com")
    now[0] += LIFE / 2
    assert contexts.of("a.example.com") is first
    now[0] += LIFE / 2
    assert contexts.of("a.example.com") is not first
    place.close()
