"""The CONNECT proxy: answers for emulated hosts, lets listed ones through, refuses the others."""

import asyncio
import socket
import ssl
from typing import cast

from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.fronts.connections import (
    SHUTDOWN_S,
    ConnectionDispatcher,
    WaitingConnection,
    refusal_head,
)
from mockserver.fronts.hosts import Verdict
from mockserver.fronts.proxy_requests import (
    MAX_HEAD_BYTES,
    ProxyRequest,
    ProxyRequestError,
    read_proxy_request,
)
from mockserver.fronts.relay import follow, reach
from mockserver.sessions.connection_journal import ConnectionNote

HEAD_S = 10.0
"""How long a caller may take to say where it wants to go."""

HANDSHAKE_S = 10.0
"""How long it may take to agree on TLS."""

_HTTP = 80
_TRUST = "it must trust the server's CA, see `understudy env`"
_END = b"\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


DOOR = "proxy"
"""The name of the proxy among what goes on with connections of other processes."""


class ProxyConnection(asyncio.Protocol):
    """One connection to the proxy, until it is known where it leads.

    Args:
        switchboard: Where it is handed on.
        early: What another process read of it, which sent it here; None for one that came here.
    """

    def __init__(self, switchboard: ConnectionDispatcher, early: bytes | None = None) -> None:
        self._switchboard = switchboard
        self._early = early
        self._read = b""
        self._asked = False

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(HEAD_S, self._too_slow)
        if self._early:
            self.data_received(self._early)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()

    @override
    def data_received(self, data: bytes) -> None:
        if self._asked:
            # between the answer to CONNECT and the other end; nobody may speak there yet
            self._read += data
            self._limit_head()
            return
        self._read += data
        head, end, rest = self._read.partition(_END)
        if not end or len(head) > MAX_HEAD_BYTES:
            self._limit_head()
            return
        self._asked = True
        self._patience.cancel()
        self._transport.pause_reading()  # whose connection it is may have to be looked up
        self._switchboard.start(self._answer(head + end, rest))

    def _limit_head(self) -> None:
        if len(self._read) > MAX_HEAD_BYTES:
            self._refuse(431, f"the head of the request is over {MAX_HEAD_BYTES} bytes")

    def _too_slow(self) -> None:
        self._refuse(408, f"no request came within {HEAD_S:.0f} seconds")

    async def _answer(self, content: bytes, rest: bytes) -> None:
        try:
            head = read_proxy_request(content)
            is_new, switchboard = self._early is None, self._switchboard
            if is_new and switchboard.moves(self._transport, head.user, content + rest, DOOR):
                return
            await self._check_session(head.user)
            if not self._transport.is_closing():
                await self._lead(head, rest)
        except ProxyRequestError as error:
            self._refuse(error.status, error.reason)
        except MockServerError as error:
            self._refuse(503, str(error))
        except BaseException:
            self._transport.abort()  # nobody else would
            raise

    async def _lead(self, head: ProxyRequest, rest: bytes) -> None:
        self._read = rest
        verdict = self._switchboard.hosts.verdict(head.host)
        if verdict is Verdict.REFUSED:
            await self._turn_away(head, 403, self._switchboard.hosts.reason(head.host))
        elif head.verb != "CONNECT":
            await self._forward(head, verdict)
        elif verdict is Verdict.TUNNELLED:
            await self._tunnel(head, _ESTABLISHED, b"")
        elif rest:
            raise ProxyRequestError(400, "something was sent before the answer to CONNECT")
        elif head.port == _HTTP:
            self._transport.write(_ESTABLISHED)
            self._continue_in_http(head, b"")
        else:
            self._transport.write(_ESTABLISHED)
            await self._secure(head)

    async def _check_session(self, user: str | None) -> None:
        refused = None if user is None else await self._switchboard.notes.refusal(user)
        if refused is not None:
            raise ProxyRequestError(*refused)

    async def _forward(self, head: ProxyRequest, verdict: Verdict) -> None:
        request = head.origin + self._read
        if verdict is Verdict.TUNNELLED:
            await self._tunnel(head, b"", request)
        else:
            self._continue_in_http(head, request)

    def _continue_in_http(self, head: ProxyRequest, request: bytes) -> None:
        self._transport.resume_reading()
        self._switchboard.to_http(self._transport, head.user, request)

    async def _tunnel(self, head: ProxyRequest, answer: bytes, request: bytes) -> None:
        self._transport.pause_reading()
        try:
            far = await reach(self._transport, (head.host, head.port))
        except OSError as error:
            await self._turn_away(head, 502, f"{head.authority} cannot be reached: {_cause(error)}")
            return
        try:
            await self._switchboard.notes.note(head.user, ConnectionNote(head.authority))
        except MockServerError:
            far.own.close()
            raise
        if not self._transport.is_closing():
            self._transport.write(answer)
        follow(self._transport, far, request + (b"" if request else self._read))
        self._transport.resume_reading()

    async def _secure(self, head: ProxyRequest) -> None:
        waiting = WaitingConnection()
        try:
            tls = await asyncio.get_running_loop().start_tls(
                self._transport,
                waiting,
                self._switchboard.contexts.of(head.host),
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=SHUTDOWN_S,
            )
        except OSError as error:  # every error of TLS and of the connection is one
            reason = f"no TLS with the client: {_broken_off(error)}"
            self._transport.abort()
            await self._switchboard.note_refused(head.user, head.authority, 502, reason)
            return
        if tls is not None:
            self._switchboard.continue_after_handshake(tls, head.user, waiting)

    async def _turn_away(self, head: ProxyRequest, status: int, reason: str) -> None:
        await self._switchboard.note_refused(head.user, head.authority, status, reason)
        self._refuse(status, reason)

    def _refuse(self, status: int, reason: str) -> None:
        self._patience.cancel()
        self._asked = True
        if not self._transport.is_closing():
            self._transport.write(refusal_head(status, reason))
            self._transport.close()


def adopt(switchboard: ConnectionDispatcher, connection: socket.socket, early: bytes) -> None:
    """Go on with a connection that another process accepted.

    Args:
        switchboard: Where it is handed on.
        connection: The connection.
        early: What was read of it.
    """
    connection.setblocking(False)  # noqa: FBT003
    made = asyncio.get_running_loop().connect_accepted_socket(
        lambda: ProxyConnection(switchboard, early), connection
    )
    switchboard.start(made)


def _cause(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return str(error) or "it took too long"
    return error.strerror or str(error) or type(error).__name__


def _broken_off(error: OSError) -> str:
    """Why a handshake came to nothing."""
    if isinstance(error, ssl.SSLError) and error.reason:
        alert = error.reason.replace("_", " ").lower()
        distrust = "unknown ca" in alert or "certificate" in alert
        return f"{alert}; {_TRUST}" if distrust else alert
    if isinstance(error, ConnectionResetError):
        return f"it hung up; {_TRUST}"
    return _cause(error)
