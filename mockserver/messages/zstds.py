"""Zstandard, coded again to the byte where its own library made it."""

_LEVELS = (3, 1, 6, 9)
_LARGEST_TRIED = 256 * 1024
_STEP = 1024
"""Bytes opened at a time: so few cannot grow beyond what is looked at next."""


def opened(content: bytes, largest: int) -> bytes | None:
    """The content, of all its frames; None where it is damaged or too large."""
    import zstandard

    pieces: list[bytes] = []
    opener = zstandard.ZstdDecompressor().decompressobj()
    try:
        for start in range(0, len(content), _STEP):
            coded = content[start : start + _STEP]
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


def closed(content: bytes, options: dict[str, str]) -> bytes:
    """Content coded by its recipe."""
    import zstandard

    coder = zstandard.ZstdCompressor(
        level=int(options.get("level", "3")),
        write_checksum="checksum" in options,
    )
    return bytes(coder.compress(content))


def recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; nothing where the library does not."""
    if len(content) > _LARGEST_TRIED:
        return {}
    for level in map(str, _LEVELS):
        for options in ({"level": level}, {"level": level, "checksum": "1"}):
            if closed(content, options) == coded:
                return options
    return {}
