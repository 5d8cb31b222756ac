"""Fronts on the loop of the test: the real application, real sockets, no process of its own."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from mockserver.errors import ServerUnavailableError
from mockserver.fronts.interception import (
    GrpcListener,
    InterceptionFront,
    InterceptionOptions,
    prepare_interception,
)
from mockserver.fronts.relay import PeerSessions
from mockserver.http.application import Application
from mockserver.http.server import real_time
from mockserver.model import SessionSpec
from mockserver.settings import Interception, Settings
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S, settle

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
UNITS = "/admin/directory/v1/customer/my_customer/orgunits?type=all"
BOTH = InterceptionOptions(0, 0)
ADMIN = "admin.googleapis.com"


async def no_grpc(application: Application, server: uvicorn.Server) -> tuple[str, int]:
    raise ServerUnavailableError("this server does not speak gRPC")


@dataclass
class Running:
    """Fronts that are up."""

    application: Application
    files: Interception
    server: uvicorn.Server
    peers: PeerSessions

    @property
    def proxy(self) -> int:
        return self.application.settings.fronts["proxy"]

    @property
    def tls(self) -> int:
        return self.application.settings.fronts["tls"]

    def entries(self, session: str = "default") -> list[dict[str, Any]]:
        found = self.application.sessions.find(session)
        assert found is not None
        listed: list[dict[str, Any]] = found.journal.as_json(session)["entries"]
        return listed

    def trust(self, *alpn: str) -> ssl.SSLContext:
        self.files.prepare()
        context = ssl.create_default_context(cafile=self.files.certificate)
        if alpn:
            context.set_alpn_protocols(list(alpn))
        return context

    def blind(self, *alpn: str) -> ssl.SSLContext:
        """Of a client that verifies nothing."""
        context = self.trust(*alpn)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context


Start = Callable[..., Awaitable[Running]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
async def start(home: Path, tmp_path: Path) -> AsyncIterator[Start]:
    suite = write_suite(tmp_path / "suite")
    async with AsyncExitStack() as stack:

        async def up(
            doors: InterceptionOptions = BOTH,
            grpc: GrpcListener = no_grpc,
            *,
            default: bool = True,
            name: str = "",
            shared: bool = False,
        ) -> Running:
            authority, files = prepare_interception(real_time, name=name, shared=shared)
            settings = Settings(
                fixtures=suite, interception=files, default=SessionSpec() if default else None
            )
            application = Application(settings, real=lambda: NOW)
            server = uvicorn.Server(
                uvicorn.Config(application, http="httptools", lifespan="off", log_level="warning")
            )
            peers = PeerSessions()
            front = InterceptionFront(doors, authority, grpc, peers, shared=shared)
            stack.push_async_callback(_down, front, server)
            await front.start(application, server)
            return Running(application, files, server, peers)

        yield up


async def _down(front: InterceptionFront, server: uvicorn.Server) -> None:
    await front.stop()
    for connection in tuple(server.server_state.connections):
        connection.transport.abort()
    await settle()  # what is closed now is gone in the next round of the loop


@pytest.fixture
async def running(start: Start) -> Running:
    return await start()


async def said(port: int, text: bytes, *, end: bool = False) -> bytes:
    """Everything that is answered to some bytes until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    if end:
        writer.write_eof()
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer


async def tunnel(
    running: Running, host: str, *, user: str = "", context: ssl.SSLContext | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection through the proxy, TLS included."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.proxy)
    basic = base64.b64encode(f"{user}:x".encode()).decode()
    name = f"Proxy-Authorization: Basic {basic}\r\n" if user else ""
    writer.write(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\n{name}\r\n".encode())
    try:
        async with asyncio.timeout(PATIENCE_S):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 "), head
            await writer.start_tls(context or running.trust(), server_hostname=host)
    except BaseException:
        writer.close()
        raise
    return reader, writer


async def asked(
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], host: str, path: str = UNITS
) -> bytes:
    """The whole answer to one GET."""
    reader, writer = streams
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer


async def ending(reader: asyncio.StreamReader) -> bytes:
    """What still comes until the connection ends, politely or not."""
    async with asyncio.timeout(PATIENCE_S):
        try:
            return await reader.read()
        except ConnectionError:
            return b""
