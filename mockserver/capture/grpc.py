"""gRPC calls of a capture: passed on byte for byte, and recorded as JSON where they can be read."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mockserver.capture.grpc_calls import ForwardedCall, metadata_headers
from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.errors import MockServerError
from mockserver.fronts.relay import Address, PeerSessions

if TYPE_CHECKING:
    from mockserver.capture.grpc_messages import MessageReader

_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
)
_UNAVAILABLE = 14
_OWN = frozenset({"user-agent", "te", "content-type", "grpc-accept-encoding", "accept-encoding"})
"""Metadata that each connection has of its own."""


class GrpcForwarder:
    """The gRPC side of a forward proxy; it starts with the first client that speaks gRPC.

    Args:
        queue: Records what was seen.
        clock: Real time.
        trusted: A file of certificates to trust beside the public ones.
    """

    def __init__(
        self,
        queue: RecorderQueue,
        *,
        clock: Callable[[], datetime],
        trusted: Path | None = None,
    ) -> None:
        self.peers = PeerSessions()
        self._queue = queue
        self._clock = clock
        self._trusted = trusted
        self._starting: asyncio.Task[tuple[Any, int]] | None = None
        self._channels: dict[str, Any] = {}
        self._messages: MessageReader | None = None

    async def address(self) -> Address:
        """Where it listens; it begins to, unless it does.

        Raises:
            MockServerError: The extra `grpc` is not installed.
        """
        if self._starting is None:
            self._starting = asyncio.create_task(self._listen())
        _, port = await asyncio.shield(self._starting)
        return "127.0.0.1", port

    async def stop(self) -> None:
        """Accept no more calls, and end those that go on."""
        starting, self._starting = self._starting, None
        if starting is not None:
            with contextlib.suppress(MockServerError):
                server, _ = await starting
                await server.stop(0.2)
        for channel in self._channels.values():
            await channel.close()

    async def _listen(self) -> tuple[Any, int]:
        try:
            import grpc
            from grpc import aio

            from mockserver.capture.grpc_messages import MessageReader
        except ModuleNotFoundError as error:
            raise MockServerError(
                f"gRPC needs packages that are not installed: {error.name}",
                hint="pip install 'understudy[grpc]'",
            ) from error
        self._messages = MessageReader()
        relay = self._relay

        class Every(grpc.GenericRpcHandler):  # type: ignore[misc]
            def service(self, details: Any) -> Any:
                async def behaviour(requests: AsyncIterator[bytes], context: Any) -> None:
                    await relay(details.method, details.invocation_metadata, requests, context)

                return grpc.stream_stream_rpc_method_handler(behaviour)

        server = aio.server(handlers=(Every(),), options=_OPTIONS)
        port: int = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        return server, port

    def _channel(self, authority: str) -> Any:
        from grpc import aio, ssl_channel_credentials

        found = self._channels.get(authority)
        if found is None:
            roots = None if self._trusted is None else _root_certificates(self._trusted)
            options = (*_OPTIONS, ("grpc.enable_http_proxy", 0))
            found = aio.secure_channel(authority, ssl_channel_credentials(roots), options)
            self._channels[authority] = found
        return found

    async def _relay(
        self, path: str, metadata: Any, requests: AsyncIterator[bytes], context: Any
    ) -> None:
        from grpc.aio import AioRpcError

        authority = self.peers.of(context.peer()) or ""
        sent = [each for each in metadata if each[0] not in _OWN]
        began = perf_counter()
        call = ForwardedCall(
            authority, path, metadata_headers(sent), self._clock().isoformat("T", "milliseconds")
        )
        live = self._channel(authority).stream_stream(path)(
            _keep_requests(requests, call), metadata=sent, timeout=context.time_remaining()
        )
        try:
            await context.send_initial_metadata(await live.initial_metadata())
            async for content in live:
                call.responses.append(((perf_counter() - began) * 1000, content))
                await context.write(content)
        except AioRpcError:
            pass  # its status is passed on below
        except BaseException:
            live.cancel()
            raise
        await self._record_call(call, live, began)
        context.set_trailing_metadata(tuple(await live.trailing_metadata() or ()))
        context.set_code(await live.code())
        context.set_details(call.message)

    async def _record_call(self, call: ForwardedCall, live: Any, began: float) -> None:
        call.code = (await live.code()).value[0]
        call.message = await live.details() or ""
        call.initial = metadata_headers(await live.initial_metadata() or ())
        call.trailing = metadata_headers(await live.trailing_metadata() or ())
        call.took_ms = round((perf_counter() - began) * 1000, 3)
        found = None if self._messages is None else await self._messages.interaction(call)
        if call.code == _UNAVAILABLE and not call.responses and not call.initial:
            await self._queue.report_unrecorded(
                "gRPC", call.authority + call.path, "it cannot be reached"
            )
        elif isinstance(found, str):
            await self._queue.report_unrecorded("gRPC", call.authority + call.path, found)
        elif found is not None:
            await self._queue.record(found)


async def _keep_requests(
    requests: AsyncIterator[bytes], call: ForwardedCall
) -> AsyncIterator[bytes]:
    async for content in requests:
        call.requests.append(content)
        yield content


def _root_certificates(trusted: Path) -> bytes:
    import certifi

    return Path(certifi.where()).read_bytes() + trusted.read_bytes()
