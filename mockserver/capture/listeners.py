"""Where the clients of a capturing proxy come in: as to a web server, or as to a forward proxy."""

import asyncio
import os
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from typing_extensions import override

from mockserver.capture.grpc import GrpcForwarder
from mockserver.fronts.certificates import CertificateAuthority, TlsContexts
from mockserver.fronts.dispatch import ConnectionDispatcher
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.fronts.journal import ConnectionJournal
from mockserver.fronts.proxy import HANDSHAKE_S, ProxyConnection
from mockserver.fronts.proxy_requests import ProxyRequest
from mockserver.fronts.relay import GrpcRelay

if TYPE_CHECKING:
    from mockserver.capture.server import CaptureServer

Report = Callable[[str], None]


class ReverseListener:
    """Clients that ask the proxy as if it were the upstream.

    Args:
        listener: Where they come in.
        ready: Called once requests are answered.
    """

    def __init__(self, listener: socket.socket, ready: Callable[[], None]) -> None:
        self._listener = listener
        self._ready = ready

    def sockets(self) -> list[socket.socket]:
        """The listener."""
        return [self._listener]

    async def open(self, server: "CaptureServer") -> None:
        """Say that it is ready."""
        self._ready()

    async def close(self) -> None:
        """The server closes its listener itself."""


class ForwardListener:
    """Clients that were told of a proxy, by CONNECT or by absolute URLs; TLS is ended here.

    Args:
        listener: Where they come in.
        authority: Who signs for the hosts they ask for.
        grpc: Where HTTP/2 goes.
        ready: Called once requests are answered.
        report: Told of connections that came to nothing.
    """

    def __init__(
        self,
        listener: socket.socket,
        authority: CertificateAuthority,
        grpc: GrpcForwarder,
        *,
        ready: Callable[[], None],
        report: Report,
    ) -> None:
        self._listener = listener
        self._authority = authority
        self._grpc = grpc
        self._ready = ready
        self._report = report
        self._server: asyncio.Server | None = None
        self._switchboard: ConnectionDispatcher | None = None

    def sockets(self) -> list[socket.socket]:
        """None: connections reach the server once they are decrypted."""
        return []

    async def open(self, server: "CaptureServer") -> None:
        """Listen, and say that it is ready."""
        hosts = EveryHost()
        switchboard = self._switchboard = ConnectionDispatcher(
            hosts=hosts,
            contexts=TlsContexts(self._authority, hosts),
            notes=ReportedNotes(self._report),
            http=lambda session: server.protocol(server.config, server.server_state),
            grpc=GrpcRelay(self._grpc.address, self._grpc.peers),
        )
        self._server = await asyncio.get_running_loop().create_server(
            lambda: AnyoneConnection(switchboard), sock=self._listener
        )
        self._ready()

    async def close(self) -> None:
        """Accept no more, and let go of what has not asked anything yet."""
        if self._server is not None:
            self._server.close()
        if self._switchboard is not None:
            await self._switchboard.stop()
        await self._grpc.stop()


class EveryHost(Hosts):
    """Every host is answered for."""

    def __init__(self) -> None:
        """Nothing is listed."""

    @override
    def verdict(self, host: str) -> Verdict:
        return Verdict.EMULATED

    @override
    def reason(self, host: str) -> str:
        return f"{host} is not refused"


class ReportedNotes(ConnectionJournal):
    """Tells of connections that came to nothing; there are no journals.

    Args:
        report: Takes one line.
    """

    def __init__(self, report: Report) -> None:
        self._report = report

    @override
    def refused(self, user: str | None, authority: str, status: int, reason: str) -> None:
        self._report(f"CONNECT {authority}: {reason}")

    @override
    def tunnelled(self, user: str | None, authority: str) -> None:
        self._report(f"CONNECT {authority}: let through, nothing of it is seen")


class AnyoneConnection(ProxyConnection):
    """A connection to the proxy; its user, if it names one, means nothing.

    Args:
        switchboard: Where it is handed on.
    """

    def __init__(self, switchboard: ConnectionDispatcher) -> None:
        super().__init__(switchboard, None)  # type: ignore[arg-type]

    @override
    def _lead(self, head: ProxyRequest, rest: bytes) -> None:
        # in the place of a session stands what was asked for: HTTP/2 says it nowhere else
        super()._lead(replace(head, user=head.authority), rest)

    @override
    async def _secure(self, head: ProxyRequest) -> None:
        # behind CONNECT may be HTTP as it is: that of a WebSocket on a port of its own
        self._transport.pause_reading()
        first = await _first_byte(self._transport)
        if first in {_TLS_HANDSHAKE, b""}:
            self._transport.resume_reading()
            await super()._secure(head)
        else:
            self._switchboard.to_http(self._transport, head.user, b"")
            self._transport.resume_reading()

    @override
    def _check_session(self, user: str | None) -> None:
        """There are no sessions."""


_TLS_HANDSHAKE = b"\x16"


async def _first_byte(transport: asyncio.Transport) -> bytes:
    """What a client says first, which stays to be read; nothing where it says nothing in time."""
    own = transport.get_extra_info("socket")
    if own is None:
        return b""
    loop = asyncio.get_running_loop()
    with socket.socket(fileno=os.dup(own.fileno())) as peeked:
        readable = asyncio.Event()
        loop.add_reader(peeked.fileno(), readable.set)
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                await readable.wait()
            return peeked.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except (TimeoutError, OSError):
            return b""
        finally:
            loop.remove_reader(peeked.fileno())
