"""Trials in this process, against one mock server."""

from typing_extensions import override

from harness.model import Canary, TrialRecord
from harness.runner.canary import When, ask_canary
from harness.runner.executors.protocol import TrialExecutor
from harness.runner.plan import PlannedTrial
from harness.runner.trial import RunContext, run_trial
from mockserver.model import Tampering


class LocalExecutor(TrialExecutor):
    """Performs trials here.

    Args:
        context: What the trials share.
    """

    def __init__(self, context: RunContext) -> None:
        self._context = context

    @property
    @override
    def places(self) -> int:
        return self._context.settings.concurrency

    @property
    @override
    def protected(self) -> bool:
        return self._context.environment.protected

    @override
    async def run(self, trial: PlannedTrial) -> TrialRecord:
        return await run_trial(self._context, trial)

    @override
    async def canary(self, when: When) -> Canary:
        return await ask_canary(self._context, when)

    @override
    async def strangers(self) -> tuple[Tampering, ...]:
        return await self._context.environment.strangers()

    @override
    async def connections(self) -> dict[str, int]:
        return await self._context.environment.connections()
