"""Trials on workers: lost ones cost nothing, and what ends its worker every time is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from typing_extensions import override

from harness.errors import HarnessError, InfrastructureError
from harness.judge import JudgeClient
from harness.model import Case, Opinion, TrialRecord
from harness.runner import PlannedTrial
from harness.runner.executors import pool as pool_module
from harness.runner.executors.pool import WorkerPool
from harness.runner.executors.protocol import (
    ServerKnowledge,
    Worker,
    WorkerLostError,
    WorkerPlace,
)
from harness.runner.executors.remote import RemoteExecutor, RemoteTerms
from harness.runner.executors.worker import DONE, FAILED, LOST
from harness.runner.run import work_through
from mockserver.model import Tampering
from tests.harness.records import case
from tests.patience import until

Order = dict[str, Any]
Behaviour = Callable[["FakeWorker", Order], Awaitable[bytes]]


def record_of(order: Order, **fields: Any) -> bytes:
    record = TrialRecord(
        run=order["run"],
        case=order["case"]["id"],
        case_hash=order["hash"],
        number=order["number"],
        outcome="replied",
        started_at="2026-11-20T10:15:00.000Z",
        **fields,
    )
    return DONE + record.model_dump_json(by_alias=True).encode()


async def reply(_worker: "FakeWorker", order: Order) -> bytes:
    await asyncio.sleep(0)
    return record_of(order)


class FakeWorker(Worker):
    """Tells what it knows, answers canaries, and trials as it is told; notes what it was asked."""

    def __init__(self, name: str, trial: Behaviour, knowledge: ServerKnowledge) -> None:
        self.name = name
        self.asked: list[Order] = []
        self.running = self.most = 0
        self.stopped = self.dead = self.frozen = False
        self.canary = ""
        self.knowledge = knowledge
        self._trial = trial

    @override
    async def ask(self, request: bytes) -> bytes:
        order = json.loads(request)
        self.asked.append(order)
        if self.dead:
            raise WorkerLostError(f"{self.name} was ended by SIGKILL")
        if self.frozen:
            await asyncio.Event().wait()
        if order["kind"] == "ping":
            return DONE
        if order["kind"] == "tell":
            return DONE + self.knowledge.model_dump_json().encode()
        if order["kind"] == "canary":
            found = {"when": order["when"], "at": "", "error": self.canary, "duration_ms": 2}
            return DONE + json.dumps(found).encode()
        if order["kind"] == "cancel":
            return DONE
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            return await self._trial(self, order)
        finally:
            self.running -= 1

    @override
    async def stop(self) -> None:
        self.stopped = True

    def die(self) -> bytes:
        """What a worker does that is killed."""
        self.dead = True
        raise WorkerLostError(f"{self.name} was ended by SIGKILL")


class FakePlace(WorkerPlace):
    """Starts workers; from the number in `broken` on none comes up."""

    def __init__(
        self,
        count: int,
        trial: Behaviour = reply,
        *,
        broken: int = 99,
        knowledge: Sequence[ServerKnowledge] = (),
    ) -> None:
        self.name = f"fakes:{count}"
        self.workers: list[FakeWorker] = []
        self.closed = False
        self._count = count
        self._trial = trial
        self._broken = broken
        self._knowledge = {**dict(enumerate(knowledge))}

    @override
    async def open(self, trials: int) -> int:
        if not self._count:
            raise HarnessError("there is no such place")
        return min(self._count, trials)

    @override
    async def start(self) -> Worker:
        number = len(self.workers)
        if number >= self._broken:
            raise InfrastructureError("a worker did not start: no room")
        known = self._knowledge.get(number, ServerKnowledge(protected=True))
        self.workers.append(FakeWorker(f"worker {number + 1}", self._trial, known))
        await asyncio.sleep(0)
        return self.workers[number]

    @override
    async def close(self) -> None:
        self.closed = True


CASES = [case(id=f"T-{number}") for number in range(1, 9)]
TRIALS = [PlannedTrial(each, 1) for each in CASES]
PROBE = Tampering(at="", attempt="POST /_mock/sessions", reason="no token", status=401)


def terms(**fields: Any) -> RemoteTerms:
    hashes = {each.id: f"hash of {each.id}" for each in CASES}
    return RemoteTerms("run-1", hashes, lambda: datetime(2026, 11, 20, tzinfo=UTC), **fields)


@asynccontextmanager
async def opened(
    place: FakePlace, *, concurrency: int = 2, said: list[str] | None = None, **fields: Any
) -> AsyncIterator[RemoteExecutor]:
    heard: list[str] = [] if said is None else said
    pool = WorkerPool(place, concurrency, heard.append)
    try:
        await pool.open(len(TRIALS))
        yield RemoteExecutor(pool, terms(**fields))
    finally:
        await pool.close()
    assert place.closed
    assert all(each.stopped for each in place.workers)


async def run_all(executor: RemoteExecutor) -> dict[str, TrialRecord]:
    found: dict[str, TrialRecord] = {}

    async def work(trial: PlannedTrial) -> None:
        found[trial.case.id] = await executor.run(trial)

    stop = asyncio.Event()
    assert await work_through(TRIALS, work, concurrency=executor.places, stop=stop)
    return found


async def test_trials_are_spread_and_each_worker_runs_as_many_as_it_may() -> None:
    place = FakePlace(3)
    async with opened(place) as executor:
        assert executor.places == 6
        assert executor.protected
        found = await run_all(executor)
    assert {each.run for each in found.values()} == {"run-1"}
    assert found["T-3"].case_hash == "hash of T-3"
    assert [each.most for each in place.workers] == [2, 2, 2]


async def test_the_trials_of_a_lost_worker_are_run_again() -> None:
    async def trial(worker: FakeWorker, order: Order) -> bytes:
        if worker.name in {"worker 1", "worker 2"}:
            await asyncio.sleep(0)
            return worker.die()
        return await reply(worker, order)

    place, said = FakePlace(2, trial), list[str]()
    async with opened(place, said=said) as executor:
        found = await run_all(executor)
    assert [each.outcome for each in found.values()] == ["replied"] * 8
    assert len(place.workers) == 4
    assert said == [
        f"lost worker {number} was ended by SIGKILL; its trials are run again" for number in (1, 2)
    ]


async def test_a_worker_that_stands_still_is_lost_and_a_slow_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`kill -STOP`: nothing ends, and nothing is answered any more."""

    async def trial(worker: FakeWorker, order: Order) -> bytes:
        if worker.name == "worker 1":
            worker.frozen = True
            await asyncio.Event().wait()
        await until(lambda: sum(each["kind"] == "ping" for each in worker.asked) >= 3)
        return record_of(order)

    monkeypatch.setattr(pool_module, "PING_EVERY_S", 0.005)
    monkeypatch.setattr(pool_module, "ALIVE_WITHIN_S", 0.01)
    place, said = FakePlace(2, trial), list[str]()
    async with opened(place, said=said) as executor:
        found = await run_all(executor)
    assert [each.outcome for each in found.values()] == ["replied"] * 8
    assert said == [
        "lost worker 1 stands still: it gave no sign for 0.01 s; its trials are run again"
    ]


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_a_trial_that_ends_its_worker_every_time_costs_no_other(concurrency: int) -> None:
    async def trial(worker: FakeWorker, order: Order) -> bytes:
        if order["case"]["id"] == "T-2":
            return worker.die()
        for _ in range(3):
            await asyncio.sleep(0)
            if worker.dead:
                return worker.die()
        return record_of(order)

    place = FakePlace(1, trial)
    async with opened(place, concurrency=concurrency) as executor:
        found = await run_all(executor)
    lost = found.pop("T-2")
    assert lost.outcome == "infra_error"
    assert lost.error.startswith("its worker was lost 3 times; the last time: worker")
    assert lost.error.endswith("was ended by SIGKILL")
    assert {each.outcome for each in found.values()} == {"replied"}


