"""The fronts that end TLS in Google's name, as the server starts and stops them."""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.errors import MockServerError
from mockserver.fronts.authorities import (
    CertificateAuthority,
    Clock,
    KeptAuthority,
    OwnAuthority,
    SharedAuthority,
)
from mockserver.fronts.connections import (
    SHUTDOWN_S,
    ConnectionDispatcher,
    SessionProtocol,
    TlsConnection,
)
from mockserver.fronts.hosts import Hosts
from mockserver.fronts.proxy import DOOR, HANDSHAKE_S, ProxyConnection, adopt
from mockserver.fronts.relay import Address, GrpcRelay, PeerSessions
from mockserver.fronts.tls_contexts import TlsContexts
from mockserver.http.server import bind
from mockserver.settings import Interception, Settings
from mockserver.storage.home import home_folder, private_folder, write_whole
from mockserver.storage.server_folders import ServerFolder

if TYPE_CHECKING:
    import uvicorn

    from mockserver.http.application import Application


_log = logging.getLogger(__name__)

NODE_PRELOAD = """\
'use strict';
// Lets the fetch of Node before 24 follow HTTPS_PROXY and NO_PROXY; later ones do so themselves.
const http = require('node:http');
const tls = require('node:tls');
const net = require('node:net');

const major = Number(process.versions.node.split('.')[0]);
const proxy = process.env.https_proxy || process.env.HTTPS_PROXY;
const direct = (process.env.no_proxy || process.env.NO_PROXY || '')
  .split(',').map((name) => name.trim().toLowerCase()).filter(Boolean);
const KEY = Symbol.for('undici.globalDispatcher.1');

function isDirect(host) {
  const name = host.toLowerCase().replace(/^\\[|\\]$/g, '');
  return direct.some((one) => one === '*' || name === one ||
    name.endsWith('.' + one.replace(/^\\*?\\./, '')));
}

function tunnel(options, callback) {
  const host = options.hostname;
  const secure = options.protocol === 'https:';
  const port = Number(options.port) || (secure ? 443 : 80);
  let done = false;
  const settle = (error, socket) => {
    if (!done) {
      done = true;
      callback(error, socket || null);
    }
  };
  const secured = (socket) => {
    const servername = options.servername || (net.isIP(host) ? undefined : host);
    const session = tls.connect({ socket, servername, ALPNProtocols: ['http/1.1'] });
    session.once('secureConnect', () => settle(null, session));
    session.once('error', settle);
  };
  if (isDirect(host)) {
    const socket = net.connect(port, host.replace(/^\\[|\\]$/g, ''));
    socket.once('error', settle);
    socket.once('connect', () => (secure ? secured(socket) : settle(null, socket)));
    return;
  }
  const to = new URL(proxy);
  const name = `${decodeURIComponent(to.username)}:${decodeURIComponent(to.password)}`;
  const headers = { host: `${host}:${port}` };
  if (to.username) {
    headers['proxy-authorization'] = 'Basic ' + Buffer.from(name).toString('base64');
  }
  const asked = http.request({
    host: to.hostname.replace(/^\\[|\\]$/g, ''), port: to.port || 80, method: 'CONNECT',
    path: `${host}:${port}`, headers, agent: false,
  });
  asked.once('error', settle);
  asked.once('connect', (answer, socket) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      settle(new Error(`proxy: ${answer.statusCode} ${answer.statusMessage}`));
    } else if (secure) {
      secured(socket);
    } else {
      settle(null, socket);
    }
  });
  asked.end();
}

if (proxy && major < 24 && typeof fetch === 'function') {
  try {
    fetch('data:,').catch(() => {}); // makes the dispatcher
    const Agent = globalThis[KEY].constructor;
    globalThis[KEY] = new Agent({ connect: tunnel });
  } catch (error) {
    process.emitWarning(`fetch does not follow the proxy: ${error.message}`);
  }
}
"""


GrpcListener = Callable[["Application", "uvicorn.Server"], Awaitable[Address]]
"""Where the gRPC listener is; it may start it when it is first asked for."""

_PRELOAD = "node-preload.cjs"
_SERVERS = "servers"
_PREPARED_S = 0.25
"""How soon after its start a server makes the files that clients of the one before it read."""

KEPT = "MOCKSERVER_CA"
"""The variable of the folder of an authority that is kept."""


@dataclass(frozen=True)
class InterceptionOptions:
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


def prepare_interception(
    clock: Clock, *, kept: Path | None = None, name: str = "", shared: bool = False
) -> tuple[CertificateAuthority, Interception]:
    """An authority, and the files that clients need; its own are made when they are told of.

    Args:
        clock: Real time.
        kept: The folder of an authority that is kept; without one, `$MOCKSERVER_CA` is, and without
            that a server has its own.
        name: Under which the next server finds the files at the same place; see `server_name`.
        shared: Whether processes that this one forks sign with it.

    Raises:
        MockServerError: There is no folder for them that can be written, or what is kept is none.
    """
    folder = private_folder(home_folder(os.environ))
    if kept is None and os.environ.get(KEPT):
        kept = Path(os.environ[KEPT])
    authority: CertificateAuthority
    if kept is not None:
        authority = KeptAuthority(kept.absolute(), clock)
        authority.prepare()
    else:
        make = SharedAuthority if shared else OwnAuthority
        authority = make(ServerFolder(folder / _SERVERS, clock(), name), clock)
    preload, program = folder / _PRELOAD, NODE_PRELOAD.encode()
    if not preload.exists() or preload.read_bytes() != program:
        write_whole(preload, program, mode=0o644)
    files = Interception(
        authority.certificate_file, authority.bundle_file, preload, authority.prepare
    )
    return authority, files


