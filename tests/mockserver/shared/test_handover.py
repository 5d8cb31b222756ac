"""Connections that one worker sends to another, and those for which there is no room."""

import asyncio
import errno
import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mockserver.http.descriptors import REFUSAL, DescriptorWatch
from mockserver.shared.handover import Handover, PlacedProtocol
from tests.mockserver.conftest import write_suite
from tests.mockserver.http.connections import Connection
from tests.mockserver.http.test_fast_protocol import make
from tests.patience import PATIENCE_S


@pytest.mark.parametrize(("flags", "lost"), [(0, 0), (socket.MSG_CTRUNC, 1)])
async def test_a_connection_without_a_descriptor_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: int, lost: int
) -> None:
    came = asyncio.Event()
    messages: list[Any] = [(b"GET /", [], flags, "")]

    def receive(*_: object) -> object:
        if not messages:
            came.set()
            raise BlockingIOError(errno.EAGAIN, "")
        return messages.pop()

    monkeypatch.setattr(socket, "recv_fds", receive)
    told: list[int] = []
    handover = Handover(tmp_path, 0, 2)
    handover.start(lambda *_: pytest.fail("nothing came"), lambda: told.append(1))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", str(tmp_path / "0.sock"))
        async with asyncio.timeout(PATIENCE_S):
            await came.wait()
    handover.stop()
    assert len(told) == lost


@pytest.mark.enable_socket  # a socket file has no host to allow
@pytest.mark.parametrize("door", ["", "proxy"])
async def test_a_connection_goes_on_at_the_door_that_it_came_to(tmp_path: Path, door: str) -> None:
    adopted: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()

    def take(name: str, connection: socket.socket, early: bytes) -> None:
        connection.close()
        adopted.put_nowait((name, early))

    one, two = (Handover(tmp_path, number, 2) for number in range(2))
    for each in (one, two):
        each.doors["proxy"] = partial(take, "proxy")
        each.start(partial(take, ""), lambda: pytest.fail("there is room"))
    session = next(name for name in "abcdefgh" if two.is_own(name))
    with socket.socket() as connection:
        assert not two.send(session, connection.fileno(), b"GET /\0", door)
        assert one.send(session, connection.fileno(), b"GET /\0", door)
    async with asyncio.timeout(PATIENCE_S):
        assert await adopted.get() == (door, b"GET /\0")
    for each in (one, two):
        each.stop()


@pytest.mark.parametrize("room", [True, False])
async def test_a_worker_without_room_refuses_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, room: bool
) -> None:
    application = make(write_suite(tmp_path / "suite"))
    connection = Connection(application)
    watch = DescriptorWatch(application.sessions)
    monkeypatch.setattr(watch, "admits", lambda _: room)
    protocol = PlacedProtocol(
        Handover(tmp_path, 0, 1), watch, connection.config, connection.state, {},
        early=b"GET /_mock/health HTTP/1.1\r\nHost: x\r\n\r\n",
    )  # fmt: skip
    with socket.socket() as accepted:
        connection.transport.get_extra_info = lambda *_: accepted  # type: ignore[method-assign]
        protocol.connection_made(connection.transport)
    assert (connection.transport.written == REFUSAL) is not room
    for task in protocol.tasks:
        task.cancel()
