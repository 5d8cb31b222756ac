"""Content coding of bodies that are too large for memory: opened and closed as they come."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from mockserver.messages.content_coding import codings_of, import_coder
from mockserver.model import Header

_STEP = 64 * 1024
_ZSTD_STEP = 256
"""Bytes opened at a time: so few cannot grow beyond some megabytes."""


class CodingError(ValueError):
    """A body is damaged, or of a coding that cannot be opened."""


class StreamDecoder(Protocol):
    """Opens one coding."""

    def feed(self, coded: bytes) -> Iterator[bytes]:
        """What can be read by now, in pieces that memory holds."""
        ...

    def end(self) -> None:
        """Check that nothing is missing."""
        ...


class _Zlib:
    def __init__(self, window: int) -> None:
        self._window = window
        self._opener: zlib._Decompress | None = None

    def feed(self, coded: bytes) -> Iterator[bytes]:
        rest = coded
        try:
            while rest:
                if self._opener is None or (self._opener.eof and self._window > _GZIP_FROM):
                    self._opener = zlib.decompressobj(self._window_bits(rest))
                elif self._opener.eof:
                    return  # what comes behind deflated content is nobody's
                if piece := self._opener.decompress(rest, _STEP):
                    yield piece
                rest = self._opener.unconsumed_tail or self._opener.unused_data
        except zlib.error as error:
            raise CodingError from error

    def _window_bits(self, first: bytes) -> int:
        framed = self._window > _GZIP_FROM or (first[0] & 15 == 8 and first[0] >> 4 <= 7)
        return self._window if framed else -zlib.MAX_WBITS

    def end(self) -> None:
        if self._opener is not None and not self._opener.eof:
            raise CodingError


_GZIP_FROM = 15


class _Brotli:
    def __init__(self) -> None:
        brotli = import_coder("br")
        self._opener = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    def feed(self, coded: bytes) -> Iterator[bytes]:
        try:
            piece = self._opener.process(coded, output_buffer_limit=_STEP)
            while piece or not self._opener.can_accept_more_data():
                if piece:
                    yield piece
                piece = self._opener.process(b"", output_buffer_limit=_STEP)
        except self._error as error:
            raise CodingError from error

    def end(self) -> None:
        if not self._opener.is_finished():
            raise CodingError


class _Zstd:
    def __init__(self) -> None:
        zstandard = import_coder("zstd")
        self._new: Callable[[], Any] = zstandard.ZstdDecompressor().decompressobj
        self._opener = self._new()
        self._error = zstandard.ZstdError

    def feed(self, coded: bytes) -> Iterator[bytes]:
        try:
            for start in range(0, len(coded), _ZSTD_STEP):
                rest = coded[start : start + _ZSTD_STEP]
                while rest:
                    self._opener = self._new() if self._opener.eof else self._opener
                    if piece := self._opener.decompress(rest):
                        yield piece
                    rest = self._opener.unused_data
        except self._error as error:
            raise CodingError from error

    def end(self) -> None:
        if not self._opener.eof:
            raise CodingError


_DECODERS: dict[str, Callable[[], StreamDecoder]] = {
    "gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "deflate": lambda: _Zlib(zlib.MAX_WBITS),
    "br": _Brotli,
    "zstd": _Zstd,
}


class BodyDecoder:
    """Opens a body with all of its codings; one without any is passed on.

    Args:
        headers: Those beside it.

    Attributes:
        coding: The recipe to code it again, without what would make the same bytes.

    Raises:
        CodingError: It has a coding that nobody knows.

    >>> import gzip
    >>> opener = BodyDecoder([("Content-Encoding", "gzip")])
    >>> b"".join(opener.feed(gzip.compress(b"hi"))), opener.coding
    (b'hi', 'gzip')
    """

    def __init__(self, headers: Iterable[Header]) -> None:
        names = codings_of(headers)
        if not _DECODERS.keys() >= set(names):
            raise CodingError
        self.coding = ",".join(names)
        self._openers = [_DECODERS[name]() for name in reversed(names)]

    def feed(self, coded: bytes) -> Iterator[bytes]:
        """What can be read by now.

        Yields:
            Pieces that memory holds.

        Raises:
            CodingError: It is damaged.
        """
        pieces: Iterator[bytes] = iter([coded])
        for opener in self._openers:
            pieces = _decode_pieces(opener, pieces)
        yield from pieces

    def end(self) -> None:
        """Check that nothing is missing.

        Raises:
            CodingError: Something is.
        """
        for opener in self._openers:
            opener.end()


def _decode_pieces(opener: StreamDecoder, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from opener.feed(piece)


class _Coder(Protocol):
    def compress(self, content: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


class _BrotliCoder:
    def __init__(self) -> None:
        brotli = import_coder("br")
        self._coder = brotli.Compressor(quality=5)

    def compress(self, content: bytes, /) -> bytes:
        return bytes(self._coder.process(content))

    def flush(self) -> bytes:
        return bytes(self._coder.finish())


def _zstd_coder() -> _Coder:
    made: _Coder = import_coder("zstd").ZstdCompressor().compressobj()
    return made


_CODERS: dict[str, Callable[[], _Coder]] = {
    "gzip": lambda: zlib.compressobj(wbits=zlib.MAX_WBITS | 16),
    "deflate": zlib.compressobj,
    "br": _BrotliCoder,
    "zstd": _zstd_coder,
}


def coded_pieces(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Pieces of a body with its content coding; as they are where it has none.

    Args:
        pieces: The content.
        coding: A recipe, of which only the names count.

    Yields:
        What goes over the wire.
    """
    for name in filter(None, (each.partition(";")[0].strip() for each in coding.split(","))):
        pieces = _encode_pieces(_CODERS[name](), pieces)
    yield from pieces


def _encode_pieces(coder: _Coder, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if made := coder.compress(piece):
            yield made
    yield coder.flush()
