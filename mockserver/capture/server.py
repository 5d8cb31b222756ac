"""Runs a capturing proxy: binds, says where, records until it is told to stop."""

import asyncio
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import uvicorn
from typing_extensions import override
from uvicorn.server import ServerState

from mockserver.asgi.server import HttpServer
from mockserver.capture.grpc import GrpcForwarder
from mockserver.capture.proxy import Clock, ProxyApplication
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import LARGEST_BODY, RecorderQueue, Report
from mockserver.capture.upstream import Upstream, UpstreamRoute, trust
from mockserver.capture.websockets import CaptureProtocol, WebSockets


class Listener(Protocol):
    """Where clients come in; on the server's event loop, from before it is ready to its end."""

    def sockets(self) -> list[socket.socket]:
        """What the server itself accepts connections of."""
        ...

    async def open(self, server: "CaptureServer") -> None:
        """Begin to accept further connections, and say where."""
        ...

    async def close(self) -> None:
        """Accept no more."""
        ...


@dataclass(frozen=True)
class UpstreamOptions:
    """How a proxy treats its upstreams.

    Attributes:
        idle_s: How long nothing may come before an answer is given up.
        trusted: A file of certificates to trust beside the public ones.
        largest_body: Bytes of a body; a larger one is passed on, and not recorded.
    """

    idle_s: float = 60.0
    trusted: Path | None = None
    largest_body: int = LARGEST_BODY


class CaptureProxy:
    """A proxy that records.

    Args:
        recorder: Where interactions go; finished by the caller.
        options: How upstreams are treated.
        clock: Real time.
        report: Told of what happens, one line each.

    Attributes:
        queue: What came of it so far.
    """

    def __init__(
        self, recorder: Recorder, options: UpstreamOptions, *, clock: Clock, report: Report
    ) -> None:
        self._options = options
        self._clock = clock
        self._server: CaptureServer | None = None
        self.queue = RecorderQueue(recorder, report, self.stop)

    def grpc(self) -> GrpcForwarder:
        """What passes gRPC calls on."""
        trusted = self._options.trusted
        return GrpcForwarder(self.queue, clock=self._clock, trusted=trusted)

    def stop(self) -> None:
        """Accept no more; what is under way gets a moment."""
        if self._server is not None:
            self._server.should_exit = True

    def run(self, way: UpstreamRoute, entrance: "Listener") -> None:
        """Serve until a signal comes, or until nothing can be recorded any more.

        Args:
            way: Where requests lead.
            entrance: Where clients come in.

        Raises:
            MockServerError: The file of certificates cannot be read.
        """
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self.serve(way, entrance))
        self.queue.close()

    async def serve(self, way: UpstreamRoute, entrance: "Listener") -> None:
        """Serve on the loop that runs, see `run`."""
        options = self._options
        async with Upstream(idle_s=options.idle_s, trusted=options.trusted) as upstream:
            proxy = ProxyApplication(
                way,
                upstream,
                self.queue,
                clock=self._clock,
                largest_body=options.largest_body,
            )
            sockets = WebSockets(way, self.queue, trust(options.trusted))
            self._server = CaptureServer(proxy, entrance, sockets)
            await self._server.serve(sockets=entrance.sockets())
            await sockets.stop()
            await proxy.drain()


class CaptureServer(HttpServer):
    """One that records, and says nothing at all: what it would say may quote a request.

    Args:
        application: What answers.
        entrance: Where clients come in.
        websockets: What passes WebSockets on.
    """

    stop_s = 30.0

    def __init__(
        self, application: ProxyApplication, entrance: Listener, websockets: WebSockets
    ) -> None:
        # the date is that of the upstream, which is passed on
        super().__init__(application, log_level="critical", date_header=False)
        self._entrance = entrance
        self._websockets = websockets
        self.config.http = self.protocol  # type: ignore[assignment]

    def protocol(
        self, config: uvicorn.Config, server_state: ServerState, **_: object
    ) -> CaptureProtocol:
        """The HTTP side of a connection."""
        return CaptureProtocol(config, server_state, self._websockets)

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            await self._entrance.open(self)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._entrance.close()
        await super().shutdown(sockets)
