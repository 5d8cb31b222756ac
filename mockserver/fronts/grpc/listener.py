"""The gRPC listener: started with the server when it is asked for, else on its first connection."""

import asyncio
import socket
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.fronts.grpc.peers import Peers

if TYPE_CHECKING:
    import uvicorn

    from mockserver.fronts.grpc.calls import Calls
    from mockserver.http.application import Application
    from mockserver.http.placement import LoggedCall
    from mockserver.settings import Settings

_LOOPBACK = "127.0.0.1"
MAX_MESSAGE_BYTES = 10 * 1024 * 1024
"""What the live APIs take in one message."""

_OPTIONS = (
    ("grpc.optimization_target", "latency"),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_concurrent_streams", 1000),
    ("grpc.max_metadata_size", 64 * 1024),
    ("grpc.absolute_max_metadata_size", 128 * 1024),
    ("grpc.max_send_message_length", -1),
    ("grpc.server_handshake_timeout_ms", 30_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
)
_GRACE_S = 0.2
"""How long calls in flight may take once the server is told to stop."""


class GrpcListener:
    """Speaks gRPC, in the clear, on a port of its own.

    Args:
        port: Where it listens from the start, 0 for a free port; None starts it on a free port of
            this machine when it is first asked for.
        peers: Whose connections are whose.
    """

    def __init__(self, port: int | None, peers: Peers) -> None:
        self._port = port
        self._peers = peers
        self._starting: asyncio.Task[tuple[Any, int]] | None = None
        self._calls: Calls | None = None
        self._reserved: socket.socket | None = None

    def bind(self, settings: "Settings") -> None:
        """Keep the port, where one was asked for, for all processes that this one forks.

        Raises:
            ServerUnavailableError: It cannot be bound.
        """
        from mockserver.http.server import reserve  # a build of the package has no uvicorn

        if self._port is not None and self._reserved is None:
            self._reserved = reserve(settings.host, self._port, "--grpc-port")
            self._port = settings.fronts["grpc"] = self._reserved.getsockname()[1]

    async def start(self, application: "Application", server: "uvicorn.Server") -> None:
        """Listen, where a port was asked for.

        Raises:
            MockServerError: The extra `grpc` is not installed.
            ServerUnavailableError: The port cannot be bound.
        """
        log = application.call_log
        if log is not None:
            log.repeat = partial(self._repeat, application)
        if self._port is not None:
            await self.address(application, server)

    async def address(
        self, application: "Application", server: "uvicorn.Server"
    ) -> tuple[str, int]:
        """Where it listens; it begins to, unless it does.

        Raises:
            MockServerError: The extra `grpc` is not installed.
            ServerUnavailableError: The port cannot be bound.
        """
        if self._starting is None:
            self._starting = asyncio.create_task(self._listen(application))
        _, port = await asyncio.shield(self._starting)
        return _LOOPBACK, port

    async def stop(self) -> None:
        """Accept no more calls, and give those in flight a moment."""
        if self._reserved is not None:
            self._reserved.close()
        starting, self._starting = self._starting, None
        if starting is None:
            return
        await asyncio.wait({starting})
        if starting.exception() is None:
            await starting.result()[0].stop(_GRACE_S)

    async def _listen(self, application: "Application") -> tuple[Any, int]:
        calls = self._answering(application)
        from grpc import aio

        reused = (("grpc.so_reuseport", int(self._reserved is not None)),)
        server = aio.server(handlers=(calls,), options=reused + _OPTIONS)
        host = _LOOPBACK if self._port is None else application.settings.host
        port = _bind(server, host, self._port or 0)
        await server.start()
        application.settings.fronts["grpc"] = port
        return server, port

    def _answering(self, application: "Application") -> "Calls":
        """What answers calls; it is loaded by the first one.

        Raises:
            MockServerError: The extra `grpc` is not installed.
        """
        if self._calls is None:
            try:
                from mockserver.fronts.grpc.calls import Calls
                from mockserver.fronts.grpc.logged_calls import LoggedCalls
                from mockserver.fronts.grpc.methods import GrpcMethods
            except ModuleNotFoundError as error:
                raise _not_installed(error.name or "grpc") from error
            knowledge, log = GrpcMethods(application.dispatcher.routes), application.call_log
            if log is None:
                self._calls = Calls(application, knowledge, self._peers)
            else:
                self._calls = LoggedCalls(application, knowledge, self._peers, log)
        return self._calls

    async def _repeat(self, application: "Application", call: "LoggedCall") -> None:
        answering: Any = self._answering(application)
        await answering.repeat(call)


def _bind(server: Any, host: str, port: int) -> int:
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        bound: int = server.add_insecure_port(address)
    except RuntimeError as error:
        raise ServerUnavailableError(
            f"cannot listen for gRPC on {address}",
            hint="stop what listens there, or choose another port with --grpc-port"
            " (0 takes a free one)",
        ) from error
    return bound


def _not_installed(package: str) -> MockServerError:
    return MockServerError(
        f"gRPC needs packages that are not installed: {package}",
        hint="pip install 'understudy[grpc]', and beside it the google-cloud packages whose APIs"
        " are called",
    )
