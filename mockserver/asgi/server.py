"""HTTP servers under uvicorn: they wait for no client for ever, and stop in time."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mockserver.asgi.requests import CONNECTION
from mockserver.asgi.waits import report_waits

if TYPE_CHECKING:
    from uvicorn._types import HTTPScope
    from uvicorn.config import Config
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
    from uvicorn.server import ServerState


MAX_HEAD_BYTES = 64 * 1024
"""A request line with its headers, and its trailers; a longer head is answered with 431."""

HEAD_S = 30.0
"""How long a request's head may take; the first one is counted from the connection on."""

SILENCE_S = 60.0
"""How long a request's body, or who reads an answer, may stand still."""

IDLE_S = 240
"""How long a connection may wait for its next request, as at Google's hosts.

Agents think between two calls, and clients do not send a write again whose connection ended.
"""

SLOWEST_BYTES = 1024
"""What of a body must come in that time."""

SWEEP_S = 5.0
"""How often connections are looked at."""

STOP_S = 5.0
"""How long a server may take to stop; then its process ends."""

_TICKS = round(SWEEP_S * 10)
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_log = logging.getLogger(__name__)
_data_received = HttpToolsProtocol.data_received
_head_complete = HttpToolsProtocol.on_headers_complete
_start = HttpToolsProtocol._start_asgi_task  # noqa: SLF001


class _Trailers(list[tuple[bytes, bytes]]):
    """Discards each trailer, and refuses trailers that never end.

    Raises:
        ValueError: They are longer than a head may be; the parser answers with 400 and closes.
    """

    received = 0

    @override
    def append(self, item: tuple[bytes, bytes], /) -> None:
        self.received += len(item[0]) + len(item[1]) + len(": \r\n")
        if self.received > MAX_HEAD_BYTES:
            raise ValueError(self.received)


class DeadlineProtocol(HttpToolsProtocol):
    """HTTP/1.1 as uvicorn speaks it, with bounded heads; `overdue` says when a client is late."""

    _running: "RequestResponseCycle | None" = None
    _head: "HTTPScope | None" = None
    _head_bytes = 0
    _body_bytes = 0
    _stage: tuple[object, float, int] = (None, 0.0, 0)
    """What the client was waited for at the last look, since when, and what had come by then."""

    @override
    def data_received(self, data: bytes) -> None:
        _data_received(self, data)
        # on the way of every request: nothing is looked at twice
        if self.scope is None or "raw_path" not in self.scope:  # type: ignore[redundant-expr]
            self._bound_head(len(data))

    @override
    def on_headers_complete(self) -> None:
        _head_complete(self)
        if not self.parser.should_upgrade():
            # uvicorn would add trailers to the headers, without end
            self.headers = _Trailers()

    @override
    def _start_asgi_task(self, cycle: "RequestResponseCycle", app: Any) -> None:
        self._running = cycle
        _start(self, cycle, app)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        # uvicorn tells the latest request alone, which may be waiting for those before it
        running = self._running
        if running is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    @override
    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def _bound_head(self, size: int) -> None:
        """Count what came of a head that is not complete, and refuse one that is too long."""
        if self._head is not self.scope:
            self._head, self._head_bytes = self.scope, 0
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    @property
    def _scope(self) -> "HTTPScope | None":
        return self.scope  # there is none before the first request

    @property
    def _cycle(self) -> "RequestResponseCycle | None":
        return self.cycle

    def overdue(self, now: float) -> bool:
        """Whether the client has kept this connection waiting for too long.

        Args:
            now: The time of the event loop; each look is compared with those before it.
        """
        waiting, patience = self._awaited_step()
        stage, since, received = self._stage
        came = self._body_bytes - received >= SLOWEST_BYTES and patience > HEAD_S
        if waiting is None or waiting != stage or came:
            self._stage = (waiting, now, self._body_bytes)
            return False
        return now - since > patience

    def _awaited_step(self) -> tuple[object, float]:
        """What the client is waited for, as something equal only to itself; None for nothing."""
        unread = self.transport.get_write_buffer_size()
        if unread or self.transport.is_closing():
            return ("reading", unread), SILENCE_S
        scope, cycle = self._scope, self._cycle
        if scope is None or "raw_path" not in scope:
            return ("head", id(scope)), HEAD_S
        if cycle is not None and cycle.more_body and not cycle.response_complete:
            return ("body", id(cycle)), SILENCE_S
        return None, 0.0


