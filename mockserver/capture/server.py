"""Runs a capturing proxy: accepts clients, passes WebSockets on, records until it is stopped."""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from typing_extensions import override
from uvicorn.server import ServerState

from mockserver.asgi.server import HttpServer
from mockserver.capture.agent_tools import AgentToolRecorder
from mockserver.capture.grpc import GrpcForwarder
from mockserver.capture.proxy import Clock, ProxyApplication
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import LARGEST_BODY, RecorderQueue, Report
from mockserver.capture.upstream import NoAnswerError, Scope, Upstream, UpstreamRoute, trust_context
from mockserver.fronts.authorities import CertificateAuthority
from mockserver.fronts.connections import ConnectionDispatcher, SessionProtocol, refusal_head
from mockserver.fronts.hosts import Hosts, Verdict
from mockserver.fronts.proxy import HANDSHAKE_S, ProxyConnection
from mockserver.fronts.proxy_requests import ProxyRequest
from mockserver.fronts.relay import CONNECT_S, GrpcRelay, Pipe, follow, keep_alive
from mockserver.fronts.tls_contexts import TlsContexts
from mockserver.messages import split_url
from mockserver.model import RecordedRequest
from mockserver.sessions.connection_journal import ConnectionJournal, ConnectionNote

PASSED_ON = "a WebSocket: its messages are passed on, not recorded"
_PORTS = {"http://": 80, "https://": 443}


class WebSocketForwarder:
    """What joins a client's WebSocket with that of the upstream.

    Args:
        route: Where requests lead.
        queue: Told of each.
        trusted: Whom upstreams are trusted by.
    """

    def __init__(self, route: UpstreamRoute, queue: RecorderQueue, trusted: ssl.SSLContext) -> None:
        self._route = route
        self._queue = queue
        self._trusted = trusted
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, scope: Scope, near: asyncio.Transport) -> None:
        """Hand a connection that asked for an upgrade over; it is no longer HTTP."""
        near.pause_reading()
        self._start(self._join(scope, near))

    def refused(self, method: str, target: str) -> None:
        """Name a request that is no HTTP, or whose length nobody can tell."""
        why = "it is no valid HTTP, or says its length in two ways; answered with 400"
        self._start(self._queue.report_unrecorded(method or "?", target or "?", why))

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """End what is still being joined."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _join(self, scope: Scope, near: asyncio.Transport) -> None:
        url = self._route.url(scope)
        if self._queue.plays and not self._queue.records:
            await self._queue.report_refused("WebSocket", url, "no cassette holds WebSockets")
            near.write(refusal_head(424, "no cassette holds WebSockets, and nothing live is asked"))
            near.close()
            return
        try:
            far = await self._reach(self._route.request(scope, b""), near)
        except (NoAnswerError, OSError) as error:
            why = error.reason if isinstance(error, NoAnswerError) else "it cannot be reached"
            await self._queue.report_unrecorded("WebSocket", url, why)
            near.write(refusal_head(502, why))
            near.close()
            return
        await self._queue.report_unrecorded("WebSocket", url, PASSED_ON)
        follow(near, far)
        near.resume_reading()

    async def _reach(self, request: RecordedRequest, near: asyncio.Transport) -> Pipe:
        """Connect to the upstream, and ask it for the upgrade."""
        url = split_url(request.url)
        host = url.host.strip("[]")
        secure = url.scheme == "https://"
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_S):
            transport, far = await loop.create_connection(
                lambda: Pipe(near),
                host,
                int(url.port[1:] or _PORTS[url.scheme]),
                ssl=self._trusted if secure else None,
                server_hostname=host if secure else None,
            )
        keep_alive(transport)
        lines = [
            f"GET {url.path or '/'}{url.query} HTTP/1.1",
            *(f"{name}: {value}" for name, value in request.headers),
            "Connection: Upgrade",
            "Upgrade: websocket",
        ]
        transport.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return far


class CaptureProtocol(SessionProtocol):
    """HTTP/1.1 of a client of the proxy, until it asks for a WebSocket."""

    def __init__(
        self, config: uvicorn.Config, server_state: ServerState, websockets: WebSocketForwarder
    ) -> None:
        super().__init__(config, server_state, None)
        self._websockets = websockets

    @override
    def _should_upgrade_to_ws(self) -> bool:
        return True

    @override
    def handle_websocket_upgrade(self) -> None:
        self.connections.discard(self)
        path, _, query = self.url.partition(b"?")
        scope = {**self.scope, "raw_path": path, "query_string": query}
        self._websockets.join(scope, self.transport)

    @override
    def send_400_response(self, msg: str) -> None:
        scope: dict[str, Any] = dict(self.scope or {})
        # the head may have come before what is wrong with it
        target = (self.url or b"").decode("latin-1") if scope else ""
        self._websockets.refused(scope.get("method", ""), target)
        super().send_400_response(msg)


class Listener(Protocol):
    """Where clients come in; on the server's event loop, from before it is ready to its end."""

    def sockets(self) -> list[socket.socket]:
        """What the server itself accepts connections of."""
        ...

    async def open(self, server: "CaptureServer") -> None:
        """Begin to accept further connections, and say where."""
        ...

    async def close(self) -> None:
        """Accept no more."""
        ...


@dataclass(frozen=True)
class UpstreamOptions:
    """How a proxy treats its upstreams.

    Attributes:
        idle_s: How long nothing may come before an answer is given up.
        trusted: A file of certificates to trust beside the public ones.
        largest_body: Bytes of a body; a larger one is passed on, and not recorded.
        change: What becomes of a request before it is asked; recorded it is as it came.
    """

    idle_s: float = 60.0
    trusted: Path | None = None
    largest_body: int = LARGEST_BODY
    change: Callable[[RecordedRequest], RecordedRequest] | None = None


