"""Runs the application under uvicorn: binds, announces itself, ends its runs when it is stopped."""

import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette
from typing_extensions import override

from harness.errors import InfrastructureError, reason_of
from harness.runner import Clock
from harness.server.application import application
from harness.server.settings import Settings
from mockserver.asgi.addresses import listen, url_of
from mockserver.asgi.server import DeadlineProtocol, DeadlineServer

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
