import asyncio
from pathlib import Path

import httpx
import pytest

from tests.wires import HEAD, live, proxied


async def ok(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes) -> None:
    writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")


async def test_a_proxy_that_is_stopped_answers_no_more(tmp_path: Path) -> None:
    async with (
        live(ok) as api,
        proxied(api, tmp_path / "a.yaml") as proxy,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        assert (await client.get(proxy.url)).text == "ok"
        await proxy.stop()
        with pytest.raises(httpx.TransportError):
            await client.get(proxy.url)


async def test_nothing_of_the_proxy_itself_is_in_an_answer(tmp_path: Path) -> None:
    async with (
        live(ok) as api,
        proxied(api, tmp_path / "a.yaml") as proxy,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        answer = await client.get(proxy.url)
    assert sorted(answer.headers) == ["content-length", "content-type"]
