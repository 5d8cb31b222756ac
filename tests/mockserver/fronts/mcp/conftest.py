"""MCP on the loop of the test: the real application, a real socket, the SDK's own client."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mockserver.asgi.server import HttpProtocol
from mockserver.fronts.mcp import McpFront
from mockserver.http.application import Application
from mockserver.http.server import bind
from mockserver.model import SessionSpec
from mockserver.sessions.session import Session
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, write_suite
from tests.patience import PATIENCE_S

MODES = ("legacy", "auto")
"""With the handshake of 2025, and without one."""


@dataclass
class Served:
    """A server that speaks MCP."""

    application: Application
    front: McpFront
    url: str

    def open(self, **spec: Any) -> Session:
        return self.application.sessions.open(SessionSpec.model_validate(spec))

    def endpoint(self, session: Session | None = None) -> str:
        return f"{self.url}/mcp" if session is None else f"{self.url}/s/{session.id}/mcp"

    @asynccontextmanager
    async def client(
        self,
        session: Session | None = None,
        *,
        mode: str = "legacy",
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http:
            transport = streamable_http_client(self.endpoint(session), http_client=http)
            async with Client(transport, mode=mode, **options) as client:
                yield client

    def calls(self, session: Session | None = None, prefix: str = "") -> list[tuple[str, Any, int]]:
        """Method id, body or parameters, and status of what a session was asked."""
        found = session or self.application.sessions.get("default")
        entries = found.journal.as_json(found.id)["entries"]
        return [
            (entry["method_id"], entry["body"] or entry["params"], entry["status"])
            for entry in entries
            if entry["method_id"].startswith(prefix) and entry["parent"] is None
        ]


Serve = Callable[..., Awaitable[Served]]


@asynccontextmanager
async def served_suite(suite: Path) -> AsyncIterator[Served]:
    """A server on a suite, on a port of its own.

    Yields:
        The server.
    """
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    application = Application(
        Settings(fixtures=suite, port=port, default=SessionSpec()), real=lambda: NOW
    )
    front = McpFront()
    front.mount(application)
    config = uvicorn.Config(application, http=HttpProtocol, lifespan="off", log_level="warning")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    async with AsyncExitStack() as stack:
        await server.startup(sockets=[listener])
        stack.push_async_callback(server.shutdown, [listener])
        stack.push_async_callback(front.stop)
        yield Served(application, front, f"http://127.0.0.1:{port}")


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """Starts a server on a snapshot."""
    async with AsyncExitStack() as stack:

        async def up(**snapshot: Any) -> Served:
            suite = write_suite(tmp_path / "suite", **snapshot)
            return await stack.enter_async_context(served_suite(suite))

        yield up
