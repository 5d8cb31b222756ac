"""Answers calls from recordings: the source `cassette` of a session."""

import logging
from functools import partial
from typing import BinaryIO, NamedTuple

from mockserver.asgi.requests import Receive, Request, Send
from mockserver.cassettes.files.bodyfiles import BodyFileError, open_body, whole_body
from mockserver.cassettes.replay import Played, Unmatched
from mockserver.googleapi import ApiError
from mockserver.http.batch import Batches
from mockserver.model import BodyFile
from mockserver.routing import Route
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.recordings import Replay
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sessions.session import Session, Sessions
from mockserver.sources.binding import Asked
from mockserver.sources.bodies import check_content
from mockserver.sources.emulation import Emulator
from mockserver.sources.exchange import Exchange
from mockserver.sources.fault_application import meet_faults
from mockserver.sources.generated import is_service
from mockserver.sources.misses import internal
from mockserver.sources.playback import Playback
from mockserver.sources.readings import LONGEST_KEPT, Reading, Readings, counted_headers
from mockserver.sources.recorded import Place, places_of, told_of
from mockserver.sources.refusals import refuse
from mockserver.sources.renditions import Rendering
from mockserver.sources.replies import miss_header, send_reply
from mockserver.sources.unplayed import RecordedRoutes, check_page, lost, unplayed, unrecorded

_log = logging.getLogger(__name__)

_KEPT = 1024
_OWN = frozenset({b"content-length", b"content-type", b"content-encoding", b"x-mock-source"})
"""Headers that an answer is given again where it is not sent as recorded."""


class Performance(Exchange):
    """A call that recordings answer.

    Attributes:
        playback: How the recorded response is sent; None where another source answered.
    """

    playback: Playback | None = None


class _At(NamedTuple):
    """A request as it would have been sent to one place."""

    place: Place
    reading: Reading


class _Call(NamedTuple):
    """What a request means to a session with recordings.

    Attributes:
        route: Its method.
        sent: It at each place it may mean; none where the recordings know no such place.
        is_for_others: Whether other sources answer it, before or instead of recordings.
    """

    route: Route
    sent: tuple[_At, ...]
    is_for_others: bool


class _Found(NamedTuple):
    """What the recordings of a place have for a request."""

    at: _At
    played: Played | Unmatched


