"""Recorded responses: made ready for each client once, then sent at their pace, to their end."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

from mockserver.asgi.requests import Receive, Request, Scope, Send, end_connection
from mockserver.cassettes.files.body_files import read_pieces
from mockserver.messages import (
    content_encoding,
    encode_body,
    header,
    is_event_stream,
    is_json_lines,
    media_type,
    names_address,
    relocate_links,
    with_header,
    without,
)
from mockserver.messages.stream_coding import coded_pieces
from mockserver.model import BodyFile, Interaction, RecordedResponse, ResponseEnd
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.recorded_requests import RecordedAddress
from mockserver.sources.response import Header, Schedule, WholeAnswer

_HOP_BY_HOP = (
    "connection", "keep-alive", "proxy-authenticate", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
)  # fmt: skip
"""Headers of one connection, not of the response."""

_KEPT = 8192
_BODILESS = frozenset({204, 304})
_NOT_A_VALUE = dict.fromkeys((*range(9), *range(10, 32), 127), " ")


class Piece(NamedTuple):
    """One piece of a body.

    Attributes:
        at_ms: When it is due, in milliseconds after the head, as recorded.
        content: Its bytes.
    """

    at_ms: float
    content: bytes


@dataclass(frozen=True, slots=True)
class Rendition:
    """One way to send a recorded response.

    Attributes:
        status: The HTTP status.
        head: The headers, the length of the body among them where it is known.
        pieces: The body in the pieces that it came in; one where it came at once.
        file: What has the body instead, when it has a file of its own.
        coding: How that is coded on the wire; empty for as it is.
    """

    status: int
    head: list[Header]
    pieces: tuple[Piece, ...]
    file: BodyFile | None = None
    coding: str = ""


class ResponseRenditions:
    """The ways to send one recorded response, each made on first use.

    Attributes:
        response: The response, with the addresses that this client is to see.
        coding: The value of `Content-Encoding` it was recorded with, or an empty string.
    """

    __slots__ = ("_encode", "_plain", "coding", "response")

    def __init__(self, response: RecordedResponse) -> None:
        if response.status in _BODILESS and (response.body or response.file):
            # a browser saves what it had kept with the answer that it may still use it
            response = replace(response, body=b"", coding="", chunks=(), file=None)
        self.response = response
        media = media_type(response.headers)
        is_in_pieces = (is_event_stream(media) or is_json_lines(media)) and len(response.chunks) > 1
        self.coding = "" if is_in_pieces else content_encoding(response.coding)
        self._plain: Rendition | None = None
        self._encode: Rendition | None = None

    def best(self, accept_encoding: bytes) -> Rendition:
        """The rendition for a client: coded as recorded if it takes that, else plain.

        A stream is sent plain: no recipe repeats where its coder was flushed.
        """
        if self.coding and accepts(accept_encoding, self.coding):
            if self._encode is None:
                self._encode = _encode(self.response, self.coding)
            return self._encode
        if self._plain is None:
            self._plain = _plain(self.response)
        return self._plain


class RenditionCache:
    """Makes recorded responses ready; what was made is kept while its recording is."""

    def __init__(self) -> None:
        self._limit = _KEPT
        self._made: IdentityMemo[ResponseRenditions] = IdentityMemo(_KEPT)
        self._moved: OrderedDict[tuple[int, str], tuple[Interaction, ResponseRenditions]] = (
            OrderedDict()
        )

    def make_room(self, recordings: int) -> None:
        """Keep what is made of at least so many recordings: a tape is played from end to end."""
        if 2 * recordings > self._limit:
            self._limit = self._made.limit = 2 * recordings

    def of(self, interaction: Interaction, place: RecordedAddress) -> ResponseRenditions:
        """The renditions of a recorded response for a client that asked at a place."""
        made = self._made.get(interaction)
        if made is None:
            made = self._made.keep(interaction, ResponseRenditions(interaction.response))
        return self._relocate(interaction, place) if place.base else made

    def _relocate(self, interaction: Interaction, place: RecordedAddress) -> ResponseRenditions:
        """The renditions whose links lead back to this client's way in."""
        key = (id(interaction), place.base)
        moved = self._moved.get(key)
        if moved is None:
            response = interaction.response
            if names_address(response, place.origin):
                made = ResponseRenditions(relocate_links(response, place.origin, place.base))
            else:
                made = self._made.get(interaction) or ResponseRenditions(response)
            moved = self._moved[key] = interaction, made
            if len(self._moved) > self._limit:
                self._moved.popitem(last=False)
        return moved[1]


def accepts(accept_encoding: bytes, coding: str) -> bool:
    """Whether a client takes a content coding.

    >>> accepts(b"gzip, br;q=0", "gzip"), accepts(b"gzip, br;q=0", "br"), accepts(b"", "gzip")
    (True, False, False)
    """
    taken = {}
    for item in accept_encoding.decode("latin-1").lower().split(","):
        name, _, weight = item.partition(";")
        taken[name.strip()] = weight.replace(" ", "").rstrip("0.") != "q="
    wanted = (name.strip() for name in coding.split(","))
    return all(taken.get(name, taken.get("*", False)) for name in wanted)


def _plain(response: RecordedResponse) -> Rendition:
    if response.file is not None:
        head = _head(response, response.file.size, "")
        return Rendition(response.status, head, (), response.file)
    body = response.body
    starts = [0, *accumulate(chunk.size for chunk in response.chunks)]
    pieces = tuple(
        Piece(chunk.at_ms, body[start : start + chunk.size])
        for start, chunk in zip(starts, response.chunks, strict=False)
    )
    if b"".join(piece.content for piece in pieces) != body:
        pieces = (Piece(0.0, body),)
    return Rendition(response.status, _head(response, len(body), ""), pieces)


