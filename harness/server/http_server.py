"""The REST application behind its guards, and how uvicorn runs it: binds, announces, ends runs."""

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.runner import Clock
from harness.server.console import (
    Console,
    ConsoleAccess,
    console_routes,
    error_page,
    is_open,
    sign_in_page,
    wants_page,
)
from harness.server.handlers import Handlers
from harness.server.messages import error_response, json_response, problem_response
from harness.server.request_log import RequestLog, write_to_stderr
from harness.server.routes import ROUTES, endpoint, openapi
from harness.server.settings import MAX_BODY_BYTES, Settings
from mockserver.asgi.addresses import listen, url_of
from mockserver.asgi.origins import OriginGuard, OwnOrigins, Refusal
from mockserver.asgi.server import DeadlineProtocol, DeadlineServer

Headers = dict[bytes, bytes]


class AccessGuard:
    """Lets a request through that bears the server's token or its cookie, and is not too long.

    Anything else is refused before its body is read. A browser is shown where to sign in.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.encode()
        self._console = ConsoleAccess(settings.token, settings.port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application, or with the refusal."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers: Headers = dict(scope["headers"])
        if self._token and not self._is_known(scope["path"], headers):
            if wants_page(scope["method"], scope["path"], headers):
                return sign_in_page()
            asked = {"www-authenticate": "Bearer"}
            return problem_response(
                401, "this server asks for its token as a bearer token", headers=asked
            )
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return too_long()
        return None

    def _is_known(self, path: str, headers: Headers) -> bool:
        if is_open(path) or hmac.compare_digest(_bearer(headers), self._token):
            return True
        return self._console.is_signed_in(headers)


def _http_problem(request: Request, error: Exception) -> Response:
    """The answer where no route fits: a page for people, JSON for everyone else."""
    if wants_page(request.method, request.url.path, dict(request.headers.raw)):
        return error_page(error)
    return error_response(request, error)


def _origin_problem(refusal: Refusal) -> Response:
    return problem_response(refusal.status, refusal.message, hint=refusal.hint)


def too_long() -> Response:
    """The answer to a body that is too long; the rest of it is not awaited."""
    limit = f"{MAX_BODY_BYTES >> 20} MiB"
    return problem_response(
        413, f"the body is longer than {limit}", headers={"connection": "close"}
    )


def _bearer(headers: Headers) -> bytes:
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


def _request_log(settings: Settings, clock: Clock) -> list[Middleware]:
    if settings.log_format is None:
        return []
    write, log_format = write_to_stderr, settings.log_format
    return [Middleware(RequestLog, clock=clock, write=write, log_format=log_format)]


def application(settings: Settings, clock: Clock) -> Starlette:
    """The application; its runs end when it does.

    Raises:
        HarnessError: The URL of the index makes no sense, or the extra is not installed.
    """
    handlers = Handlers(settings, clock)
    console = Console(settings, handlers)
    description = openapi(ROUTES, token=bool(settings.token))

    async def describe(_request: Request) -> Response:
        return json_response(description)

    async def metrics(_request: Request) -> Response:
        kept = handlers.live.metrics
        if kept is None:
            hint = "start it with --metrics"
            return problem_response(404, "this server keeps no metrics", hint=hint)
        media_type, text = kept.page()
        return Response(text, media_type=media_type)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        warming_up = asyncio.create_task(asyncio.to_thread(console.warm_up))
        try:
            yield
        finally:
            await asyncio.gather(warming_up, return_exceptions=True)
            await console.sessions.close()
            await handlers.close()

    routes = [
        Route(route.path, endpoint(route, handlers), methods=[route.verb], name=route.path)
        for route in ROUTES
    ]
    routes.append(Route("/openapi.json", describe, methods=["GET"]))
    routes.append(Route("/metrics", metrics, methods=["GET"]))
    routes += console_routes(console, settings)
    own = OwnOrigins(settings.host, settings.port, settings.allowed_hosts)
    made = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            *_request_log(settings, clock),
            Middleware(OriginGuard, own=own, refuse=_origin_problem),
            Middleware(AccessGuard, settings=settings),
        ],
        exception_handlers={
            HarnessError: error_response,
            HTTPException: _http_problem,
            Exception: error_response,
        },
    )
    made.router.redirect_slashes = False  # a path that is none leads nowhere else
    return made


_GRACE_S = 5
_STOP_S = 60.0
"""How long the end of runs may take, agents and their servers included."""


def serve(settings: Settings, clock: Clock, *, ready: Callable[[str], None]) -> None:
    """Serve until a signal comes.

    Args:
        settings: What to serve, and where.
        clock: The time of day.
        ready: Called with the URL once requests are answered.

    Raises:
        InfrastructureError: The address cannot be bound.
        HarnessError: The URL of the index makes no sense, or the extra is not installed.
    """
    with closing(bind(settings.host, settings.port)) as listener:
        port = listener.getsockname()[1]
        made = application(replace(settings, port=port), clock)
        url = url_of(settings.host, port)
        HarnessServer(made, lambda: ready(url)).run(sockets=[listener])


class HarnessServer(DeadlineServer):
    """A uvicorn server that says when it is ready, and waits for no client for ever.

    Args:
        application: The application.
        ready: Called once requests are answered.
    """

    stop_s = _STOP_S

    def __init__(self, application: Starlette, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=DeadlineProtocol,
                lifespan="on",
                ws="none",
                access_log=False,
                proxy_headers=False,
                log_level="warning",
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )
        self._ready = ready

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def bind(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        InfrastructureError: The address cannot be bound.
    """
    try:
        return listen(host, port)
    except OSError as error:
        hint = "stop what listens there, or choose another with --port (0 takes a free one)"
        why = reason_of(error)
        raise InfrastructureError(f"cannot listen on {host}:{port}: {why}", hint=hint) from None
