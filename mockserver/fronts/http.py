"""HTTP/1.1 on a connection that a front has decrypted; the connection may have a session."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from mockserver.server.connections import HttpProtocol
from mockserver.server.requests import PROXIED

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
    from uvicorn.server import ServerState

MAX_HEAD_BYTES = 64 * 1024
HEAD_S = 30.0
"""How long a request's head may take, the first one counted from the handshake."""

SILENCE_S = 60.0
"""How long nothing of a request's body may come."""

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)


class SessionProtocol(HttpProtocol):
    """Requests of one connection, which belong to its session unless they name another.

    Heads are bounded in bytes, and everything that a client may keep others waiting with in time:
    `overdue` says when it is too late.
    """

    def __init__(self, config: "Config", state: "ServerState", session: str | None) -> None:
        super().__init__(config, state, {})
        self._session = session
        self._head_since: float | None = None
        self._head_bytes = 0
        self._heard = 0.0

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_since = self._heard = self.loop.time()

    @override
    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        super().data_received(data)
        if self._head_since is None:
            return
        self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_since = self._heard
        if self._session is not None:
            cast("dict[str, Any]", self.scope)[PROXIED] = self._session

    @override
    def on_headers_complete(self) -> None:
        self._head_since = None
        self._head_bytes = 0
        super().on_headers_complete()

    @override
    def shutdown(self) -> None:
        cycle = self._cycle
        if cycle is None or cycle.response_complete:
            # closing politely would wait for a client that is not reading
            self.transport.abort()
        else:
            super().shutdown()

    @property
    def _cycle(self) -> "RequestResponseCycle | None":
        return self.cycle  # there is none before the first request

    def overdue(self, now: float) -> bool:
        """Whether the client has kept this connection waiting for too long."""
        if self._head_since is not None:
            return now - self._head_since > HEAD_S
        cycle = self._cycle
        return (
            cycle is not None
            and cycle.more_body
            and not cycle.response_complete
            and now - self._heard > SILENCE_S
        )


HttpFactory = Callable[[str | None], SessionProtocol]
"""Makes the HTTP side of a connection, given its session."""
