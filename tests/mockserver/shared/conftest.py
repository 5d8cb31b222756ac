"""Logs of each kind, and processes that share one: applications, each with memory of its own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from mockserver.shared.file_log import FileLog
from mockserver.shared.log import SessionLog
from mockserver.shared.memory_log import MemoryLog
from mockserver.shared.redis_log import RedisLog
from tests.mockserver.shared.processes import Processes
from tests.redis_servers import RedisServer, redis_server

KINDS = ("memory", "file", "redis")


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(params=KINDS)
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionLog]:
    match request.param:
        case "memory":
            made: SessionLog = MemoryLog()
        case "file":
            made = FileLog(tmp_path / "logs", slots=2)
        case _:
            server = request.getfixturevalue("redis")
            made = RedisLog(server.url, prefix=tmp_path.name)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def processes(log: SessionLog, suite: Path) -> AsyncIterator[Processes]:
    async with Processes(suite, log) as made:
        yield made
