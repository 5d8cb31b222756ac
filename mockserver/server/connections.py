"""HTTP/1.1 as uvicorn speaks it, on connections that a fault can end."""

import contextlib
import socket
import struct
from typing import Any, cast

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mockserver.server.requests import CONNECTION

_NO_LINGER = struct.pack("ii", 1, 0)


class HttpProtocol(HttpToolsProtocol):
    """Tells the application in each scope how to end the connection."""

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast("dict[str, Any]", self.scope)[CONNECTION] = self

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
