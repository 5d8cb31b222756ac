"""Multipart bodies: parts between boundaries, each with headers of its own (RFC 2046)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_BOUNDARY = re.compile(r";\s*boundary\s*=\s*(?:\"([^\"]{1,70})\"|([^\s;\"]{1,70}))", re.IGNORECASE)
_LINE_END = re.compile(rb"(--)?[ \t]{0,100}(?=\r?\n|$)")
_BLANK = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_LINE_BREAK = re.compile(r"[\r\n]+")

MOST_PARTS = 1000
_OTHERS = 100
"""Lines that only begin like a boundary, beside those that are one."""

_LONGEST_HEAD = 64 * 1024
"""Bytes of the headers of a part."""


class MultipartError(ValueError):
    """A body that is not what its content type says."""


class Part(NamedTuple):
    """One part.

    Attributes:
        headers: By lower-case name.
        body: What follows the headers.
    """

    headers: Mapping[str, str]
    body: bytes


def boundary_of(content_type: str) -> str:
    """The boundary that a content type names.

    Raises:
        MultipartError: It names none.

    >>> boundary_of('multipart/mixed; boundary="a b"')
    'a b'
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise MultipartError("the content type names no boundary")
    return found[1] or found[2]


def parse_multipart(content: bytes, boundary: str, most: int = MOST_PARTS) -> list[Part]:
    r"""The parts of a body; text before the first and after the last part is ignored.

    Args:
        content: The body.
        boundary: What stands between the parts.
        most: How many parts it may have.

    Raises:
        MultipartError: The boundary is not there, the last one is missing, or there are too many.

    >>> parse_multipart(b"--x\r\nA: 1\r\n\r\nhello\r\n--x--", "x")
    [Part(headers={'a': '1'}, body=b'hello')]
    """
    parts: list[Part] = []
    start: int | None = None
    for place, after, is_last in _boundaries(content, b"--" + boundary.encode(), most):
        if start is not None:
            parts.append(_part(content[start:place]))
        if is_last:
            return parts
        start = after
    if start is None:
        raise MultipartError(f"no part begins with the boundary {boundary!r}")
    raise MultipartError(f"the last boundary, --{boundary}--, is missing")


def _boundaries(content: bytes, line: bytes, most: int) -> Iterator[tuple[int, int, bool]]:
    """Lines that are boundaries: where the line break before them begins, where they end, which.

    They are looked for as text: a pattern is tried at every place of the body, and holds up all
    threads meanwhile.

    Yields:
        Each boundary.

    Raises:
        MultipartError: There are too many.
    """
    tries = 0
    place = 0 if content.startswith(line) else content.find(b"\n" + line) + 1
    while place or content.startswith(line):
        tries += 1
        if tries > most + _OTHERS:
            raise MultipartError(f"it has more than {most} parts")
        found = _LINE_END.match(content, place + len(line))
        if found is not None:
            lead = 2 if content[max(0, place - 2) : place] == b"\r\n" else 1
            yield max(0, place - lead), found.end(), found[1] is not None
        place = content.find(b"\n" + line, place + len(line)) + 1
        if not place:
            return


def parse_headers(text: bytes) -> dict[str, str]:
    r"""Header lines by lower-case name; a line without a colon is ignored.

    A line that begins with white space goes on with the one before it, as writers of mail fold
    long lines (RFC 5322, 2.2.3).

    >>> parse_headers(b"Content-ID: <a +\r\n b>\r\nX: 1\r\n")
    {'content-id': '<a + b>', 'x': '1'}
    """
    headers = {}
    for line in _LINE_BREAK.split(_FOLD.sub(b"", text).decode("latin-1")):
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def split_head(content: bytes) -> tuple[bytes, bytes]:
    """What stands before the first empty line, and what stands after it.

    Raises:
        MultipartError: No empty line comes within the length that headers may have.
    """
    found = _BLANK.search(content, 0, _LONGEST_HEAD)
    if found is None and len(content) > _LONGEST_HEAD:
        raise MultipartError(f"the headers of a part are over {_LONGEST_HEAD} bytes")
    if found is None:
        return content, b""
    return content[: found.start()], content[found.end() :]


def write_multipart(parts: Iterable[tuple[Mapping[str, str], bytes]], boundary: str) -> bytes:
    """Parts as a body."""
    lines: list[bytes] = []
    for headers, body in parts:
        lines.append(b"--" + boundary.encode())
        lines += [f"{name}: {value}".encode("latin-1") for name, value in headers.items()]
        lines += [b"", body]
    return b"\r\n".join([*lines, b"--" + boundary.encode() + b"--", b""])


def _part(content: bytes) -> Part:
    # the line break after the boundary stands before the headers, or before the empty line
    head, body = split_head(content)
    return Part(parse_headers(head), body)
