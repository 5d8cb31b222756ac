"""Plays what a model said up to a turn, and asks another one, or the same one live, from there."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
from typing_extensions import override

from mockserver.capture.model_recorder import ModelListener, TrialQueue, for_journal, write_calls
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import Report, decode_request
from mockserver.capture.recordings import RecordMode
from mockserver.capture.setup import capture_redactor
from mockserver.capture.upstream import NoAnswerError
from mockserver.cassettes.replay import IndexedCassette, PlayedMatch, Player
from mockserver.http.server import real_time
from mockserver.messages import split_url, with_header, without
from mockserver.model import (
    Cassette,
    ForkTerms,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.models.calls import chat_of
from mockserver.models.request_changes import with_model, with_prompt

_DEPARTED = 424
"""The status of a request that no recording answers, as everywhere."""


class ForkQueue(TrialQueue):
    """Answers from the recording up to a turn, and keeps all of it for the run.

    Attributes:
        turns: How many turns were answered from the recording.
        departure: How the agent departed from the recording, or an empty string.
        is_live: Whether the turn of the fork was reached.

    Args:
        recorder: Records nothing; answers of a fork are kept with its run alone.
        report: Told of nothing.
        stop: Never called.
        calls: What is kept is added here.
        terms: What is played.
        arrive: Called before the first turn that is asked: what is not as it was at that moment,
            or an empty string.
    """

    def __init__(
        self,
        recorder: Recorder,
        report: Report,
        stop: Callable[[], None],
        *,
        calls: list[Interaction],
        terms: ForkTerms,
        arrive: Callable[[], str],
    ) -> None:
        super().__init__(recorder, report, stop, calls=calls)
        self.turns = 0
        self.departure = ""
        self.is_live = False
        self._turn = terms.turn
        self._arrive = arrive
        self._order = asyncio.Lock()
        self._player = _player(terms)

    @property
    @override
    def plays(self) -> bool:
        return True

    @property
    @override
    def records(self) -> bool:
        return True

    @override
    async def record(self, interaction: Interaction) -> None:
        self.keep(interaction)

    @override
    async def find(self, request: RecordedRequest) -> Interaction | str:
        """The recording that answers a request; why there is none where it is to be asked live.

        Raises:
            NoAnswerError: The agent does not do what it did in the recording.
        """
        request = decode_request(request)
        is_turn = chat_of(request) is not None
        async with self._order:
            if self.departure:
                raise NoAnswerError(_DEPARTED, self.departure)
            if self.turns + 1 >= self._turn:
                if is_turn and not self.is_live:
                    await self._go_live()
                if self.is_live:
                    return "it comes after the fork"
            return self._play(request, is_turn=is_turn)

    def _play(self, request: RecordedRequest, *, is_turn: bool) -> Interaction | str:
        now = real_time()
        asked = for_journal(Interaction(request, RecordedResponse(200)))
        found = None if asked is None else self._player.play(asked.request, (now,))
        if not isinstance(found, PlayedMatch):
            why = "its body cannot be read" if found is None else found.reason
            if is_turn:
                number = self.turns + 1
                self._depart(f"turn {number} of its model is not the recorded one: {why}")
            return why
        self.turns += is_turn
        played = found.interaction
        at = now.isoformat(timespec="milliseconds")
        self.keep(Interaction(request, played.response, at, played.duration_ms))
        return played

    async def _go_live(self) -> None:
        why = await asyncio.to_thread(self._arrive)
        if why:
            self._depart(why)
        self.is_live = True

    def _depart(self, why: str) -> None:
        self.departure = why
        raise NoAnswerError(_DEPARTED, why)


def _player(terms: ForkTerms) -> Player:
    """Plays the turns before the fork, and all that is no turn."""
    kept, turns = [], 0
    for each in terms.recording:
        if chat_of(each.request) is not None:
            turns += 1
            if turns >= terms.turn:
                continue
        kept.append(each)
    tape = IndexedCassette.of(Cassette("the recording", tuple(kept)))
    return Player([tape], repeats="once", barriers="off")


def changed_request(request: RecordedRequest, terms: ForkTerms) -> RecordedRequest:
    """A request as it is asked after the fork: with the model and the system prompt of the fork."""
    if not terms.model and terms.prompt is None:
        return request
    found = chat_of(decode_request(request))
    if found is None:
        return request
    call, body = found
    url = split_url(request.url)
    path = url.path
    if terms.model:
        body, path = with_model(body, path, call, terms.model)
    if terms.prompt is not None:
        body = with_prompt(body, call, terms.prompt)
    content = orjson.dumps(body)
    headers = without(request.headers, ["content-encoding"])
    headers = with_header(headers, "content-length", str(len(content)))
    asked = f"{url.scheme}{url.host}{url.port}{path}{url.query}"
    return replace(request, url=asked, headers=headers, body=content)


class ModelFork(ModelListener):
    """Base URLs for the clients of models, where a recorded conversation forks.

    Args:
        kept: Where the calls of models are kept with the run.
        terms: What is played, and what changes.
        arrive: Called in another thread before the first turn that is asked: what is not as it was
            at that moment, or an empty string.

    Raises:
        MockServerError: The redaction key cannot be used, or there is no port.
    """

    def __init__(self, kept: Path, terms: ForkTerms, arrive: Callable[[], str]) -> None:
        self._kept = kept
        self._calls: list[Interaction] = []

        def queue_of(recorder: Recorder, report: Report, stop: Callable[[], None]) -> ForkQueue:
            self._forked = ForkQueue(
                recorder, report, stop, calls=self._calls, terms=terms, arrive=arrive
            )
            return self._forked

        super().__init__(
            Recorder(kept, RecordMode.NONE, None, capture_redactor(None)),
            terms.bases,
            terms.keys,
            queue_of=queue_of,
            change=lambda request: changed_request(request, terms),
        )

    @property
    def turns(self) -> int:
        """How many turns were answered from the recording."""
        return self._forked.turns

    @property
    def departure(self) -> str:
        """How the agent departed from the recording, or an empty string."""
        return self._forked.departure

    @property
    def is_live(self) -> bool:
        """Whether the turn of the fork was reached."""
        return self._forked.is_live

    @override
    def stop(self) -> int:
        super().stop()
        write_calls(self._calls, self._kept)
        return len(self._calls)
