"""The event loop of servers in this process."""

import asyncio

import pytest

from mockserver.errors import MockServerError
from mockserver.testing import server
from mockserver.testing.server import ServerLoop


def test_a_loop_that_cannot_be_made_is_told_and_awaited_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> asyncio.AbstractEventLoop:
        raise RuntimeError("no sockets here")

    monkeypatch.setattr(server, "_new_loop", refuse)
    with pytest.raises(MockServerError, match="no sockets here") as raised:
        ServerLoop()
    assert "--allow-unix-socket" in raised.value.hint


def test_a_loop_ends_with_its_thread() -> None:
    loop = ServerLoop()

    async def answer() -> int:
        return 42

    assert loop.run(answer()) == 42
    assert loop.usable
    loop.stop()
    assert not loop.usable