def server_name(host: str, port: int) -> str:
    """The name of a server's folder: that of its address; none for one that takes any port.

    >>> server_name("127.0.0.1", 8765), server_name("::1", 8765), server_name("127.0.0.1", 0)
    ('127.0.0.1-8765', '--1-8765', '')
    """
    plain = "".join(each if each.isalnum() or each == "." else "-" for each in host)
    return f"{plain}-{port}" if port else ""


class InterceptionFront:
    """The proxy and the TLS listener.

    Args:
        options: Which of them, and for which hosts.
        authority: Who signs for the hosts.
        grpc: Where HTTP/2 goes.
        peers: Where the session of each connection to it is kept.
        shared: Whether it is one of several processes at its ports: hosts that sessions add later
            are not answered for, as other processes may not know them.
    """

    def __init__(
        self,
        options: InterceptionOptions,
        authority: CertificateAuthority,
        grpc: GrpcListener,
        peers: PeerSessions,
        *,
        shared: bool = False,
    ) -> None:
        self._options = options
        self._authority = authority
        self._grpc = grpc
        self._peers = peers
        self._shared = shared
        self._listeners: dict[str, socket.socket] = {}
        self._servers: list[asyncio.Server] = []
        self._switchboard: ConnectionDispatcher | None = None
        self._preparation: asyncio.TimerHandle | None = None

    def bind(self, settings: Settings) -> None:
        """Take the ports, if not done; whoever forks does so before, for all of its processes.

        Raises:
            ServerUnavailableError: A port cannot be bound.
        """
        ports = {"proxy": self._options.proxy_port, "tls": self._options.tls_port}
        for name, port in ports.items():
            if port is not None and name not in self._listeners:
                listener = self._listeners[name] = bind(settings.host, port, f"--{name}-port")
                settings.fronts[name] = listener.getsockname()[1]

    async def start(self, application: "Application", server: "uvicorn.Server") -> None:
        """Listen.

        Raises:
            ServerUnavailableError: A port cannot be bound.
        """
        self.bind(application.settings)
        sessions = application.sessions
        fixed = frozenset(sessions.stub_hosts) if self._shared else None

        def stub_hosts() -> Collection[str]:
            return sessions.stub_hosts if fixed is None else fixed

        hosts = Hosts(
            application.dispatcher.routes.catalog,
            emulated=self._options.emulate,
            tunnelled=self._options.tunnel,
            known=lambda host: (
                application.library.is_recorded(host)
                or host in stub_hosts()
                or application.dispatcher.routes.models.serves(host)
            ),
            listed=lambda: chain(
                application.dispatcher.routes.declared.hosts,
                application.library.hosts,
                stub_hosts(),
                application.dispatcher.routes.models.hosts,
            ),
        )
        application.is_wanted = hosts.is_wanted
        placement = application.placement
        self._authority.sign_for(hosts.emulated)
        contexts = TlsContexts(self._authority, hosts)
        switchboard = self._switchboard = ConnectionDispatcher(
            hosts=hosts,
            contexts=contexts,
            notes=application.connections,
            http=lambda session: SessionProtocol(
                server.config, server.server_state, session, application.descriptors
            ),
            grpc=GrpcRelay(lambda: self._grpc(application, server), self._peers),
            placement=placement,
        )
        loop = asyncio.get_running_loop()
        if self._authority.is_expected:
            self._preparation = loop.call_later(_PREPARED_S, self._prepare)
        if (listener := self._listeners.get("proxy")) is not None:
            self._servers.append(
                await loop.create_server(lambda: ProxyConnection(switchboard), sock=listener)
            )
            if placement is not None:
                placement.doors[DOOR] = partial(adopt, switchboard)
        if (listener := self._listeners.get("tls")) is not None:
            direct = TlsContexts(self._authority, hosts, refused=switchboard.note_refused_host)
            self._servers.append(
                await loop.create_server(
                    lambda: TlsConnection(switchboard),
                    sock=listener,
                    ssl=direct.of(),
                    ssl_handshake_timeout=HANDSHAKE_S,
                    ssl_shutdown_timeout=SHUTDOWN_S,
                )
            )

    async def stop(self) -> None:
        """Accept no more, and let go of what is open."""
        if self._preparation is not None:
            self._preparation.cancel()
        for server in self._servers:
            server.close()
        for listener in self._listeners.values():
            listener.close()
        if self._switchboard is not None:
            await self._switchboard.stop()
        self._authority.close()

    def _prepare(self) -> None:
        try:
            self._authority.prepare()
        except (MockServerError, OSError) as error:  # the first one who needs it tries again
            _log.error("%s", error)
