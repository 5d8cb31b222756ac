"""Multipart bodies: parts between boundaries, each with headers of its own (RFC 2046)."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_BOUNDARY = re.compile(r";\s*boundary\s*=\s*(?:\"([^\"]{1,70})\"|([^\s;\"]{1,70}))", re.IGNORECASE)
_BLANK = re.compile(rb"\r?\n\r?\n")


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


def parse_multipart(content: bytes, boundary: str) -> list[Part]:
    r"""The parts of a body; what stands before the first and after the last is nobody's.

    Raises:
        MultipartError: The boundary is not there, or the last one is missing.

    >>> parse_multipart(b"--x\r\nA: 1\r\n\r\nhello\r\n--x--", "x")
    [Part(headers={'a': '1'}, body=b'hello')]
    """
    line = re.compile(rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(--)?[ \t]*(?=\r?\n|$)")
    parts: list[Part] = []
    start: int | None = None
    for found in line.finditer(content):
        if start is not None:
            parts.append(_part(content[start : found.start()]))
        if found[1]:
            return parts
        start = found.end()
    if start is None:
        raise MultipartError(f"no part begins with the boundary {boundary!r}")
    raise MultipartError(f"the last boundary, --{boundary}--, is missing")


def parse_headers(text: bytes) -> dict[str, str]:
    r"""Header lines by lower-case name; a line without a colon is nobody's.

    >>> parse_headers(b"Content-ID: <a>\r\nX: 1\r\n")
    {'content-id': '<a>', 'x': '1'}
    """
    headers = {}
    for line in text.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers


def split_head(content: bytes) -> tuple[bytes, bytes]:
    """What stands before the first empty line, and what stands after it."""
    found = _BLANK.search(content)
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
