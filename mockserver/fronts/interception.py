"""The fronts that end TLS in Google's name, as the server starts and stops them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.fronts.authority import Authority
from mockserver.fronts.contexts import Contexts
from mockserver.fronts.hosts import Hosts
from mockserver.fronts.http import SessionProtocol
from mockserver.fronts.nodepreload import NODE_PRELOAD
from mockserver.fronts.notes import Notes
from mockserver.fronts.proxy import HANDSHAKE_S, ProxyConnection
from mockserver.fronts.relay import Address, GrpcRelay, PeerSessions
from mockserver.fronts.switchboard import SHUTDOWN_S, Switchboard
from mockserver.fronts.tls import TlsConnection
from mockserver.http.server import bind
from mockserver.settings import Interception
from mockserver.storage.home import home_folder, private_folder, write_whole

if TYPE_CHECKING:
    import uvicorn

    from mockserver.http.application import Application

GrpcListener = Callable[["Application", "uvicorn.Server"], Awaitable[Address]]
"""Where the gRPC listener is; it may start it when it is first asked for."""

_PRELOAD = "node-preload.cjs"


@dataclass(frozen=True)
class Doors:
    """Which fronts there are, and for whom.

    Attributes:
        proxy_port: The port of the CONNECT proxy; 0 takes a free one, None leaves it out.
        tls_port: The port of the TLS listener; likewise.
        emulate: Globs of hosts to answer for beside those of the emulated APIs.
        tunnel: Globs of hosts to let through.
    """

    proxy_port: int | None = 0
    tls_port: int | None = None
    emulate: tuple[str, ...] = ()
    tunnel: tuple[str, ...] = ()


def prepare(now: datetime) -> tuple[Authority, Interception]:
    """Make the files that clients need, where they are not there yet.

    Raises:
        MockServerError: There is no folder for them that can be written.
    """
    folder = private_folder(home_folder(os.environ))
    authority = Authority(folder, now)
    authority.prepare()
    preload = folder / _PRELOAD
    _keep(preload, NODE_PRELOAD.encode())
    return authority, Interception(authority.certificate_file, authority.bundle_file, preload)


def _keep(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        write_whole(path, content, mode=0o644)


class InterceptionFront:
    """The proxy and the TLS listener.

    Args:
        doors: Which of them, and for which hosts.
        authority: Who signs for the hosts.
        grpc: Where HTTP/2 goes.
        peers: Where the session of each connection to it is kept.
    """

    def __init__(
        self, doors: Doors, authority: Authority, grpc: GrpcListener, peers: PeerSessions
    ) -> None:
        self._doors = doors
        self._authority = authority
        self._grpc = grpc
        self._peers = peers
        self._servers: list[asyncio.Server] = []
        self._switchboard: Switchboard | None = None

    async def start(self, application: "Application", server: "uvicorn.Server") -> None:
        """Listen.

        Raises:
            ServerUnavailableError: A port cannot be bound.
        """
        hosts = Hosts(
            application.dispatcher.routes.catalog,
            emulated=self._doors.emulate,
            tunnelled=self._doors.tunnel,
            recorded=application.library.is_recorded,
        )
        contexts = Contexts(self._authority, hosts)
        switchboard = self._switchboard = Switchboard(
            hosts=hosts,
            contexts=contexts,
            notes=Notes(application.sessions),
            http=lambda session: SessionProtocol(server.config, server.server_state, session),
            grpc=GrpcRelay(lambda: self._grpc(application, server), self._peers),
        )
        loop = asyncio.get_running_loop()
        ports, host = application.settings.fronts, application.settings.host
        if self._doors.proxy_port is not None:
            listener = bind(host, self._doors.proxy_port, "--proxy-port")
            self._servers.append(
                await loop.create_server(
                    lambda: ProxyConnection(switchboard, application.sessions), sock=listener
                )
            )
            ports["proxy"] = listener.getsockname()[1]
        if self._doors.tls_port is not None:
            listener = bind(host, self._doors.tls_port, "--tls-port")
            self._servers.append(
                await loop.create_server(
                    lambda: TlsConnection(switchboard),
                    sock=listener,
                    ssl=contexts.of(),
                    ssl_handshake_timeout=HANDSHAKE_S,
                    ssl_shutdown_timeout=SHUTDOWN_S,
                )
            )
            ports["tls"] = listener.getsockname()[1]

    async def stop(self) -> None:
        """Accept no more, and let go of what is open."""
        for server in self._servers:
            server.close()
        if self._switchboard is not None:
            await self._switchboard.stop()
