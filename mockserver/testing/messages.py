"""Between httpx and recordings: requests one way, responses the other."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import httpx
from typing_extensions import override

from mockserver.cassettes.files.body_files import open_body, read_pieces
from mockserver.messages import decode_body
from mockserver.messages.stream_coding import coded_pieces
from mockserver.model import Header, Interaction, RecordedRequest
from mockserver.sources.playback import Rendition, ResponseRenditions

_OWN = frozenset({"connection", "host", "transfer-encoding"})


def recorded_request(request: httpx.Request) -> RecordedRequest:
    """A request whose content was read, as a cassette would have recorded it."""
    headers, body, coding = decode_body(header_pairs(request.headers, _OWN), request.content)
    return RecordedRequest(request.method, str(request.url), headers, body, coding)


def header_pairs(
    headers: httpx.Headers, left_out: frozenset[str] = frozenset()
) -> tuple[Header, ...]:
    """Headers in order, with the case they were sent in."""
    given = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw)
    return tuple((name, value) for name, value in given if name.lower() not in left_out)


def replayed_response(
    interaction: Interaction, request: httpx.Request, *, pace: float = 0.0
) -> httpx.Response:
    """The recorded response, in the pieces it came in.

    Args:
        interaction: What was recorded.
        request: What is answered.
        pace: How long the gaps of streams last: 1 as recorded, 0 none.

    Raises:
        BodyFileError: Its body has a file that is not there, or has another content.
    """
    response = interaction.response
    accept = request.headers.get("accept-encoding", "").encode("latin-1")
    rendition = ResponseRenditions(response).best(accept)
    stream = _RecordedStream(rendition, broken=response.ended != "complete", pace=pace)
    return httpx.Response(
        response.status,
        headers=rendition.head,
        stream=stream,
        extensions={"reason_phrase": response.reason.encode("latin-1", "replace")},
    )


class _RecordedStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A recorded body on its way to a client."""

    def __init__(self, rendition: Rendition, *, broken: bool, pace: float) -> None:
        self._pieces = rendition.pieces
        self._body = None if rendition.file is None else open_body(rendition.file)
        self._coding = rendition.coding
        self._broken = broken
        self._pace = pace

    @override
    def __iter__(self) -> Iterator[bytes]:
        for wait_s, content in self._timed_pieces():
            if wait_s > 0:
                time.sleep(wait_s)
            yield content

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        for wait_s, content in self._timed_pieces():
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            yield content

    def _timed_pieces(self) -> Iterator[tuple[float, bytes]]:
        passed = 0.0
        if self._body is not None:
            for content in coded_pieces(read_pieces(self._body), self._coding):
                yield 0.0, content
        for piece in self._pieces:
            yield (piece.at_ms - passed) * self._pace / 1000, piece.content
            passed = piece.at_ms
        if self._broken:
            raise httpx.ReadError("the recorded response broke off here")
