"""Content coding: bodies decompressed for reading, and compressed again to the byte.

gzip and deflate are repeated where zlib made them, Brotli and Zstandard where their own libraries
did.

A recipe says how a body was coded: codings in the order they were applied, separated by commas,
each with what it takes to repeat it: `gzip;level=6;head=00000000ff03` or `br;level=5`. Without a
level nothing that we know makes the same bytes; what is coded then reads the same and has other
bytes.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from mockserver.errors import require_extra
from mockserver.messages.headers import header, header_values, with_header, without
from mockserver.model import Header

_ZSTD_LEVELS = (3, 1, 6, 9)
_LARGEST_ZSTD_TRIED = 256 * 1024
_ZSTD_STEP = 1024
"""Bytes opened at a time: so few cannot grow beyond what is looked at next."""


_LIBRARIES = {"br": ("brotli", "brotli"), "zstd": ("zstandard", "zstandard")}
"""Coding to the module that knows it, and the package of that."""


@cache
def import_coder(coding: str) -> Any:
    """The library of a coding that the standard library does not know.

    Raises:
        MissingExtraError: It is not installed.
    """
    module, package = _LIBRARIES[coding]
    require_extra("capture", f"bodies of the coding {coding!r} need", {module: package})
    return import_module(module)


def decompress_zstd(content: bytes, largest: int) -> bytes | None:
    """The content, of all its frames; None where it is damaged or too large."""
    zstandard = import_coder("zstd")
    pieces: list[bytes] = []
    opener = zstandard.ZstdDecompressor().decompressobj()
    try:
        for start in range(0, len(content), _ZSTD_STEP):
            coded = content[start : start + _ZSTD_STEP]
            while coded:
                opener = zstandard.ZstdDecompressor().decompressobj() if opener.eof else opener
                pieces.append(opener.decompress(coded))
                largest -= len(pieces[-1])
                coded = opener.unused_data
            if largest < 0:
                return None
    except zstandard.ZstdError:
        return None
    return b"".join(pieces) if opener.eof else None


def compress_zstd(content: bytes, options: dict[str, str]) -> bytes:
    """Content coded by its recipe."""
    zstandard = import_coder("zstd")
    coder = zstandard.ZstdCompressor(
        level=int(options.get("level", "3")),
        write_checksum="checksum" in options,
    )
    return bytes(coder.compress(content))


def zstd_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; nothing where the library does not."""
    if len(content) > _LARGEST_ZSTD_TRIED:
        return {}
    for level in map(str, _ZSTD_LEVELS):
        for options in ({"level": level}, {"level": level, "checksum": "1"}):
            if compress_zstd(content, options) == coded:
                return options
    return {}


_BROTLI_QUALITIES = ((5, 256), (4, 256), (6, 256), (1, 256), (9, 64), (11, 8))
"""Qualities that are tried, and up to which size of a content in KiB: high ones take long."""
_BROTLI_PIECE = 64 * 1024


def decompress_brotli(content: bytes, largest: int) -> bytes | None:
    """The content; None where it is damaged or too large."""
    brotli = import_coder("br")
    opener = brotli.Decompressor()
    pieces: list[bytes] = []
    try:
        piece = opener.process(content, output_buffer_limit=_BROTLI_PIECE)
        while piece or not opener.can_accept_more_data():
            pieces.append(piece)
            largest -= len(piece)
            if largest < 0:
                return None
            piece = opener.process(b"", output_buffer_limit=_BROTLI_PIECE)
    except brotli.error:
        return None
    return b"".join(pieces) if opener.is_finished() else None


def compress_brotli(content: bytes, options: dict[str, str]) -> bytes:
    """Content coded by its recipe."""
    brotli = import_coder("br")
    return bytes(brotli.compress(content, quality=int(options.get("level", "5"))))


def brotli_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; nothing where the library does not."""
    for quality, largest in _BROTLI_QUALITIES:
        options = {"level": str(quality)}
        if len(content) <= largest * 1024 and compress_brotli(content, options) == coded:
            return options
    return {}


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


def decompress_gzip(content: bytes, largest: int) -> bytes | None:
    """The content of a gzip file, of all its members; None where it is damaged or too large."""
    pieces: list[bytes] = []
    while content:
        opener = zlib.decompressobj(zlib.MAX_WBITS | 16)
        piece = _decompress(opener, content, largest)
        if piece is None:
            return None
        pieces.append(piece)
        largest -= len(piece)
        content = opener.unused_data
    return b"".join(pieces)


def compress_gzip(content: bytes, options: dict[str, str]) -> bytes:
    """Content as one gzip member, by its recipe."""
    head = bytes.fromhex(options.get("head", _PLAIN_HEAD).ljust(_HEAD_DIGITS, "0")[:_HEAD_DIGITS])
    tail = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return _HEAD.pack(_FIXED, _DEFLATE, 0, head) + _compress_raw(content, options) + tail


def gzip_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; without a level where zlib does not.

    A member with a file name or a comment is never made again: who knows what the name tells.
    """
    fixed, method, flags, head = _HEAD.unpack_from(coded)
    if fixed != _FIXED or method != _DEFLATE or flags:
        return {}
    recipe = _raw_recipe(content, coded[_HEAD.size : -8])
    return {**recipe, "head": head.hex()} if recipe else {}


def decompress_deflate(content: bytes, largest: int) -> bytes | None:
    """Deflated content, with or without zlib's frame; None where it is damaged or too large."""
    framed = _decompress(zlib.decompressobj(), content, largest)
    return framed if framed is not None else _decompress(zlib.decompressobj(-15), content, largest)


