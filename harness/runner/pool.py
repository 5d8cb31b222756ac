"""Work through trials, some at a time; a free place takes the next one at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from harness.runner.plan import PlannedTrial


async def work_through(
    trials: Iterable[PlannedTrial],
    work: Callable[[PlannedTrial], Awaitable[None]],
    *,
    concurrency: int,
    stop: asyncio.Event,
) -> bool:
    """Do all the work, or what was done when `stop` was set; trials under way are then cancelled.

    Returns:
        Whether everything was done.

    Raises:
        Exception: What `work` raises; the rest is cancelled.
    """
    waiting = iter(trials)

    async def place() -> None:
        for trial in waiting:
            await work(trial)

    places = {asyncio.create_task(place()) for _ in range(concurrency)}
    stopping = asyncio.create_task(stop.wait())
    running = set(places)
    try:
        while running and not stop.is_set():
            done, _ = await asyncio.wait({*running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            running -= done
            for task in done & places:
                task.result()
    finally:
        for task in (*places, stopping):
            task.cancel()
        await asyncio.gather(*places, stopping, return_exceptions=True)
    return not running
