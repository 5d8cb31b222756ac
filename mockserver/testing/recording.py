"""Records live answers on their way to an httpx client, and plays them back the next time."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple, cast
from unittest.mock import patch

import httpx
from typing_extensions import Unpack, override

from mockserver.capture.setup import open_recorder
from mockserver.cassettes.replay import PlayedMatch
from mockserver.errors import LeakError, ReplayMissError
from mockserver.http.server import real_time
from mockserver.messages import decode_body
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse, ResponseEnd
from mockserver.sources.playback import Piece
from mockserver.testing.replay import (
    CassettePlayer,
    PlayOptions,
    header_pairs,
    recorded_request,
    replayed_response,
)

Mode = Literal["none", "once", "new_episodes", "all", "refresh"]
Ask = Callable[[httpx.Request], httpx.Response]
AskAsync = Callable[[httpx.Request], Awaitable[httpx.Response]]

_HOPS = frozenset({"connection", "keep-alive", "transfer-encoding"})


@dataclass
class ReceivedBody:
    """What came of a body.

    Attributes:
        pieces: Its pieces, with the time of each after the first.
        ended: How it ended.
        duration_ms: From the request to the end.
    """

    pieces: list[Piece] = field(default_factory=list)
    ended: ResponseEnd = "complete"
    duration_ms: float = 0.0

    @property
    def content(self) -> bytes:
        """All of it."""
        return b"".join(piece.content for piece in self.pieces)


class _BodyRecorder:
    """Notes the pieces of one body, and tells once how it ended."""

    def __init__(self, begun: float, tell: Callable[[ReceivedBody], None]) -> None:
        self._begun = begun
        self._head = perf_counter()
        self._tell = tell
        self._heard: ReceivedBody | None = ReceivedBody()

    def piece(self, content: bytes) -> None:
        if self._heard is not None and content:
            self._heard.pieces.append(Piece((perf_counter() - self._head) * 1000, content))

    @contextmanager
    def until_end(self) -> Iterator[None]:
        """Tell how a body ended that is read here; one that is given up halfway is not told of."""
        try:
            yield
        except httpx.ReadTimeout:
            self._end("timeout")
            raise
        except httpx.TransportError:
            self._end("reset")
            raise
        self._end("complete")

    def _end(self, ended: ResponseEnd) -> None:
        heard, self._heard = self._heard, None
        if heard is not None:
            heard.ended = ended
            heard.duration_ms = (perf_counter() - self._begun) * 1000
            self._tell(heard)


class Tee(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that is told of when it has ended, for clients of both kinds.

    Args:
        stream: The body on its way to the client.
        begun: When it was asked for, as `perf_counter` has it.
        tell: Who is told.
    """

    def __init__(
        self,
        stream: httpx.SyncByteStream | httpx.AsyncByteStream,
        begun: float,
        tell: Callable[[ReceivedBody], None],
    ) -> None:
        self._stream: Any = stream
        self._body = _BodyRecorder(begun, tell)

    @override
    def __iter__(self) -> Iterator[bytes]:
        with self._body.until_end():
            for content in self._stream:
                self._body.piece(content)
                yield content

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._body.until_end():
            async for content in self._stream:
                self._body.piece(content)
                yield content

    @override
    def close(self) -> None:
        self._stream.close()

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()


class _LiveRequest(NamedTuple):
    """A request that is asked live.

    Attributes:
        request: The request, as a cassette has it.
        begun: When it was asked, as `perf_counter` has it.
        at: The same, RFC 3339.
    """

    request: RecordedRequest
    begun: float
    at: str


