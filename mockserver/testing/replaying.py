"""Recordings as an httpx transport, and as a side effect of respx."""

from collections.abc import Sequence
from pathlib import Path

import httpx
from typing_extensions import override

from mockserver.model import Barriers, Cassette, MatchPart, Repeats
from mockserver.testing.decks import Deck
from mockserver.testing.messages import recorded_request, response_of


class Replaying:
    """Answers requests from recordings: a side effect for routes of respx.

    Args:
        cassettes: Files, or cassettes that are in memory.
        repeats: What a request gets whose recordings were all played.
        barriers: What a read gets that was recorded after a write that was not made.
        match: The parts of requests that are compared; as each cassette says when empty.
        pace: How long the gaps of streams last: 1 as recorded, 0 none.
        redaction: The file of redaction rules that they were captured with beside the common ones.

    Attributes:
        deck: What is played.

    Raises:
        FormatError: A file cannot be read.
    """

    def __init__(
        self,
        *cassettes: str | Path | Cassette,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: Sequence[MatchPart] = (),
        pace: float = 0.0,
        redaction: Path | None = None,
    ) -> None:
        self.deck = Deck(
            *cassettes, repeats=repeats, barriers=barriers, match=match, redaction=redaction
        )
        self._pace = pace

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """The recorded response to a request.

        Raises:
            ReplayMissError: There is none.
        """
        request.read()
        played = self.deck.play(recorded_request(request))
        return response_of(played.interaction, request, pace=self._pace)


class ReplayTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers an httpx client from recordings; for `Client` and `AsyncClient` alike.

    Args:
        cassettes: Files, or cassettes that are in memory.
        repeats: What a request gets whose recordings were all played.
        barriers: What a read gets that was recorded after a write that was not made.
        match: The parts of requests that are compared; as each cassette says when empty.
        pace: How long the gaps of streams last: 1 as recorded, 0 none.
        redaction: The file of redaction rules that they were captured with beside the common ones.

    Attributes:
        deck: What is played.

    Raises:
        FormatError: A file cannot be read.
    """

    def __init__(
        self,
        *cassettes: str | Path | Cassette,
        repeats: Repeats = "reads",
        barriers: Barriers = "warn",
        match: Sequence[MatchPart] = (),
        pace: float = 0.0,
        redaction: Path | None = None,
    ) -> None:
        self._replaying = Replaying(
            *cassettes,
            repeats=repeats,
            barriers=barriers,
            match=match,
            pace=pace,
            redaction=redaction,
        )
        self.deck = self._replaying.deck

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._replaying(request)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return self._replaying(request)
