"""Puts an agent through cases, one trial each, without a run directory."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.agents import AgentDriver
from harness.cases import Suite, case_hash
from harness.environment import Environment, session_id, session_spec
from harness.model import Case, JsonObject, TrialDecision, TrialRecord
from harness.runner import Clock, PlannedTrial, RunContext, RunSettings, run_trial
from harness.runner.run import work_through
from harness.verdicts import decide_trial


@dataclass(frozen=True, slots=True)
class Outcome:
    """One trial.

    Attributes:
        record: What happened.
        decision: What it comes to.
    """

    record: TrialRecord
    decision: TrialDecision

    @property
    def passed(self) -> bool:
        """Whether the case was passed."""
        return self.decision.status == "pass"

    @property
    def was_reached(self) -> bool:
        """Whether the agent was reached and its world was there."""
        return self.decision.status in {"pass", "fail", "agent_error", "not_evaluated"}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where agents are put through the cases of one suite.

    Attributes:
        suite: The suite.
        environment: The mock server.
        settings: What shapes the trials.
        clock: The time of day.
        stop: Set: nothing more is begun.
    """

    suite: Suite
    environment: Environment
    settings: RunSettings
    clock: Clock
    stop: asyncio.Event

    async def run_cases(
        self,
        name: str,
        driver: AgentDriver,
        cases: Iterable[Case],
        *,
        layers: Mapping[str, tuple[JsonObject, ...]] | None = None,
        frozen: bool = False,
    ) -> dict[str, Outcome]:
        """One trial of each case, by its id.

        Args:
            name: What the ids of the sessions begin with.
            driver: The agent.
            cases: The cases.
            layers: Case id to what is laid over its snapshot.
            frozen: Whether the clock stands still, so that two answers can be compared.
        """
        trials = [PlannedTrial(case, 1) for case in cases]
        context = RunContext(
            run=f"doctor-{name}",
            suite=self.suite.path,
            hashes={trial.case.id: case_hash(trial.case) for trial in trials},
            settings=self.settings.model_copy(update={"replay": frozen}),
            driver=driver,
            environment=self.environment,
            clock=self.clock,
            layers=layers or {},
        )
        seen: dict[str, Outcome] = {}

        async def work(trial: PlannedTrial) -> None:
            record = await run_trial(context, trial)
            seen[trial.case.id] = Outcome(record, decide_trial(trial.case, record))

        await work_through(trials, work, concurrency=self.settings.concurrency, stop=self.stop)
        return {trial.case.id: seen[trial.case.id] for trial in trials if trial.case.id in seen}

    async def worlds(self, cases: Iterable[Case]) -> dict[str, JsonObject]:
        """The merged snapshot of each case, by its id.

        Raises:
            InfrastructureError: The mock server does not answer.
        """
        found: dict[str, JsonObject] = {}
        for case in cases:
            spec = session_spec(case, 1, id=session_id("doctor-world", case.id, 1))
            async with self.environment.session(spec) as session:
                found[case.id] = await session.merged()
        return found

    async def tools(self, case: Case) -> tuple[str, ...]:
        """The tools that the mock server has in the world of a case.

        Raises:
            InfrastructureError: The mock server does not answer.
        """
        spec = session_spec(case, 1, id=session_id("doctor-tools", case.id, 1))
        return await self.environment.tools(spec)
