"""The worker's own side: a mock server, the agent, and the trials that it is asked for."""

import asyncio
import contextlib
import os
from dataclasses import replace
from typing import Annotated, Self

from pydantic import Field, TypeAdapter

from harness.agents import (
    AgentDriver,
    Synthetic,
    build_driver,
    refuse_live,
    visible_environment,
)
from harness.cases import suite_prices
from harness.environment import start_environment
from harness.errors import HarnessError
from harness.runner.canary import ask_canary, canary_error
from harness.runner.executors.protocol import (
    CanaryOrder,
    CancelOrder,
    PingOrder,
    ServerKnowledge,
    TellOrder,
    TrialOrder,
    WorkerSetup,
)
from harness.runner.plan import PlannedTrial
from harness.runner.trial import Clock, RunContext, run_trial
from harness.runner.users import Users

DONE = b"+"
"""Before the answer to a request."""

FAILED = b"-"
"""Before the reason why there is none."""

CANCELLED = b"0"
"""For a trial that was cancelled."""

LOST = b"!"
"""Before the reason why this worker is of no use any more."""

_Order = Annotated[
    TrialOrder | CanaryOrder | CancelOrder | TellOrder | PingOrder, Field(discriminator="kind")
]
_ORDERS: TypeAdapter[_Order] = TypeAdapter(_Order)


class TrialWorker:
    """Answers requests, several at a time.

    Args:
        context: What its trials share; the run is named by each.
    """

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._running: dict[int, asyncio.Task[bytes]] = {}

    @classmethod
    async def open(cls, setup: WorkerSetup, clock: Clock) -> Self:
        """Make the agent's driver, and start a mock server.

        Raises:
            HarnessError: The agent spec makes no sense here, or the agent would reach live hosts.
            InfrastructureError: The mock server did not come up.
        """
        driver = _driver(setup)
        suite = setup.place(setup.suite)
        environment = await start_environment(
            suite,
            hermetic=setup.settings.replay,
            intercept=setup.intercept,
            tunnel=setup.driver.tunnel,
        )
        context = RunContext(
            run="",
            suite=suite,
            hashes={},
            settings=setup.settings,
            driver=driver,
            environment=environment,
            clock=clock,
            prices=suite_prices(suite),
            users=Users(setup.keys),
        )
        return cls(context)

    async def answer(self, request: bytes) -> bytes:
        """The answer to a request: one of the marks of this module, then what belongs to it."""
        try:
            return await self._answer(_ORDERS.validate_json(request))
        except Exception as error:  # noqa: BLE001  (who asks waits for an answer)
            return FAILED + f"{type(error).__name__}: {error}".encode()

    async def _answer(self, order: _Order) -> bytes:
        match order:
            case TrialOrder():
                return await self._run(order)
            case CancelOrder():
                return await self._cancel(order)
            case CanaryOrder():
                context = replace(self._context, run=order.run)
                canary = await ask_canary(context, order.when)
                return DONE + canary.model_dump_json().encode()
            case TellOrder():
                return DONE + (await self._knowledge()).model_dump_json().encode()
            case PingOrder():
                return DONE

    async def close(self) -> None:
        """Stop the trials under way, the agent and the mock server."""
        running = [*self._running.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._context.driver.close()
        await self._context.environment.close()

    async def _run(self, order: TrialOrder) -> bytes:
        if order.key in self._running:
            return FAILED + b"a trial with this key is under way"
        task = asyncio.create_task(self._perform(order))
        self._running[order.key] = task
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                return CANCELLED
            raise
        finally:
            if task.done():
                del self._running[order.key]

    async def _cancel(self, order: CancelOrder) -> bytes:
        task = self._running.get(order.key)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        return DONE

    async def _perform(self, order: TrialOrder) -> bytes:
        environment = self._context.environment
        context = replace(
            self._context,
            run=order.run,
            hashes={order.case.id: order.hash},
            environment=environment.repeatable(order.sessions) if order.sessions else environment,
            sessions=order.sessions,
            users=replace(self._context.users, said=order.said),
        )
        record = await run_trial(context, PlannedTrial(order.case, order.number))
        if record.outcome == "infra_error":
            error, unanswered = await canary_error(context, f"check-{order.key}")
            if unanswered:
                return LOST + f"its mock server is gone: {error}".encode()
        return DONE + record.model_dump_json(by_alias=True).encode()

    async def _knowledge(self) -> ServerKnowledge:
        environment = self._context.environment
        connections: dict[str, int] = {}
        if self._context.settings.replay:
            with contextlib.suppress(HarnessError):
                connections = await environment.connections()
        strangers = await environment.strangers()
        return ServerKnowledge(
            protected=environment.protected, strangers=strangers, connections=connections
        )


def _driver(setup: WorkerSetup) -> AgentDriver:
    if setup.settings.synthetic:
        return Synthetic()
    options = setup.driver.driver_options(setup.place(setup.folder))
    options = replace(options, prices=suite_prices(setup.place(setup.suite)))
    if not setup.live:
        refuse_live(visible_environment(setup.agent, options, os.environ))
    return build_driver(setup.agent, options)
