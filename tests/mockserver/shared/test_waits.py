"""Nothing waits for ever: a Redis or a client of it that hangs costs one answer, not the server."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mockserver.asgi import waits
from mockserver.errors import MockServerError, OverdueError
from mockserver.shared.file_log import FileLog
from mockserver.shared.log import Appended, LoggedSession, LogUnavailableError
from mockserver.shared.redis_log import RedisLog
from tests.mockserver.conftest import UNITS
from tests.mockserver.shared.processes import Processes
from tests.patience import settle, until
from tests.redis_servers import RedisServer

BODY = {"name": "A", "parentOrgUnitPath": "/"}


@contextmanager
def given_up_soon(target: object = None, name: str = "", value: object = None) -> Iterator[None]:
    """Meanwhile waits are short, and maybe something hangs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waits, "WAIT_S", 0.3)
        patch.setattr(waits, "LEAST_S", 0.1)
        if target is not None:
            patch.setattr(target, name, value)
        yield


@pytest.fixture
async def log(redis: RedisServer, tmp_path: Path) -> AsyncIterator[RedisLog]:
    made = RedisLog(redis.url, prefix=f"waits-{tmp_path.name}")
    await made.start()
    await made.create(LoggedSession("a", None), b"1")
    yield made
    await made.stop()


async def _never(*_: Any) -> Any:
    await asyncio.Event().wait()


async def _not_even_when_cancelled(*_: Any, **__: Any) -> Any:
    for _number in range(20):
        try:
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            continue


async def _other_error(*_: Any) -> Any:
    raise AttributeError("'NoneType' object has no attribute 'read'")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hang", "error"),
    [
        (_never, OverdueError),
        (_not_even_when_cancelled, OverdueError),
        (_other_error, LogUnavailableError),
    ],
)
async def test_a_client_that_fails_unexpectedly_costs_one_write(
    log: RedisLog,
    hang: Callable[..., Awaitable[Any]],
    error: type[MockServerError],
) -> None:
    with given_up_soon(log, "_execute", hang), pytest.raises(error):
        await log.append("a", 2, b"2")
    assert await log.append("a", 2, b"2") is Appended.DONE
    assert await log.read("a", 0) == [(1, b"1"), (2, b"2")]


@pytest.mark.slow
async def test_reads_that_hang_are_given_up_and_asked_anew(log: RedisLog) -> None:
    hang = given_up_soon(log._redis, "xrange", _not_even_when_cancelled)
    with hang, pytest.raises(OverdueError, match="the Redis at"):
        await log.read("a", 0)
    assert await log.read("a", 0) == [(1, b"1")]


async def test_who_gave_up_is_not_written_later(
    log: RedisLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()
    execute = log._execute

    async def late(writes: Any) -> Any:
        await ended.wait()
        return await execute(writes)

    monkeypatch.setattr(log, "_execute", late)
    first = asyncio.create_task(log.append("a", 2, b"first"))
    await asyncio.sleep(0)
    second = asyncio.create_task(log.append("a", 3, b"second"))
    await asyncio.sleep(0)
    second.cancel()
    ended.set()
    assert await first is Appended.DONE
    await settle()
    assert await log.read("a", 0) == [(1, b"1"), (2, b"first")]


async def test_a_turn_that_does_not_end_is_answered_and_told(suite: Path, log: RedisLog) -> None:
    async with Processes(suite, log) as processes:
        (app, _), (client, other) = processes.apps, processes.clients
        await client.post("/_mock/sessions", json={"id": "b"})
        turn = app._copies.of("b").turn
        async with turn:
            with given_up_soon():
                asked = asyncio.create_task(client.post(f"/s/b{UNITS}", json=BODY))
                await until(waits.list_waits, "a wait")
                health = (await client.get("/_mock/health?tasks")).json()
                answer = await asked
            assert [each["for"] for each in health["waits"]] == ["the turn of a session"]
            places = [place for each in health["tasks"] for place in each["at"]]
            assert any(place.endswith("_Turns.enter") for place in places)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "the turn of a session did not come within " in answer.text
        assert (await client.post(f"/s/b{UNITS}", json=BODY)).status_code == 200
        assert (await other.post(f"/s/b{UNITS}", json=BODY)).status_code == 409
        assert (await client.get("/_mock/health")).json()["overdue"] >= 1


async def test_a_file_that_another_process_holds_holds_up_its_session_alone(tmp_path: Path) -> None:
    log = FileLog(tmp_path)
    await log.start()
    await log.create(LoggedSession("a", None), b"1")
    with closing(sqlite3.connect(tmp_path / "sessions-0.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with given_up_soon(), pytest.raises(OverdueError, match="a file of the sessions' logs"):
            await log.append("a", 2, b"2")
        waiting = asyncio.create_task(log.append("a", 2, b"2"))
        await until(waits.list_waits, "a wait")
        other.execute("ROLLBACK")
    assert await waiting is Appended.DONE
    assert await log.read("a", 0) == [(1, b"1"), (2, b"2")]
    await log.stop()


def test_a_report_names_waits_and_places() -> None:
    told: list[str] = []

    async def wait() -> None:
        async with waits.deadline("a bus"):
            asyncio.get_running_loop().call_later(0.05, waits.report_waits, told.append)
            await asyncio.sleep(0.1)

    asyncio.run(wait())
    assert "waits for a bus since 0." in told[0]
    assert "shared/test_waits.py:" in told[0]
