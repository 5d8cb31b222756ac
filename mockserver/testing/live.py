"""Records live answers for the clients of this process, whichever they are."""

from collections.abc import AsyncIterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import cast

import httpx

from mockserver.asgi.requests import CONNECTION, Receive, Scope, Send
from mockserver.errors import ReplayMissError
from mockserver.testing.recording import Mode, Recording
from mockserver.testing.server import InProcessServer, ServerRoute
from mockserver.testing.transports.routes import is_loopback

_HOPS = frozenset({b"connection", b"keep-alive", b"transfer-encoding", b"proxy-connection"})


class LiveServer(InProcessServer):
    """Asks the live APIs on behalf of clients, and records what they answer.

    Args:
        cassette: The file.
        mode: What is recorded, see `Recording`.
        redaction: The file of redaction rules beside the common ones.

    Raises:
        MockServerError: The cassette cannot be read.
    """

    url = ""

    def __init__(self, cassette: Path, mode: str, redaction: Path | None = None) -> None:
        cassette.parent.mkdir(parents=True, exist_ok=True)
        self._recording = Recording(cassette, mode=cast("Mode", mode), redaction=redaction)
        super().__init__(self._answer)

    @property
    def records(self) -> bool:
        """Whether live answers are recorded."""
        return self._recording.records

    def route(self, tunnel: tuple[str, ...] = ()) -> ServerRoute:
        """The route of clients; this machine's own names and the tunnelled hosts are left alone."""
        globs = tuple(each.lower() for each in tunnel)
        return ServerRoute(
            self,
            lambda host: is_loopback(host) or any(fnmatchcase(host.lower(), g) for g in globs),
        )

    def finish(self) -> None:
        """Save what was recorded.

        Raises:
            LeakError: Some of it is in question.
            CaptureError: It cannot be saved.
        """

        async def close() -> None:
            if "_upstream" in self.__dict__:
                await self._upstream.aclose()

        self.loop.run(close())
        self._recording.finish()

    @cached_property
    def _upstream(self) -> httpx.AsyncHTTPTransport:
        return httpx.AsyncHTTPTransport()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = await _read_request(scope, receive)
        try:
            answer = await self._recording.answer_async(
                request, self._upstream.handle_async_request
            )
        except (httpx.HTTPError, ReplayMissError):
            scope["state"][CONNECTION].reset()
            return
        headers = [pair for pair in answer.headers.raw if pair[0].lower() not in _HOPS]
        await send(
            {
                "type": "http.response.start",
                "status": answer.status_code,
                "headers": [(name.lower(), value) for name, value in headers],
            }
        )
        try:
            async for piece in cast("AsyncIterator[bytes]", answer.stream):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except httpx.HTTPError:
            scope["state"][CONNECTION].reset()
            return
        finally:
            await answer.aclose()
        await send({"type": "http.response.body", "body": b""})


async def _read_request(scope: Scope, receive: Receive) -> httpx.Request:
    pieces, more = [], True
    while more:
        message = await receive()
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    headers = [pair for pair in scope["headers"] if pair[0] not in _HOPS]
    host = dict(headers).get(b"host", b"").decode("latin-1")
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    target = (scope["raw_path"] + query).decode("latin-1")
    content = b"".join(pieces)
    return httpx.Request(
        scope["method"], f"{scope['scheme']}://{host}{target}", headers=headers, content=content
    )
