"""The ASGI application: raw dispatch for emulated traffic, the control API beside it."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from mockserver.apis import APIS
from mockserver.googleapi import Api
from mockserver.server.bases import Bases
from mockserver.server.batch import Batches
from mockserver.server.carriers import may_carry, session_in_body
from mockserver.server.cassettes import Library
from mockserver.server.control import PREFIX, Control
from mockserver.server.crossorigin import is_preflight, preflight
from mockserver.server.damage import send_damaged
from mockserver.server.emulation import Emulator
from mockserver.server.guard import Guard
from mockserver.server.refusals import no_session, refuse, too_large
from mockserver.server.replies import send_reply
from mockserver.server.requests import (
    BodyTooLargeError,
    CallerGoneError,
    Receive,
    Request,
    Scope,
    Send,
    read_body,
)
from mockserver.server.routes import Route, Routes
from mockserver.server.sessions import DEFAULT_ID, Sessions
from mockserver.server.settings import Settings, url_of
from mockserver.server.worlds import Worlds
from mockserver.state import RealTime, session_of

if TYPE_CHECKING:
    from mockserver.server.playing import Playing

_CONTROL = PREFIX.encode()
_END = len(_CONTROL)


class Application:
    """The server as an ASGI application.

    Args:
        settings: What it is started with.
        real: Real time; the clocks of all sessions go by it.
        apis: The emulated APIs.
        bases: Where sessions get what they start from; the suite of the settings when None.

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
    ) -> None:
        self.settings = settings
        self.library = Library(settings, apis)
        self.sessions = Sessions(
            bases or Worlds(settings.fixtures, apis),
            real=real,
            journal_bytes=settings.journal_bytes,
            limit=settings.max_sessions,
            cassettes=self.library,
        )
        self._emulator = Emulator(Routes(apis), url=url_of(settings.host, settings.port))
        self._batches = Batches(self._emulator)
        self.library.read_given()
        if settings.default is not None:
            self.sessions.open(settings.default.model_copy(update={"id": DEFAULT_ID}))

    @property
    def emulator(self) -> Emulator:
        """What answers the calls, for transports other than HTTP."""
        return self._emulator

    @cached_property
    def _control(self) -> ASGIApp:
        return Guard(Control(self.sessions, self.settings).application(), self.settings)

    @cached_property
    def _playing(self) -> "Playing":
        """What answers from recordings; servers without them do not load it."""
        from mockserver.server.playing import Playing

        return Playing(self._emulator)

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
        # by path or header, by token, by what is to be exchanged for one, by the proxy's user, or
        # the default: what is named is never replaced by another
        named = request.session
        if named is None:
            named = session_of(request.token)
            if named is None and may_carry(route, request):
                request.session, receive = await session_in_body(receive)
                named = request.session
            named = named or request.proxied or DEFAULT_ID
        await self._within(named, route, request, receive, send)

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
        if session.replay is not None:
            await self._playing.respond(session, route, (request, content), (receive, send))
            return
        answering = self._emulator if route.batch is None else self._batches
        exchange, body = answering.answer(session, route, request, content)
        if exchange.delay_ms:
            await asyncio.sleep(exchange.delay_ms / 1000)
        if exchange.damage is not None:
            await send_damaged(exchange, body, request, receive, send)
        else:
            await send_reply(exchange, body, request, send)
