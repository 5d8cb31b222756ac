"""Recorded responses on their way out: at their pace, in their pieces, to their end."""

import asyncio
from dataclasses import dataclass
from typing import Any, BinaryIO

from mockserver.asgi.requests import Receive, Request, Send, end_connection
from mockserver.cassettes.files.body_files import pieces_of
from mockserver.messages.stream_coding import coded_pieces
from mockserver.model import Ended
from mockserver.sources.renditions import Rendition
from mockserver.sources.response import Header


@dataclass(slots=True)
class Playback:
    """A recorded response that is to be sent.

    Attributes:
        rendition: How.
        ended: How the recording ended.
        pace: How long gaps last: 1 as recorded, 0 none.
        duration_ms: How long the recorded response took.
        extra: Headers beside the recorded ones.
        body: The open file of a body that has one; closed once it is sent.
    """

    rendition: Rendition
    ended: Ended
    pace: float
    duration_ms: float
    extra: tuple[Header, ...] = ()
    body: BinaryIO | None = None

    async def send(self, request: Request, receive: Receive, send: Send) -> None:
        """Send it.

        Raises:
            ConnectionResetError: The recording broke off, and this transport has no connection
                that can be ended.
        """
        _drop_default_headers(send)
        rendition = self.rendition
        whole = self.ended == "complete"
        headers = [*rendition.head, *self.extra]
        if self.body is not None:
            await self._send_file(self.body, headers, send)
            if not whole:
                await self._break_off(request, receive)
            return
        await send({"type": "http.response.start", "status": rendition.status, "headers": headers})
        pieces = () if request.head else rendition.pieces
        if whole and len(pieces) == 1 and pieces[0].at_ms <= 0:
            await send({"type": "http.response.body", "body": pieces[0].content})
            return
        last = len(pieces) - 1
        passed = 0.0
        for number, piece in enumerate(pieces):
            if piece.at_ms > passed:
                await self._wait(piece.at_ms - passed)
                passed = piece.at_ms
            more = not whole or number < last
            await send({"type": "http.response.body", "body": piece.content, "more_body": more})
        if not whole:
            if self.ended == "timeout":
                await self._wait(self.duration_ms - passed)
            await self._break_off(request, receive)
        elif not pieces:
            await send({"type": "http.response.body", "body": b""})

    async def _send_file(self, body: BinaryIO, headers: list[Header], send: Send) -> None:
        """Send a body from its file, never all of it at once."""
        pieces = coded_pieces(pieces_of(body), self.rendition.coding)
        status = self.rendition.status
        try:
            await send({"type": "http.response.start", "status": status, "headers": headers})
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            body.close()
        if self.ended == "complete":
            await send({"type": "http.response.body", "body": b""})

    async def _wait(self, gap_ms: float) -> None:
        if gap_ms * self.pace > 0:
            await asyncio.sleep(gap_ms * self.pace / 1000)

    async def _break_off(self, request: Request, receive: Receive) -> None:
        await end_connection(request.connection, receive, reset=self.ended == "reset")


def _drop_default_headers(send: Send) -> None:
    """Let an answer have no `Date` but its own, where uvicorn would add one."""
    cycle: Any = getattr(send, "__self__", None)
    if hasattr(cycle, "default_headers"):
        cycle.default_headers = []
