import asyncio

from mockserver.asgi.splicing import SplicedConnections, splice
from tests.patience import PATIENCE_S, settle


async def test_bytes_go_both_ways_until_both_have_ended() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(shout, "127.0.0.1", 0) as far:
        port = far.sockets[0].getsockname()[1]

        async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await splice((reader, writer), await asyncio.open_connection("127.0.0.1", port))

        async with await asyncio.start_server(lead, "127.0.0.1", 0) as near:
            reader, writer = await asyncio.open_connection(*near.sockets[0].getsockname())
            writer.write(b"a" * 300_000)
            writer.write_eof()
            async with asyncio.timeout(PATIENCE_S):
                assert await reader.read() == b"A" * 300_000
            writer.close()
            await writer.wait_closed()
    await settle()


async def test_connections_to_where_nobody_listens_are_closed_and_open_ones_broken_off() -> None:
    led, kept = SplicedConnections(), []

    def keep(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept.append(writer)

    async with await asyncio.start_server(keep, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        async with await asyncio.start_server(
            lambda *near: led.lead("127.0.0.1", port, near), "127.0.0.1", 0
        ) as near:
            reader, writer = await asyncio.open_connection(*near.sockets[0].getsockname())
            await settle()
            await led.close()
            async with asyncio.timeout(PATIENCE_S):
                assert await reader.read() == b""
            for each in (writer, *kept):
                each.close()
                await each.wait_closed()
    async with await asyncio.start_server(
        lambda *near: led.lead("127.0.0.1", port, near), "127.0.0.1", 0
    ) as near:
        reader, writer = await asyncio.open_connection(*near.sockets[0].getsockname())
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
    await led.close()
