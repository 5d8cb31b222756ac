"""Each wait ends at its own deadline, whatever else is waited for."""

import asyncio

import pytest

from mockserver.asgi.waits import UNTIL, count_overdue, deadline, list_waits
from mockserver.errors import OverdueError


@pytest.fixture(autouse=True)
def no_least_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.asgi.waits.LEAST_S", 0.0)


async def _wait(name: str, seconds: float, ended: list[str]) -> None:
    UNTIL.set(asyncio.get_running_loop().time() + seconds)
    try:
        async with deadline(name):
            await asyncio.Event().wait()
    except OverdueError as error:
        ended.append(str(error).partition(" did")[0])


async def test_waits_end_in_the_order_of_their_deadlines() -> None:
    ended: list[str] = []
    before = count_overdue()
    waits = (("late", 0.3), ("soon", 0.1), ("between", 0.2))
    await asyncio.gather(*(_wait(name, seconds, ended) for name, seconds in waits))
    assert ended == ["soon", "between", "late"]
    assert (count_overdue() - before, list_waits()) == (3, [])


async def test_a_wait_after_all_others_is_given_up_too() -> None:
    ended: list[str] = []
    await _wait("first", 0.05, ended)
    await _wait("second", 0.05, ended)
    assert ended == ["first", "second"]


async def test_who_cancels_a_task_is_obeyed() -> None:
    task = asyncio.create_task(_wait("it", 9.0, []))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_ends_in_time_leaves_nothing_behind() -> None:
    async with deadline("a bus"):
        assert [each["for"] for each in list_waits()] == ["a bus"]
    assert list_waits() == []
    with pytest.raises(ValueError, match="its own"):
        async with deadline("a bus"):
            raise ValueError("its own")
