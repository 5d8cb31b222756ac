"""Carries a decrypted connection to the gRPC listener, and bytes of hosts that are let through."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import cast

from typing_extensions import override

from mockserver.fronts.http2 import FirstCall, RefusalAnswer, goaway_frame, refusal_frames

Address = tuple[str, int]
"""Host and port."""

_NOT_GRPC = RefusalAnswer(
    426, 0, "over HTTP/2 this server speaks gRPC alone; everything else it answers over HTTP/1.1"
)

CONNECT_S = 10.0
"""How long the other end may take to accept a connection."""


class PeerSessions:
    """Which session a relayed connection belongs to, by the local port of its relay.

    A gRPC call knows no more of where it came from than its peer's address.
    """

    def __init__(self) -> None:
        self._by_port: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._by_port)

    def keep(self, port: int, session: str) -> None:
        """Say whose connection comes from a local port."""
        self._by_port[port] = session

    def forget(self, port: int) -> None:
        """The connection is over; the port may be anyone's next."""
        self._by_port.pop(port, None)

    def of(self, peer: str) -> str | None:
        """The session of a peer as gRPC names it, or None where the connection named none.

        >>> peers = PeerSessions()
        >>> peers.keep(40312, "s1")
        >>> peers.of("ipv4:127.0.0.1:40312"), peers.of("ipv6:%5B::1%5D:99"), peers.of("unix:")
        ('s1', None, None)
        """
        port = peer.rpartition(":")[2]
        return self._by_port.get(int(port)) if port.isdigit() else None


class Pipe(asyncio.Protocol):
    """One direction of two joined connections: what comes in here goes out there.

    Attributes:
        over: Called once when this side is gone.
        ended: Whether nothing more comes in.
        opposite: The other direction, once there is one.
    """

    def __init__(self, out: asyncio.Transport) -> None:
        self._out = out
        self._own: asyncio.Transport | None = None
        self.over: Callable[[], None] | None = None
        self.ended = False
        self.opposite: Pipe | None = None

    @property
    def own(self) -> asyncio.Transport:
        """The transport of this side.

        Raises:
            ConnectionError: It was never there, or is gone.
        """
        if self._own is None:
            raise ConnectionError("the connection is gone")
        return self._own

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # not a subclass of the standard library's with every loop
        self._own = cast("asyncio.Transport", transport)

    @override
    def data_received(self, data: bytes) -> None:
        if not self._out.is_closing():
            self._out.write(data)

    @override
    def eof_received(self) -> bool:
        self.ended = True
        if self._out.is_closing() or not self._out.can_write_eof():
            return False
        if self.opposite is not None and self.opposite.ended:
            return False  # nobody else would close what has ended in both directions
        self._out.write_eof()
        return True

    @override
    def pause_writing(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._out.pause_reading()

    @override
    def resume_writing(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._out.resume_reading()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._own = None
        self._out.close()
        if self.over is not None:
            self.over()


async def reach(near: asyncio.Transport, address: Address) -> Pipe:
    """Connect to where a connection shall lead; what comes from there goes to `near` at once.

    Raises:
        OSError: Nobody accepts there within `CONNECT_S` seconds.
    """
    loop = asyncio.get_running_loop()
    host, port = address
    async with asyncio.timeout(CONNECT_S):
        transport, far = await loop.create_connection(lambda: Pipe(near), host, port)
    keep_alive(near)
    keep_alive(transport)
    return far


def keep_alive(transport: asyncio.Transport) -> None:
    """Let the system find out when the other end of a silent connection is gone."""
    own = transport.get_extra_info("socket")
    if own is not None:
        with contextlib.suppress(OSError):
            own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def follow(
    near: asyncio.Transport,
    far: Pipe,
    early: bytes = b"",
    pipe: Callable[[asyncio.Transport], Pipe] = Pipe,
) -> None:
    """Let what comes from `near` go to `far`; what was read too early goes first."""
    try:
        back = pipe(far.own)
    except ConnectionError:  # it is gone already
        near.close()
        return
    if near.is_closing():  # while the far side was being reached
        far.own.close()
        return
    back.opposite, far.opposite = far, back
    back.connection_made(near)
    near.set_protocol(back)
    if early:
        back.data_received(early)


class GrpcPipe(Pipe):
    """What a client says to the gRPC listener, once it is seen that it speaks gRPC."""

    def __init__(self, out: asyncio.Transport) -> None:
        super().__init__(out)
        self._first: FirstCall | None = FirstCall()

    @override
    def data_received(self, data: bytes) -> None:
        if self._first is None:
            super().data_received(data)
            return
        super().data_received(self._first.feed(data))
        if self._first.grpc:
            self._first = None
        elif self._first.grpc is False:
            self.own.write(refusal_frames(_NOT_GRPC, self._first.stream, grpc=False))
            self.own.write(goaway_frame(self._first.stream))
            self.own.close()


class GrpcRelay:
    """Joins connections that speak HTTP/2 to the gRPC listener.

    Args:
        listener: Where it listens; called for each connection, so it may start it on the first.
        peers: Where the session of each connection is kept.
    """

    def __init__(self, listener: Callable[[], Awaitable[Address]], peers: PeerSessions) -> None:
        self._listener = listener
        self._peers = peers

    async def reach(self, near: asyncio.Transport, session: str | None) -> Pipe:
        """Connect one connection to the listener; `follow` lets it speak.

        Raises:
            OSError: The listener is not there.
            MockServerError: It cannot be started; the message says what is missing.
        """
        far = await reach(near, await self._listener())
        if session is not None:
            local: int = far.own.get_extra_info("sockname")[1]
            self._peers.keep(local, session)
            far.over = lambda: self._peers.forget(local)
        return far
