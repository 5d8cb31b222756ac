"""Answers on their way out: the headers that Google sends, compression, HEAD, damage by faults."""

import asyncio
import zlib
from collections.abc import Mapping

from mockserver.asgi.requests import (
    ANSWERED,
    Message,
    Receive,
    Request,
    Scope,
    Send,
    end_connection,
)
from mockserver.sessions.faults import Damage
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.response import BY_DOCUMENTS, Header, Response, break_json

_GZIP_WINDOW, _GZIP_MEMORY = 16 + 13, 6
_GZIP_FROM = 1024
"""Bodies of fewer bytes are sent as they are."""
_GZIPPED: IdentityMemo[bytes] = IdentityMemo(1024, budget=16 * 1024 * 1024)
BODILESS = frozenset({204, 304})
"""Statuses whose answers have no body, nor say how long it is."""

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
_SOURCES = (
    "stub", "state", BY_DOCUMENTS, "cassette", "synthesis", "fault", "control", "agent", "none",
)  # fmt: skip
_HEADERS: Mapping[str, tuple[Header, ...]] = {
    source: (*_FIXED, (b"x-mock-source", source.encode())) for source in _SOURCES
}


_PLAIN_HEADERS = {source: headers[len(_FIXED) :] for source, headers in _HEADERS.items()}


async def send_response(
    response: Response, request: Request, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send an answer, when it is due: as it was recorded, or as Google's front end would.

    It is compressed when the caller takes it, and has no body for HEAD.

    Raises:
        ConnectionResetError: The connection is to be cut, and this transport has none that can be.
    """
    if ANSWERED in scope and not scope[ANSWERED]():
        return
    if response.delay_ms:
        await asyncio.sleep(response.delay_ms / 1000)
    damage, body = response.damage, response.body
    if damage is not None:
        if damage.kind == "malformed":
            body = break_json(body)
    elif response.playback is not None:
        await response.playback.send(request, scope, receive, send)
        return
    body, is_gzip = encode_for(request, response, body)
    headers = headers_of(response, request, len(body), is_gzip=is_gzip)
    head: Message = {"type": "http.response.start", "status": response.status, "headers": headers}
    if damage is not None:
        await _send_damaged(damage, head, body, scope, receive, send, no_body=request.head)
        return
    await send(head)
    await send({"type": "http.response.body", "body": b"" if request.head else body})


def encode_for(request: Request, response: Response, body: bytes) -> tuple[bytes, bool]:
    """A body as it is sent to a client, and whether it was compressed."""
    if request.takes_gzip and response.compressible and len(body) >= _GZIP_FROM:
        return _gzip(body), True
    return body, False


def headers_of(response: Response, request: Request, length: int, *, is_gzip: bool) -> list[Header]:
    """The headers of an answer that is no recording, its own last.

    Args as `usual_headers`.
    """
    usual = usual_headers(response, request, length, is_gzip=is_gzip)
    return [*usual, *response.headers]


def usual_headers(
    response: Response, request: Request, length: int, *, is_gzip: bool
) -> list[Header]:
    """The headers that an answer shares with many others.

    Args:
        response: The answer.
        request: What is answered.
        length: How many bytes its body has as it is sent.
        is_gzip: Whether that is compressed.
    """
    usual, source = _PLAIN_HEADERS if response.plain else _HEADERS, response.source
    headers = [*usual[BY_DOCUMENTS if response.unproven and source == "state" else source]]
    if request.origin is not None:
        headers += ((_ALLOW_ORIGIN, request.origin), _EXPOSED)
    if length:
        headers.append((b"content-type", response.content_type))
        if is_gzip:
            headers.append((b"content-encoding", b"gzip"))
    if response.status not in BODILESS:
        headers.append((b"content-length", b"%d" % length))
    return headers


def _gzip(body: bytes) -> bytes:
    found = _GZIPPED.get(body)
    if found is None:
        # the lowest level, and little memory, which takes longer to clear than a body to pack:
        # loopback has bandwidth; the header carries no time of compression
        packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP_WINDOW, _GZIP_MEMORY)
        found = packer.compress(body) + packer.flush()
        _GZIPPED.keep(body, found, len(body) + len(found))
    return found


_CUTTING = frozenset({"reset", "truncate"})


async def _send_damaged(
    damage: Damage,
    head: Message,
    body: bytes,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    no_body: bool,
) -> None:
    """Send an answer with the damage that its fault says; one without a body is not sent at all."""
    is_cut = damage.kind in _CUTTING
    if damage.at_once or (is_cut and not body):
        await end_connection(scope, receive, reset=True)
        return
    if no_body:
        body = b""
    await send(head)
    if is_cut:
        kept = len(body) // 2
        if damage.after_bytes is not None:
            kept = min(damage.after_bytes, len(body) - 1)
        if kept > 0:
            await send({"type": "http.response.body", "body": body[:kept], "more_body": True})
        await end_connection(scope, receive, reset=damage.kind == "reset")
        return
    if damage.kind == "dribble":
        for start in range(0, len(body), damage.chunk_bytes):
            piece = body[start : start + damage.chunk_bytes]
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(damage.pause_ms / 1000)
        body = b""
    elif damage.pause_ms:
        await asyncio.sleep(damage.pause_ms / 1000)
    await send({"type": "http.response.body", "body": body})


_ASKED = b"access-control-request-method"
_METHODS = b"DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT"
_LASTS_S = b"3600"


def is_preflight(request: Request) -> bool:
    """Whether a browser asks if it may send a request."""
    return _ASKED in request.headers and b"origin" in request.headers


def preflight(request: Request) -> Response:
    """The answer to a browser that asks whether it may send a request: it may send any.

    Google's APIs let every origin call them; what they answer to a preflight is not verified
    against the live APIs. No session is asked, so nothing is journalled.
    """
    wanted = request.headers.get(b"access-control-request-headers", b"")
    response = Response()
    response.source = "none"
    response.headers = (
        (b"access-control-allow-methods", _METHODS),
        (b"access-control-max-age", _LASTS_S),
        *(((b"access-control-allow-headers", wanted),) if wanted else ()),
    )
    return response
