"""A mock server inside this process: no port, an event loop in a thread of its own.

Connections are pairs of sockets, of which the client has one end; the server speaks HTTP on the
other as it does on a port. So streams, broken connections and delays are as clients know them.
"""

import asyncio
import atexit
import os
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from dataclasses import replace
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit
from weakref import WeakSet

from typing_extensions import override

from mockserver.asgi.addresses import url_of
from mockserver.asgi.server import HttpServer
from mockserver.errors import MockServerError
from mockserver.fronts.connections import SessionProtocol
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.http.application import Application
from mockserver.http.server import bind, real_time
from mockserver.sessions.connection_journal import ConnectionJournal, ConnectionNote
from mockserver.sessions.session import Session
from mockserver.settings import Settings
from mockserver.testing.transports.routes import UnservedHostError, go_directly, is_loopback

T = TypeVar("T")

IN_PROCESS_URL = "http://mockserver.localhost"
"""The server's URL for clients of this process, where it has no port."""

_TOKEN_BYTES = 32
_STOP_S = 2.0


class ServerLoop:
    """An event loop in a daemon thread; what runs there asks the network itself.

    Attributes:
        servers: Those that it runs.
    """

    def __init__(self) -> None:
        self.servers: WeakSet[InProcessServer] = WeakSet()
        self._ready = threading.Event()
        self._pid = os.getpid()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="mock server", daemon=True)
        self._failure: BaseException | None = None
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise MockServerError(
                f"the mock cannot be started in this process: {self._failure}",
                hint="with pytest-socket, give --allow-unix-socket",
            ) from self._failure

    @property
    def usable(self) -> bool:
        """Whether it runs in this process: a fork has none of its parent's threads."""
        return self._pid == os.getpid() and self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something there, and wait for it."""
        return asyncio.run_coroutine_threadsafe(_on_network(work), self._loop).result()

    def soon(self, work: Callable[[], object]) -> None:
        """Call something there, without waiting."""
        self._loop.call_soon_threadsafe(work, context=_network_context())

    def stop(self) -> None:
        """End the loop and its thread."""
        if self.usable and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_STOP_S)

    def _run(self) -> None:
        go_directly()
        try:
            with asyncio.Runner(loop_factory=_new_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001  (told to who waits for the loop)
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()
        for server in tuple(self.servers):
            server.abort_connections()
        await asyncio.sleep(0)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # pragma: no cover  (Windows)
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _on_network(work: Awaitable[T]) -> T:
    go_directly()
    return await work


def _network_context() -> Context:
    context = Context()
    context.run(go_directly)
    return context


_lock = threading.Lock()
_loop: ServerLoop | None = None


def server_loop() -> ServerLoop:
    """The event loop of this process's servers; it is started when it is first asked for."""
    global _loop
    with _lock:
        if _loop is None or not _loop.usable:
            _loop = ServerLoop()
            atexit.register(_loop.stop)
        return _loop


class PairProtocol(SessionProtocol):
    """One end of a pair of sockets, whose other end means HTTP or HTTPS."""

    def __init__(self, server: HttpServer, session: str | None, *, secure: bool) -> None:
        super().__init__(server.config, server.server_state, session)
        self._secure = secure

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self.scheme = "https" if self._secure else "http"


class InProcessServer:
    """An ASGI application that clients of this process reach by pairs of sockets.

    Args:
        application: The application.

    Attributes:
        loop: Where it runs.
    """

    def __init__(self, application: Any) -> None:
        self.loop = server_loop()
        self.http = HttpServer(application, log_config=None, log_level="critical")
        self.http.config.load()
        self.http.lifespan = self.http.config.lifespan_class(self.http.config)
        self.http.servers = []
        self.loop.run(self._begin())

    def connect(self, session: str | None, *, secure: bool) -> socket.socket:
        """The client's end of a new connection.

        Args:
            session: Whose it is.
            secure: Whether the client means HTTPS.
        """
        ours, theirs = socket.socketpair()

        def accept() -> None:
            protocol = PairProtocol(self.http, session, secure=secure)
            accepting = asyncio.ensure_future(
                asyncio.get_running_loop().connect_accepted_socket(lambda: protocol, ours)
            )
            self._accepting.add(accepting)
            accepting.add_done_callback(self._accepting.discard)

        self.loop.soon(accept)
        return theirs

    def abort_connections(self) -> None:
        """Hang up on all clients; called on the loop."""
        for connection in tuple(self.http.server_state.connections):
            connection.transport.abort()

    def close(self) -> None:
        """Hang up, and stop."""
        self.loop.run(self._end())

    async def _begin(self) -> None:
        self._accepting: set[asyncio.Future[Any]] = set()
        self._ticking = asyncio.create_task(self.http.main_loop())
        self.loop.servers.add(self)

    async def _end(self) -> None:
        self.abort_connections()
        self.http.should_exit = True
        await self._ticking