async def test_a_worker_whose_mock_server_is_gone_is_lost() -> None:
    async def trial(worker: FakeWorker, order: Order) -> bytes:
        gone = LOST + b"its mock server is gone: no answer"
        return gone if worker.name == "worker 1" else record_of(order)

    said: list[str] = []
    async with opened(FakePlace(1, trial), said=said) as executor:
        found = await run_all(executor)
    assert {each.outcome for each in found.values()} == {"replied"}
    assert said[0].startswith("lost worker 1: its mock server is gone: no answer; its trials")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (FakePlace(0), "there is no such place"),
        (FakePlace(2, broken=1), "a worker did not start: no room"),
    ],
)
async def test_a_place_that_cannot_be_used_is_told(place: FakePlace, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        async with opened(place):
            pass
    assert place.closed


async def test_workers_that_take_too_long_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(FakePlace):
        @override
        async def start(self) -> FakeWorker:
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr(pool_module, "START_WITHIN_S", 0.01)
    with pytest.raises(InfrastructureError, match=r"0 of 2 workers of fakes:2 came up within"):
        async with opened(Slow(2)):
            pass


async def dying(worker: FakeWorker, _order: Order) -> bytes:
    return worker.die()


async def test_others_go_on_where_no_worker_takes_the_place_of_a_lost_one() -> None:
    async def trial(worker: FakeWorker, order: Order) -> bytes:
        return worker.die() if worker.name == "worker 1" else await reply(worker, order)

    said: list[str] = []
    async with opened(FakePlace(2, trial, broken=2), said=said) as executor:
        found = await run_all(executor)
    assert {each.outcome for each in found.values()} == {"replied"}
    assert said[1] == "no worker takes its place: a worker did not start: no room"


async def test_a_run_ends_when_no_worker_is_left() -> None:
    async with opened(FakePlace(2, dying, broken=2)) as executor:
        with pytest.raises(InfrastructureError, match="no worker of fakes:2 is left: a worker did"):
            await run_all(executor)
        assert (await executor.canary("after")).error == "no worker answers"


async def test_a_run_ends_when_workers_are_lost_one_after_the_other() -> None:
    place = FakePlace(1, dying)
    async with opened(place) as executor:
        with pytest.raises(InfrastructureError, match="fakes:1 are lost one after the other"):
            await run_all(executor)
    assert len(place.workers) == 5


async def test_what_a_worker_cannot_answer_ends_the_run() -> None:
    async def trial(_worker: FakeWorker, _order: Order) -> bytes:
        return FAILED + b"KeyError: 'x'"

    async with opened(FakePlace(1, trial)) as executor:
        with pytest.raises(InfrastructureError, match="worker 1: KeyError: 'x'"):
            await run_all(executor)


async def test_a_trial_that_is_cancelled_is_cancelled_on_its_worker() -> None:
    begun = asyncio.Event()

    async def trial(_worker: FakeWorker, _order: Order) -> bytes:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    place = FakePlace(1, trial)
    async with opened(place, concurrency=1) as executor:
        running = asyncio.create_task(executor.run(TRIALS[0]))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        last = place.workers[0].asked[-1]
        assert last == {"kind": "cancel", "key": place.workers[0].asked[-2]["key"]}


async def test_a_canary_is_asked_of_every_worker() -> None:
    place = FakePlace(3)
    async with opened(place) as executor:
        first = await executor.canary("before")
        assert (first.error, first.duration_ms, first.at) == ("", 2, "2026-11-20T00:00:00.000Z")
        place.workers[0].dead = True
        place.workers[1].canary = "the mock server answered 500 and not what it was given"
        assert (await executor.canary("middle")).error.startswith("worker 2: the mock server")


async def test_what_servers_saw_is_kept_when_their_workers_are_lost() -> None:
    known = [
        ServerKnowledge(protected=True, strangers=(PROBE,), connections={"opened": 2}),
        ServerKnowledge(protected=True, connections={"opened": 1, "refused": 1}),
    ]
    place = FakePlace(2, knowledge=known)
    async with opened(place) as executor:
        place.workers[0].dead = True
        await executor.canary("middle")
        assert await executor.strangers() == (PROBE,)
        assert await executor.connections() == {"opened": 3, "refused": 1}


async def test_replies_are_judged_here(monkeypatch: pytest.MonkeyPatch) -> None:
    opinion = Opinion(asked="Is it polite?", sample=1, model="m", prompt="p")

    class Judge(JudgeClient):
        def __init__(self) -> None:
            pass

        @override
        async def opinions(self, case: Case, record: TrialRecord) -> tuple[Opinion, ...]:
            return (opinion,)

    async with opened(FakePlace(1), judge=Judge()) as executor:
        assert (await executor.run(TRIALS[0])).opinions == (opinion,)


async def test_a_lost_worker_is_no_exception_of_ours() -> None:
    """It is of a worker and never of a run, whose errors are printed."""
    assert not issubclass(WorkerLostError, HarnessError)
