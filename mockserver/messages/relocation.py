"""Absolute URLs of a recorded service, made to lead to whoever stands in for it, and back.

In bodies only links are changed, members by whose names clients go on (`nextLink`, `selfLink`,
`uploadUrl`); every other byte stays. Names of scopes, issuers and resources look like URLs too and
are none of ours.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, pairwise
from urllib.parse import quote

from mockserver.messages.headers import (
    header,
    is_event_stream,
    is_json,
    is_json_lines,
    media_type,
    with_header,
)
from mockserver.model import Chunk, Header, RecordedRequest, RecordedResponse

LINK_HEADERS = frozenset({
    "azure-asyncoperation", "content-location", "link", "location", "operation-location", "refresh",
    "x-goog-upload-chunk-url", "x-goog-upload-control-url", "x-goog-upload-url",
})  # fmt: skip
"""Headers that lead a client on."""

LINKS = (
    "@odata.nextLink", "@odata.deltaLink", "odata.nextLink", "baseUrl", "batchPath", "download_url",
    "downloadUrl", "endpoint_url", "first", "first_page_url", "href", "html_url", "last",
    "last_page_url", "location", "mediaLink", "next", "next_page", "next_page_url", "next_url",
    "nextLink", "nextPageLink", "nextPageUrl", "nextUrl", "prev", "prev_page_url", "previous",
    "previous_page", "previousLink", "previousUrl", "resultUrl", "resumableUri", "rootUrl", "self",
    "selfLink", "status_url", "statusUrl", "targetLink", "upload_url", "uploadUri", "uploadUrl",
    "url",
)  # fmt: skip
"""Members of JSON bodies that lead a client on."""

_Edit = tuple[int, int, bytes]
_END = rb"(?=[/?#\"\\]|$)"


def relocate_links(response: RecordedResponse, origin: str, base: str) -> RecordedResponse:
    """A response whose links lead to `base` where they led to `origin`.

    Args:
        response: As recorded.
        origin: `https://host[/prefix]` without a slash at the end.
        base: What stands in its place, without a slash at the end.

    >>> found = RecordedResponse(302, headers=(("Location", "https://a.example.com/x"),))
    >>> relocate_links(found, "https://a.example.com", "http://127.0.0.1:1/s/7").headers
    (('Location', 'http://127.0.0.1:1/s/7/x'),)
    """
    headers = tuple(_moved_header(pair, origin, base) for pair in response.headers)
    edits = list(_edits(response, origin, base))
    if not edits:
        return replace(response, headers=headers)
    body = _apply_edits(response.body, edits)
    if header(headers, "content-length").strip() == str(len(response.body)):
        headers = with_header(headers, "Content-Length", str(len(body)))
    chunks = _resize_chunks(response.chunks, edits)
    return replace(response, headers=headers, body=body, chunks=chunks)


def names_address(response: RecordedResponse, origin: str) -> bool:
    """Whether a response has links that `relocate_links` would change."""
    moved = any(_moved_header(pair, origin, "") != pair for pair in response.headers)
    return moved or next(_edits(response, origin, ""), None) is not None


def restore_links(request: RecordedRequest, base: str, origin: str) -> RecordedRequest:
    """A request with the recorded origin wherever it quotes a link that was relocated.

    Args:
        request: As a client sent it.
        base: What stands in the origin's place.
        origin: `https://host[/prefix]` without a slash at the end.
    """
    url, body = request.url, request.body
    for spelled in (_as_it_is, _as_json, _as_query):
        old, new = spelled(base), spelled(origin)
        url = _replace_url(url.encode(), old, new).decode()
        body = _replace_url(body, old, new)
    if (url, body) == (request.url, request.body):
        return request
    headers = request.headers
    if header(headers, "content-length").strip() == str(len(request.body)):
        headers = with_header(headers, "Content-Length", str(len(body)))
    return replace(request, url=url, headers=headers, body=body)


def _moved_header(pair: Header, origin: str, base: str) -> Header:
    name, value = pair
    if name.lower() not in LINK_HEADERS or origin not in value:
        return pair
    pattern = r"(^|[<=;,\s\"'])" + re.escape(origin) + r"(?=[/?#>;,\s\"']|$)"
    return name, re.sub(pattern, lambda found: found[1] + base, value)


def _edits(response: RecordedResponse, origin: str, base: str) -> Iterator[_Edit]:
    media = media_type(response.headers)
    if not (is_json(media) or is_json_lines(media) or is_event_stream(media)):
        return
    if origin.partition("://")[2].partition("/")[0].encode() not in response.body:
        return
    for found in _links(origin).finditer(response.body):
        spelled = _as_json if b"\\/" in found["origin"] else _as_it_is
        yield found.start("origin"), found.end("origin"), spelled(base)


@lru_cache(maxsize=64)
def _links(origin: str) -> re.Pattern[bytes]:
    names = "|".join(map(re.escape, LINKS)).encode()
    place = re.escape(origin).replace("/", r"\\?/").encode()
    return re.compile(rb"\"(?:" + names + rb")\"\s*:\s*\"(?P<origin>" + place + rb")" + _END)


def _apply_edits(body: bytes, edits: list[_Edit]) -> bytes:
    starts = [0, *(end for _, end, _ in edits)]
    stops = [*(start for start, _, _ in edits), len(body)]
    kept = [body[start:stop] for start, stop in zip(starts, stops, strict=True)]
    news = [*(new for _, _, new in edits), b""]
    return b"".join(piece for pair in zip(kept, news, strict=True) for piece in pair)


def _resize_chunks(chunks: tuple[Chunk, ...], edits: list[_Edit]) -> tuple[Chunk, ...]:
    """The chunks with their new sizes; what was changed stays in the one that it began in."""
    grown = [0, *accumulate(len(new) - (end - start) for start, end, new in edits)]
    begins = [start for start, _, _ in edits]
    ends = list(accumulate(chunk.size for chunk in chunks))
    moved = [0]
    for stop in ends:
        before = bisect_right(begins, stop - 1)
        whole = max(stop, edits[before - 1][1]) if before else stop
        moved.append(whole + grown[before])
    sizes = (after - before for before, after in pairwise(moved))
    return tuple(chunk._replace(size=size) for chunk, size in zip(chunks, sizes, strict=True))


def _replace_url(content: bytes, old: bytes, new: bytes) -> bytes:
    if old not in content:
        return content
    follows = rb"(?![\w.:-])"
    return re.sub(re.escape(old) + follows, lambda _: new, content)


def _as_it_is(url: str) -> bytes:
    return url.encode()


def _as_json(url: str) -> bytes:
    return url.replace("/", "\\/").encode()


def _as_query(url: str) -> bytes:
    return quote(url, safe="").encode()
