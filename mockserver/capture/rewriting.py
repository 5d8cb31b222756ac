"""Absolute URLs between a client of the proxy and its upstream: each side reads its own."""

import zlib
from collections.abc import Iterable

from mockserver.messages import decoded, header, is_event_stream, is_json_lines, is_text, media_type
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


_SLASH = b"/"
_JSON_SLASH = b"\\/"
_FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection"})


class Rewriting:
    """Replaces one origin by another.

    Args:
        old: `https://host[:port][/prefix]`, without a slash at its end.
        new: What stands in its place.

    >>> Rewriting("https://a.example.com", "http://127.0.0.1:1").whole(
    ...     b"see https://a.example.com/x"
    ... )
    b'see http://127.0.0.1:1/x'
    """

    def __init__(self, old: str, new: str) -> None:
        plain = (old.encode(), new.encode())
        escaped = (_escaped(plain[0]), _escaped(plain[1]))
        self._pairs = (plain, escaped)
        self._longest = max(len(each) for each, _ in self._pairs)

    def whole(self, content: bytes) -> bytes:
        """A whole content, rewritten; a host that only begins like it is another and stays."""
        for old, new in self._pairs:
            if old in content:
                content = _replaced(content, old, new)
        return content

    def text(self, value: str) -> str:
        """A header's value, rewritten."""
        return self.whole(value.encode("latin-1")).decode("latin-1")

    def headers(self, headers: Iterable[Header]) -> tuple[Header, ...]:
        """Headers, rewritten but for those of the connection."""
        return tuple(
            (name, value if name.lower() in _FRAMING else self.text(value))
            for name, value in headers
        )

    def held_back(self, content: bytes) -> int:
        """How many bytes at the end may be the beginning of an origin, or end one exactly."""
        tail = content[-self._longest :]
        for start in range(len(tail)):
            rest = tail[start:]
            if any(old.startswith(rest) for old, _ in self._pairs):
                return len(rest)
        return 0


class StreamRewriter:
    """Rewrites a content that comes in pieces; holds back no more than the part of an origin.

    Args:
        rewriting: What is replaced.
    """

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What can be passed on."""
        content = self._held + piece
        held = self._rewriting.held_back(content)
        self._held = content[len(content) - held :] if held else b""
        return self._rewriting.whole(content[: len(content) - held])

    def end(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return self._rewriting.whole(held)


def may_hold_urls(headers: Iterable[Header]) -> bool:
    """Whether a content is text."""
    return is_text(media_type(headers))


def _escaped(origin: bytes) -> bytes:
    return origin.replace(_SLASH, _JSON_SLASH)


def _replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    pieces = content.split(old)
    made = [pieces[0]]
    for piece in pieces[1:]:
        made += (old if _goes_on(piece) else new, piece)
    return b"".join(made)


def _goes_on(rest: bytes) -> bool:
    """Whether a host's name or port goes on behind what looked like it."""
    return (
        rest[:1].isalnum()
        or rest[:1] in {b"-", b"_", b":"}
        or (rest[:1] == b"." and rest[1:2].isalnum())
    )