class CaptureProxy:
    """A proxy that records.

    Args:
        recorder: Where interactions go; finished by the caller.
        options: How upstreams are treated.
        clock: Real time.
        report: Told of what happens, one line each.
        queue_of: Makes what records.

    Attributes:
        queue: What came of it so far.
        tools_at: Below which path the tools of a program are recorded; empty for none.
    """

    def __init__(
        self,
        recorder: Recorder,
        options: UpstreamOptions,
        *,
        clock: Clock,
        report: Report,
        queue_of: Callable[[Recorder, Report, Callable[[], None]], RecorderQueue] = RecorderQueue,
    ) -> None:
        self._options = options
        self._clock = clock
        self._server: CaptureServer | None = None
        self.tools_at = ""
        self.queue = queue_of(recorder, report, self.stop)

    def grpc(self) -> GrpcForwarder:
        """What passes gRPC calls on."""
        trusted = self._options.trusted
        return GrpcForwarder(self.queue, clock=self._clock, trusted=trusted)

    def stop(self) -> None:
        """Accept no more; what is under way gets a moment."""
        if self._server is not None:
            self._server.should_exit = True

    def run(self, route: UpstreamRoute, entrance: "Listener") -> None:
        """Serve until a signal comes, or until nothing can be recorded any more.

        Args:
            route: Where requests lead.
            entrance: Where clients come in.

        Raises:
            MockServerError: The file of certificates cannot be read.
        """
        from uvicorn.loops.auto import auto_loop_factory

        with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
            runner.run(self.serve(route, entrance))
        self.queue.close()

    async def serve(self, route: UpstreamRoute, entrance: "Listener") -> None:
        """Serve on the loop that runs, see `run`."""
        options = self._options
        async with Upstream(
            idle_s=options.idle_s, trusted=options.trusted, change=options.change
        ) as upstream:
            proxy = ProxyApplication(
                route,
                upstream,
                self.queue,
                clock=self._clock,
                largest_body=options.largest_body,
            )
            sockets = WebSocketForwarder(route, self.queue, trust_context(options.trusted))
            application: ProxyApplication | AgentToolRecorder = proxy
            if self.tools_at:
                application = AgentToolRecorder(proxy, self.queue, self.tools_at, clock=self._clock)
            self._server = CaptureServer(application, entrance, sockets)
            await self._server.serve(sockets=entrance.sockets())
            await sockets.stop()
            await proxy.drain()


class CaptureServer(HttpServer):
    """One that records, and says nothing at all: what it would say may quote a request.

    Args:
        application: What answers.
        entrance: Where clients come in.
        websockets: What passes WebSockets on.
    """

    stop_s = 30.0

    def __init__(
        self,
        application: "ProxyApplication | AgentToolRecorder",
        entrance: Listener,
        websockets: WebSocketForwarder,
    ) -> None:
        # the date is that of the upstream, which is passed on
        super().__init__(application, log_level="critical", date_header=False)
        self._entrance = entrance
        self._websockets = websockets
        self.config.http = self.protocol  # type: ignore[assignment]

    def protocol(
        self, config: uvicorn.Config, server_state: ServerState, **_: object
    ) -> CaptureProtocol:
        """The HTTP side of a connection."""
        return CaptureProtocol(config, server_state, self._websockets)

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            await self._entrance.open(self)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._entrance.close()
        await super().shutdown(sockets)


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
        hosts = AllHosts()
        switchboard = self._switchboard = ConnectionDispatcher(
            hosts=hosts,
            contexts=TlsContexts(self._authority, hosts),
            notes=ConnectionReports(self._report),
            http=lambda session: server.protocol(server.config, server.server_state),
            grpc=GrpcRelay(self._grpc.address, self._grpc.peers),
        )
        self._server = await asyncio.get_running_loop().create_server(
            lambda: UnauthenticatedConnection(switchboard), sock=self._listener
        )
        self._ready()

    async def close(self) -> None:
        """Accept no more, and let go of what has not asked anything yet."""
        if self._server is not None:
            self._server.close()
        if self._switchboard is not None:
            await self._switchboard.stop()
        await self._grpc.stop()
        self._authority.close()


class AllHosts(Hosts):
    """Every host is answered for."""

    def __init__(self) -> None:
        """Nothing is listed."""

    @override
    def verdict(self, host: str) -> Verdict:
        return Verdict.EMULATED

    @override
    def reason(self, host: str) -> str:
        return f"{host} is not refused"


class ConnectionReports(ConnectionJournal):
    """Tells of connections that came to nothing; there are no journals.

    Args:
        report: Takes one line.
    """

    def __init__(self, report: Report) -> None:
        self._report = report

    @override
    async def refusal(self, user: str) -> None:
        """There are no sessions; who names one is let in."""

    @override
    async def note(self, user: str | None, note: ConnectionNote) -> None:
        reason = note.reason or "let through, nothing of it is seen"
        self._report(f"CONNECT {note.authority}: {reason}")


class UnauthenticatedConnection(ProxyConnection):
    """A connection to the proxy; its user, if it names one, means nothing."""

    @override
    async def _lead(self, head: ProxyRequest, rest: bytes) -> None:
        # in the place of a session stands what was asked for: HTTP/2 says it nowhere else
        await super()._lead(replace(head, user=head.authority), rest)

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
