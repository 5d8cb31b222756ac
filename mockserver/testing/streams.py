"""Bodies that are heard on their way to a client."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter

import httpx
from typing_extensions import override

from mockserver.model import Ended
from mockserver.sources.playback import Piece


@dataclass
class Heard:
    """What came of a body.

    Attributes:
        pieces: Its pieces, with the time of each after the first.
        ended: How it ended.
        duration_ms: From the request to the end.
    """

    pieces: list[Piece] = field(default_factory=list)
    ended: Ended = "complete"
    duration_ms: float = 0.0

    @property
    def content(self) -> bytes:
        """All of it."""
        return b"".join(piece.content for piece in self.pieces)


class _Ear:
    """Notes the pieces of one body, and tells once how it ended."""

    def __init__(self, begun: float, tell: Callable[[Heard], None]) -> None:
        self._begun = begun
        self._head = perf_counter()
        self._tell = tell
        self._heard: Heard | None = Heard()

    def piece(self, content: bytes) -> None:
        if self._heard is not None and content:
            self._heard.pieces.append(Piece((perf_counter() - self._head) * 1000, content))

    def end(self, ended: Ended) -> None:
        heard, self._heard = self._heard, None
        if heard is not None:
            heard.ended = ended
            heard.duration_ms = (perf_counter() - self._begun) * 1000
            self._tell(heard)


class Tee(httpx.SyncByteStream):
    """A body that is told of when it has ended; one that is given up halfway is not."""

    def __init__(
        self, stream: httpx.SyncByteStream, begun: float, tell: Callable[[Heard], None]
    ) -> None:
        self._stream = stream
        self._ear = _Ear(begun, tell)

    @override
    def __iter__(self) -> Iterator[bytes]:
        try:
            for content in self._stream:
                self._ear.piece(content)
                yield content
        except httpx.ReadTimeout:
            self._ear.end("timeout")
            raise
        except httpx.TransportError:
            self._ear.end("reset")
            raise
        self._ear.end("complete")

    @override
    def close(self) -> None:
        self._stream.close()


class AsyncTee(httpx.AsyncByteStream):
    """The same for asynchronous clients."""

    def __init__(
        self, stream: httpx.AsyncByteStream, begun: float, tell: Callable[[Heard], None]
    ) -> None:
        self._stream = stream
        self._ear = _Ear(begun, tell)

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for content in self._stream:
                self._ear.piece(content)
                yield content
        except httpx.ReadTimeout:
            self._ear.end("timeout")
            raise
        except httpx.TransportError:
            self._ear.end("reset")
            raise
        self._ear.end("complete")

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()
