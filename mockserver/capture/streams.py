"""How a body came: its pieces with their times, and whether it was a stream at all."""

import zlib
from collections.abc import Iterable

from mockserver.messages import decoded, header, is_event_stream, is_json_lines, media_type
from mockserver.model import Chunk, Header

_TOGETHER_MS = 5.0
"""Pieces of what is no stream by its type, and that come this close, came at once."""

_GZIP_OR_ZLIB = 47
_STREAMS = frozenset({"multipart/x-mixed-replace", "application/grpc-web", "application/grpc"})


def is_stream(headers: Iterable[Header]) -> bool:
    """Whether a response is sent piece by piece on purpose, by its media type."""
    media = media_type(headers)
    return is_event_stream(media) or is_json_lines(media) or media in _STREAMS


class Pieces:
    """Gathers a body as it comes.

    Attributes:
        size: How many bytes have come.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at_ms: list[float] = []
        self.size = 0

    def add(self, piece: bytes, at_ms: float) -> None:
        """One piece, so many milliseconds after the head."""
        self.size += len(piece)
        self._pieces.append(piece)
        self._at_ms.append(at_ms)

    def body(self) -> bytes:
        """All of it, as it came."""
        return b"".join(self._pieces)

    def chunks(self, headers: tuple[Header, ...]) -> tuple[Chunk, ...]:
        """The pieces, sized as they are without content coding.

        Args:
            headers: As they came.

        Returns:
            Empty where the body came at once, where its length was told before it, or where a
            coding hides what belongs to which piece.
        """
        streamed = is_stream(headers)
        if len(self._pieces) < 2 or (header(headers, "content-length") and not streamed):
            return ()
        size = len(decoded(headers, self.body())[1])
        sizes = self._sizes(plain=self.size == size and not _is_coded(headers))
        if sum(sizes) != size:
            return ()
        found = _joined(zip(self._at_ms, sizes, strict=True), 0.0 if streamed else _TOGETHER_MS)
        return found if len(found) > 1 else ()

    def _sizes(self, *, plain: bool) -> list[int]:
        if plain:
            return [len(piece) for piece in self._pieces]
        opener = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            return [len(opener.decompress(piece)) for piece in self._pieces]
        except zlib.error:
            return []


def _is_coded(headers: tuple[Header, ...]) -> bool:
    return header(headers, "content-encoding").lower() not in {"", "identity"}


def _joined(pieces: Iterable[tuple[float, int]], together_ms: float) -> tuple[Chunk, ...]:
    found: list[Chunk] = []
    last_ms = 0.0
    for at_ms, size in pieces:
        if found and at_ms - last_ms < together_ms:
            found[-1] = found[-1]._replace(size=found[-1].size + size)
        elif size or not found:
            found.append(Chunk(round(at_ms, 3), size))
        last_ms = at_ms
    return tuple(found)
