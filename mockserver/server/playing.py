"""Answers calls from recordings: the source `cassette` of a session."""

import asyncio
import logging
from typing import NamedTuple

from mockserver.googleapi import ApiError
from mockserver.replay import Played, Unmatched
from mockserver.server.answering import is_service
from mockserver.server.asking import Asked
from mockserver.server.batch import Batches
from mockserver.server.credentials import caller_of
from mockserver.server.damage import send_damaged
from mockserver.server.emulation import Emulator
from mockserver.server.exchange import Exchange
from mockserver.server.meeting import meet_faults
from mockserver.server.playback import Playback
from mockserver.server.readings import Reading, Readings
from mockserver.server.recorded import Place, places_of
from mockserver.server.renditions import Rendering
from mockserver.server.replays import Replay
from mockserver.server.replies import Header, miss_header, send_reply
from mockserver.server.requests import Receive, Request, Send
from mockserver.server.routes import Route
from mockserver.server.sessions import Session
from mockserver.server.unanswered import internal
from mockserver.server.unplayed import RecordedRoutes, check_page, unplayed, unrecorded

_log = logging.getLogger(__name__)

_OWN = frozenset({b"content-length", b"content-type", b"content-encoding", b"x-mock-source"})
"""Headers that an answer is given again where it is not sent as recorded."""


class Performance(Exchange):
    """A call that recordings answer.

    Attributes:
        playback: How the recorded response is sent; None where another source answered.
    """

    playback: Playback | None = None


class _Call(NamedTuple):
    """A request, with where it would have gone."""

    session: Session
    replay: Replay
    request: Request
    content: bytes
    places: tuple[Place, ...]


class _Found(NamedTuple):
    """What the recordings of a place have for a request."""

    reading: Reading
    place: Place
    played: Played | Unmatched


class Playing:
    """Answers the calls of sessions with recordings.

    Args:
        emulator: What answers calls that are none of the recordings' business.
    """

    def __init__(self, emulator: Emulator) -> None:
        self.routes = emulator.routes
        self._emulator = emulator
        self._batches = Batches(self)
        self._readings = Readings()
        self._rendering = Rendering()
        self._recorded = RecordedRoutes()

    async def respond(
        self,
        session: Session,
        route: Route,
        asked: tuple[Request, bytes],
        wire: tuple[Receive, Send],
    ) -> None:
        """Answer one request of a session with recordings, and send the answer.

        Args:
            session: Where it is asked.
            route: What it means to the emulated APIs.
            asked: Its head and its body.
            wire: Where it came from.

        Raises:
            ConnectionResetError: The answer breaks off, and this transport has no connection that
                can be ended.
        """
        (request, content), (receive, send) = asked, wire
        exchange, body = self.answer(session, route, request, content)
        if exchange.delay_ms:
            await asyncio.sleep(exchange.delay_ms / 1000)
        if exchange.damage is not None:
            await send_damaged(exchange, body, request, receive, send)
        elif isinstance(exchange, Performance) and exchange.playback is not None:
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
        link = self._emulator.addresses.link(request, session.id)
        places = places_of(request, replay.known, route, link, self.routes.catalog)
        if _is_for_others(replay, route, places):
            if route.batch is not None:
                return self._batches.answer(session, route, request, content)
            return self._emulator.answer(session, route, request, content, parent=parent)
        call = _Call(session, replay, request, content, places)
        route = self._recorded.at(places[0], request, route) if places else route
        found = None
        if route.batch is not None:
            found = self._play(call, route)
            if found is None or isinstance(found.played, Unmatched):
                return self._batches.answer(session, route, request, content)
        exchange = Performance(session, route, request.client)
        exchange.parent = parent
        self._attempt(exchange, call, found)
        if exchange.miss is not None:
            exchange.headers += miss_header(exchange.miss)
        return exchange, exchange.finish()

    def _attempt(self, exchange: Performance, call: _Call, found: _Found | None) -> None:
        exchange.source = "none"
        try:
            self._answer(exchange, call, found)
        except ApiError as error:
            exchange.refuse(error)
        except Exception:  # noqa: BLE001  (a defect of ours must not end the server)
            _log.exception("%s was not replayed", exchange.method_id)
            exchange.source = "none"
            exchange.refuse(internal())

    def _answer(self, exchange: Performance, call: _Call, found: _Found | None) -> None:
        session, route, request = call.session, exchange.route, call.request
        reading = found.reading if found else self._read(call, route)
        if reading is not None:
            exchange.path, exchange.params, exchange.body = reading[1:]
            exchange.redacted = True
        if session.has_faults:
            asked = Asked(dict(exchange.params), exchange.body or {})
            meet_faults(exchange, asked, caller_of(session, request.token, route))
            check_page(asked)
        if "stub" in session.spec.sources and self._emulator.from_stub(exchange, request):
            return
        if found is None:
            found = self._play(call, route)
        if found is None:
            raise unrecorded(call.replay, route)
        reading, place, played = found
        if isinstance(played, Unmatched):
            raise unplayed(played, reading.keyed.request, call.replay, route)
        self._perform(exchange, call, place, played)

    def _read(self, call: _Call, route: Route, number: int = 0) -> Reading | None:
        if not call.places:
            return None
        asked = call.request, call.content
        return self._readings.of(asked, call.places[number], route, call.replay)

    def _play(self, call: _Call, route: Route) -> _Found | None:
        """The recording at the first place that has one, or why the first place has none."""
        first = None
        for number, place in enumerate(call.places):
            reading = self._read(call, route, number)
            if reading is None:
                break
            found = _Found(reading, place, call.replay.play(reading.keyed))
            if isinstance(found.played, Played):
                return found
            first = first or found
        return first

    def _perform(self, exchange: Performance, call: _Call, place: Place, played: Played) -> None:
        renditions = self._rendering.of(played.interaction, place)
        response = renditions.response
        rendition = renditions.best(call.request.headers.get(b"accept-encoding", b""))
        exchange.source = "cassette"
        exchange.status, exchange.response = response.status, response.body
        if not exchange.method_id or exchange.route.method is None:
            exchange.method_id = played.interaction.method_id or exchange.method_id
        exchange.playback = Playback(
            rendition,
            ended=response.ended,
            pace=call.replay.pace,
            duration_ms=played.interaction.duration_ms,
            extra=_told(played),
        )
        if exchange.damage is not None or exchange.parent is not None:
            exchange.compressible = False
            exchange.headers += tuple(pair for pair in rendition.head if pair[0] not in _OWN)
            exchange.content_type = dict(rendition.head).get(b"content-type", b"")


def _is_for_others(replay: Replay, route: Route, places: tuple[Place, ...]) -> bool:
    """Whether other sources answer a call, before or instead of recordings."""
    if replay.alone:
        return not places and is_service(route)
    return not places or (route.handler is not None and not replay.first)


def _told(played: Played) -> tuple[Header, ...]:
    """Which recording it is, for those who look into an answer."""
    said = f"{played.tape}#{played.number}"
    said += "; again" if played.again else ""
    said += "; by-kind" if played.by_kind else ""
    return ((b"x-mock-recording", said.encode("ascii", "backslashreplace")),)
