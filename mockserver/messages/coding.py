"""Content coding: bodies opened for reading, and closed again to the byte.

A recipe says how a body was coded: codings in the order they were applied, separated by commas,
each with what it takes to repeat it: `gzip;level=6;head=00000000ff03` or `br;level=5`. Without a
level nothing that we know makes the same bytes; what is coded then reads the same and has other
bytes.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mockserver.messages import brotlis, gzips, zstds
from mockserver.messages.headers import header, header_values, with_header, without
from mockserver.model import Header

LARGEST = 256 * 1024 * 1024
"""Bytes that a body may grow to when it is opened; a larger one is left as it is."""


class _Coding(NamedTuple):
    opened: Callable[[bytes, int], bytes | None]
    closed: Callable[[bytes, dict[str, str]], bytes]
    recipe: Callable[[bytes, bytes], dict[str, str]]


_CODINGS = {
    "gzip": _Coding(gzips.gunzipped, gzips.gzipped, gzips.gzip_recipe),
    "deflate": _Coding(gzips.inflated, gzips.deflated, gzips.deflate_recipe),
    "br": _Coding(brotlis.opened, brotlis.closed, brotlis.recipe),
    "zstd": _Coding(zstds.opened, zstds.closed, zstds.recipe),
}
_NAMES = {"x-gzip": "gzip"}
READABLE = tuple(_CODINGS)
"""The codings that can be opened; ask an upstream for no other."""


def decoded(
    headers: Iterable[Header], body: bytes, *, largest: int = LARGEST
) -> tuple[tuple[Header, ...], bytes, str]:
    """The headers and the body without content coding, and the recipe to code it again.

    `Content-Encoding` is taken out, and a `Content-Length` that was right is set to the length of
    what is returned. A body that is damaged, of a coding that we cannot open, or that would grow
    beyond `largest` bytes is returned as it came, with an empty recipe.

    >>> import gzip
    >>> decoded([("Content-Encoding", "gzip")], gzip.compress(b"hi"))[1]
    b'hi'
    """
    given = tuple(headers)
    names = codings_of(given)
    if not names or not body:
        return given, body, ""
    content, recipes = body, []
    for name in reversed(names):
        coding = _CODINGS.get(name)
        opened = coding.opened(content, largest) if coding else None
        if coding is None or opened is None:
            return given, body, ""
        recipes.append(_written(name, coding.recipe(opened, content)))
        content = opened
    kept = without(given, ["content-encoding"])
    if header(kept, "content-length").strip() == str(len(body)):
        kept = with_header(kept, "Content-Length", str(len(content)))
    return kept, content, ",".join(reversed(recipes))


def encoded(body: bytes, coding: str) -> bytes:
    """A body coded by a recipe; as it is where the recipe is empty.

    Raises:
        ValueError: The recipe names a coding that is not in `READABLE`, or cannot be read.
    """
    for name, options in _read(coding):
        if name not in _CODINGS:
            raise ValueError(f"{name!r} is no content coding; known: {', '.join(READABLE)}")
        body = _CODINGS[name].closed(body, options)
    return body


def content_encoding(coding: str) -> str:
    """The value of `Content-Encoding` that a recipe belongs to; empty for an empty one.

    >>> content_encoding("gzip;level=6;head=000000000003,br")
    'gzip, br'
    """
    return ", ".join(name for name, _ in _read(coding))


def codings_of(headers: Iterable[Header]) -> list[str]:
    """The names of the codings that headers tell of, in the order they were applied."""
    return _named(header_values(tuple(headers), "content-encoding"))


def _named(values: Iterable[str]) -> list[str]:
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [_NAMES.get(name, name) for name in names if name not in {"", "identity"}]


def _written(name: str, options: dict[str, str]) -> str:
    return ";".join([name, *(f"{key}={value}" for key, value in options.items())])


def _read(coding: str) -> list[tuple[str, dict[str, str]]]:
    found = []
    for recipe in filter(None, coding.split(",")):
        name, *options = (piece.strip() for piece in recipe.split(";"))
        found.append((name, dict(_option(option) for option in options)))
    return found


def _option(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