def _encode(response: RecordedResponse, coding: str) -> Rendition:
    if response.file is not None:
        # coded as it is sent, so that nobody knows its length before
        head = [pair for pair in _head(response, 1, coding) if pair[0] != b"content-length"]
        return Rendition(response.status, head, (), response.file, response.coding)
    body = encode_body(response.body, response.coding)
    at_ms = response.chunks[-1].at_ms if response.chunks else 0.0
    return Rendition(response.status, _head(response, len(body), coding), (Piece(at_ms, body),))


def _head(response: RecordedResponse, length: int, coding: str) -> list[Header]:
    sent = _with_length(response, without(response.headers, _HOP_BY_HOP), length)
    if coding:
        sent += (("content-encoding", coding),)
    head = [(name.lower().encode("latin-1", "replace"), _value(value)) for name, value in sent]
    head.append((b"x-mock-source", b"cassette"))
    return head


def _with_length(
    response: RecordedResponse, headers: tuple[tuple[str, str], ...], length: int
) -> tuple[tuple[str, str], ...]:
    """Headers with the length that is sent, where the response had or could have had one."""
    said = header(headers, "content-length").strip()
    if response.status in _BODILESS:
        return without(headers, ["content-length"])
    if response.ended != "complete":
        more_was_to_come = said.isdigit() and int(said) > length
        return headers if more_was_to_come else without(headers, ["content-length"])
    if not length and said.isdigit():
        return headers  # the answer to HEAD says the length of another body
    if said or not response.chunks:
        return with_header(headers, "content-length", str(length))
    return headers


def _value(value: str) -> bytes:
    return value.translate(_NOT_A_VALUE).strip().encode("latin-1", "backslashreplace")


@dataclass(slots=True)
class Playback:
    """A recorded response that is to be sent, as often as it is asked for.

    Attributes:
        rendition: How.
        ended: How the recording ended.
        pace: How long gaps last: 1 as recorded, 0 none.
        duration_ms: How long the recorded response took.
        extra: Headers beside the recorded ones.
        body: The open file of a body that has one; closed once it is sent, which is then done once.
    """

    rendition: Rendition
    ended: ResponseEnd
    pace: float
    duration_ms: float
    extra: tuple[Header, ...] = ()
    body: BinaryIO | None = None
    _whole: WholeAnswer | None = field(default=None, init=False, repr=False, compare=False)

    def whole(self, request: Request) -> WholeAnswer | None:
        """All of it, where it is sent at once; the same object each time."""
        if self._whole is None or request.head:
            found = self._make_whole(is_head=request.head)
            if request.head:
                return found
            self._whole = found
        return self._whole

    def _make_whole(self, *, is_head: bool) -> WholeAnswer | None:
        rendition = self.rendition
        pieces = () if is_head else rendition.pieces
        if self.ended != "complete" or self.body is not None or rendition.file is not None:
            return None
        if any(each.at_ms * self.pace > 0 for each in pieces):
            return None
        contents = tuple(each.content for each in pieces)
        return WholeAnswer(rendition.status, rendition.head, self.extra, contents, {})

    async def send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it.

        Raises:
            ConnectionResetError: The recording broke off, and this transport has no connection
                that can be ended.
        """
        _drop_default_headers(send)
        rendition = self.rendition
        whole = self.ended == "complete"
        headers = [*rendition.head, *self.extra]
        if self.body is not None:
            await self._send_file(self.body, headers, send)
            if not whole:
                await self._break_off(scope, receive)
            return
        await send({"type": "http.response.start", "status": rendition.status, "headers": headers})
        pieces = () if request.head else rendition.pieces
        if whole and len(pieces) == 1 and pieces[0].at_ms <= 0:
            await send({"type": "http.response.body", "body": pieces[0].content})
            return
        last = len(pieces) - 1
        passed, schedule = 0.0, Schedule()
        for number, piece in enumerate(pieces):
            if piece.at_ms > passed:
                await self._wait(schedule, piece.at_ms - passed)
                passed = piece.at_ms
            more = not whole or number < last
            await send({"type": "http.response.body", "body": piece.content, "more_body": more})
        if not whole:
            if self.ended == "timeout":
                await self._wait(schedule, self.duration_ms - passed)
            await self._break_off(scope, receive)
        elif not pieces:
            await send({"type": "http.response.body", "body": b""})

    async def _send_file(self, body: BinaryIO, headers: list[Header], send: Send) -> None:
        """Send a body from its file, never all of it at once."""
        pieces = coded_pieces(read_pieces(body), self.rendition.coding)
        status = self.rendition.status
        try:
            await send({"type": "http.response.start", "status": status, "headers": headers})
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            body.close()
        if self.ended == "complete":
            await send({"type": "http.response.body", "body": b""})

    async def _wait(self, schedule: Schedule, gap_ms: float) -> None:
        if gap_ms * self.pace > 0:
            await schedule.pause(gap_ms * self.pace / 1000)

    async def _break_off(self, scope: Scope, receive: Receive) -> None:
        await end_connection(scope, receive, reset=self.ended == "reset")


def _drop_default_headers(send: Send) -> None:
    """Let an answer have no `Date` but its own, where uvicorn would add one."""
    cycle: Any = getattr(send, "__self__", None)
    if hasattr(cycle, "default_headers"):
        cycle.default_headers = []
