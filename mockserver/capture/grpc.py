"""gRPC calls of a capture: passed on byte for byte, and recorded as JSON where they can be read."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.errors import MockServerError
from mockserver.fronts.grpc.registry import Rpc, installed_services, rpcs_of_service
from mockserver.fronts.grpc.replay import MEDIA, messages_to_json
from mockserver.fronts.relay import Address, PeerSessions
from mockserver.model import Chunk, Header, Interaction, RecordedRequest, RecordedResponse

_RECORDED = frozenset({"unary_unary", "unary_stream"})
_HTTPS = ":443"


@dataclass
class ForwardedCall:
    """One call as it was seen.

    Attributes:
        authority: `host:port` that was asked.
        path: `/package.Service/Method`.
        metadata: What the client sent beside its messages.
        requests: Its messages.
        responses: Those of the answer, each with its milliseconds after the request.
        code: The status, a number.
        message: Its text.
        initial: Metadata that came before the answer.
        trailing: Metadata that came after it.
        began_at: RFC 3339.
        took_ms: From the request to the status.
    """

    authority: str
    path: str
    metadata: tuple[Header, ...]
    began_at: str
    requests: list[bytes] = field(default_factory=list)
    responses: list[tuple[float, bytes]] = field(default_factory=list)
    code: int = 0
    message: str = ""
    initial: tuple[Header, ...] = ()
    trailing: tuple[Header, ...] = ()
    took_ms: float = 0.0


class MessageReader:
    """Reads messages by the descriptors of the installed client packages."""

    def __init__(self) -> None:
        self._rpcs: dict[str, dict[str, Rpc]] = {}
        self._services = installed_services()

    async def interaction(self, call: ForwardedCall) -> Interaction | str:
        """A call as a recording, or why it cannot be one."""
        service, _, name = call.path[1:].partition("/")
        known = self._services.get(service)
        kind = known.kinds.get(name) if known else None
        if kind is None:
            return f"no installed package has the messages of {service}"
        if kind not in _RECORDED or len(call.requests) != 1:
            return "its client sends a stream"
        if service not in self._rpcs:
            found = await asyncio.to_thread(rpcs_of_service, self._services[service])
            self._rpcs[service] = {rpc.path: rpc for rpc in found}
        rpc = self._rpcs[service].get(call.path)
        if rpc is None:
            return f"the installed package of {service} has no such call"
        try:
            return _interaction(call, rpc, streams=kind == "unary_stream")
        except (DecodeError, TypeError, json_format.Error):
            return "its messages are not those of the installed package"


def _interaction(call: ForwardedCall, rpc: Rpc, *, streams: bool) -> Interaction:
    answers = [
        (at_ms, messages_to_json(rpc.response, content)) for at_ms, content in call.responses
    ]
    body, chunks = _join_stream(answers) if streams else (b"".join(one for _, one in answers), ())
    status = (("grpc-status", str(call.code)), ("grpc-message", call.message))
    told = (*call.initial, *(each for each in status if each[1]), *call.trailing)
    return Interaction(
        RecordedRequest(
            "POST",
            f"https://{call.authority.removesuffix(_HTTPS)}{call.path}",
            (("content-type", MEDIA), *call.metadata),
            messages_to_json(rpc.request, call.requests[0]),
        ),
        RecordedResponse(200, "OK", (("content-type", MEDIA), *told), body, "", chunks),
        call.began_at,
        call.took_ms,
        call.path[1:].replace("/", "."),
    )


def _join_stream(answers: Sequence[tuple[float, bytes]]) -> tuple[bytes, tuple[Chunk, ...]]:
    """The messages of a stream as one JSON list, and which piece of it each one is."""
    if not answers:
        return b"[]", ()
    pieces = [(b"," if number else b"[") + one for number, (_, one) in enumerate(answers)]
    pieces[-1] += b"]"
    chunks = tuple(
        Chunk(round(at_ms, 3), len(piece))
        for (at_ms, _), piece in zip(answers, pieces, strict=True)
    )
    return b"".join(pieces), chunks


def metadata_headers(metadata: Iterable[tuple[str, str | bytes]]) -> tuple[Header, ...]:
    """Metadata as headers; binary values in base64, as they are on the wire."""
    from base64 import b64encode

    return tuple(
        (name, value if isinstance(value, str) else b64encode(value).rstrip(b"=").decode())
        for name, value in metadata
    )


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
            await self._queue.tell_unrecorded(
                "gRPC", call.authority + call.path, "it cannot be reached"
            )
        elif isinstance(found, str):
            await self._queue.tell_unrecorded("gRPC", call.authority + call.path, found)
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
