"""Downloads: the media of a resource, whole or a range of them (RFC 9110)."""

import re

from mockserver.googleapi import ApiError, Media
from mockserver.model import JsonObject
from mockserver.server.entitytags import has_tag
from mockserver.server.exchange import Exchange
from mockserver.server.requests import Request
from mockserver.server.uploading import media_key

_RANGE = re.compile(rb"^bytes=(\d{0,15})-(\d{0,15})$")
_NOTHING = "Only files with binary content can be downloaded. Use Export with Docs Editors files."


def wants_media(exchange: Exchange) -> bool:
    """Whether the content of a resource is asked for, and not what is known of it."""
    return exchange.system is not None and exchange.system.alt == "media"


def answer_media(exchange: Exchange, request: Request, payload: JsonObject | None) -> None:
    """Answer with the media of a resource.

    Raises:
        ApiError: 403: the resource has none (the words are those of Drive); 416: no such range.
    """
    media = exchange.session.media.get(media_key(exchange.route))
    if media is None:
        raise ApiError(
            403,
            _NOTHING,
            reason="fileNotDownloadable",
            location="alt",
            location_type="parameter",
        )
    tag = str((payload or {}).get("etag") or "")
    exchange.content_type = media.content_type.encode("latin-1", "replace")
    exchange.headers += ((b"accept-ranges", b"bytes"),)
    exchange.compressible = False
    _range(exchange, request, media, tag)


def _range(exchange: Exchange, request: Request, media: Media, tag: str) -> None:
    headers, size = request.headers, len(media.content)
    asked = _RANGE.match(headers.get(b"range", b""))
    condition = headers.get(b"if-range")
    exchange.response = media.content
    # several ranges, or those of another unit, are not served: the whole is a legal answer
    if asked is None or asked[1] == asked[2] == b"":
        return
    if condition is not None and not (tag and has_tag(condition, tag)):
        return
    first, last = _bounds(asked[1], asked[2], size)
    if first > last or first >= size:
        raise ApiError(
            416,
            "Request range not satisfiable",
            reason="requestedRangeNotSatisfiable",
            headers={"Content-Range": f"bytes */{size}"},
        )
    exchange.status = 206
    exchange.headers += ((b"content-range", b"bytes %d-%d/%d" % (first, last, size)),)
    exchange.response = media.content[first : last + 1]


def _bounds(first: bytes, last: bytes, size: int) -> tuple[int, int]:
    if not first:  # the last so many bytes
        return max(0, size - int(last)), (size - 1 if int(last) else -1)
    return int(first), min(int(last), size - 1) if last else size - 1
