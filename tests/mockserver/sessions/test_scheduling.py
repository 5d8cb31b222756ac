"""Long requests: beside the event loop, and one after another in each session."""

import asyncio
import threading
from functools import partial

import pytest

from mockserver.sessions.scheduling import Queue, Worker, run_in_turn
from tests.patience import PATIENCE_S


class Session:
    queue: Queue | None = None


async def test_requests_of_a_session_come_one_after_another_in_their_order() -> None:
    session, order = Session(), list[int]()

    async def request(number: int) -> None:
        order.append(number)
        await asyncio.sleep(0)
        order.append(number)

    await asyncio.gather(*(run_in_turn(session, partial(request, number)) for number in range(5)))
    assert order == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert session.queue is None


async def test_who_goes_away_while_waiting_is_forgotten() -> None:
    session, order, end = Session(), list[str](), asyncio.Event()

    async def request(name: str) -> None:
        order.append(name)
        await end.wait()

    first, second, third = (
        asyncio.create_task(run_in_turn(session, partial(request, name)))
        for name in ("first", "second", "third")
    )
    await asyncio.sleep(0)
    second.cancel()
    end.set()
    await asyncio.gather(first, third)
    assert (order, second.cancelled(), session.queue) == (["first", "third"], True, None)


async def test_who_goes_away_later_keeps_the_others_waiting_until_the_work_is_done() -> None:
    session, order, begun, end = Session(), list[str](), asyncio.Event(), threading.Event()
    loop, worker = asyncio.get_running_loop(), Worker()

    def work() -> None:
        loop.call_soon_threadsafe(begun.set)
        end.wait(PATIENCE_S)
        order.append("work")

    async def after() -> None:
        order.append("after")

    given_up = asyncio.create_task(run_in_turn(session, lambda: worker.run(work)))
    await begun.wait()
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    assert (given_up.cancelled(), session.queue is None) == (True, False)
    waiting = asyncio.create_task(run_in_turn(session, after))
    await asyncio.sleep(0)
    end.set()
    await waiting
    assert (order, session.queue) == (["work", "after"], None)


async def test_a_request_that_fails_keeps_nobody_waiting() -> None:
    session = Session()

    async def fail() -> None:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await run_in_turn(session, fail)
    assert session.queue is None


async def test_long_work_leaves_the_loop_to_others() -> None:
    others = threading.Event()

    def work() -> bool:
        return others.wait(PATIENCE_S)

    running = asyncio.create_task(Worker().run(work))
    await asyncio.sleep(0)
    others.set()
    assert await running


async def test_what_long_work_raises_is_raised_where_it_is_awaited() -> None:
    worker = Worker()
    with pytest.raises(ZeroDivisionError):
        await worker.run(lambda: 1 // 0)
    assert await worker.run(lambda: 1) == 1
