"""Connections that a fault can end; what it looks like from outside is in test_damage."""

import asyncio
import socket
import struct
from typing import Any

import pytest
import uvicorn
from typing_extensions import override
from uvicorn.server import ServerState

from mockserver.asgi.requests import CONNECTION
from mockserver.asgi.server import HttpProtocol

LINGER = struct.pack("ii", 1, 0)


class Transport(asyncio.Transport):
    """Notes how it was ended."""

    def __init__(self, own: socket.socket | None) -> None:
        super().__init__({"socket": own, "sockname": ("127.0.0.1", 1), "peername": None})
        self.ended: list[str] = []

    @override
    def abort(self) -> None:
        self.ended.append("abort")

    @override
    def close(self) -> None:
        self.ended.append("close")

    @override
    def is_closing(self) -> bool:
        return bool(self.ended)

    @override
    def write(self, data: Any) -> None:
        raise AssertionError("nothing is to be written")

    @override
    def pause_reading(self) -> None:
        pass

    @override
    def resume_reading(self) -> None:
        pass


@pytest.fixture
async def protocol() -> HttpProtocol:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    config = uvicorn.Config(silent, lifespan="off", log_level="critical")
    config.load()
    return HttpProtocol(config, ServerState(), {})


async def test_a_scope_says_how_its_connection_can_be_ended(protocol: HttpProtocol) -> None:
    transport = Transport(None)
    protocol.connection_made(transport)
    protocol.data_received(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    assert protocol.scope["state"][CONNECTION] is protocol
    protocol.cut()
    assert transport.ended == ["close"]
    for task in protocol.tasks:
        task.cancel()


async def test_a_reset_leaves_nothing_to_be_sent(protocol: HttpProtocol) -> None:
    with socket.socket() as own:
        transport = Transport(own)
        protocol.connection_made(transport)
        protocol.reset()
        assert transport.ended == ["abort"]
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == LINGER


async def test_a_connection_that_is_gone_is_reset_all_the_same(protocol: HttpProtocol) -> None:
    own = socket.socket()
    transport = Transport(own)
    protocol.connection_made(transport)
    own.close()
    protocol.reset()
    assert transport.ended == ["abort"]
