"""A place whose workers answer in this process, as they are told."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from typing_extensions import override

from harness.errors import HarnessError, InfrastructureError
from harness.model import TrialRecord
from harness.runner.executors.protocol import (
    ServerKnowledge,
    Worker,
    WorkerLostError,
    WorkerPlace,
)
from harness.runner.executors.worker import DONE

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
