"""Downloads: the media of a resource, whole or a range of them (RFC 9110)."""

import re

import orjson

from mockserver.googleapi import ApiError, Media
from mockserver.model import JsonObject, Miss
from mockserver.server.entitytags import has_tag
from mockserver.server.exchange import Exchange
from mockserver.server.requests import Request
from mockserver.server.uploading import media_key

_RANGE = re.compile(rb"^bytes=(\d{0,15})-(\d{0,15})$")
_DRIVE = "drive"
_NOTHING = "Only files with binary content can be downloaded. Use Export with Docs Editors files."


def wants_media(exchange: Exchange) -> bool:
    """Whether the content of a resource is asked for, and not what is known of it."""
    asked = exchange.system is not None and exchange.system.alt == "media"
    return asked or exchange.route.download


def answer_media(exchange: Exchange, request: Request, payload: JsonObject | None) -> None:
    """Answer with the media of a resource.

    Raises:
        ApiError: 403: the file of Drive has none (the words are Drive's); 501: the session holds a
            resource without its media; 416: no such range.
    """
    media = exchange.session.media.get(media_key(exchange.route))
    if media is None:
        raise _without_media(exchange)
    tag = str((payload or {}).get("etag") or "")
    exchange.content_type = media.content_type.encode("latin-1", "replace")
    exchange.headers += ((b"accept-ranges", b"bytes"),)
    exchange.compressible = False
    _range(exchange, request, media, tag)


def _without_media(exchange: Exchange) -> ApiError:
    """The refusal where nothing was uploaded: a fixture holds what is known of media, not them."""
    route = exchange.route
    if route.method is None or route.method.api == _DRIVE:
        return ApiError(
            403,
            _NOTHING,
            reason="fileNotDownloadable",
            location="alt",
            location_type="parameter",
        )
    stub = {"http": [{"url": f"{route.host}{route.path}", "body": "the content"}]}
    text = (
        f"{route.method.id} finds the resource, and nothing in this session holds its media. "
        f"Upload it, or hold a fixture that would answer: {orjson.dumps(stub).decode()}"
    )
    return ApiError(
        501,
        text,
        reason="notImplemented",
        code_name="UNIMPLEMENTED",
        miss=Miss(blame="fixture_gap", reason=f"no media for {route.method.id}"),
    )


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
