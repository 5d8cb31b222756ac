"""Answers on their way out: the headers that Google sends, compression, HEAD."""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from mockserver.asgi.requests import Request, Send
from mockserver.model import Miss, Source
from mockserver.sessions.faults import Damage
from mockserver.sources.memo import IdentityMemo

Header = tuple[bytes, bytes]

JSON = b"application/json; charset=UTF-8"
HTML = b"text/html; charset=UTF-8"
_GZIP_FROM = 1024
"""Bodies of fewer bytes are sent as they are."""

_LONGEST_HEADER = 4000
"""Characters of a header that tells what a request said; some clients read no longer ones."""

_LARGEST_KEPT = 64 * 1024
_GZIPPED: IdentityMemo[bytes] = IdentityMemo(128)
_BODILESS = frozenset({204, 304})

_FIXED: tuple[Header, ...] = (
    (b"vary", b"Origin, X-Origin, Referer"),
    (b"x-xss-protection", b"0"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"x-content-type-options", b"nosniff"),
    (b"server", b"ESF"),
    (b"cache-control", b"no-cache, no-store, max-age=0, must-revalidate"),
    (b"pragma", b"no-cache"),
    (b"expires", b"Mon, 01 Jan 1990 00:00:00 GMT"),
)
"""What recorded answers of Google's front end carry."""

_ALLOW_ORIGIN = b"access-control-allow-origin"
_EXPOSED: Header = (
    b"access-control-expose-headers",
    b"Content-Encoding, Content-Length, Content-Range, Content-Type, ETag, Location, Range, "
    b"WWW-Authenticate, X-Mock-Ignored, X-Mock-Miss, X-Mock-Source",
)
"""What a page of another origin may read of an answer (not verified against the live APIs)."""

_HEADERS: Mapping[Source, tuple[Header, ...]] = {
    source: (*_FIXED, (b"x-mock-source", source.encode()))
    for source in ("stub", "state", "cassette", "synthesis", "fault", "control", "none")
}


class Outgoing(Protocol):
    """An answer that can be sent.

    Attributes:
        status: The HTTP status.
        source: Who answered.
        content_type: The type of the body.
        headers: Further headers.
        damage: What happens to it on the wire, or None.
        delay_ms: How long it is held back, in milliseconds.
        compressible: Whether the body may be compressed.
    """

    status: int
    source: Source
    content_type: bytes
    headers: tuple[Header, ...]
    damage: Damage | None
    delay_ms: float
    compressible: bool


@dataclass(slots=True)
class Reply:
    """An answer to a request that reached no session."""

    status: int
    source: Source = "none"
    content_type: bytes = JSON
    headers: tuple[Header, ...] = ()
    damage: Damage | None = None
    delay_ms: float = 0.0
    compressible: bool = True


def header_pairs(headers: Mapping[str, str]) -> tuple[Header, ...]:
    """Headers as bytes; names in lower case, line breaks dropped from values."""
    return tuple(
        (name.lower().encode("latin-1", "replace"), _one_line(value))
        for name, value in headers.items()
    )


def ignored_header(names: Iterable[str]) -> tuple[Header, ...]:
    """`X-Mock-Ignored` for the parameters that were accepted and not used; nothing for none."""
    text = ", ".join(names)
    if len(text) > _LONGEST_HEADER:
        text = text[:_LONGEST_HEADER] + ", ..."
    return ((b"x-mock-ignored", _one_line(text)),) if text else ()


def miss_header(miss: Miss) -> tuple[Header, ...]:
    """`X-Mock-Miss`: whose fault it is, and the nearest thing that is there."""
    near = f"; nearest={miss.nearest[:_LONGEST_HEADER]}" if miss.nearest else ""
    return ((b"x-mock-miss", _one_line(miss.blame + near)),)


def _one_line(value: str) -> bytes:
    return " ".join(value.split()).encode("latin-1", "backslashreplace")


async def send_reply(reply: Outgoing, body: bytes, request: Request, send: Send) -> None:
    """Send an answer: compressed when the caller takes it, without its body to HEAD."""
    headers, body = head_and_body(reply, body, request)
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if request.head else body})


def head_and_body(reply: Outgoing, body: bytes, request: Request) -> tuple[list[Header], bytes]:
    """The headers of an answer, and its body as it is sent."""
    headers = [*_HEADERS[reply.source], *reply.headers]
    if b"origin" in request.headers:
        headers += ((_ALLOW_ORIGIN, request.headers[b"origin"]), _EXPOSED)
    if body:
        headers.append((b"content-type", reply.content_type))
        if len(body) >= _GZIP_FROM and reply.compressible and _takes_gzip(request):
            headers.append((b"content-encoding", b"gzip"))
            body = _gzipped(body)
    if reply.status not in _BODILESS:
        headers.append((b"content-length", b"%d" % len(body)))
    return headers, body


def _takes_gzip(request: Request) -> bool:
    return b"gzip" in request.headers.get(b"accept-encoding", b"")


def _gzipped(body: bytes) -> bytes:
    found = _GZIPPED.get(body)
    if found is None:
        # the lowest level: loopback has bandwidth; the header carries no time of compression
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        found = packer.compress(body) + packer.flush()
        if len(body) <= _LARGEST_KEPT:
            _GZIPPED.keep(body, found)
    return found
