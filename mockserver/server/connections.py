"""HTTP/1.1 as uvicorn speaks it, on connections that a fault can end."""

import asyncio
import contextlib
import socket
import struct
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from mockserver.deadlines import DeadlineProtocol
from mockserver.server.requests import CONNECTION

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

State = dict[str, Any]

_NO_LINGER = struct.pack("ii", 1, 0)


class HttpProtocol(DeadlineProtocol):
    """Tells the application in the state of each scope how to end the connection."""

    def __init__(
        self,
        config: "Config",
        server_state: "ServerState",
        app_state: State,
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        # the state is copied into every scope: so no request pays for this
        super().__init__(config, server_state, {**app_state, CONNECTION: self}, _loop)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.app_state = {}
        super().connection_lost(exc)

    def reset(self) -> None:
        """End the connection at once; the other end reads that it was reset."""
        own = self.transport.get_extra_info("socket")
        if own is not None:
            with contextlib.suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()

    def cut(self) -> None:
        """End the connection once what was written is sent."""
        self.transport.close()
