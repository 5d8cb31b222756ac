"""Joins two streams until both directions have ended."""

import asyncio
import contextlib

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
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
