"""Multipart bodies (RFC 2046), taken apart so that they can be put together to the byte."""

import itertools
import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from mockserver.messages.headers import header, media_parameter
from mockserver.model import Header

_BLANK = re.compile(rb"(?:^|(?<=\n))\r?\n")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_DELIMITER = rb"(?P<open>(?:^|\r?\n)--)%b(?P<last>--)?(?P<pad>[ \t]*)(?=\r?\n|\Z)"


class Part(NamedTuple):
    """One part.

    Attributes:
        opening: The line break and the dashes before the boundary.
        padding: What follows the boundary up to the end of its line.
        head: The header lines, each with its line break.
        gap: The empty line.
        body: The content.
    """

    opening: bytes
    padding: bytes
    head: bytes
    gap: bytes
    body: bytes

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers, in order, folded lines unfolded; a line without a colon is none."""
        lines = _FOLD.sub("", self.head.decode("latin-1")).splitlines()
        pairs = (line.partition(":") for line in lines)
        return tuple((name.strip(), value.strip()) for name, colon, value in pairs if colon)

    @property
    def name(self) -> str:
        """The field's name in a form, or an empty string."""
        return media_parameter(header(self.headers, "content-disposition"), "name")

    def with_body(self, body: bytes) -> "Part":
        """This part with another content."""
        return self._replace(body=body)


@dataclass(frozen=True, slots=True)
class Multipart:
    """A multipart body.

    Attributes:
        boundary: What stands between the parts; it is nowhere else here.
        preamble: What stands before the first.
        parts: In order.
        closing: The line break and the dashes before the last boundary.
        epilogue: What follows the last boundary, its dashes included.
    """

    boundary: bytes
    preamble: bytes
    parts: tuple[Part, ...]
    closing: bytes
    epilogue: bytes

    def join(self) -> bytes:
        """The body; equal to the one that was taken apart, to the byte."""
        pieces = [self.preamble]
        for part in self.parts:
            pieces += [part.opening, self.boundary, part.padding, part.head, part.gap, part.body]
        return b"".join([*pieces, self.closing, self.boundary, self.epilogue])

    def with_parts(self, parts: tuple[Part, ...]) -> "Multipart":
        """This body with other parts."""
        return replace(self, parts=parts)


def boundary_of(content_type: str) -> str:
    """The boundary that a content type names, or an empty string."""
    return media_parameter(content_type, "boundary")


def split_multipart(body: bytes, boundary: str) -> Multipart | None:
    r"""A multipart body taken apart; None where it has not these boundaries, or no last one.

    >>> split_multipart(b"--x\r\nA: 1\r\n\r\nhello\r\n--x--", "x").parts[0].body
    b'hello'
    """
    if not boundary:
        return None
    limit = boundary.encode("latin-1", "replace")
    found = list(re.finditer(_DELIMITER % re.escape(limit), body))
    last = next((place for place, one in enumerate(found) if one["last"]), None)
    if last is None:
        return None
    lines = found[: last + 1]
    parts = tuple(
        _part(this["open"], this["pad"], body[this.end() : following.start()])
        for this, following in itertools.pairwise(lines)
    )
    closing = lines[-1]
    tail = body[closing.end("open") + len(limit) :]
    return Multipart(limit, body[: lines[0].start()], parts, closing["open"], tail)


def _part(opening: bytes, padding: bytes, content: bytes) -> Part:
    # the line break after a boundary is looked at, not taken: an empty part shares it with the next
    lead = len(content) - len(content.removeprefix(b"\r").removeprefix(b"\n"))
    head, gap, body = _split_head(content[lead:])
    return Part(opening, padding + content[:lead], head, gap, body)


def _split_head(content: bytes) -> tuple[bytes, bytes, bytes]:
    found = _BLANK.search(content)
    if found is None:
        return content, b"", b""
    return content[: found.start()], found[0], content[found.end() :]
