"""Bytes carried between two connections, both ways."""

import asyncio
import contextlib

from mockserver.asgi.waits import WAIT_S

_CHUNK = 65_536

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def splice(one: Streams, other: Streams) -> None:
    """Carry bytes both ways; an end on one side is passed on to the other."""
    try:
        await asyncio.gather(_carry(one[0], other[1]), _carry(other[0], one[1]))
    finally:
        for _, writer in (one, other):
            writer.close()
        for _, writer in (one, other):
            try:
                async with asyncio.timeout(WAIT_S):
                    await writer.wait_closed()
            except OSError:  # it is broken, or nobody reads what was sent last
                writer.transport.abort()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


class SplicedConnections:
    """Connections that are led to ports of this machine, until it is closed."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def lead(self, host: str, port: int, near: Streams) -> None:
        """Carry a connection to an address; it is closed where nobody listens there."""
        task = asyncio.create_task(_connect(host, port, near))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Break off those that are open."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _connect(host: str, port: int, near: Streams) -> None:
    try:
        async with asyncio.timeout(WAIT_S):
            far = await asyncio.open_connection(host, port)
    except OSError:
        near[1].close()
        return
    await splice(near, far)
