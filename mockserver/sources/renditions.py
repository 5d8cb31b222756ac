"""Recorded responses made ready for the wire: heads, bodies in both codings, pieces."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from mockserver.messages import (
    content_encoding,
    encoded,
    header,
    is_event_stream,
    is_json_lines,
    media_type,
    names_address,
    relocated,
    with_header,
    without,
)
from mockserver.model import BodyFile, Interaction, RecordedResponse
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.recorded import Place
from mockserver.sources.response import Header

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


class Renditions:
    """The ways to send one recorded response, each made on first use.

    Attributes:
        response: The response, with the addresses that this client is to see.
        coding: The value of `Content-Encoding` it was recorded with, or an empty string.
    """

    __slots__ = ("_coded", "_plain", "coding", "response")

    def __init__(self, response: RecordedResponse) -> None:
        if response.status in _BODILESS and (response.body or response.file):
            # a browser saves what it had kept with the answer that it may still use it
            response = replace(response, body=b"", coding="", chunks=(), file=None)
        self.response = response
        self.coding = "" if _keeps_pieces(response) else content_encoding(response.coding)
        self._plain: Rendition | None = None
        self._coded: Rendition | None = None

    def best(self, accept_encoding: bytes) -> Rendition:
        """The rendition for a client: coded as recorded if it takes that, else plain.

        A stream is sent plain: no recipe repeats where its coder was flushed.
        """
        if self.coding and accepts(accept_encoding, self.coding):
            if self._coded is None:
                self._coded = _coded(self.response, self.coding)
            return self._coded
        if self._plain is None:
            self._plain = _plain(self.response)
        return self._plain


class Rendering:
    """Makes recorded responses ready; what was made is kept while its recording is."""

    def __init__(self) -> None:
        self._made: IdentityMemo[Renditions] = IdentityMemo(_KEPT)
        self._moved: OrderedDict[tuple[int, str], tuple[Interaction, Renditions]] = OrderedDict()

    def of(self, interaction: Interaction, place: Place) -> Renditions:
        """The renditions of a recorded response for a client that asked at a place."""
        made = self._made.get(interaction)
        if made is None:
            made = self._made.keep(interaction, Renditions(interaction.response))
        return self._relocated(interaction, place) if place.base else made

    def _relocated(self, interaction: Interaction, place: Place) -> Renditions:
        """The renditions whose links lead back to this client's way in."""
        key = (id(interaction), place.base)
        moved = self._moved.get(key)
        if moved is None:
            response = interaction.response
            if names_address(response, place.origin):
                made = Renditions(relocated(response, place.origin, place.base))
            else:
                made = self._made.get(interaction) or Renditions(response)
            moved = self._moved[key] = interaction, made
            if len(self._moved) > _KEPT:
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


def _keeps_pieces(response: RecordedResponse) -> bool:
    media = media_type(response.headers)
    return (is_event_stream(media) or is_json_lines(media)) and len(response.chunks) > 1


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


def _coded(response: RecordedResponse, coding: str) -> Rendition:
    if response.file is not None:
        # coded as it is sent, so that nobody knows its length before
        head = [pair for pair in _head(response, 1, coding) if pair[0] != b"content-length"]
        return Rendition(response.status, head, (), response.file, response.coding)
    body = encoded(response.body, response.coding)
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
    response: RecordedResponse, sent: tuple[tuple[str, str], ...], length: int
) -> tuple[tuple[str, str], ...]:
    """Headers with the length that is sent, where the response had or could have had one."""
    said = header(sent, "content-length").strip()
    if response.status in _BODILESS:
        return without(sent, ["content-length"])
    if response.ended != "complete":
        more_was_to_come = said.isdigit() and int(said) > length
        return sent if more_was_to_come else without(sent, ["content-length"])
    if not length and said.isdigit():
        return sent  # the answer to HEAD says the length of another body
    if said or not response.chunks:
        return with_header(sent, "content-length", str(length))
    return sent


def _value(value: str) -> bytes:
    return value.translate(_NOT_A_VALUE).strip().encode("latin-1", "backslashreplace")