class Recording:
    """A cassette that is played, recorded, or both, as its mode says.

    Args:
        cassette: The file, `.yaml` or `.json`.
        mode: `none` plays alone; `once` records where there is no cassette yet; `new_episodes`
            plays what is there and records the rest; `all` and `refresh` record everything.
        redaction: The file of redaction rules beside the common ones.
        played: How recordings are played: `repeats`, `barriers`, `match` and `exact` of
            `CassettePlayer`.

    Attributes:
        player: What is played, or None where nothing is.

    Raises:
        MockServerError: The cassette cannot be read, or is not there under `none`.
    """

    def __init__(
        self,
        cassette: str | Path,
        *,
        mode: Mode = "once",
        redaction: Path | None = None,
        **played: Unpack[PlayOptions],
    ) -> None:
        self._recorder = open_recorder(Path(cassette), mode, redaction)
        there = self._recorder.existing
        tape = there if self._recorder.mode.plays(there=there is not None) else None
        if self._recorder.records:  # what is asked again is recorded again
            played = {"repeats": "once", "barriers": "strict", **played}
        self.player = None if tape is None else CassettePlayer(tape, redaction=redaction, **played)

    @property
    def records(self) -> bool:
        """Whether live answers are recorded."""
        return self._recorder.records

    def answer(self, request: httpx.Request, ask: Ask) -> httpx.Response:
        """A recorded response, or a live one that is recorded.

        Raises:
            ReplayMissError: There is no recording, and nothing may be asked.
        """
        request.read()
        found = self._begin(request)
        if not isinstance(found, _LiveRequest):
            return found
        return self._record_body(found, ask(request))

    async def answer_async(self, request: httpx.Request, ask: AskAsync) -> httpx.Response:
        """The same for an asynchronous client.

        Raises:
            ReplayMissError: There is no recording, and nothing may be asked.
        """
        await request.aread()
        found = self._begin(request)
        return (
            self._record_body(found, await ask(request))
            if isinstance(found, _LiveRequest)
            else found
        )

    def finish(self) -> None:
        """Save what was recorded.

        Raises:
            LeakError: Some of it is in question: it is kept, redacted, in the review file; all
                else is saved.
            CaptureError: It cannot be saved.
        """
        if not self.records:
            return
        recorder = self._recorder
        recorder.finish()
        if recorder.questioned:
            raise LeakError(
                f"{recorder.questioned} interactions are in question, kept in {recorder.review}",
                [f"{request}: {question}" for request, question in recorder.questions],
                hint=f"understudy capture review {recorder.path}",
            )

    def _begin(self, request: httpx.Request) -> httpx.Response | _LiveRequest:
        """A recorded response, or what is to be asked live."""
        recorded = recorded_request(request)
        if self.player is not None:
            found = self.player.find(recorded)
            if isinstance(found, PlayedMatch):
                return replayed_response(found.interaction, request)
            if not self.records:
                self.player.misses.append(found)
                raise ReplayMissError(found.reason, nearest=found.nearest, differs=found.differs)
        return _LiveRequest(recorded, perf_counter(), _now())

    def _record_body(self, sent: _LiveRequest, live: httpx.Response) -> httpx.Response:
        """A live response, which is recorded once its body was read."""

        def record(heard: ReceivedBody) -> None:
            self._record(sent.request, live, heard, sent.at)

        live.stream = Tee(live.stream, sent.begun, record)
        return live

    def _record(
        self, recorded: RecordedRequest, live: httpx.Response, heard: ReceivedBody, at: str
    ) -> None:
        headers, body, coding = decode_body(header_pairs(live.headers, _HOPS), heard.content)
        streamed = len(heard.pieces) > 1 and not coding
        chunks = tuple(Chunk(each.at_ms, len(each.content)) for each in heard.pieces)
        response = RecordedResponse(
            live.status_code,
            live.reason_phrase,
            headers,
            body,
            coding,
            chunks if streamed else (),
            heard.ended,
        )
        self._recorder.record(Interaction(recorded, response, at, heard.duration_ms))


class RecordingTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Records what an httpx client is answered; for `Client` and `AsyncClient` alike.

    The cassette is saved when the client is closed.

    Args:
        cassette: The file, `.yaml` or `.json`.
        upstream: What asks the live API; the network when None.
        mode: As `Recording` has it.
        redaction: The file of redaction rules beside the common ones.

    Attributes:
        recording: The cassette.

    Raises:
        MockServerError: The cassette cannot be read, or is not there under `none`.
    """

    def __init__(
        self,
        cassette: str | Path,
        upstream: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
        *,
        mode: Mode = "once",
        redaction: Path | None = None,
    ) -> None:
        self.recording = Recording(cassette, mode=mode, redaction=redaction)
        self._upstream = upstream

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._upstream is None:
            self._upstream = httpx.HTTPTransport()
        upstream = cast("httpx.BaseTransport", self._upstream)
        return self.recording.answer(request, upstream.handle_request)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._upstream is None:
            self._upstream = httpx.AsyncHTTPTransport()
        upstream = cast("httpx.AsyncBaseTransport", self._upstream)
        return await self.recording.answer_async(request, upstream.handle_async_request)

    @override
    def close(self) -> None:
        if isinstance(self._upstream, httpx.BaseTransport):
            self._upstream.close()
        self.recording.finish()

    @override
    async def aclose(self) -> None:
        if isinstance(self._upstream, httpx.AsyncBaseTransport):
            await self._upstream.aclose()
        self.recording.finish()


def _now() -> str:
    return real_time().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def patch_httpx(recording: Recording) -> Iterator[None]:
    """Let a recording answer whatever httpx clients ask the network.

    Transports that are given to a client, such as that of an ASGI application, are left alone.

    Yields:
        Nothing.
    """
    ask, ask_async = (
        httpx.HTTPTransport.handle_request,
        httpx.AsyncHTTPTransport.handle_async_request,
    )

    def answer(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return recording.answer(request, partial(ask, transport))

    async def answer_async(
        transport: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        return await recording.answer_async(request, partial(ask_async, transport))

    with (
        patch.object(httpx.HTTPTransport, "handle_request", answer),
        patch.object(httpx.AsyncHTTPTransport, "handle_async_request", answer_async),
    ):
        yield
