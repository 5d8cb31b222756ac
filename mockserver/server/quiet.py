"""A uvicorn server as every server of this house is: quiet, quick to stop, and ending well."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

import uvicorn
from typing_extensions import override

from mockserver.deadlines import DeadlineServer
from mockserver.server.connections import HttpProtocol

_GRACE_S = 1
"""How long requests in flight may take once the server is told to stop."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class QuietServer(DeadlineServer):
    """A uvicorn server that ends with status 0 when a signal tells it to.

    Args:
        application: An ASGI application.
        options: Further options of `uvicorn.Config`.
    """

    def __init__(self, application: Any, **options: Any) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=HttpProtocol,
                loop="uvloop",
                ws="none",
                lifespan="off",
                interface="asgi3",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                **options,
            )
        )

    @override
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            self._stopped.set()
            for number, handler in before.items():
                signal.signal(number, handler)
