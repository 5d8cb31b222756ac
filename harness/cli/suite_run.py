"""Runs single cases one after the other, for callers that have an order of their own."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Self

from harness.cases import case_hash, suite_prices
from harness.cli.run_execution import (
    make_driver,
    make_judge,
    make_users,
    open_environment,
    time_of_day,
)
from harness.cli.run_options import RunOptions
from harness.cli.run_preparation import prepare_new, select_run_cases
from harness.environment import random_noise
from harness.model import Case, CaseDecision, TrialRecord
from harness.runner import PlannedTrial, RunContext, read_policy, run_trial, trial_counts
from harness.verdicts import decide_case, decide_trial


@dataclass(frozen=True)
class DecidedCase:
    """What came of a case.

    Attributes:
        decision: The verdict, with that of each trial.
        records: The trials, in order.
    """

    decision: CaseDecision
    records: tuple[TrialRecord, ...]


class SuiteRun:
    """A mock server and an agent, for the cases of a suite one by one; nothing is kept on disk.

    Args:
        options: What `understudy run` would be told.

    Raises:
        HarnessError: Options, suite or selection make no sense.
        InvalidCasesError: A case is invalid.
    """

    def __init__(self, options: RunOptions) -> None:
        self._selected = select_run_cases(options)
        self._runner: asyncio.Runner | None = None
        self._opened = AsyncExitStack()
        self._context: RunContext | None = None

    @property
    def cases(self) -> Sequence[Case]:
        """The selected cases."""
        return self._selected.cases

    def decide(self, case: Case) -> DecidedCase:
        """Run the trials of a case; the first call starts the mock server and the agent.

        Raises:
            HarnessError: Options make no sense, or the agent is not there.
            InvalidCasesError: The snapshot of a case cannot be served.
            InfrastructureError: There is no mock server.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._decide(case))

    def close(self) -> None:
        """Stop what was started."""
        if self._runner is not None:
            self._runner.run(self._opened.aclose())
            self._runner.close()
            self._runner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _decide(self, case: Case) -> DecidedCase:
        if self._context is None:
            self._context = await self._open()
        settings = self._context.settings
        count = trial_counts([case], settings.trials)[case.id]
        records = [
            await run_trial(self._context, PlannedTrial(case, number))
            for number in range(1, count + 1)
        ]
        decisions = [decide_trial(case, record) for record in records]
        policy = read_policy(self._selected.options.policy)
        return DecidedCase(decide_case(case, decisions, policy), tuple(records))

    async def _open(self) -> RunContext:
        options, suite = self._selected.options, self._selected.suite.path
        environment = await open_environment(
            suite, options, replay=options.replay, isolate=options.isolate
        )
        self._opened.push_async_callback(environment.close)
        problems = () if options.mock else await environment.fixture_problems(suite)
        prepared = prepare_new(self._selected, problems)
        driver = make_driver(prepared, options)
        self._opened.push_async_callback(driver.close)
        replay = "replay" if prepared.settings.replay else ""
        return RunContext(
            run=f"cases-{random_noise('')[:12]}",
            suite=suite.absolute(),
            hashes={case.id: case_hash(case) for case in prepared.cases},
            settings=prepared.settings,
            driver=driver,
            environment=environment.repeatable(replay) if replay else environment,
            clock=time_of_day,
            sessions=replay,
            judge=make_judge(prepared, options),
            users=make_users(prepared, options, driver),
            prices=suite_prices(suite),
        )
