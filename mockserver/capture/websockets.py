"""Passes WebSockets on, byte for byte; they are named, and not recorded."""

import asyncio
import ssl
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.capture.upstream import NoAnswerError, Scope, UpstreamRoute
from mockserver.fronts.dispatch import SessionProtocol, refusal_head
from mockserver.fronts.relay import CONNECT_S, Pipe, follow, keep_alive
from mockserver.messages import split_url
from mockserver.model import RecordedRequest

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

PASSED_ON = "a WebSocket: its messages are passed on, not recorded"
_PORTS = {"http://": 80, "https://": 443}


class WebSockets:
    """What joins a client's WebSocket with that of the upstream.

    Args:
        way: Where requests lead.
        queue: Told of each.
        trusted: Whom upstreams are trusted by.
    """

    def __init__(self, way: UpstreamRoute, queue: RecorderQueue, trusted: ssl.SSLContext) -> None:
        self._way = way
        self._queue = queue
        self._trusted = trusted
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, scope: Scope, near: asyncio.Transport) -> None:
        """Hand a connection that asked for an upgrade over; it is no longer HTTP."""
        near.pause_reading()
        self._start(self._join(scope, near))

    def refused(self, method: str, target: str) -> None:
        """Name a request that is no HTTP, or whose length nobody can tell."""
        why = "it is no valid HTTP, or says its length in two ways; answered with 400"
        self._start(self._queue.tell_unrecorded(method or "?", target or "?", why))

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """End what is still being joined."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _join(self, scope: Scope, near: asyncio.Transport) -> None:
        url = self._way.url(scope)
        if self._queue.plays and not self._queue.records:
            await self._queue.tell_refused("WebSocket", url, "no cassette holds WebSockets")
            near.write(refusal_head(424, "no cassette holds WebSockets, and nothing live is asked"))
            near.close()
            return
        try:
            far = await self._reach(self._way.request(scope, b""), near)
        except (NoAnswerError, OSError) as error:
            why = error.reason if isinstance(error, NoAnswerError) else "it cannot be reached"
            await self._queue.tell_unrecorded("WebSocket", url, why)
            near.write(refusal_head(502, why))
            near.close()
            return
        await self._queue.tell_unrecorded("WebSocket", url, PASSED_ON)
        follow(near, far)
        near.resume_reading()

    async def _reach(self, request: RecordedRequest, near: asyncio.Transport) -> Pipe:
        """Connect to the upstream, and ask it for the upgrade."""
        url = split_url(request.url)
        host = url.host.strip("[]")
        secure = url.scheme == "https://"
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_S):
            transport, far = await loop.create_connection(
                lambda: Pipe(near),
                host,
                int(url.port[1:] or _PORTS[url.scheme]),
                ssl=self._trusted if secure else None,
                server_hostname=host if secure else None,
            )
        keep_alive(transport)
        lines = [
            f"GET {url.path or '/'}{url.query} HTTP/1.1",
            *(f"{name}: {value}" for name, value in request.headers),
            "Connection: Upgrade",
            "Upgrade: websocket",
        ]
        transport.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return far


class CaptureProtocol(SessionProtocol):
    """HTTP/1.1 of a client of the proxy, until it asks for a WebSocket."""

    def __init__(
        self, config: "Config", server_state: "ServerState", websockets: WebSockets
    ) -> None:
        super().__init__(config, server_state, None)
        self._websockets = websockets

    @override
    def _should_upgrade_to_ws(self) -> bool:
        return True

    @override
    def handle_websocket_upgrade(self) -> None:
        self.connections.discard(self)
        path, _, query = self.url.partition(b"?")
        scope = {**self.scope, "raw_path": path, "query_string": query}
        self._websockets.join(scope, self.transport)

    @override
    def send_400_response(self, msg: str) -> None:
        scope: dict[str, Any] = dict(self.scope or {})
        # the head may have come before what is wrong with it
        target = (self.url or b"").decode("latin-1") if scope else ""
        self._websockets.refused(scope.get("method", ""), target)
        super().send_400_response(msg)
