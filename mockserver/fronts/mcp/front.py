"""MCP over HTTP: each session of the mock server is an MCP server of its own at its `/mcp`."""

import asyncio
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import orjson

from mockserver.asgi.requests import Receive, Request, Scope, Send
from mockserver.errors import MockServerError
from mockserver.http.responses import send_response
from mockserver.sources.response import JSON

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from mockserver.fronts.mcp.signin import SignIn
    from mockserver.http.application import Application
    from mockserver.sessions.session import Session

PATH = b"/mcp"
_SIGN_IN = (
    b"/mcp/register",
    b"/mcp/authorize",
    b"/mcp/token",
    b"/.well-known/oauth-protected-resource",
    b"/.well-known/oauth-authorization-server",
    b"/.well-known/openid-configuration",
)
"""Paths of a session where clients sign in, and find out how."""

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""What one message of a client may have; it is answered with 413 beyond that."""

MOST_CLIENTS = 1000
"""Clients that may be connected to one session at once."""

_NOT_INSTALLED = "MCP needs a package that is not installed: mcp"
_INSTALL = "pip install 'understudy[mcp]'"


def require_sdk() -> None:
    """Refuse to go on without the SDK.

    Raises:
        MockServerError: The extra `mcp` is not installed.
    """
    try:
        import_module("mockserver.fronts.mcp.server")
        import_module("mcp.server.streamable_http_manager")
    except ModuleNotFoundError as error:
        raise MockServerError(_NOT_INSTALLED, hint=_INSTALL) from error


class _Endpoint:
    """The MCP clients of one session; they end with it.

    Attributes:
        manager: Speaks the protocol with them.
    """

    def __init__(self, manager: "StreamableHTTPSessionManager") -> None:
        self.manager = manager
        self._closed = asyncio.Event()
        self._started = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            async with self.manager.run():
                self._started.set()
                await self._closed.wait()
        finally:
            self._started.set()  # requests are not to wait for one that could not begin

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        await self._started.wait()
        await self.manager.handle_request(scope, receive, send)

    def close(self) -> None:
        """Let go of every client."""
        self._closed.set()

    async def wait_until_closed(self) -> None:
        """Wait until every client is gone."""
        self.close()
        await asyncio.wait({self._task})


class McpFront:
    """Answers `/mcp` and `/s/<id>/mcp`; the SDK is loaded for the first request."""

    def __init__(self) -> None:
        self._endpoints: dict[str, _Endpoint] = {}
        self._application: Application | None = None

    async def start(self, application: "Application", server: "uvicorn.Server") -> None:
        """Take over the paths of MCP."""
        self.mount(application)

    def mount(self, application: "Application") -> None:
        """Take over the paths of MCP in an application."""
        self._application = application
        application.mount(PATH, self.answer)
        for path in _SIGN_IN:
            application.mount(path, self._sign_in)

    @cached_property
    def _signing_in(self) -> "SignIn":
        from mockserver.fronts.mcp.signin import SignIn

        if self._application is None:
            raise MockServerError("the MCP front is not started")
        return SignIn(self._application)

    async def _sign_in(
        self, session: "Session", request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        await self._signing_in(session, request, scope, receive, send)

    async def stop(self) -> None:
        """Let go of every client."""
        endpoints = tuple(self._endpoints.values())
        self._endpoints.clear()
        await asyncio.gather(*(endpoint.wait_until_closed() for endpoint in endpoints))

    async def answer(
        self, session: "Session", request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one HTTP request of an MCP client.

        Args:
            session: The open session that it is of.
            request: Its head.
            scope: The same as ASGI has it.
            receive: Gives the body.
            send: Takes the answer.
        """
        if session.base.mcp.get("auth") is not None:
            refused = self._signing_in.refusal(session, request)
            if refused is not None:
                await send_response(refused, request, scope, receive, send)
                return
        endpoint = self._endpoints.get(session.id)
        if endpoint is None:
            try:
                await asyncio.to_thread(require_sdk)  # loading it would hold up everyone
                endpoint = self._endpoints.get(session.id) or self._open(session)
            except MockServerError as error:
                await _refuse(send, 501, error)
                return
        await endpoint.answer({**scope, "mock.token": request.token}, receive, send)

    def _open(self, session: "Session") -> _Endpoint:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from sse_starlette.sse import AppStatus

        from mockserver.fronts.mcp.replay import session_server

        # sse_starlette ends the streams of the whole process, for good, when any uvicorn server in
        # it is told to end; `stop` ends those of this server, and nobody else's end concerns them
        AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]
        AppStatus.should_exit = False
        if self._application is None:
            raise MockServerError("the MCP front is not started")
        manager = StreamableHTTPSessionManager(
            session_server(session, self._application.dispatcher),
            max_request_body_size=MAX_MESSAGE_BYTES,
            max_sessions=MOST_CLIENTS,
        )
        endpoint = self._endpoints[session.id] = _Endpoint(manager)
        session.at_close.append(partial(self._close, session.id))
        return endpoint

    def _close(self, session_id: str) -> None:
        endpoint = self._endpoints.pop(session_id, None)
        if endpoint is not None:
            endpoint.close()


async def _refuse(send: Send, status: int, error: MockServerError) -> None:
    told: dict[str, Any] = {"code": -32603, "message": f"{error.message} ({error.hint})"}
    body = orjson.dumps({"jsonrpc": "2.0", "id": None, "error": told})
    headers = [(b"content-type", JSON), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
