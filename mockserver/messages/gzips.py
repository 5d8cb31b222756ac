"""gzip and deflate, coded again to the byte where zlib made them."""

import struct
import zlib
from collections.abc import Iterator

_HEAD = struct.Struct("<2sBB6s")
_FIXED = b"\x1f\x8b"
_DEFLATE = 8
_PROBE = 128 * 1024
_LEVELS = (6, 9, 1, 5, 4, 3, 7, 8, 2, 0)
_MEMORY = (8, 9)
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
    for options in _options():
        if _begins(content, raw, options) and _raw(content, options) == raw:
            return options
    return {}


def _options() -> Iterator[dict[str, str]]:
    for memory in _MEMORY:
        for level in _LEVELS:
            more = {} if memory == _MEMORY[0] else {"mem": str(memory)}
            yield {"level": str(level), **more}


def _begins(content: bytes, raw: bytes, options: dict[str, str]) -> bool:
    # what a coder gives out for the first piece begins what it makes of the whole
    if len(content) <= _PROBE:
        return True
    return raw.startswith(_coder(options).compress(content[:_PROBE]))


def _raw(content: bytes, options: dict[str, str]) -> bytes:
    coder = _coder(options)
    return coder.compress(content) + coder.flush()


def _coder(options: dict[str, str]) -> "zlib._Compress":
    return zlib.compressobj(_level(options), wbits=-15, memLevel=int(options.get("mem", "8")))


def _level(options: dict[str, str]) -> int:
    return int(options.get("level", "6"))
