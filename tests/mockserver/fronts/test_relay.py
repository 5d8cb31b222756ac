import asyncio
from collections.abc import AsyncIterator

import pytest
from typing_extensions import override

from mockserver.errors import ServerUnavailableError
from mockserver.fronts.relay import GrpcRelay, PeerSessions, Pipe, follow, reach
from tests.patience import PATIENCE_S, settle, until


class Near(asyncio.Protocol):
    """The listening side of a relay under test: joins each connection to `address`."""

    def __init__(self, relay: GrpcRelay, session: str | None) -> None:
        self._relay = relay
        self._session = session

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        self.task = asyncio.create_task(self._join(transport))

    async def _join(self, transport: asyncio.Transport) -> None:
        follow(transport, await self._relay.reach(transport, self._session), b"early ")
        transport.resume_reading()


@pytest.fixture
async def peers() -> PeerSessions:
    return PeerSessions()


@pytest.fixture
async def seen() -> list[str | None]:
    return []


@pytest.fixture
async def port(peers: PeerSessions, seen: list[str | None]) -> AsyncIterator[int]:
    """A relay to a server that answers with what it got, and notes whose it was."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await reader.read()
        seen.append(peers.of("ipv4:{}:{}".format(*writer.get_extra_info("peername"))))
        writer.write(data)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as far:
        address = far.sockets[0].getsockname()

        async def listener() -> tuple[str, int]:
            return address[0], address[1]

        relay = GrpcRelay(listener, peers)
        loop = asyncio.get_running_loop()
        async with await loop.create_server(lambda: Near(relay, "s1"), "127.0.0.1", 0) as near:
            yield near.sockets[0].getsockname()[1]
    await settle()


async def ask(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    writer.write_eof()
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize("size", [0, 10, 3_000_000])
async def test_everything_arrives_and_comes_back(port: int, size: int) -> None:
    assert await ask(port, b"x" * size) == b"early " + b"x" * size


async def test_who_does_not_read_is_waited_for(port: int) -> None:
    """What a slow reader has not taken stays with the sender, not in this process."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    size = 20_000_000
    writer.write(b"x" * size)
    writer.write_eof()
    await settle()
    taken = 0
    async with asyncio.timeout(PATIENCE_S):
        while chunk := await reader.read(1 << 20):
            taken += len(chunk)
    assert taken == size + len(b"early ")
    writer.close()


async def test_the_far_side_learns_whose_connection_it_is_while_it_lasts(
    port: int, peers: PeerSessions, seen: list[str | None]
) -> None:
    await ask(port, b"x")
    await until(lambda: len(peers) == 0)
    assert seen == ["s1"]


@pytest.mark.parametrize("peer", ["", "unix:", "ipv4:127.0.0.1:x", "ipv4:127.0.0.1:9", "::"])
def test_other_peers_have_no_session(peer: str) -> None:
    assert PeerSessions().of(peer) is None


async def test_a_listener_that_is_not_there_is_told(peers: PeerSessions) -> None:
    async def nobody() -> tuple[str, int]:
        return "127.0.0.1", 1

    async def impossible() -> tuple[str, int]:
        raise ServerUnavailableError("no gRPC")

    near = asyncio.Transport()
    with pytest.raises(ConnectionRefusedError):
        await GrpcRelay(nobody, peers).reach(near, None)
    with pytest.raises(ServerUnavailableError):
        await GrpcRelay(impossible, peers).reach(near, None)


async def test_a_pipe_without_a_connection_says_so() -> None:
    with pytest.raises(ConnectionError):
        _ = Pipe(asyncio.Transport()).own


class Gone(asyncio.Transport):
    """A connection that is closed, or is about to be."""

    closed = False

    @override
    def is_closing(self) -> bool:
        return True

    @override
    def close(self) -> None:
        self.closed = True


async def test_who_is_gone_before_the_far_side_answers_is_not_joined() -> None:
    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(ignore, "127.0.0.1", 0) as server:
        near = Gone()
        far = await reach(near, server.sockets[0].getsockname()[:2])
        follow(near, far)
        await until(lambda: near.closed)  # by the far side, which was closed first
        follow(near, far)
