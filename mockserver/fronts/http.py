"""HTTP/1.1 on a connection that a front has decrypted; the connection may have a session."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from mockserver.asgi.requests import PROXIED
from mockserver.asgi.server import HttpProtocol

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState


class SessionProtocol(HttpProtocol):
    """Requests of one connection, which belong to its session unless they name another."""

    def __init__(self, config: "Config", state: "ServerState", session: str | None) -> None:
        super().__init__(config, state, {})
        self._session = session

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._session is not None:
            cast("dict[str, Any]", self.scope)[PROXIED] = self._session

    @override
    def shutdown(self) -> None:
        cycle = self._cycle
        if cycle is None or cycle.response_complete:
            # closing politely would wait for a client that is not reading
            self.transport.abort()
        else:
            super().shutdown()


HttpFactory = Callable[[str | None], SessionProtocol]
"""Makes the HTTP side of a connection, given its session."""
