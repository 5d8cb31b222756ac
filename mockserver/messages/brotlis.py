"""Brotli, coded again to the byte where its own library made it."""

_QUALITIES = ((5, 256), (4, 256), (6, 256), (1, 256), (9, 64), (11, 8))
"""Qualities that are tried, and up to which size of a content in KiB: high ones take long."""
_PIECE = 64 * 1024


def opened(content: bytes, largest: int) -> bytes | None:
    """The content; None where it is damaged or too large."""
    import brotli

    opener = brotli.Decompressor()
    pieces: list[bytes] = []
    try:
        piece = opener.process(content, output_buffer_limit=_PIECE)
        while piece or not opener.can_accept_more_data():
            pieces.append(piece)
            largest -= len(piece)
            if largest < 0:
                return None
            piece = opener.process(b"", output_buffer_limit=_PIECE)
    except brotli.error:
        return None
    return b"".join(pieces) if opener.is_finished() else None


def closed(content: bytes, options: dict[str, str]) -> bytes:
    """Content coded by its recipe."""
    import brotli

    return bytes(brotli.compress(content, quality=int(options.get("level", "5"))))


def recipe(content: bytes, coded: bytes) -> dict[str, str]:
    """How to make these very bytes; nothing where the library does not."""
    for quality, largest in _QUALITIES:
        options = {"level": str(quality)}
        if len(content) <= largest * 1024 and closed(content, options) == coded:
            return options
    return {}
