"""gzip and deflate, coded again to the byte where zlib made them."""

import struct
import zlib
from collections.abc import Mapping

_HEAD = struct.Struct("<2sBB6s")
_FIXED = b"\x1f\x8b"
_DEFLATE = 8
_TRIED: tuple[Mapping[str, str], ...] = (
    {"level": "6"}, {"level": "9"}, {"level": "1"}, {"level": "6", "mem": "9"}, {"level": "5"},
    {"level": "4"}, {"level": "3"}, {"level": "7"}, {"level": "8"}, {"level": "2"}, {"level": "0"},
    {"level": "9", "mem": "9"}, {"level": "1", "mem": "9"},
)  # fmt: skip
_LIKELY = 4
_SMALL = 16 * 1024
"""Larger contents are tried with the likely settings alone, since each costs milliseconds."""
_PIECE = 32 * 1024
_PLAIN_HEAD = "0000000000ff"
_HEAD_DIGITS = 12


def gunzipped(content: bytes, largest: int) -> bytes | None:
    """The content of a gzip file, of all its members; None where it is damaged or too large."""
    pieces: list[bytes] = []
    while content:
        opener = zlib.decompressobj(zlib.MAX_WBITS | 16)
        piece = _whole(opener, content, largest)
        if piece is None:
            return None
        pieces.append(piece)
        largest -= len(piece)
        content = opener.unused_data
    return b"".join(pieces)


def gzipped(content: bytes, options: dict[str, str]) -> bytes:
    """Content as one gzip member, by its recipe."""
    head = bytes.fromhex(options.get("head", _PLAIN_HEAD).ljust(_HEAD_DIGITS, "0")[:_HEAD_DIGITS])
    tail = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return _HEAD.pack(_FIXED, _DEFLATE, 0, head) + _raw(content, options) + tail


def gzip_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; without a level where zlib does not.

    A member with a file name or a comment is never made again: who knows what the name tells.
    """
    fixed, method, flags, head = _HEAD.unpack_from(coded)
    if fixed != _FIXED or method != _DEFLATE or flags:
        return {}
    recipe = _recipe(content, coded[_HEAD.size : -8])
    return {**recipe, "head": head.hex()} if recipe else {}


def inflated(content: bytes, largest: int) -> bytes | None:
    """Deflated content, with or without zlib's frame; None where it is damaged or too large."""
    framed = _whole(zlib.decompressobj(), content, largest)
    return framed if framed is not None else _whole(zlib.decompressobj(-15), content, largest)


def deflated(content: bytes, options: dict[str, str]) -> bytes:
    """Content deflated by its recipe."""
    if options.get("frame") == "none":
        return _raw(content, options)
    coder = zlib.compressobj(_level(options), memLevel=int(options.get("mem", "8")))
    return coder.compress(content) + coder.flush()


def deflate_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; without a level where zlib does not."""
    if _whole(zlib.decompressobj(), coded, len(content)) is None:
        return {"frame": "none", **_recipe(content, coded)}
    recipe = _recipe(content, coded[2:-4])
    return recipe if recipe and deflated(content, recipe) == coded else {}


def _whole(opener: "zlib._Decompress", content: bytes, largest: int) -> bytes | None:
    try:
        opened = opener.decompress(content, largest + 1)
    except zlib.error:
        return None
    return opened if opener.eof and len(opened) <= largest else None


def _recipe(content: bytes, raw: bytes) -> dict[str, str]:
    tried = _TRIED if len(content) <= _SMALL else _TRIED[:_LIKELY]
    return next((dict(options) for options in tried if _makes(content, raw, options)), {})


def _makes(content: bytes, raw: bytes, options: Mapping[str, str]) -> bool:
    # piece by piece: most coders are told apart by the first block they give out
    coder = _coder(options)
    made = 0
    for start in range(0, len(content), _PIECE):
        piece = coder.compress(content[start : start + _PIECE])
        if not raw.startswith(piece, made):
            return False
        made += len(piece)
    return raw[made:] == coder.flush()


def _raw(content: bytes, options: Mapping[str, str]) -> bytes:
    coder = _coder(options)
    return coder.compress(content) + coder.flush()


def _coder(options: Mapping[str, str]) -> "zlib._Compress":
    return zlib.compressobj(_level(options), wbits=-15, memLevel=int(options.get("mem", "8")))


def _level(options: Mapping[str, str]) -> int:
    return int(options.get("level", "6"))