def compress_deflate(content: bytes, options: dict[str, str]) -> bytes:
    """Content deflated by its recipe."""
    if options.get("frame") == "none":
        return _compress_raw(content, options)
    coder = zlib.compressobj(_level(options), memLevel=int(options.get("mem", "8")))
    return coder.compress(content) + coder.flush()


def deflate_recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; without a level where zlib does not."""
    if _decompress(zlib.decompressobj(), coded, len(content)) is None:
        return {"frame": "none", **_raw_recipe(content, coded)}
    recipe = _raw_recipe(content, coded[2:-4])
    return recipe if recipe and compress_deflate(content, recipe) == coded else {}


def _decompress(opener: "zlib._Decompress", content: bytes, largest: int) -> bytes | None:
    try:
        opened = opener.decompress(content, largest + 1)
    except zlib.error:
        return None
    return opened if opener.eof and len(opened) <= largest else None


def _raw_recipe(content: bytes, raw: bytes) -> dict[str, str]:
    tried = _TRIED if len(content) <= _SMALL else _TRIED[:_LIKELY]
    return next((dict(options) for options in tried if _reproduces(content, raw, options)), {})


def _reproduces(content: bytes, raw: bytes, options: Mapping[str, str]) -> bool:
    # piece by piece: most coders are told apart by the first block they give out
    coder = _raw_compressor(options)
    made = 0
    for start in range(0, len(content), _PIECE):
        piece = coder.compress(content[start : start + _PIECE])
        if not raw.startswith(piece, made):
            return False
        made += len(piece)
    return raw[made:] == coder.flush()


def _compress_raw(content: bytes, options: Mapping[str, str]) -> bytes:
    coder = _raw_compressor(options)
    return coder.compress(content) + coder.flush()


def _raw_compressor(options: Mapping[str, str]) -> "zlib._Compress":
    return zlib.compressobj(_level(options), wbits=-15, memLevel=int(options.get("mem", "8")))


def _level(options: Mapping[str, str]) -> int:
    return int(options.get("level", "6"))


LARGEST = 256 * 1024 * 1024
"""Bytes that a body may grow to when it is opened; a larger one is left as it is."""


class _Coding(NamedTuple):
    decompress: Callable[[bytes, int], bytes | None]
    compress: Callable[[bytes, dict[str, str]], bytes]
    recipe: Callable[[bytes, bytes], dict[str, str]]


_CODINGS = {
    "gzip": _Coding(decompress_gzip, compress_gzip, gzip_recipe),
    "deflate": _Coding(decompress_deflate, compress_deflate, deflate_recipe),
    "br": _Coding(decompress_brotli, compress_brotli, brotli_recipe),
    "zstd": _Coding(decompress_zstd, compress_zstd, zstd_recipe),
}
_NAMES = {"x-gzip": "gzip"}
READABLE = tuple(_CODINGS)
"""The codings that can be opened; ask an upstream for no other."""


def decode_body(
    headers: Iterable[Header], body: bytes, *, largest: int = LARGEST
) -> tuple[tuple[Header, ...], bytes, str]:
    """The headers and the body without content coding, and the recipe to code it again.

    `Content-Encoding` is taken out, and a `Content-Length` that was right is set to the length of
    what is returned. A body that is damaged, of a coding that we cannot open, or that would grow
    beyond `largest` bytes is returned as it came, with an empty recipe.

    >>> import gzip
    >>> decode_body([("Content-Encoding", "gzip")], gzip.compress(b"hi"))[1]
    b'hi'
    """
    given = tuple(headers)
    names = codings_of(given)
    if not names or not body:
        return given, body, ""
    content, recipes = body, []
    for name in reversed(names):
        coding = _CODINGS.get(name)
        opened = coding.decompress(content, largest) if coding else None
        if coding is None or opened is None:
            return given, body, ""
        recipes.append(_recipe_text(name, coding.recipe(opened, content)))
        content = opened
    kept = without(given, ["content-encoding"])
    if header(kept, "content-length").strip() == str(len(body)):
        kept = with_header(kept, "Content-Length", str(len(content)))
    return kept, content, ",".join(reversed(recipes))


def encode_body(body: bytes, coding: str) -> bytes:
    """A body coded by a recipe; as it is where the recipe is empty.

    Raises:
        ValueError: The recipe names a coding that is not in `READABLE`, or cannot be read.
    """
    for name, options in _parsed_recipe(coding):
        if name not in _CODINGS:
            raise ValueError(f"{name!r} is no content coding; known: {', '.join(READABLE)}")
        body = _CODINGS[name].compress(body, options)
    return body


def content_encoding(coding: str) -> str:
    """The value of `Content-Encoding` that a recipe belongs to; empty for an empty one.

    >>> content_encoding("gzip;level=6;head=000000000003,br")
    'gzip, br'
    """
    return ", ".join(name for name, _ in _parsed_recipe(coding))


def codings_of(headers: Iterable[Header]) -> list[str]:
    """The names of the codings that headers tell of, in the order they were applied."""
    return _coding_names(header_values(tuple(headers), "content-encoding"))


def _coding_names(values: Iterable[str]) -> list[str]:
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [_NAMES.get(name, name) for name in names if name not in {"", "identity"}]


def _recipe_text(name: str, options: dict[str, str]) -> str:
    return ";".join([name, *(f"{key}={value}" for key, value in options.items())])


def _parsed_recipe(coding: str) -> list[tuple[str, dict[str, str]]]:
    found = []
    for recipe in filter(None, coding.split(",")):
        name, *options = (piece.strip() for piece in recipe.split(";"))
        found.append((name, dict(_option(option) for option in options)))
    return found


def _option(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