class Playing:
    """Answers the calls of sessions with recordings.

    Args:
        emulator: What answers calls that are none of the recordings' business.
    """

    def __init__(self, emulator: Emulator, sessions: Sessions) -> None:
        self.routes = emulator.routes
        self._emulator = emulator
        self._batches = Batches(self, sessions)
        self._readings = Readings()
        self._rendering = Rendering()
        self._recorded = RecordedRoutes()

    async def send(
        self, exchange: Exchange, body: bytes, request: Request, wire: tuple[Receive, Send]
    ) -> None:
        """Send an answer: as it was recorded, where a recording gave it.

        Raises:
            ConnectionResetError: The answer breaks off, and this transport has no connection that
                can be ended.
        """
        receive, send = wire
        if isinstance(exchange, Performance) and exchange.playback is not None:
            await exchange.playback.send(request, receive, send)
        else:
            await send_reply(exchange, body, request, send)

    def answer(
        self,
        session: Session,
        route: Route,
        request: Request,
        content: bytes,
        *,
        parent: int | None = None,
    ) -> tuple[Exchange, bytes]:
        """Answer one request of a session with recordings, and journal it.

        Args:
            session: Where it is asked.
            route: What it means to the emulated APIs.
            request: Its head.
            content: Its body.
            parent: The number of the batch that it is a part of, or None.
        """
        replay = session.replay
        if replay is None:
            return self._emulator.answer(session, route, request, content, parent=parent)
        try:
            if content:
                check_content(request, content)
        except ApiError as error:
            return refuse(session, route, request, error)
        call = self._understood(session, replay, route, (request, content))
        if call.is_for_others:
            return self._emulator.answer(session, route, request, content, parent=parent)
        return self._performed(session, request, call, parent=parent)

    async def answer_batch(
        self, session: Session, route: Route, request: Request, content: bytes
    ) -> tuple[Exchange, bytes]:
        """Answer a batch: with a recording of the whole of it, or else call by call."""
        replay, found, call = session.replay, None, None
        try:
            check_content(request, content)
        except ApiError as error:
            return refuse(session, route, request, error)
        if replay is not None:
            understood = partial(self._understood, session, replay, route, (request, content))
            call = await WORKER.run(understood) if len(content) >= LONG_BODY else understood()
            found = None if call.is_for_others else _play(replay, call)
        if call is None or found is None or isinstance(found.played, Unmatched):
            return await self._batches.answer_batch(session, route, request, content)
        return self._performed(session, request, call, found)

    def _performed(
        self,
        session: Session,
        request: Request,
        call: _Call,
        found: _Found | None = None,
        *,
        parent: int | None = None,
    ) -> tuple[Exchange, bytes]:
        exchange = Performance(session, call.route, request.client)
        exchange.parent = parent
        exchange.source = "none"
        try:
            self._answer(exchange, request, call, found)
        except ApiError as error:
            exchange.refuse(error)
        except Exception:  # noqa: BLE001  (a defect of ours must not end the server)
            _log.exception("%s was not replayed", exchange.method_id)
            exchange.source = "none"
            exchange.refuse(internal())
        if exchange.miss is not None:
            exchange.headers += miss_header(exchange.miss)
        return exchange, exchange.finish()

    def _understood(
        self, session: Session, replay: Replay, route: Route, asked: tuple[Request, bytes]
    ) -> _Call:
        """What a request means; looked up if it was asked in this session before."""
        request, content = asked
        head = counted_headers(request)
        key = (request.host, request.path, request.query, request.sent_verb, content, head)
        call: _Call | None = replay.calls.get(key)
        if call is not None:
            return call
        link = self._emulator.addresses.link(request, session.id)
        places = places_of(request, replay.known, route, link, self.routes.catalog)
        if places:
            route = self._recorded.at(places[0], request, route)
        sent = tuple(_At(place, self._readings.of(asked, place, route, replay)) for place in places)
        call = _Call(route, sent, _is_for_others(replay, route, sent))
        if len(content) <= LONGEST_KEPT:
            if len(replay.calls) >= _KEPT:
                del replay.calls[next(iter(replay.calls))]
            replay.calls[key] = call
        return call

    def _answer(
        self, exchange: Performance, request: Request, call: _Call, found: _Found | None
    ) -> None:
        session, replay = exchange.session, exchange.session.replay
        if replay is None:
            raise unrecorded(frozenset(), call.route)
        if call.sent:
            _, exchange.path, exchange.params, exchange.body = call.sent[0].reading
            exchange.redacted = True
        if session.has_faults:
            asked = Asked(dict(exchange.params), exchange.body or {})
            meet_faults(exchange, asked, caller_of(session, request.token, call.route))
            check_page(asked)
        may_be_stub = session.base.stubs and "stub" in session.spec.sources
        if may_be_stub and self._emulator.from_stub(exchange, request):
            return
        found = found or _play(replay, call)
        if found is None:
            raise unrecorded(replay.known.hosts, call.route)
        if isinstance(found.played, Unmatched):
            raise unplayed(found.played, found.at.reading.keyed.request, replay, call.route)
        self._perform(exchange, request, found.at.place, found.played)

    def _perform(
        self, exchange: Performance, request: Request, place: Place, played: Played
    ) -> None:
        interaction = played.interaction
        renditions = self._rendering.of(interaction, place)
        response = renditions.response
        rendition = renditions.best(request.headers.get(b"accept-encoding", b""))
        exchange.source = "cassette"
        exchange.status, exchange.response = response.status, response.body
        if interaction.method_id and exchange.route.method is None:
            exchange.method_id = interaction.method_id
        replay = exchange.session.replay
        body = None if response.file is None else self._body(exchange, request, response.file)
        told = told_of(played)
        exchange.recording = told.recording
        exchange.playback = Playback(
            rendition,
            response.ended,
            replay.pace if replay else 1.0,
            interaction.duration_ms,
            told.headers,
            body,
        )
        if exchange.damage is not None or exchange.parent is not None:
            exchange.compressible = False
            exchange.headers += tuple(pair for pair in rendition.head if pair[0] not in _OWN)
            exchange.content_type = dict(rendition.head).get(b"content-type", b"")

    def _body(self, exchange: Performance, request: Request, file: BodyFile) -> BinaryIO | None:
        """The open file of a body that is sent; a part of a batch is read instead."""
        try:
            if exchange.damage is not None or exchange.parent is not None:
                exchange.response = whole_body(file)
                return None
            return None if request.head else open_body(file)
        except BodyFileError as error:
            raise lost(error.message, exchange.route) from error


def _play(replay: Replay, call: _Call) -> _Found | None:
    """The recording at the first place that has one, or why the first place has none."""
    first = None
    for at in call.sent:
        found = _Found(at, replay.play(at.reading.keyed))
        if isinstance(found.played, Played):
            return found
        first = first or found
    return first


def _is_for_others(replay: Replay, route: Route, sent: tuple[_At, ...]) -> bool:
    """Whether other sources answer a call, before or instead of recordings."""
    if replay.alone:
        return not sent and is_service(route)
    return not sent or (route.handler is not None and not replay.first)
