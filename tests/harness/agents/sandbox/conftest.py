"""A stand-in for the mock server, and agents that are run in sandboxes before it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_socket

from harness.agents import DriverOptions, Task, Transcript
from harness.agents.command import CommandAgent

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(ANSWER)
    await writer.drain()
    writer.close()


@pytest_asyncio.fixture
async def port() -> AsyncIterator[int]:
    """Where every request is answered."""
    async with await asyncio.start_server(_answer, "127.0.0.1", 0) as server:
        yield int(server.sockets[0].getsockname()[1])


@pytest.fixture
def unix_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets of files may be connected to; pytest-socket takes them for another host's."""
    monkeypatch.setattr(socket.socket, "connect", pytest_socket._true_connect)


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the harness is started."""
    return tmp_path_factory.mktemp("project")


@pytest.fixture
def run_agent(project: Path, port: int, make_task: Callable[..., Task]) -> Callable[..., Any]:
    """Put an agent through a task in a sandbox; the transcript is told even if it fails."""

    async def run(command: str, sandbox: str = "bubblewrap", **options: Any) -> Transcript:
        task = make_task("Go", env={"GOOGLE_API_BASE_URL": f"http://127.0.0.1:{port}"})
        driver = CommandAgent(
            command, DriverOptions(folder=project, sandbox=sandbox, grace_s=1, **options)
        )
        transcript = Transcript()
        try:
            await driver.converse(task, transcript)
        finally:
            await driver.close()
        return transcript

    return run