class DeadlineServer(uvicorn.Server):
    """A uvicorn server that lets go of late clients, and stops in time whatever it is doing.

    Attributes:
        stop_s: How long it may take to stop; then the process ends, with status 1.
    """

    stop_s = STOP_S

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        # an event is no use here: a signal that comes while it is being set would wait for itself
        self._stopping: SimpleQueue[None] = SimpleQueue()
        self._stopped = threading.Event()

    @override
    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            abort_overdue_connections(self.server_state.connections)
        return await super().on_tick(counter)

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._stopping.put(None)

    @override
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with self._ending_in_time(), super().capture_signals():
            yield

    @contextlib.contextmanager
    def _ending_in_time(self) -> Iterator[None]:
        """Meanwhile a thread watches that the process ends soon after a signal.

        It starts with the server: a process that has run out of memory can start none any more.
        """
        threading.Thread(target=self._end_in_time, daemon=True).start()
        try:
            yield
        finally:
            self._stopped.set()  # whoever serves inside a larger program is not ended with it
            self._stopping.put(None)

    @override
    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        await super().shutdown(sockets)
        self._stopped.set()

    def _end_in_time(self) -> None:
        self._stopping.get()
        if not self._stopped.wait(self.stop_s):
            _log.error("not stopped within %.0f s: ended with requests under way", self.stop_s)
            os._exit(1)


def abort_overdue_connections(connections: Any) -> None:
    """End the connections whose clients are overdue."""
    now = asyncio.get_running_loop().time()
    for connection in tuple(connections):
        if isinstance(connection, DeadlineProtocol) and connection.overdue(now):
            connection.transport.abort()


State = dict[str, Any]

_NO_LINGER = struct.pack("ii", 1, 0)


class HttpProtocol(DeadlineProtocol):
    """Tells the application in the state of each scope how to end the connection."""

    def __init__(
        self,
        config: "Config",
        server_state: "ServerState",
        app_state: State,
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        # the state is copied into every scope: so no request pays for this
        super().__init__(config, server_state, {**app_state, CONNECTION: self}, _loop)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.app_state = {}
        super().connection_lost(exc)

    def reset(self) -> None:
        """End the connection at once; the other end reads that it was reset."""
        own = self.transport.get_extra_info("socket")
        if own is not None:
            with contextlib.suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()

    def cut(self) -> None:
        """End the connection once what was written is sent."""
        self.transport.close()


_GRACE_S = 1
"""How long requests in flight may take once the server is told to stop."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
TELL_WAITS = getattr(signal, "SIGUSR1", None)
"""The signal at which a server writes what it waits for; there is none on Windows."""


class HttpServer(DeadlineServer):
    """A uvicorn server that ends with status 0 when a signal tells it to.

    Args:
        application: An ASGI application.
        protocol: What serves its connections.
        options: Further options of `uvicorn.Config`.
    """

    def __init__(
        self, application: Any, *, protocol: type[HttpProtocol] = HttpProtocol, **options: Any
    ) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=protocol,
                loop="auto",
                ws="none",
                lifespan="off",
                interface="asgi3",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                timeout_keep_alive=IDLE_S,
                **options,
            )
        )

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if TELL_WAITS is not None and threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(TELL_WAITS, report_waits)
        await super().startup(sockets)

    @override
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        is_main = threading.current_thread() is threading.main_thread()  # others may take none
        taken = _SIGNALS if is_main else ()
        before = {number: signal.signal(number, self.handle_exit) for number in taken}
        try:
            with self._ending_in_time():
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
