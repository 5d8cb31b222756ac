"""WebSockets over uvicorn's protocol; loaded by the first client that wants one."""

from typing import Any

from typing_extensions import override
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that may be refused as any request is.

    uvicorn logs an error for each that is refused with an answer, as though there were none.
    """

    @override
    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True
