import asyncio

import pytest

from harness.model import Case, Turn
from harness.runner import PlannedTrial
from harness.runner.pool import work_through

TRIALS = [
    PlannedTrial(Case(id="C-1", turns=(Turn(user="Why?"),)), number) for number in range(1, 7)
]


@pytest.mark.parametrize("concurrency", [1, 3, 20])
async def test_so_many_trials_run_at_a_time_and_no_more(concurrency: int) -> None:
    """CEP-29, CEPR-20."""
    running, most, done = 0, 0, []

    async def work(trial: PlannedTrial) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done.append(trial.number)

    assert await work_through(TRIALS, work, concurrency=concurrency, stop=asyncio.Event())
    assert most == min(concurrency, len(TRIALS))
    assert sorted(done) == [1, 2, 3, 4, 5, 6]


async def test_a_slow_trial_holds_up_no_other() -> None:
    """There are no batches: the places beside a slow trial go on."""
    others, done = asyncio.Event(), []

    async def work(trial: PlannedTrial) -> None:
        if trial.number == 1:
            await others.wait()
        done.append(trial.number)
        if len(done) == 5:
            others.set()

    assert await work_through(TRIALS, work, concurrency=2, stop=asyncio.Event())
    assert done == [2, 3, 4, 5, 6, 1]


async def test_stopping_cancels_what_is_under_way() -> None:
    stop, cancelled = asyncio.Event(), []

    async def work(trial: PlannedTrial) -> None:
        if trial.number == 3:
            stop.set()
        try:
            await asyncio.sleep(0 if trial.number < 3 else 600)
        except asyncio.CancelledError:
            cancelled.append(trial.number)
            raise

    assert not await work_through(TRIALS, work, concurrency=2, stop=stop)
    assert 3 in cancelled


async def test_an_error_of_ours_ends_everything() -> None:
    async def work(trial: PlannedTrial) -> None:
        if trial.number == 2:
            raise ValueError("a bug")
        await asyncio.sleep(600)

    with pytest.raises(ValueError, match="a bug"):
        await work_through(TRIALS, work, concurrency=2, stop=asyncio.Event())
