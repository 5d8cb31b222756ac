"""Requests that upload media: at once, with their metadata, or piece by piece."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

import orjson

from mockserver.asgi.requests import Request
from mockserver.googleapi import (
    ApiError,
    Download,
    Media,
    MediaKey,
    MultipartError,
    boundary_of,
    lists_etag,
    parse_multipart,
    upload_path,
)
from mockserver.model import JsonObject, Miss
from mockserver.routing import Route, Routes
from mockserver.sessions.media import Upload
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.response import header_pairs

_RESUME = 308
_CANCELLED = 499
_BYTES = "application/octet-stream"
_TYPES = ("uploadType", "upload_protocol")


@dataclass(slots=True)
class UploadRequest:
    """One request of an upload.

    Attributes:
        exchange: What it asks and what it is answered.
        request: Its head.
        content: Its body.
        media: The media it brings, where it brings them whole.
        query: Its query.
    """

    exchange: Exchange
    request: Request
    content: bytes
    media: Media | None
    query: dict[str, str]
    _upload: Upload | None = None

    @property
    def headers(self) -> Mapping[bytes, bytes]:
        """The headers of the request, with those that began its upload."""
        return {**(self._upload.headers if self._upload else {}), **self.request.headers}

    def take(self, base_url: str) -> Media | None:
        """Do what the request is for; the media once they are whole, else it is answered.

        Args:
            base_url: Where the session is, for the link to go on with.

        Raises:
            ApiError: It does not fit what came before.
        """
        if self.media is not None:
            return self.media
        store, response = self.exchange.session.media, self.exchange.response
        upload_id = self.query.get("upload_id", "")
        if not upload_id:
            self._begin(base_url)
            return None
        upload = self._upload = store.upload(upload_id)
        if self.request.verb == "DELETE":
            store.cancel(upload_id)
            response.status = _CANCELLED
            return None
        if upload.answer is not None:
            response.status, response.content_type, response.body = upload.answer
            return None
        content_range = self.request.headers.get(b"content-range", b"").decode("latin-1").strip()
        strict = self.exchange.session.profile == "strict"
        if upload.take(self.content, content_range, strict=strict):
            self.exchange.body = upload.body
            self.exchange.entry.set_body(upload.body)
            return upload.media
        response.status = _RESUME
        if upload.received:
            response.headers += ((b"range", b"bytes=0-%d" % (len(upload.received) - 1)),)
        return None

    def _begin(self, base_url: str) -> None:
        headers, exchange = self.request.headers, self.exchange
        kind = headers.get(b"x-upload-content-type", _BYTES.encode()).decode("latin-1")
        length = headers.get(b"x-upload-content-length", b"")
        upload = exchange.session.media.begin(
            exchange.session.world.ids,
            exchange.route.method_id,
            exchange.body,
            kind,
            int(length) if length.isdigit() else None,
        )
        upload.headers = headers
        query = urlencode({**self.query, "upload_id": upload.id})
        link = f"{base_url}{self.request.path.decode('latin-1')}?{query}"
        exchange.response.headers += (
            (b"location", link.encode("latin-1")),
            (b"x-guploader-uploadid", upload.id.encode()),
        )

    def finish(self, routes: Routes, media: Media, payload: JsonObject | None) -> None:
        """Keep the media where they are downloaded, and the answer for who asks again."""
        response = self.exchange.response
        key = _download_key(routes, self.exchange.route, payload or {})
        if key is not None:
            self.exchange.session.media.put(key, media)
        if self._upload is not None:
            self._upload.answer = (response.status, response.content_type, response.body)
            self._upload.received.clear()


def bind_upload(
    binder: Binder, exchange: Exchange, request: Request, content: bytes
) -> UploadRequest:
    """Bind what a request of an upload asks; a refusal is left as the exchange's problem."""
    query = dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True))
    kind = next((query[name] for name in _TYPES if name in query), "")
    media, metadata, problem = None, b"", None
    if kind == "resumable":
        metadata = b"" if "upload_id" in query else content
    elif kind == "media":
        sent = request.headers.get(b"content-type", _BYTES.encode())
        media = Media(content, sent.decode("latin-1"))
    elif kind == "multipart":
        try:
            metadata, media = _parse_related(request, content)
        except (MultipartError, ApiError) as error:
            problem = (
                error if isinstance(error, ApiError) else _bad(f"Malformed multipart: {error}.")
            )
    else:
        problem = _bad(f"Unknown uploadType '{kind[:40]}': it is media, multipart or resumable.")
    binder.bind_request(exchange, request, metadata)
    exchange.problem = problem or exchange.problem
    exchange.entry.request_bytes = len(request.query) + len(content)
    return UploadRequest(exchange, request, content, media, query)


