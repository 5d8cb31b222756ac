"""The ASGI application: raw dispatch for emulated traffic, the control API beside it."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from mockserver.apis import APIS
from mockserver.asgi.origins import OwnOrigins
from mockserver.asgi.requests import (
    BodyTooLargeError,
    CallerGoneError,
    Receive,
    Request,
    Scope,
    Send,
    read_body,
)
from mockserver.googleapi import Api, ApiError, encode, envelope
from mockserver.http.access import Access
from mockserver.http.batch import Batches
from mockserver.http.control import PREFIX, Control
from mockserver.http.crossorigin import is_preflight, preflight
from mockserver.http.guard import Guard
from mockserver.http.naming import (
    differ,
    may_carry,
    names_of,
    refuse_two_sessions,
    sessions_in_body,
)
from mockserver.routing import Route, Routes
from mockserver.sessions.cassette_library import Library
from mockserver.sessions.scheduling import LONG_BODY, LONG_QUERY, WORKER, in_turn
from mockserver.sessions.session import DEFAULT_ID, Bases, Session, Sessions, random_secret
from mockserver.settings import Settings, url_of
from mockserver.snapshots.worlds import Worlds
from mockserver.sources.damage import send_damaged
from mockserver.sources.emulation import Emulator
from mockserver.sources.exchange import Exchange
from mockserver.sources.refusals import foreign_page, no_session, refuse, session_closed, too_large
from mockserver.sources.replies import Reply, send_reply
from mockserver.state import RealTime

if TYPE_CHECKING:
    from mockserver.http.playing import Playing

_CONTROL = PREFIX.encode()
_END = len(_CONTROL)
_HOSTS_KEPT = 256
_PROVING = frozenset({"token", "form", "proxy"})
"""Ways to name a session that a page of another origin does not have of itself."""


class Application:
    """The server as an ASGI application.

    Args:
        settings: What it is started with.
        real: Real time; the clocks of all sessions go by it.
        apis: The emulated APIs.
        bases: Where sessions get what they start from; the suite of the settings when None.
        secret: Makes up what nobody can guess, see `Sessions`.

    Raises:
        MockServerError: The suite or the default session cannot be served.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        real: RealTime,
        apis: Sequence[Api] = APIS,
        bases: Bases | None = None,
        secret: Callable[[], str] = random_secret,
    ) -> None:
        self.settings = settings
        self.library = Library(settings, apis)
        self.sessions = Sessions(
            bases or Worlds(settings.fixtures, apis),
            real=real,
            journal_bytes=settings.journal_bytes,
            limit=settings.max_sessions,
            cassettes=self.library,
            secret=secret,
        )
        self._emulator = Emulator(Routes(apis), url=url_of(settings.host, settings.port))
        self._batches = Batches(self._emulator, self.sessions)
        self._own = OwnOrigins(settings.host, settings.port, settings.allowed_hosts)
        self._rebound: dict[bytes, bool] = {}
        self.library.read_given()
        if settings.default is not None:
            self.sessions.open(settings.default.model_copy(update={"id": DEFAULT_ID}))

    @property
    def emulator(self) -> Emulator:
        """What answers the calls, for transports other than HTTP."""
        return self._emulator

    @cached_property
    def _control(self) -> ASGIApp:
        control = Control(self.sessions, self.settings).application()
        return Access(Guard(control, self._own), self.sessions, self.settings.token)

    @cached_property
    def _playing(self) -> "Playing":
        """What answers from recordings; servers without them do not load it."""
        from mockserver.http.playing import Playing

        return Playing(self._emulator, self.sessions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            raise NotImplementedError(f"no {scope['type']} is spoken here")
        path: bytes = scope["raw_path"]
        if path[:_END] == _CONTROL and path[_END : _END + 1] in b"/":
            await self._control(scope, receive, send)
            return
        await self._emulate(Request(scope), receive, send)

    async def _emulate(self, request: Request, receive: Receive, send: Send) -> None:
        if request.verb == "OPTIONS" and is_preflight(request):
            await send_reply(preflight(request), b"", request, send)
            return
        route = self._emulator.routes.find(request.host, request.verb, request.path)
        in_form: tuple[str, ...] = ()
        if may_carry(route, request):
            in_form, receive = await sessions_in_body(receive)
        names = names_of(request, in_form)
        if self._is_from_elsewhere(request) and not any(way in _PROVING for way, _ in names):
            await _send_error(foreign_page(), route, request, send)
            return
        if not names:
            await self._within(DEFAULT_ID, route, request, receive, send)
            return
        if len(names) > 1 and differ(names):
            error, _ = refuse_two_sessions(
                self.sessions, names, route, token=request.token, client=request.client
            )
            await _send_error(error, route, request, send)
            return
        # what is named is never replaced by another
        way, named = names[0]
        if way != "token":
            request.session = named
        await self._within(named, route, request, receive, send)

    def _is_from_elsewhere(self, request: Request) -> bool:
        """Whether a page sent it that is not the server's: it must bear a session's credential."""
        headers, host = request.headers, request.host
        if b"origin" in headers or b"sec-fetch-site" in headers:
            return self._own.is_foreign_page(headers)
        rebound = self._rebound.get(host)
        if rebound is None:
            name = host.decode("latin-1")
            known = self._emulator.routes.catalog.is_host(name)
            rebound = not known and self._own.is_rebound(name)
            if len(self._rebound) < _HOSTS_KEPT:
                self._rebound[host] = rebound
        return rebound

    async def _within(
        self, named: str, route: Route, request: Request, receive: Receive, send: Send
    ) -> None:
        session = self.sessions.find(named)
        if session is None or session.closed:
            reply, body = no_session(session, route, request)
            await send_reply(reply, body, request, send)
            return
        try:
            content = await read_body(request, receive) if request.has_body else b""
        except BodyTooLargeError:
            reply, body = refuse(session, route, request, too_large())
            await send_reply(reply, body, request, send)
            return
        except CallerGoneError:
            return
        if session.closed:  # while the body was on its way
            reply, body = no_session(session, route, request)
            await send_reply(reply, body, request, send)
            return
        replayed = session.replay is not None
        answering = self._playing if replayed else self._emulator
        is_long = route.long or len(content) >= LONG_BODY or len(request.query) >= LONG_QUERY
        is_long = is_long or (session.replay is not None and session.replay.has_bodies)
        if session.queue is None and not is_long:
            exchange, body = answering.answer(session, route, request, content)
        else:
            at_length = partial(self._at_length, session, route, request, content, is_long=is_long)
            exchange, body = await in_turn(session, at_length)
        if exchange.delay_ms:
            await asyncio.sleep(exchange.delay_ms / 1000)
        if exchange.damage is not None:
            await send_damaged(exchange, body, request, receive, send)
        elif replayed:
            await self._playing.send(exchange, body, request, (receive, send))
        else:
            await send_reply(exchange, body, request, send)

    async def _at_length(
        self, session: Session, route: Route, request: Request, content: bytes, *, is_long: bool
    ) -> tuple[Exchange, bytes]:
        """Answer a request whose turn it is: a batch call by call, a long one beside the loop."""
        if session.closed:  # while it waited
            return refuse(session, route, request, session_closed(session.id))
        if route.batch is not None:
            batches = self._batches if session.replay is None else self._playing
            return await batches.answer_batch(session, route, request, content)
        answering = self._emulator if session.replay is None else self._playing
        answer = partial(answering.answer, session, route, request, content)
        return await WORKER.run(answer) if is_long else answer()


async def _send_error(error: ApiError, route: Route, request: Request, send: Send) -> None:
    """Answer with an error that no session's journal holds, in the dialect of the API."""
    body = encode(envelope(error, route.dialect), pretty=True)
    await send_reply(Reply(error.status), body, request, send)