class EmulatorServer(InProcessServer):
    """The emulated APIs inside this process.

    Args:
        settings: What to serve.
        tunnel: Hosts that clients reach themselves; globs.
        listen: Whether it also has a port and a proxy, for programs that this process starts.

    Attributes:
        application: What answers.
        url: Its URL.

    Raises:
        MockServerError: The suite cannot be served, or a port or the certificates cannot be had.
    """

    def __init__(
        self, settings: Settings, *, tunnel: tuple[str, ...] = (), listen: bool = False
    ) -> None:
        self._fronts: list[Any] = []
        self._listener: socket.socket | None = None
        self._tunnel = tunnel
        self.url = IN_PROCESS_URL
        if listen:
            settings = self._prepare_listening(settings)
        self.application = Application(settings, real=real_time)
        super().__init__(self.application)
        if listen:
            self.loop.run(self._listen())

    def hosts_of(self, session: Session) -> Hosts:
        """Which hosts a session answers for: of APIs, of its stubs and of its recordings."""
        routes, library = self.application.dispatcher.routes, self.application.library
        known = {
            *session.base.stub_hosts,
            *routes.declared.hosts,
            urlsplit(IN_PROCESS_URL).hostname,
        }
        plays = bool(session.spec.cassettes)
        return Hosts(
            routes.catalog,
            tunnelled=self._tunnel,
            known=lambda host: (
                host in known or routes.models.serves(host) or (plays and library.is_recorded(host))
            ),
        )

    def _prepare_listening(self, settings: Settings) -> Settings:
        from mockserver.fronts.grpc import GrpcListener
        from mockserver.fronts.interception import (
            InterceptionFront,
            InterceptionOptions,
            prepare_interception,
        )
        from mockserver.fronts.relay import PeerSessions

        authority, files = prepare_interception(real_time)
        peers = PeerSessions()
        grpc = GrpcListener(None, peers)
        options = InterceptionOptions(proxy_port=0, tunnel=self._tunnel)
        self._fronts = [InterceptionFront(options, authority, grpc.address, peers), grpc]
        listener = self._listener = bind(settings.host, 0)
        port = listener.getsockname()[1]
        self.url = url_of(settings.host, port)
        return replace(
            settings,
            port=port,
            interception=files,
            fronts={},
            token=secrets.token_urlsafe(_TOKEN_BYTES),
        )

    async def _listen(self) -> None:
        assert self._listener is not None  # noqa: S101
        await self.http.startup(sockets=[self._listener])
        for front in self._fronts:
            await front.start(self.application, self.http)

    @override
    async def _end(self) -> None:
        for front in reversed(self._fronts):
            await front.stop()
        await super()._end()
        for server in self.http.servers:
            server.close()
        if self._listener is not None:
            self._listener.close()


class SessionRoute:
    """Leads to a session of a server in this process.

    Args:
        server: The server.
        session: The session.
    """

    def __init__(self, server: EmulatorServer, session: Session) -> None:
        self._server = server
        self._session = session.id
        self._hosts = server.hosts_of(session)
        self._journal = ConnectionJournal(server.application.sessions)

    def leads(self, host: str) -> bool:
        """Whether the mock answers for a host, or refuses it; others are left to the network."""
        verdict = self._hosts.verdict(host)
        return verdict is Verdict.EMULATED or (verdict is Verdict.REFUSED and not is_loopback(host))

    def open(self, host: str, port: int, *, secure: bool, timeout: float | None) -> socket.socket:
        """A connection of the session.

        Raises:
            UnservedHostError: Nothing answers for the host.
        """
        if self._hosts.verdict(host) is Verdict.REFUSED:
            reason = unserved_reason(host)
            note = ConnectionNote(f"{host}:{port}", 403, reason)
            self._server.loop.soon(lambda: self._journal.write(self._session, note))
            raise UnservedHostError(reason)
        return self._server.connect(self._session, secure=secure)


class ServerRoute:
    """Leads everything but this machine's own names to a server in this process.

    Args:
        server: The server.
        is_left_alone: Whether clients reach a host themselves.
    """

    def __init__(self, server: InProcessServer, is_left_alone: Callable[[str], bool]) -> None:
        self._server = server
        self._is_left_alone = is_left_alone

    def leads(self, host: str) -> bool:
        """Whether connections to a host take this route."""
        return not self._is_left_alone(host)

    def open(self, host: str, port: int, *, secure: bool, timeout: float | None) -> socket.socket:
        """A connection to the server."""
        return self._server.connect(None, secure=secure)


def unserved_reason(host: str) -> str:
    """Why a host is refused in a test, and what would serve it."""
    return (
        f"{host} is not served here, and nothing leaves this machine: declare its API"
        f" (apis/*.yaml with `hosts: [{host}]`), give it an `http` stub or a cassette,"
        f" or let it through with tunnel=[{host!r}]"
    )
