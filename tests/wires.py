"""Live APIs that behave as told, and a capturing proxy before them, all on this machine."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mockserver.capture.recorder import Recorder
from mockserver.capture.recordings import RecordMode
from mockserver.capture.server import (
    CaptureProxy,
    ForwardListener,
    ReverseListener,
    UpstreamOptions,
)
from mockserver.capture.upstream import ForwardRoute, ReverseRoute
from mockserver.fronts.authorities import KeptAuthority
from mockserver.http.server import bind
from mockserver.model import CassetteInfo
from mockserver.redaction import Redactor, RuleSet

KEY = b"a key for tests, thirty-two byte"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
Wire = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[None]]


def clock() -> datetime:
    """A moment."""
    return datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def redactor(rules: RuleSet | None = None) -> Redactor:
    """One that redacts as the default rules say, or others."""
    return Redactor(rules or RuleSet.default(), KEY)


def reset(writer: asyncio.StreamWriter) -> None:
    """Break a connection off, so that the other end reads that it was reset."""
    own = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextlib.asynccontextmanager
async def live(wire: Wire) -> AsyncIterator[str]:
    """A live API: for each request, `wire` is given both streams and the request's target."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            await wire(reader, writer, head.split(b" ")[1])
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


@dataclass
class Proxied:
    """A capturing proxy that runs.

    Attributes:
        url: Where clients ask.
        recorder: Where interactions go.
        proxying: The proxy.
        lines: What it reported.
    """

    url: str
    recorder: Recorder
    proxying: CaptureProxy
    lines: list[str] = field(default_factory=list)
    _task: "asyncio.Task[None] | None" = None

    async def stop(self) -> None:
        """Stop as a signal would."""
        self.proxying.stop()
        if self._task is not None:
            await self._task
            self._task = None


@contextlib.asynccontextmanager
async def proxied(
    upstream: str,
    cassette: Path,
    *,
    mode: str = "once",
    idle_s: float = 5.0,
    largest_body: int = 1 << 24,
) -> AsyncIterator[Proxied]:
    """A reverse proxy before an API; stopped, not finished, at the end."""
    listener = bind("127.0.0.1", 0)
    own = f"http://127.0.0.1:{listener.getsockname()[1]}"
    recorder = Recorder.open(
        cassette,
        redactor=redactor(),
        clock=clock,
        mode=RecordMode(mode),
        info=CassetteInfo(upstream=upstream),
    )
    lines: list[str] = []
    treated = UpstreamOptions(idle_s, largest_body=largest_body)
    proxying = CaptureProxy(recorder, treated, clock=clock, report=lines.append)
    ready = asyncio.Event()
    entrance = ReverseListener(listener, ready.set)
    made = Proxied(own, recorder, proxying, lines)
    made._task = asyncio.ensure_future(proxying.serve(ReverseRoute(upstream, own), entrance))
    await ready.wait()
    try:
        yield made
    finally:
        await made.stop()
        proxying.queue.close()
        recorder.abandon()


@dataclass
class Forwarding:
    """A capturing forward proxy that runs.

    Attributes:
        url: Where clients are told it is.
        trusted: Whom they are to trust.
        proxying: The proxy.
        lines: What it reported.
    """

    url: str
    trusted: Path
    proxying: CaptureProxy
    lines: list[str]


@contextlib.asynccontextmanager
async def forwarding(folder: Path, trusted: Path | None) -> AsyncIterator[Forwarding]:
    """A forward proxy that records into `a.yaml` of a folder; stopped, not finished, at the end."""
    recorder = Recorder.open(folder / "a.yaml", redactor=redactor(), clock=clock)
    lines: list[str] = []
    proxying = CaptureProxy(
        recorder, UpstreamOptions(5.0, trusted), clock=clock, report=lines.append
    )
    authority = KeptAuthority(folder / "home", lambda: datetime.now(UTC))
    authority.prepare()
    listener = bind("127.0.0.1", 0)
    ready = asyncio.Event()
    entrance = ForwardListener(
        listener, authority, proxying.grpc(), ready=ready.set, report=lines.append
    )
    serving = asyncio.ensure_future(proxying.serve(ForwardRoute(), entrance))
    await ready.wait()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    yield Forwarding(url, authority.certificate_file, proxying, lines)
    proxying.stop()
    await serving
    proxying.queue.close()
    recorder.abandon()