def media_key(route: Route) -> MediaKey:
    """Where a route downloads from."""
    return route.method_id, tuple(sorted(route.captures.items()))


def _parse_related(request: Request, content: bytes) -> tuple[bytes, Media]:
    boundary = boundary_of(request.headers.get(b"content-type", b"").decode("latin-1"))
    parts = parse_multipart(content, boundary)
    if len(parts) != 2:
        raise MultipartError(f"it has {len(parts)} parts, not two, metadata and media")
    return parts[0].body, Media(parts[1].body, parts[1].headers.get("content-type", _BYTES))


def _download_key(routes: Routes, route: Route, payload: JsonObject) -> MediaKey | None:
    """Where what was uploaded is downloaded: at its own path, or at that of what was made of it."""
    path = upload_path(route.path)
    made = [
        (name, f"{path}/{quote(payload[name], safe='')}")
        for name in ("id", "name")
        if isinstance(payload.get(name), str)
    ]
    for name, place in [("", path), *made]:
        found = routes.find(route.host.encode(), "GET", place.encode("latin-1", "replace"))
        if found.method is None or not found.method.media_download:
            continue
        by_id = (found.method.path.rpartition("{")[2].rstrip("}").lower()).endswith("id")
        if not name or by_id is (name == "id"):
            return media_key(found)
    return None


def _bad(message: str) -> ApiError:
    return ApiError(400, message, reason="badRequest")


_RANGE = re.compile(rb"^bytes=(\d{0,15})-(\d{0,15})$")
_DRIVE = "drive"
_NOTHING = "Only files with binary content can be downloaded. Use Export with Docs Editors files."


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
    found = Download(media.content, media.content_type, headers={"accept-ranges": "bytes"})
    answer_download(exchange, request, found, tag)


def answer_download(exchange: Exchange, request: Request, found: Download, tag: str = "") -> None:
    """Answer with a content, or the part of it that is asked for.

    Args:
        exchange: The call.
        request: Its head.
        found: The content.
        tag: The entity tag of what has it, or an empty string.

    Raises:
        ApiError: 416: no such range.
    """
    response = exchange.response
    response.status = found.status
    response.content_type = found.content_type.encode("latin-1", "replace")
    response.headers += header_pairs(found.headers)
    response.body = found.content
    response.plain = response.plain or "cache-control" in found.headers
    if "accept-ranges" in found.headers:
        response.compressible = False
        _answer_range(exchange, request, found, tag or found.headers.get("etag", ""))


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


def _answer_range(exchange: Exchange, request: Request, media: Media, tag: str) -> None:
    headers, size = request.headers, len(media.content)
    asked = _RANGE.match(headers.get(b"range", b""))
    condition = headers.get(b"if-range")
    response = exchange.response
    # several ranges, or those of another unit, are not served: the whole is a legal answer
    if asked is None or asked[1] == asked[2] == b"":
        return
    if condition is not None and not (tag and lists_etag(condition, tag)):
        return
    first, last = _bounds(asked[1], asked[2], size)
    if first > last or first >= size:
        raise ApiError(
            416,
            "Request range not satisfiable",
            reason="requestedRangeNotSatisfiable",
            headers={"Content-Range": f"bytes */{size}"},
        )
    response.status = 206
    response.headers += ((b"content-range", b"bytes %d-%d/%d" % (first, last, size)),)
    response.body = media.content[first : last + 1]


def _bounds(first: bytes, last: bytes, size: int) -> tuple[int, int]:
    if not first:  # the last so many bytes
        return max(0, size - int(last)), (size - 1 if int(last) else -1)
    return int(first), min(int(last), size - 1) if last else size - 1
