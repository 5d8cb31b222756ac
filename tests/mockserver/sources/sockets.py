"""WebSockets on the loop of the test: the real application, a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from websockets.asyncio.client import connect

from mockserver.http.application import Application
from mockserver.http.fast_protocol import FastProtocol
from mockserver.http.server import bind
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW


class Served:
    """A server with WebSockets, at a port of its own."""

    def __init__(self, application: Application, port: int) -> None:
        self.application, self.port = application, port

    def connect(self, path: str, **options: Any) -> Any:
        return connect(f"ws://127.0.0.1:{self.port}{path}", proxy=None, **options)

    @property
    def journal(self) -> list[dict[str, Any]]:
        session = self.application.sessions.get("default")
        found: list[dict[str, Any]] = session.report()["journal"]["entries"]
        return found


@asynccontextmanager
async def served_sockets(suite: Path, **spec: Any) -> AsyncIterator[Served]:
    """A server on a suite, on a port of its own.

    Yields:
        The server.
    """
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    settings = Settings(fixtures=suite, port=port, default=SessionSpec.model_validate(spec))
    application = Application(settings, real=lambda: NOW)
    config = uvicorn.Config(
        application, http=FastProtocol, ws="none", lifespan="off", proxy_headers=False,
        log_config=None,
    )  # fmt: skip
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        yield Served(application, port)
    finally:
        await server.shutdown([listener])
