"""A Redis that begins anew may lack what it answered: all processes go on with what it has."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from mockserver.shared.log import Appended, LoggedSession
from mockserver.shared.memory_log import MemoryLog
from mockserver.shared.redis_log import RedisLog
from tests.mockserver.conftest import UNITS
from tests.mockserver.shared.processes import Processes
from tests.redis_servers import RedisServer, redis_server


def _lose(server: RedisServer, file: Path, size: int) -> None:
    server.stop()
    os.truncate(file, size)
    server.start()


@contextmanager
def forgetful_redis() -> Iterator[tuple[str, Callable[[], Callable[[], None]]]]:
    """A Redis: its URL, and what notes a moment and answers with what loses all after it."""
    with redis_server() as server:
        (file,) = server.folder.glob("appendonlydir/*.incr.aof")

        def note() -> Callable[[], None]:
            size = file.stat().st_size
            return lambda: _lose(server, file, size)

        yield server.url, note


async def test_what_was_made_of_lost_records_is_made_again(suite: Path) -> None:
    with forgetful_redis() as (url, note):
        log, other = RedisLog(url), RedisLog(url)
        for each in (log, other):
            await each.start()
        async with Processes(suite, log) as processes:
            processes.apps[1].log = other
            one, two = processes.clients
            await one.post("/_mock/sessions", json={"id": "a"})

            async def add(number: int, name: str) -> int:
                body = {"name": name, "parentOrgUnitPath": "/"}
                while True:  # a connection to the Redis before is of no use
                    answer = await processes.clients[number].post(f"/s/a{UNITS}", json=body)
                    if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                        return answer.status_code

            assert [await add(0, "kept"), await add(1, "too")] == [200, 200]
            lose = note()
            assert [await add(0, f"lost {number}") for number in range(3)] == [200] * 3
            lose()
            assert await add(1, "new") == 200
            assert await add(0, "kept") == 409
            seen = [
                {unit["name"] for unit in answer.json()["organizationUnits"]}
                for client in (one, two)
                for answer in [await client.get(f"/s/a{UNITS}?type=children")]
            ]
        assert seen[0] == seen[1]
        assert {"kept", "too", "new"} <= seen[0]
        assert not any(name.startswith("lost") for name in seen[0])
        assert log.lineage == other.lineage == 1
        for each in (log, other):
            await each.stop()


async def test_who_writes_for_the_redis_before_is_behind() -> None:
    with redis_server() as server:
        log = RedisLog(server.url)
        await log.start()
        await log.create(LoggedSession("a", None), b"1")
        server.stop()
        server.start()
        await log._redis.connection_pool.disconnect()
        assert await log.append("a", 2, b"2") is Appended.BEHIND
        assert await log.append("a", 2, b"2") is Appended.DONE
        assert log.lineage == 1
        await log.stop()


async def test_the_time_of_a_session_never_goes_back(suite: Path) -> None:
    async with Processes(suite, MemoryLog()) as processes:
        one, two = processes.clients
        await one.post("/_mock/sessions", json={"id": "a"})
        processes.clock.tick()
        await one.get(f"/s/a{UNITS}")
        later, processes.clock.now = processes.clock.now, processes.clock.now.replace(year=2001)
        await two.get(f"/s/a{UNITS}")
        processes.clock.now = later
        journal = (await one.get("/_mock/sessions/a/journal")).json()["entries"]
        assert len({entry["at"] for entry in journal}) == 1
