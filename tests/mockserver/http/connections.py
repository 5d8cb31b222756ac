"""Connections to an application without a socket: bytes in, bytes out, by either protocol."""

import asyncio
from collections.abc import Iterable
from typing import Any

from typing_extensions import override
from uvicorn.server import ServerState

from mockserver.asgi.server import HttpServer
from mockserver.http.fast_protocol import FastProtocol
from tests.patience import PATIENCE_S

DATE = (b"date", b"Mon, 02 Mar 2026 09:00:00 GMT")


class Transport(asyncio.Transport):
    """One that keeps what is written, and how often."""

    def __init__(self, protocol: FastProtocol) -> None:
        super().__init__()
        self.protocol = protocol
        self.written, self.writes = b"", 0
        self.closed = self.aborted = self.paused = False
        self.unread = 0

    @override
    def write(self, data: Any) -> None:
        if not self.closed:
            self.written += bytes(data)
            self.writes += 1

    @override
    def close(self) -> None:
        if not self.closed:
            self.closed = True
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    @override
    def abort(self) -> None:
        self.aborted = True
        self.close()

    @override
    def is_closing(self) -> bool:
        return self.closed

    @override
    def get_write_buffer_size(self) -> int:
        return self.unread

    @override
    def pause_reading(self) -> None:
        self.paused = True

    @override
    def resume_reading(self) -> None:
        self.paused = False


class Connection:
    """One connection to an application."""

    def __init__(self, application: Any) -> None:
        server = HttpServer(application, protocol=FastProtocol, log_config=None)
        server.config.load()
        self.config = server.config
        self.state = ServerState()
        self.state.default_headers = [DATE]
        self.protocol = FastProtocol(server.config, self.state, {})
        self.transport = Transport(self.protocol)
        self.protocol.connection_made(self.transport)

    @property
    def fast_answers(self) -> int:
        """How many requests were answered as soon as they were read."""
        return self.protocol.answered_at_once

    async def send(self, *pieces: bytes) -> bytes:
        """Send pieces one after the other; what came back for them."""
        before = len(self.transport.written)
        for piece in pieces:
            if not self.transport.closed:
                self.protocol.data_received(piece)
            for _ in range(3):
                await asyncio.sleep(0)
        await self._settle()
        return self.transport.written[before:]

    async def _settle(self) -> None:
        """Wait until nothing is under way but bodies that do not come."""
        for _ in range(100):
            tasks, cycle = set(self.state.tasks), self.protocol._cycle
            if not tasks:
                return
            waits = cycle is not None and cycle.more_body and not cycle.response_complete
            # a request sent ahead has no task yet: the one that there is answers an earlier one
            if waits and not self.protocol.pipeline and len(tasks) == 1:
                for _ in range(10):
                    await asyncio.sleep(0)
                return
            await asyncio.wait(tasks, timeout=PATIENCE_S, return_when="FIRST_COMPLETED")

    async def end(self) -> None:
        """Hang up."""
        self.transport.close()
        await asyncio.sleep(0)
        for task in tuple(self.state.tasks):
            task.cancel()
        await asyncio.gather(*self.state.tasks, return_exceptions=True)


async def exchange(application: Any, *batches: Iterable[bytes]) -> list[tuple[bytes, bool]]:
    """What three connections, one after the other, answer to bytes, and whether each was closed.

    Args:
        application: What answers.
        batches: Bytes as they come; what came in one batch is answered before the next is sent.
    """
    answers = []
    for _ in range(3):
        connection = Connection(application)
        found = b"".join([await connection.send(*pieces) for pieces in batches])
        answers.append((found, connection.transport.closed))
        await connection.end()
    return answers
