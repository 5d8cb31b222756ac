"""Undoes what packs bytes: base64, hexadecimal, gzip, zlib, lines that are folded or told apart."""

import binascii
import re
import zlib
from collections.abc import Iterator

from mockserver.redaction.leaklayers import Layer, Piece

LARGEST = 64 * 1024 * 1024
"""Bytes that one packed stream may unpack to; the rest of it is not looked into."""

_STEP = 65536
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}")
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{16,}")
_GZIP = b"\x1f\x8b\x08"
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_SPEAKS = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{6}|(?:[\x20-\x7e]\0){6}|\x1f\x8b\x08")
_NOT_TEXT = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D}) + b"\x7f"


def unpacked(layer: Layer, seen: set[int]) -> Iterator[Layer]:
    """The readings of a reading in which one way of packing is undone.

    Args:
        layer: The reading.
        seen: Hashes of what was unpacked before in the same content; it grows.

    Yields:
        One for each way; what is text apart from what is not.
    """
    for coding, pieces in (
        ("base64", _from_base64(layer.content, seen)),
        ("hexadecimal", _from_hexadecimal(layer.content, seen)),
    ):
        text: list[Piece] = []
        other: list[Piece] = []
        for piece in pieces:
            if _SPEAKS.search(piece[1]):
                (text if _is_text(piece[1]) else other).append(piece)
        if text:
            yield _packed(layer, text, coding)
        if other:
            yield _packed(layer, other, coding, text=False)
    streams = [*_from_gzip(layer.content), *_from_zlib(layer)]
    if streams:
        inner = _packed(layer, streams, "gzip")
        inner.cut = any(len(stream) >= LARGEST for _, stream in streams)
        yield inner


def is_packed(run: bytes) -> bool:
    """Whether a run of base64 is text or a stream that a reading of its own looks into.

    >>> is_packed(b"YW5uQGNvcnAudGVzdA=="), is_packed(b"Zx8Qp0vN3rT6yB1kM9wL4sD7")
    (True, False)
    """
    whole = run.rstrip(b"=").translate(_TO_STANDARD)
    if len(whole) % 4 == 1:
        return False
    try:
        content = binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
    except binascii.Error:  # a sign of padding in the middle of it
        return False
    return content.startswith((_GZIP, b"\x78\x9c", b"\x78\xda", b"\x78\x01")) or _is_text(content)


def _packed(layer: Layer, pieces: list[Piece], coding: str, *, text: bool = True) -> Layer:
    apart = [(offset, part + b"\n") for offset, part in pieces]
    content = b"".join(part for _, part in apart)
    return Layer(content, layer, coding, lambda: apart, text=text, packed=True)


def _is_text(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return part.translate(None, _NOT_TEXT) == part


def _from_base64(content: bytes, seen: set[int]) -> Iterator[Piece]:
    """Every run read at all four alignments: what stands before it may look like a part of it.

    Yields:
        Each run four times.
    """
    for offset, run in _new(_BASE64, content, seen):
        if b"-" in run or b"_" in run:
            run = run.translate(_TO_STANDARD)
        for skipped in range(4):
            whole = run[skipped:]
            rest = len(whole) % 4
            whole = whole[:-1] if rest == 1 else whole + b"=" * (-rest % 4)
            yield offset, binascii.a2b_base64(whole)


def _from_hexadecimal(content: bytes, seen: set[int]) -> Iterator[Piece]:
    for offset, run in _new(_HEXADECIMAL, content, seen):
        for whole in (run[: len(run) & ~1], run[1 : (len(run) - 1 & ~1) + 1]):
            yield offset, binascii.unhexlify(whole)


def _new(runs: re.Pattern[bytes], content: bytes, seen: set[int]) -> Iterator[Piece]:
    for match in runs.finditer(content):
        mark = hash((runs, match[0]))
        if mark not in seen:
            seen.add(mark)
            yield match.start(), match[0]


def _from_gzip(content: bytes) -> Iterator[Piece]:
    offset = content.find(_GZIP)
    while offset >= 0:
        if stream := _inflated(memoryview(content)[offset:], zlib.MAX_WBITS | 16):
            yield offset, stream
        offset = content.find(_GZIP, offset + 1)


def _from_zlib(layer: Layer) -> Iterator[Piece]:
    content = layer.content
    for offset in layer.starts():
        head = content[offset : offset + 2]
        if head[:1] != b"\x78" or int.from_bytes(head, "big") % 31:
            continue
        if stream := _inflated(memoryview(content)[offset:], zlib.MAX_WBITS):
            yield offset, stream


def _inflated(packed: memoryview, window: int) -> bytes:
    """What a stream unpacks to, as far as it is whole and not too large."""
    stream = zlib.decompressobj(window)
    parts: list[bytes] = []
    room = LARGEST
    try:
        for start in range(0, len(packed), _STEP):
            parts.append(stream.decompress(packed[start : start + _STEP], room))
            room -= len(parts[-1])
            if stream.eof or room <= 0:
                break
    except zlib.error:
        pass
    return b"".join(parts)
