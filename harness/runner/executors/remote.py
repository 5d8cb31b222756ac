"""Trials on workers: taken up again when a worker is lost, given up after a few times.

A worker that is lost says nothing about the agents that it ran. Its trials are run again on others,
each then alone on its worker, so that one that ends its worker every time costs no other trial.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from typing_extensions import override

from harness.judge import JudgeClient
from harness.model import Canary, TrialRecord
from harness.runner.canary import When
from harness.runner.executors.pool import WorkerPool
from harness.runner.executors.protocol import (
    CanaryOrder,
    CancelOrder,
    TrialExecutor,
    TrialOrder,
    WorkerLostError,
)
from harness.runner.plan import PlannedTrial, timestamp
from harness.runner.trial import Clock
from harness.runner.users import Users
from mockserver.model import Tampering

MOST_LOSSES = 3
"""How often a trial may lose its worker before it is an infrastructure error."""


@dataclass(frozen=True, slots=True)
class RemoteTerms:
    """What the trials share on this side.

    Attributes:
        run: The run's id.
        hashes: Case id to the hash of the case.
        clock: The time of day.
        sessions: What the ids of sessions come from in a replay, or an empty string.
        synthetic: Replies are made up.
        judge: Who is asked about replies, or None; here, so that its keys stay here.
        users: Who speaks for simulated users.
    """

    run: str
    hashes: Mapping[str, str]
    clock: Clock
    sessions: str = ""
    synthetic: bool = False
    judge: JudgeClient | None = None
    users: Users = field(default_factory=Users)


class RemoteExecutor(TrialExecutor):
    """Performs trials on workers.

    Args:
        pool: The workers.
        terms: What the trials share.
    """

    def __init__(self, pool: WorkerPool, terms: RemoteTerms) -> None:
        self._pool = pool
        self._terms = terms
        self._keys = count(1)

    @property
    @override
    def places(self) -> int:
        return self._pool.places

    @property
    @override
    def protected(self) -> bool:
        return self._pool.protected

    @override
    async def run(self, trial: PlannedTrial) -> TrialRecord:
        terms, started = self._terms, timestamp(self._terms.clock())
        order = TrialOrder(
            key=next(self._keys),
            run=terms.run,
            sessions=terms.sessions,
            case=trial.case,
            hash=terms.hashes[trial.case.id],
            number=trial.number,
            said=None if terms.synthetic else terms.users.recorded(trial),
        )
        request = order.model_dump_json(by_alias=True).encode()
        cancel = CancelOrder(key=order.key).model_dump_json().encode()
        last = ""
        for losses in range(MOST_LOSSES):
            try:
                record = await self._pool.ask(request, TrialRecord, cancel=cancel, alone=losses > 0)
            except WorkerLostError as error:
                last = str(error)
            else:
                return await self._with_opinions(trial, record)
        return TrialRecord(
            run=terms.run,
            case=trial.case.id,
            case_hash=order.hash,
            number=trial.number,
            outcome="infra_error",
            error=f"its worker was lost {MOST_LOSSES} times; the last time: {last}",
            started_at=started,
            synthetic=terms.synthetic,
        )

    @override
    async def canary(self, when: When) -> Canary:
        at = timestamp(self._terms.clock())
        request = CanaryOrder(run=self._terms.run, when=when).model_dump_json().encode()
        found = await self._pool.ask_each(request, Canary)
        failed = {name: each for name, each in found.items() if each.error}
        wrong = [f"{name}: {each.error}" for name, each in failed.items()]
        if not found:
            wrong.append("no worker answers")
        slowest = max((each.duration_ms for each in found.values()), default=0)
        return Canary(
            when=when,
            at=at,
            error="; ".join(wrong),
            unanswered=bool(wrong)
            and all(each.unanswered for each in found.values() if each.error),
            duration_ms=slowest,
        )

    @override
    async def strangers(self) -> tuple[Tampering, ...]:
        known = await self._pool.knowledge()
        return tuple(attempt for each in known for attempt in each.strangers)

    @override
    async def connections(self) -> dict[str, int]:
        total: dict[str, int] = {}
        for each in await self._pool.knowledge():
            for name, number in each.connections.items():
                total[name] = total.get(name, 0) + number
        return total

    async def _with_opinions(self, trial: PlannedTrial, record: TrialRecord) -> TrialRecord:
        if self._terms.judge is None:
            return record
        opinions = await self._terms.judge.opinions(trial.case, record)
        return record.model_copy(update={"opinions": opinions})
