"""Keeps a body as it comes: in memory while it is small, else on the way to a file of its own."""

import asyncio

from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.capture.redaction_process import Kept, Refused, too_large
from mockserver.capture.streams import Pieces
from mockserver.messages.coding import codings_of
from mockserver.model import LARGEST_BYTES, Chunk, Header
from mockserver.redaction.fragments import FRAGMENT, WHOLE
from mockserver.redaction.screening import is_opaque

LARGEST_BODY = 1024 * 1024 * 1024
"""Bytes of a body; a larger one is passed on, and not recorded."""


class Keeping:
    """A body as it comes.

    Args:
        queue: Has it redacted.
        headers: Those beside it, as they came.
        part: `request body` or `response body`.
        largest: Bytes; a larger body is not kept.

    Attributes:
        kept: What became of it, where it has a file of its own.
    """

    def __init__(
        self, queue: RecorderQueue, headers: tuple[Header, ...], part: str, largest: int
    ) -> None:
        self.kept: Kept | None = None
        self._queue = queue
        self._headers = headers
        self._part = part
        self._largest = largest
        self._pieces = Pieces()
        self._size = 0
        self._number: int | None = None
        self._waiting = bytearray()
        self._turn: asyncio.Future[Refused | None] | None = None
        self._refused: Refused | None = None

    async def add(self, piece: bytes, at_ms: float) -> None:
        """One piece, so many milliseconds after the head."""
        self._size += len(piece)
        if self._refused is not None:
            return
        if self._size > self._largest:
            self._refuse(Refused(too_large(self._largest)))
        elif self._number is None:
            self._pieces.add(piece, at_ms)
            if self._is_large():
                self._number = self._queue.new_body()
                self._waiting += self._pieces.body()
                self._pieces = Pieces()
                self._begin()
        else:
            self._waiting += piece
        if self._number is not None and len(self._waiting) >= FRAGMENT:
            await self._feed()

    def _is_large(self) -> bool:
        if self._size <= LARGEST_BYTES:
            return False
        coded = bool(codings_of(self._headers))
        return coded or self._size > WHOLE or is_opaque(self._headers, self._pieces.body())

    def _refuse(self, refused: Refused) -> None:
        self._refused = refused
        self._pieces = Pieces()
        self._waiting.clear()
        if self._number is not None:
            self._queue.drop_body(self._number)

    def _begin(self) -> None:
        begin = self._queue.begin_body
        self._turn = begin(self._number or 0, self._headers, self._part, self._largest)

    async def _feed(self) -> None:
        """Hand on what waits once what was handed on before is done: who sends has to wait."""
        if self._turn is not None:
            await asyncio.wait({self._turn})
            refused = self._turn.result()
            if refused is not None:
                self._refuse(refused)
                return
        content = bytes(self._waiting)
        self._waiting.clear()
        self._turn = self._queue.feed_body(self._number or 0, content)

    def drop(self) -> None:
        """Keep nothing of it: nobody answered."""
        if self._refused is None:
            self._refuse(Refused("nobody answered"))

    async def end(self) -> str:
        """Wait until it is kept.

        Returns:
            Why it is not, or an empty string.
        """
        if self._number is not None and self._refused is None:
            await self._feed()
        if self._number is not None and self._refused is None:
            found = await self._queue.end_body(self._number)
            if isinstance(found, Refused):
                self._refused = found
            else:
                self.kept = found
        return "" if self._refused is None else self._refused.reason

    def body(self) -> bytes:
        """All of it as it came, when it is in memory."""
        return self._pieces.body()

    def chunks(self) -> tuple[Chunk, ...]:
        """The pieces that it came in, when it is in memory."""
        return self._pieces.chunks(self._headers)
