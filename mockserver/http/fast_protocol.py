"""HTTP/1.1 connections that answer plain requests as soon as they are read.

uvicorn makes a task, a scope and two messages for each request. A request whose head is plain,
whose body is there, and whose session has nothing under way needs none of them: the application is
asked at once, and its answer written in one piece. Everything else goes through uvicorn's cycle on
the same connection: what is long, delayed, damaged, streamed with pauses, or waits for a slow
reader.
Both ask the same dispatcher, so no answer depends on which of them gave it.
"""

import asyncio
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from mockserver.asgi.requests import PROXIED, Receive, Scope, Send
from mockserver.asgi.server import HEAD_S, SILENCE_S, HttpProtocol, State
from mockserver.http.application import Application
from mockserver.http.descriptors import DescriptorWatch
from mockserver.http.responses import send_response
from mockserver.http.wire import AnswerWriter

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    from mockserver.http.application import HeadMeaning
    from mockserver.http.hot_heads import HotHead

_END = b"\r\n\r\n"
_AT_ONCE = 16
"""Requests sent ahead that are answered in one go; other connections come before the rest."""

_JOINED = 64 * 1024
"""A larger body is written after its head: copying it would cost more."""

_feed = HttpProtocol.data_received
_WRITER = AnswerWriter()


@lru_cache(1)
def has_websockets() -> bool:
    """Whether WebSockets are spoken: the extra `websocket` is installed."""
    return find_spec("websockets") is not None


class FastProtocol(HttpProtocol):
    """One connection.

    Attributes:
        session: Whose connection it is, where a front knows that.
        answered_at_once: How many requests uvicorn's cycle never saw.
    """

    _known: "dict[bytes, HotHead[HeadMeaning]]"

    def __init__(
        self,
        config: "Config",
        server_state: "ServerState",
        app_state: State,
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.session: str | None = None
        self.answered_at_once = 0
        self._application: Application | None = None
        self._descriptors: DescriptorWatch | None = None
        self._prefix = b""
        self._between = True  # the parser has read no part of a request that is not complete
        self._held = b""  # a known request whose body is not complete
        self._needed = 0
        self._idle_since = 0.0
        application: object = self.app
        if isinstance(application, Application):
            self._descriptors = application.descriptors
        if not isinstance(application, Application) or config.root_path:
            return  # one that answers in another way, such as over logs that processes share
        if application.settings.http_protocol == "fast" and config.limit_concurrency is None:
            self._application = application
            self._known = application.hot_heads.known

    @override
    def _should_upgrade_to_ws(self) -> bool:
        application: object = self.app
        # elsewhere it is a request like any other
        return isinstance(application, Application) and has_websockets() and application.has_sockets

    @override
    def handle_websocket_upgrade(self) -> None:
        # loaded by the first client that wants one
        from mockserver.http.socket_protocol import SocketProtocol

        if self.session is not None:
            self.app_state = {**self.app_state, PROXIED: self.session}
        self.ws_protocol_class = SocketProtocol
        super().handle_websocket_upgrade()

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._descriptors is not None:
            self._descriptors.refuse_excess(transport)
        if self.scheme != "http" or self.session is not None:
            self._prefix = f"{self.scheme} {self.session or ''}\n".encode()

    @override
    def data_received(self, data: bytes) -> None:
        application = self._application
        if self._held:
            self._body_bytes += len(data)
            data = self._held + data
            if len(data) < self._needed:
                self._held = data
                return
            self._held = b""
        if application is None:
            _feed(self, data)
            return
        for _ in range(_AT_ONCE):
            if not self._is_idle():
                break
            end = data.find(_END) + 4
            if end < len(_END):
                break
            head, prefix = data[:end], self._prefix
            known = self._known.get(prefix + head)
            if known is None:
                scheme = self.scheme or "http"
                known = application.hot_heads.read(prefix, head, scheme, self.session)
                if known is None:
                    break
            size = end + known[2]
            if not self._answer(application, known, data, end, size):
                break
            if self._held or self.transport.is_closing():
                return
            data = data[size:]
            if not data:
                return
        _feed(self, data)

    def _is_idle(self) -> bool:
        """Whether nothing is read, answered or waiting to be read by the client."""
        first: object = self.cycle  # there is none before the first request
        return (
            self._between
            and (first is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and not self.transport.is_closing()
        )

    def _answer(
        self,
        application: Application,
        known: "HotHead[HeadMeaning]",
        data: bytes,
        end: int,
        size: int,
    ) -> bool:
        """Answer a request, or hold it until its body is there; False where uvicorn's cycle must.

        Args:
            application: What answers.
            known: What its head means.
            data: What was received from its head on.
            end: Where its head ends.
            size: Where it ends.
        """
        request, meaning, _, keep_alive = known
        session = application.session_at_once(meaning[1])  # by place: a name takes twice the time
        if session is None:
            return False
        if len(data) < size:
            self._unset_keepalive_if_required()
            self._held, self._needed = data, size
            self._body_bytes += len(data) - end
            return True
        try:
            response = application.dispatcher.answer_request(
                session, meaning[0], request, data[end:size]
            )
            found = _WRITER.answer_bytes(
                response,
                request,
                self.server_state.default_headers,
                keep_alive=keep_alive,
            )
        except Exception as error:  # noqa: BLE001  (uvicorn answers for a defect)
            self._feed_to(partial(_raise, error), data[:size])
            return True
        if found is None:
            self._feed_to(partial(send_response, response, request), data[:size])
            return True
        head, content = found
        transport = self.transport
        if len(content) <= _JOINED:
            transport.write(head + content)
        else:
            transport.write(head)
            transport.write(content)
        self.answered_at_once += 1
        self.server_state.total_requests += 1
        if not keep_alive:
            self._unset_keepalive_if_required()
            transport.close()
            return True
        # moving the timer for each request would cost more than looking once whether it is due
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._wait_for_more(self.timeout_keep_alive)
        return True

    def _feed_to(self, application: Any, request: bytes) -> None:
        """Let uvicorn's cycle take one request to an application of its own."""
        usual, self.app = self.app, application
        try:
            _feed(self, request)
        finally:
            self.app = usual

    def _wait_for_more(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    @override
    def timeout_keep_alive_handler(self) -> None:
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0 and not self.transport.is_closing():
            self._wait_for_more(left)
        else:
            super().timeout_keep_alive_handler()

    @override
    def on_message_begin(self) -> None:
        self._between = False
        super().on_message_begin()

    @override
    def on_message_complete(self) -> None:
        # after an upgrade that nobody takes, the parser reads no further request
        self._between = not self.parser.should_upgrade()
        super().on_message_complete()

    def release_held(self) -> None:
        """Let uvicorn's cycle wait for the rest of a body."""
        held, self._held = self._held, b""
        if held:
            _feed(self, held)

    @override
    def shutdown(self) -> None:
        self.release_held()
        super().shutdown()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._held = b""
        super().connection_lost(exc)

    @override
    def _awaited_step(self) -> tuple[object, float]:
        step, patience = super()._awaited_step()
        if self._held:
            return ("body", self.answered_at_once), SILENCE_S
        if self.answered_at_once and self._between and patience == HEAD_S:
            return None, 0.0  # its first requests never met the parser
        return step, patience


async def _raise(error: Exception, _scope: Scope, _receive: Receive, _send: Send) -> None:
    raise error
