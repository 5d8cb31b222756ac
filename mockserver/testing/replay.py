"""Replays cassettes inside a test: as an httpx transport, or as a side effect of respx."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TypedDict

import httpx
from typing_extensions import override

from mockserver.apis import APIS
from mockserver.cassettes.files.body_files import open_body, read_pieces
from mockserver.cassettes.foreign import read_foreign
from mockserver.cassettes.replay import (
    IndexedCassette,
    NoMatch,
    PlayedMatch,
    Player,
    UnplayedRecording,
)
from mockserver.errors import ReplayMissError
from mockserver.http.server import real_time
from mockserver.messages import decode_body
from mockserver.messages.stream_coding import coded_pieces
from mockserver.model import (
    Barriers,
    Cassette,
    Header,
    Interaction,
    MatchPart,
    RecordedRequest,
    Repeats,
)
from mockserver.sessions.cassette_library import NOWHERE, make_redactor
from mockserver.settings import Settings
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


_log = logging.getLogger(__name__)


class PlayOptions(TypedDict, total=False):
    """How recordings are played, see `CassettePlayer`."""

    repeats: Repeats
    barriers: Barriers
    match: Sequence[MatchPart]
    exact: bool


class CassettePlayer:
    """Plays cassettes for one test, or one client.

    Args:
        cassettes: Files, or cassettes that are in memory.
        repeats: What a request gets whose recordings were all played.
        barriers: What a read gets that was recorded after a write that was not made.
        match: The parts of requests that are compared; as each cassette says when empty.
        exact: Recordings answer the same requests alone, none with other times or ids.
        redaction: The file of redaction rules that they were captured with beside the common ones.

    Attributes:
        misses: Why requests had no recording, in order.
        warnings: What may not fit of what was played or read, in order.

    Raises:
        FormatError: A file cannot be read.
    """

    def __init__(
        self,
        *cassettes: str | Path | Cassette,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: Sequence[MatchPart] = (),
        exact: bool = False,
        redaction: Path | None = None,
    ) -> None:
        self._redactor = make_redactor(Settings(redaction=redaction), APIS)
        self.misses: list[NoMatch] = []
        self.warnings: list[str] = []
        self._tapes = tuple(
            IndexedCassette.of(self._read(each), redactor=self._redactor) for each in cassettes
        )
        self._player = Player(
            self._tapes, repeats=repeats, barriers=barriers, match=tuple(match), exact=exact
        )
        self._lock = Lock()

    @property
    def cassettes(self) -> Sequence[IndexedCassette]:
        """The cassettes, in order."""
        return self._tapes

    def find(self, request: RecordedRequest) -> PlayedMatch | NoMatch:
        """The recording for a request, which is then played; or why there is none."""
        keyed = self._tapes[0].keyer.of(request)
        with self._lock:
            found = self._player.play(keyed, (real_time(),))
        if isinstance(found, PlayedMatch) and found.warning:
            self._warn(f"{request.method} {keyed.request.url}: {found.warning}")
        return found

    def play(self, request: RecordedRequest) -> PlayedMatch:
        """The recording for a request, which is then played.

        Raises:
            ReplayMissError: There is none.
        """
        found = self.find(request)
        if isinstance(found, PlayedMatch):
            return found
        self.misses.append(found)
        raise ReplayMissError(found.reason, nearest=found.nearest, differs=found.differs)

    def unused(self) -> tuple[UnplayedRecording, ...]:
        """The recordings that nobody asked for."""
        return self._player.unused()

    def _read(self, cassette: str | Path | Cassette) -> Cassette:
        if isinstance(cassette, Cassette):
            return cassette
        found, imported = read_foreign(Path(cassette), upstream=NOWHERE)
        for note in imported.notes:
            self._warn(f"{cassette}: {note}")
        return found

    def _warn(self, warning: str) -> None:
        self.warnings.append(warning)
        _log.warning("%s", warning)

    def leftovers(self) -> str:
        """What went unanswered and unused, a line each; empty where there is nothing."""
        lines = [f"no recording: {miss.reason}; nearest {miss.nearest}" for miss in self.misses]
        lines += [f"unused: {one.method} {one.url} (#{one.number} of {one.tape})"
                  for one in self.unused()]  # fmt: skip
        return "\n".join(lines)


class ReplaySideEffect:
    """Answers requests from recordings: a side effect for routes of respx.

    Args:
        cassettes: Files, or cassettes that are in memory.
        repeats: What a request gets whose recordings were all played.
        barriers: What a read gets that was recorded after a write that was not made.
        match: The parts of requests that are compared; as each cassette says when empty.
        exact: Recordings answer the same requests alone, none with other times or ids.
        pace: How long the gaps of streams last: 1 as recorded, 0 none.
        redaction: The file of redaction rules that they were captured with beside the common ones.

    Attributes:
        player: What is played.

    Raises:
        FormatError: A file cannot be read.
    """

    def __init__(
        self,
        *cassettes: str | Path | Cassette,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: Sequence[MatchPart] = (),
        exact: bool = False,
        pace: float = 0.0,
        redaction: Path | None = None,
    ) -> None:
        self.player = CassettePlayer(
            *cassettes,
            repeats=repeats,
            barriers=barriers,
            match=match,
            exact=exact,
            redaction=redaction,
        )
        self._pace = pace

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """The recorded response to a request.

        Raises:
            ReplayMissError: There is none.
        """
        request.read()
        played = self.player.play(recorded_request(request))
        return replayed_response(played.interaction, request, pace=self._pace)


class ReplayTransport(ReplaySideEffect, httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers an httpx client from recordings; for `Client` and `AsyncClient` alike.

    It takes what `ReplaySideEffect` takes, and has its `player`.
    """

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self(request)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return self(request)
