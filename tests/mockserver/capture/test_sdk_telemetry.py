"""Telemetry of SDKs is passed on, and is in no cassette."""

import asyncio
from pathlib import Path

import httpx
import pytest

from mockserver.capture import proxy
from mockserver.capture.recorder_queue import summary_lines
from tests.wires import HEAD, forwarding, live, proxied


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: bytes) -> None:
    sound = HEAD + b"Content-Length: 2\r\n\r\nok"
    writer.write(b"garbage\r\n\r\n" if target.endswith(b"/gone") else sound)
    await writer.drain()


@pytest.fixture(autouse=True)
def told_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "is_telemetry", lambda host, path: path.startswith("/ingest"))


async def ask(through: str, url: str) -> int:
    async with httpx.AsyncClient(trust_env=False, proxy=through or None) as client:
        return (await client.post(url, content=b"{}")).status_code


async def test_a_program_s_telemetry_is_passed_on_and_not_recorded(tmp_path: Path) -> None:
    async with live(answer) as api, forwarding(tmp_path, None) as through:
        assert await ask(through.url, f"{api}/ingest") == 200
        assert await ask(through.url, f"{api}/ingest/gone") == 502
        assert await ask(through.url, f"{api}/other") == 200
        queue = through.proxying.queue
        assert queue.telemetry == {"127.0.0.1": 2}
        assert queue.unrecorded == []
        assert [line for line in through.lines if "ingest" in line] == []
        assert any("/other 200" in line for line in through.lines)


async def test_an_api_that_is_named_is_recorded_whatever_it_is(tmp_path: Path) -> None:
    async with live(answer) as api, proxied(api, tmp_path / "a.yaml") as reverse:
        assert await ask("", f"{reverse.url}/ingest") == 200
        assert reverse.recorder.recorded == 1
        assert reverse.proxying.queue.telemetry == {}
        reverse.proxying.queue.telemetry["api.example.com"] = 3
        told = list(summary_lines(reverse.recorder, reverse.proxying.queue))
    assert told[-1] == "telemetry of SDKs, passed on and not recorded: api.example.com 3"
