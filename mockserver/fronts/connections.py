"""Hands decrypted connections on: HTTP/1.1 to the application, HTTP/2 to the gRPC listener.

The TLS listener is for callers whose hosts file leads Google's names to this machine. A connection
may belong to a session; one that reaches no application is refused over HTTP/1.1.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import orjson
from typing_extensions import override

from mockserver.asgi.requests import PROXIED
from mockserver.errors import MockServerError
from mockserver.fronts.hosts import Hosts
from mockserver.fronts.http2 import Http2Refusal, RefusalAnswer
from mockserver.fronts.relay import GrpcPipe, GrpcRelay, follow
from mockserver.fronts.tls_contexts import HTTP2, RefusingContext, TlsContexts
from mockserver.http.descriptors import DescriptorWatch
from mockserver.http.fast_protocol import FastProtocol
from mockserver.http.placement import Placement
from mockserver.sessions.connection_journal import ConnectionJournal, ConnectionNote
from mockserver.sessions.session import DEFAULT_ID

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState


class SessionProtocol(FastProtocol):
    """Requests of one connection, which belong to its session unless they name another.

    Args:
        config: uvicorn's configuration.
        state: The state of the server.
        session: Whose connection it is; None where that is not known.
        descriptors: Whether one more can be taken; None asks the application that answers.
    """

    def __init__(
        self,
        config: "Config",
        state: "ServerState",
        session: str | None,
        descriptors: DescriptorWatch | None = None,
    ) -> None:
        super().__init__(config, state, {})
        self.session = session
        self._descriptors = descriptors or self._descriptors

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self.session is not None:
            cast("dict[str, Any]", self.scope)[PROXIED] = self.session

    @override
    def shutdown(self) -> None:
        self.release_held()
        cycle = self._cycle
        if cycle is None or cycle.response_complete:
            # closing politely would wait for a client that is not reading
            self.transport.abort()
        else:
            super().shutdown()


_log = logging.getLogger(__name__)

HttpFactory = Callable[[str | None], SessionProtocol]
"""Makes the HTTP side of a connection, given its session."""


_LONGEST_REASON = 240


def refusal_head(status: int, reason: str) -> bytes:
    """A whole response, after which the connection is closed.

    The reason is in its status line, too: most clients show no more of an answer to CONNECT.

    Args:
        status: The HTTP status.
        reason: One sentence.
    """
    body = orjson.dumps({"error": {"message": reason}}) + b"\n"
    said = f"{HTTPStatus(status).phrase}: {reason}"[:_LONGEST_REASON]
    lines = [
        f"HTTP/1.1 {status} {' '.join(said.split())}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "X-Mock-Source: none",
        "Connection: close",
    ]
    if status == 407:
        lines.append('Proxy-Authenticate: Basic realm="session"')
    return "\r\n".join(lines).encode("ascii", "replace") + b"\r\n\r\n" + body


SHUTDOWN_S = 0.5
"""How long a client may take to answer the end of TLS."""

_PERMISSION_DENIED, _UNIMPLEMENTED, _UNAVAILABLE = 7, 12, 14
"""Codes of gRPC."""


class WaitingConnection(asyncio.Protocol):
    """Keeps what comes before it is known who is to get it."""

    def __init__(self) -> None:
        self.early = b""
        self.lost = False

    @override
    def data_received(self, data: bytes) -> None:
        self.early += data

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True


class ConnectionDispatcher:
    """What all fronts share.

    Args:
        hosts: Which hosts are answered for.
        contexts: TLS in their names.
        notes: Where refused connections are journalled.
        http: Makes the HTTP side of a connection.
        grpc: Where HTTP/2 goes.
        placement: Moves connections to the process of their session, where there are several.
    """

    def __init__(
        self,
        *,
        hosts: Hosts,
        contexts: TlsContexts,
        notes: ConnectionJournal,
        http: HttpFactory,
        grpc: GrpcRelay,
        placement: Placement | None = None,
    ) -> None:
        self.hosts = hosts
        self.contexts = contexts
        self.notes = notes
        self._http = http
        self._grpc = grpc
        self._placement = placement
        self._tasks: set[asyncio.Task[object]] = set()

    def moves(
        self, transport: asyncio.Transport, session: str | None, data: bytes, door: str
    ) -> bool:
        """Whether another process goes on with a connection; here it has ended then.

        Args:
            transport: The connection; nothing was said on it.
            session: Whose it is, where that is known.
            data: What was read of it.
            door: Who goes on with it there.
        """
        own = cast("socket.socket | None", transport.get_extra_info("socket"))
        if self._placement is None or own is None:
            return False
        if not self._placement.send(session or DEFAULT_ID, own.fileno(), data, door):
            return False
        transport.abort()  # closes this descriptor; the connection lives on in the other
        return True

    def start(self, work: Coroutine[object, object, object]) -> None:
        """Do something beside; it is cancelled when the fronts stop."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel what is still going on."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def continue_after_handshake(
        self, tls: asyncio.Transport, session: str | None, waiting: WaitingConnection
    ) -> None:
        """Go on with a connection whose handshake is done.

        Args:
            tls: The connection.
            session: Whose it is, where that is known.
            waiting: Its protocol so far.
        """
        if waiting.lost:
            return
        agreed: ssl.SSLObject = tls.get_extra_info("ssl_object")
        speaks_http2 = agreed.selected_alpn_protocol() == HTTP2
        if isinstance(agreed.context, RefusingContext):
            refused = waiting if speaks_http2 else None
            self.start(self._refuse(tls, session, agreed.context, refused))
        elif speaks_http2:
            tls.pause_reading()
            self.start(self._to_grpc(tls, session, waiting))
        else:
            self.to_http(tls, session, waiting.early)

    def note_refused_host(self, host: str) -> None:
        """Note a connection of nobody to a host that is not answered for."""
        self.start(self.note_refused(None, f"{host}:443", 403, self.hosts.reason(host)))

    async def note_refused(
        self, session: str | None, authority: str, status: int, reason: str
    ) -> None:
        """Note a connection that is refused; it is, be it noted or not.

        Args:
            session: The session that it named, or None.
            authority: Where it was to lead, `host:port`.
            status: What it is answered.
            reason: Why; one sentence.
        """
        try:
            await self.notes.note(session, ConnectionNote(authority, status, reason))
        except MockServerError as error:
            _log.warning("%s: %s (and no journal has it: %s)", authority, reason, error)

    async def _refuse(
        self,
        tls: asyncio.Transport,
        session: str | None,
        context: RefusingContext,
        framed: WaitingConnection | None,
    ) -> None:
        reason = self.hosts.reason(context.host)
        if not context.is_noted:
            await self.note_refused(session, f"{context.host}:443", 403, reason)
        if framed is not None:
            _send_refusal(tls, RefusalAnswer(403, _PERMISSION_DENIED, reason), framed)
        else:
            tls.write(refusal_head(403, reason))
            tls.close()

    def to_http(self, transport: asyncio.Transport, session: str | None, early: bytes) -> None:
        """Let the application answer a connection; `early` is what was read of it already."""
        protocol = self._http(session)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if early:
            protocol.data_received(early)

    async def _to_grpc(
        self, tls: asyncio.Transport, session: str | None, waiting: WaitingConnection
    ) -> None:
        try:
            far = await self._grpc.reach(tls, session)
        except MockServerError as error:
            _send_refusal(tls, RefusalAnswer(426, _UNIMPLEMENTED, str(error)), waiting)
        except OSError as error:
            reason = f"the gRPC listener cannot be reached: {error}"
            _send_refusal(tls, RefusalAnswer(502, _UNAVAILABLE, reason), waiting)
        else:
            follow(tls, far, waiting.early, GrpcPipe)
            tls.resume_reading()


def _send_refusal(
    tls: asyncio.Transport, refused: RefusalAnswer, waiting: WaitingConnection
) -> None:
    if tls.is_closing():
        return
    protocol = Http2Refusal(refused)
    tls.set_protocol(protocol)
    protocol.connection_made(tls)
    protocol.data_received(waiting.early)
    tls.resume_reading()


class TlsConnection(WaitingConnection):
    """One connection; it is made once the handshake is done, and names no session of its own."""

    def __init__(self, switchboard: ConnectionDispatcher) -> None:
        super().__init__()
        self._switchboard = switchboard

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._switchboard.continue_after_handshake(cast("asyncio.Transport", transport), None, self)
